/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the storage backend of a run.  A simulated server's virtual clocks lie
 * in memory that the ranks of a node share. */
#include "lb-config.h"

#include <stdatomic.h>

#include "bench_impl.h"
#include "loadbank/usage.h"

static int open_one(struct lb_bench *b, bool burst_buffer,
                    struct lb_storage **s, struct lb_err *err)
{
  const struct lb_world *world = b->world;
  const struct lb_derived *d = &b->w->derived;
  void *clocks = NULL;
  size_t words = d->backend->shared_words
                     ? d->backend->shared_words(d->backend_options)
                     : 0;
  if (words &&
      lb_world_shared(world, words * sizeof(_Atomic uint64_t), &clocks, err))
    return -err->code;
  const struct lb_storage_env env = {
      .server_free = clocks,
      .bandwidth_share =
          (double)world->node_accelerators / (double)world->accelerators,
      .tell_cache = b->w->reader.cache_hits,
      .burst_buffer = burst_buffer,
  };
  lb_storage_open(s, d->backend, d->backend_options, &env, err);
  return lb_bench_agree(world, err);
}

int lb_bench_open_buffer(struct lb_bench *b, struct lb_storage **s,
                         struct lb_err *err)
{
  return open_one(b, true, s, err);
}

int lb_bench_open(struct lb_bench *b, struct lb_err *err)
{
  if (open_one(b, false, &b->storage, err))
    return -err->code;
  lb_iothread_init(&b->io, (size_t)b->plan.memory.main_bytes, err);
  b->io.look = lb_bench_look_round;
  b->io.look_arg = b;
  if (!lb_err_is_set(err))
    lb_plan_check_files(&b->plan, lb_usage_open_files(), lb_usage_raise_files(),
                        err);
  return lb_bench_agree(b->world, err);
}
