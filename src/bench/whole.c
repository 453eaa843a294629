/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All bytes of a checkpoint are on a tier: from here on it is whole there. */
#include "lb-config.h"

#include "checkpoint_impl.h"
#include "loadbank/clock.h"

/* The folder gets its name. */
static int appear(struct lb_bench *b, int tier, struct lb_iothread *io,
                  uint64_t part_ns[LB_N_PARTS], struct lb_err *err)
{
  const struct lb_tier *t = &b->saver->tier[tier];
  const struct lb_save_place *at = &b->saver->save.at[tier];
  struct lb_io rename = {
      .op = LB_OP_RENAME, .slot = -1, .path = at->folder, .path2 = at->final};
  uint64_t start = lb_clock_ns();
  int64_t rc = lb_storage_do(t->storage, rename, io, err);
  uint64_t renamed = lb_clock_ns();
  if (rc >= 0 && b->w->checkpoint.fsync)
    rc = lb_storage_sync_folder(t->storage, t->root, 0, io, err);
  part_ns[LB_PART_RENAME] += renamed - start;
  part_ns[LB_PART_SYNC] += lb_clock_ns() - renamed;
  return rc < 0 ? (int)rc : 0;
}

int lb_bench_make_whole(struct lb_bench *b, int tier, struct lb_iothread *io,
                        uint64_t part_ns[LB_N_PARTS], uint64_t *ns,
                        struct lb_err *err)
{
  const struct lb_tier *t = &b->saver->tier[tier];
  const struct lb_bench_save *s = &b->saver->save;
  struct lb_mark mark = s->mark;
  int rc = 0;
  *ns = 0;
  if (b->w->derived.backend->is_virtual)
    return 0;
  mark.complete = true;
  if (t->atomic)
    rc = lb_bench_remove_alone(b, t, s->name, io, err);
  if (!rc)
    rc = lb_mark_write(&mark, s->at[tier].folder, err);
  if (rc || !t->atomic)
    return rc;
  uint64_t start = lb_clock_ns();
  rc = appear(b, tier, io, part_ns, err);
  *ns = lb_clock_ns() - start;
  return rc;
}
