/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data parallelism: every accelerator has the whole state, so the first one
 * writes it, in one file, and all read that file. */
#include "lb-config.h"

#include "checkpoint/state.h"

static void ddp_shard(const struct lb_checkpoint_model *m,
                      const struct lb_shard_ref *ref, struct lb_shard *out)
{
  (void)ref;
  *out = (struct lb_shard){.name = "checkpoint.pt"};
  lb_state_sum(m, 1, 0, out);
}

static int64_t ddp_load_count(const struct lb_checkpoint_model *m, int stage,
                              int readers, int reader)
{
  (void)m;
  (void)stage;
  (void)readers;
  (void)reader;
  return 1;
}

const struct lb_checkpoint_scheme lb_checkpoint_ddp = {
    .name = "ddp",
    .doc = "Accelerator 0 writes the whole state in one file, which all read.",
    .stages = 1,
    .check = lb_state_check,
    .count = lb_whole_count,
    .shard = ddp_shard,
    .tensor = lb_whole_tensor,
    .load_stages = 1,
    .load_count = ddp_load_count,
    .load = lb_whole_load,
    .any_readers = true,
};
