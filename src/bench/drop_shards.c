/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage.drop_caches before a checkpoint is read: of the whole host, or file
 * by file those that this rank reads. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>

#include "checkpoint_impl.h"

/* Files that are not there are found missing when they are read. */
static bool drop(const struct lb_mark *mark, const char *folder,
                 const struct lb_shard_ref *ref, struct lb_err *err)
{
  char path[PATH_MAX], unused[PATH_MAX];
  struct lb_shard shard;
  mark->scheme->shard(&mark->model, ref, &shard);
  if (lb_shard_paths(folder, &shard, path, unused, err))
    return false;
  int sys = lb_bench_drop_file(path, true);
  if (sys == 0 || sys == ENOENT)
    return true;
  lb_err_sys(err, LB_FAILED, sys, "storage.drop_caches: %s cannot be dropped",
             path);
  return false;
}

/* Those that accelerator a of this rank reads. */
static bool drop_of(struct lb_bench *b, const struct lb_mark *mark,
                    const char *folder, int a, struct lb_err *err)
{
  int readers = b->world->accelerators, reader = b->saver->reads_as[a];
  for (int stage = 0; stage < lb_checkpoint_load_stages(mark->scheme);
       stage++) {
    int64_t n = lb_checkpoint_load_count(mark->scheme, &mark->model, stage,
                                         readers, reader);
    for (int64_t i = 0; i < n && lb_bench_look_round(b); i++) {
      struct lb_shard_ref ref;
      lb_checkpoint_load(mark->scheme, &mark->model, stage, readers, reader, i,
                         &ref);
      if (!drop(mark, folder, &ref, err))
        return false;
    }
  }
  return true;
}

int lb_bench_drop_shards(struct lb_bench *b, const struct lb_mark *mark,
                         const char *folder, struct lb_err *err)
{
  int when = b->w->storage.drop_caches;
  if (b->w->derived.backend->is_virtual)
    return 0;
  if (when == LB_DROP_NEVER) {
    b->loads_cached |= !(b->storage->open_flags & LB_IO_DIRECT);
    return 0;
  }
  /* No checkpoint is read twice: the whole cache need go only once. */
  bool again = when == LB_DROP_RUN && b->drops.times > 0;
  if (!again || b->drops.by_files)
    lb_bench_drop_hosts(b);
  for (int a = 0; b->drops.by_files && a < b->world->k; a++)
    if (!drop_of(b, mark, folder, a, err))
      break;
  int rc = lb_bench_agree(b->world, err);
  b->drops.times += !rc && (!again || b->drops.by_files);
  return rc;
}
