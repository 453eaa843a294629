/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sharded model that is gathered: accelerator 0 writes the whole state in one
 * file, and reads it for all. */
#include "lb-config.h"

#include "checkpoint/state.h"

static void full_shard(const struct lb_checkpoint_model *m,
                       const struct lb_shard_ref *ref, struct lb_shard *out)
{
  (void)ref;
  *out = (struct lb_shard){.name = "full_state_dict.pt"};
  lb_state_sum(m, 1, 0, out);
}

static int64_t full_load_count(const struct lb_checkpoint_model *m, int stage,
                               int readers, int reader)
{
  (void)m;
  (void)stage;
  (void)readers;
  return reader == 0;
}

const struct lb_checkpoint_scheme lb_checkpoint_full_state_dict = {
    .name = "full_state_dict",
    .doc = "Accelerator 0 writes the whole state in one file, and reads it for "
           "all.",
    .stages = 1,
    .check = lb_state_check,
    .count = lb_whole_count,
    .shard = full_shard,
    .tensor = lb_whole_tensor,
    .load_stages = 1,
    .load_count = full_load_count,
    .load = lb_whole_load,
    .any_readers = true,
};
