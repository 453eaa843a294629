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

uint64_t lb_checkpoint_bytes(const struct lb_checkpoint_scheme *s,
                             const struct lb_checkpoint_model *m,
                             int accelerator)
{
  uint64_t sum = 0;
  for (int64_t i = 0; i < s->count(m, accelerator); i++) {
    struct lb_shard shard;
    s->shard(m, accelerator, i, &shard);
    sum += shard.bytes;
  }
  return sum;
}

int lb_checkpoint_folder(const char *folder, int64_t epoch, int64_t step,
                         char *buf, size_t size)
{
  int n = snprintf(buf, size, "%s/global_epoch%" PRId64 "_step%" PRId64, folder,
                   epoch, step);
  return n < 0 || (size_t)n >= size ? -1 : n;
}
