/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sharded model that is gathered: accelerator 0 writes the whole state in one
 * file, and reads it for all. */
#include "lb-config.h"

#include "checkpoint/state.h"

static int64_t full_count(const struct lb_checkpoint_model *m, int stage,
                          int accelerator)
{
  (void)m;
  (void)stage;
  return accelerator == 0;
}

static void full_shard(const struct lb_checkpoint_model *m,
                       const struct lb_shard_ref *ref, struct lb_shard *out)
{
  (void)ref;
  *out = (struct lb_shard){.name = "full_state_dict.pt"};
  lb_state_sum(m, 1, 0, out);
}

static void full_tensor(const struct lb_checkpoint_model *m,
                        const struct lb_shard_ref *ref, int64_t t,
                        struct lb_tensor *out)
{
  (void)ref;
  lb_state_tensor(m, 1, 0, t, out);
}

static int64_t full_load_count(const struct lb_checkpoint_model *m, int stage,
                               int readers, int reader)
{
  (void)m;
  (void)stage;
  (void)readers;
  return reader == 0;
}

static void full_load(const struct lb_checkpoint_model *m, int stage,
                      int readers, int reader, int64_t k,
                      struct lb_shard_ref *out)
{
  (void)m;
  (void)stage;
  (void)readers;
  (void)reader;
  (void)k;
  *out = (struct lb_shard_ref){0};
}

const struct lb_checkpoint_scheme lb_checkpoint_full_state_dict = {
    .name = "full_state_dict",
    .doc = "Accelerator 0 writes the whole state in one file, and reads it for "
           "all.",
    .stages = 1,
    .check = lb_state_check,
    .count = full_count,
    .shard = full_shard,
    .tensor = full_tensor,
    .load_stages = 1,
    .load_count = full_load_count,
    .load = full_load,
    .any_readers = true,
};
