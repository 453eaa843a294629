/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PyTorch's distributed checkpoint (torch.distributed.checkpoint) of a model
 * that is sharded over all accelerators: each writes its rows of every tensor
 * in one file; when all have, the first writes .metadata, which says where
 * everything is.  At a load all read that at the same moment, then each its own
 * file. */
#include "lb-config.h"

#include <stdio.h>

#include "checkpoint/state.h"

/* Of a pickled Metadata: a tensor with its properties and shape, a piece of it
 * with its offsets, shape, file and range; measured, see docs/checkpoints.md.
 */
enum { METADATA_BYTES = 512, METADATA_TENSOR = 124, METADATA_CHUNK = 135 };
enum { DATA, METADATA };

static int64_t fsdp_count(const struct lb_checkpoint_model *m, int stage,
                          int accelerator)
{
  struct lb_shard shard = {0};
  if (stage == METADATA)
    return accelerator == 0;
  lb_state_sum(m, m->accelerators, accelerator, &shard);
  return shard.tensors > 0;
}

static void fsdp_shard(const struct lb_checkpoint_model *m,
                       const struct lb_shard_ref *ref, struct lb_shard *out)
{
  if (ref->stage == METADATA) {
    uint64_t tensors = (uint64_t)lb_state_tensors(m);
    uint64_t chunks = (uint64_t)lb_state_chunks(m, m->accelerators);
    *out =
        (struct lb_shard){.name = ".metadata",
                          .layout = LB_SHARD_PLAIN,
                          .bytes = METADATA_BYTES + METADATA_TENSOR * tensors +
                                   METADATA_CHUNK * chunks};
    return;
  }
  *out = (struct lb_shard){.layout = LB_SHARD_ITEMS};
  snprintf(out->name, sizeof out->name, "__%d_0.distcp", ref->accelerator);
  lb_state_sum(m, m->accelerators, ref->accelerator, out);
}

static void fsdp_tensor(const struct lb_checkpoint_model *m,
                        const struct lb_shard_ref *ref, int64_t t,
                        struct lb_tensor *out)
{
  lb_state_tensor(m, m->accelerators, ref->accelerator, t, out);
}

/* First what is where, then the accelerator's own data. */
static int64_t fsdp_load_count(const struct lb_checkpoint_model *m, int stage,
                               int readers, int reader)
{
  (void)readers;
  return stage == 0 ? 1 : fsdp_count(m, DATA, reader);
}

static void fsdp_load(const struct lb_checkpoint_model *m, int stage,
                      int readers, int reader, int64_t k,
                      struct lb_shard_ref *out)
{
  (void)m;
  (void)readers;
  *out = (struct lb_shard_ref){.stage = DATA, .accelerator = reader, .i = k};
  if (stage == 0)
    *out = (struct lb_shard_ref){.stage = METADATA};
}

const struct lb_checkpoint_scheme lb_checkpoint_fsdp = {
    .name = "fsdp",
    .doc = "Each accelerator its piece of every tensor, then one .metadata, as "
           "PyTorch.",
    .stages = 2,
    .check = lb_state_check,
    .count = fsdp_count,
    .shard = fsdp_shard,
    .tensor = fsdp_tensor,
    .load_stages = 2,
    .load_count = fsdp_load_count,
    .load = fsdp_load,
};
