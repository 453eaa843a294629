/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of checkpoint schemes, the names of checkpoints, their sizes. */
#include "lb-config.h"

#include "loadbank/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct lb_checkpoint_scheme *const lb_checkpoint_schemes[] = {
#define X(n) &lb_checkpoint_##n,
    LB_CHECKPOINT_LIST(X)
#undef X
        NULL};

const struct lb_checkpoint_scheme *lb_checkpoint_find(const char *name)
{
  for (int i = 0; lb_checkpoint_schemes[i]; i++)
    if (!strcmp(lb_checkpoint_schemes[i]->name, name))
      return lb_checkpoint_schemes[i];
  return NULL;
}

void lb_checkpoint_sum(const struct lb_checkpoint_scheme *s,
                       const struct lb_checkpoint_model *m, int accelerator,
                       struct lb_checkpoint_sum *out)
{
  struct lb_shard_ref ref = {.accelerator = accelerator};
  *out = (struct lb_checkpoint_sum){0};
  for (ref.stage = 0; ref.stage < s->stages; ref.stage++) {
    int64_t n = s->count(m, ref.stage, accelerator);
    out->files += n;
    for (ref.i = 0; ref.i < n; ref.i++) {
      struct lb_shard shard;
      s->shard(m, &ref, &shard);
      out->bytes += shard.bytes;
      out->optimizer_bytes += shard.optimizer_bytes;
    }
  }
}

uint64_t lb_checkpoint_bytes(const struct lb_checkpoint_scheme *s,
                             const struct lb_checkpoint_model *m,
                             int accelerator)
{
  struct lb_checkpoint_sum sum;
  lb_checkpoint_sum(s, m, accelerator, &sum);
  return sum.bytes;
}

uint64_t lb_checkpoint_load_bytes(const struct lb_checkpoint_scheme *s,
                                  const struct lb_checkpoint_model *m,
                                  int readers, int reader)
{
  uint64_t sum = 0;
  for (int stage = 0; stage < lb_checkpoint_load_stages(s); stage++) {
    int64_t n = lb_checkpoint_load_count(s, m, stage, readers, reader);
    for (int64_t k = 0; k < n; k++) {
      struct lb_shard_ref ref;
      struct lb_shard shard;
      lb_checkpoint_load(s, m, stage, readers, reader, k, &ref);
      s->shard(m, &ref, &shard);
      sum += shard.bytes;
    }
  }
  return sum;
}

int lb_checkpoint_load_stages(const struct lb_checkpoint_scheme *s)
{
  return s->load ? s->load_stages : s->stages;
}

int64_t lb_checkpoint_load_count(const struct lb_checkpoint_scheme *s,
                                 const struct lb_checkpoint_model *m, int stage,
                                 int readers, int reader)
{
  return s->load ? s->load_count(m, stage, readers, reader)
                 : s->count(m, stage, reader);
}

void lb_checkpoint_load(const struct lb_checkpoint_scheme *s,
                        const struct lb_checkpoint_model *m, int stage,
                        int readers, int reader, int64_t k,
                        struct lb_shard_ref *out)
{
  if (s->load)
    s->load(m, stage, readers, reader, k, out);
  else
    *out = (struct lb_shard_ref){.stage = stage, .accelerator = reader, .i = k};
}

int lb_checkpoint_folder(const char *folder, int64_t epoch, int64_t step,
                         char *buf, size_t size)
{
  int n = snprintf(buf, size, "%s/global_epoch%" PRId64 "_step%" PRId64, folder,
                   epoch, step);
  return n < 0 || (size_t)n >= size ? -1 : n;
}
