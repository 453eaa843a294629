/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DLIO's checkpoint.type rank_zero for a model of given size: accelerator 0
 * writes the whole state in one file, the others nothing. */
#include "lb-config.h"

#include <stdio.h>

#include "loadbank/checkpoint.h"

static int64_t rank_zero_count(const struct lb_checkpoint_model *m,
                               int accelerator)
{
  (void)m;
  return accelerator == 0;
}

static void rank_zero_shard(const struct lb_checkpoint_model *m,
                            int accelerator, int64_t i, struct lb_shard *out)
{
  (void)i;
  snprintf(out->name, sizeof out->name, "model_states-%d.pt", accelerator);
  out->bytes = m->model_bytes;
}

const struct lb_checkpoint_scheme lb_checkpoint_rank_zero = {
    .name = "rank_zero",
    .doc = "Accelerator 0 writes the whole model state in one file.",
    .count = rank_zero_count,
    .shard = rank_zero_shard,
};
