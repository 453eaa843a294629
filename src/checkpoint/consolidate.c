/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sharded save that every reader puts together again: each accelerator writes
 * its rows of every tensor, each reader reads the files of all, as those that
 * roll out a policy do with what a trainer saved. */
#include "lb-config.h"

#include <stdio.h>

#include "checkpoint/state.h"

static int64_t consolidate_count(const struct lb_checkpoint_model *m, int stage,
                                 int accelerator)
{
  (void)m;
  (void)stage;
  (void)accelerator;
  return 1;
}

static void consolidate_shard(const struct lb_checkpoint_model *m,
                              const struct lb_shard_ref *ref,
                              struct lb_shard *out)
{
  *out = (struct lb_shard){.layout = LB_SHARD_STATE};
  snprintf(out->name, sizeof out->name, "state_%05d-of-%05d.pt",
           ref->accelerator + 1, m->accelerators);
  lb_state_sum(m, m->accelerators, ref->accelerator, out);
}

static void consolidate_tensor(const struct lb_checkpoint_model *m,
                               const struct lb_shard_ref *ref, int64_t t,
                               struct lb_tensor *out)
{
  lb_state_tensor(m, m->accelerators, ref->accelerator, t, out);
}

static int64_t consolidate_load_count(const struct lb_checkpoint_model *m,
                                      int stage, int readers, int reader)
{
  (void)stage;
  (void)readers;
  (void)reader;
  return m->accelerators;
}

/* All in the same order, at the same time. */
static void consolidate_load(const struct lb_checkpoint_model *m, int stage,
                             int readers, int reader, int64_t k,
                             struct lb_shard_ref *out)
{
  (void)m;
  (void)stage;
  (void)readers;
  (void)reader;
  *out = (struct lb_shard_ref){.accelerator = (int)k};
}

const struct lb_checkpoint_scheme lb_checkpoint_consolidate = {
    .name = "consolidate",
    .doc = "Each accelerator its piece of every tensor; every reader reads all "
           "files.",
    .stages = 1,
    .check = lb_state_check,
    .count = consolidate_count,
    .shard = consolidate_shard,
    .tensor = consolidate_tensor,
    .load_stages = 1,
    .load_count = consolidate_load_count,
    .load = consolidate_load,
    .any_readers = true,
};
