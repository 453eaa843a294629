/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One save: all meet, write their files stage by stage, meet, and rank 0 says
 * that it is whole.  Its time belongs to no block. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint_impl.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

struct save {
  struct lb_mark mark;
  char name[96];         /* of its folder, below checkpoint_folder */
  char final[PATH_MAX];  /* that folder ... */
  char folder[PATH_MAX]; /* ... and the one that is written */
  uint64_t zero_ns;      /* the common start */
  uint64_t end_ns;       /* all are done, on rank 0 the folder's name, too */
  bool made;             /* rank 0: the folder is ours, its mark is there */
  bool whole;            /* the same on all ranks */
};

/* ---- before the clock runs ---- */

static int name_it(struct lb_bench *b, int64_t epoch, int64_t step,
                   struct save *s, struct lb_err *err)
{
  const char *root = b->w->derived.checkpoint_folder;
  s->mark = b->saver->mark;
  s->mark.number = b->checkpoints + 1;
  s->mark.epoch = epoch;
  s->mark.step = step;
  s->mark.utc_ns = lb_clock_utc_ns();
  int n = lb_checkpoint_folder(root, epoch, step, s->final, sizeof s->final);
  if (n >= 0) {
    snprintf(s->name, sizeof s->name, "%s", strrchr(s->final, '/') + 1);
    n = b->w->checkpoint.atomic
            ? snprintf(s->folder, sizeof s->folder, "%s/.%s.part", root,
                       s->name)
            : snprintf(s->folder, sizeof s->folder, "%s", s->final);
  }
  if (n < 0 || (size_t)n >= sizeof s->folder)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", root);
  return 0;
}

static int found_one(void *arg, const char *name)
{
  (void)arg, (void)name;
  return 1;
}

/* Rank 0.  A folder for it that holds nothing but its mark. */
static int make_folder(struct lb_bench *b, struct save *s, struct lb_err *err)
{
  const char *root = s->folder;
  int rc =
      lb_storage_mkdirs(b->storage, root, b->w->checkpoint.fsync, &b->io, err);
  if (rc || b->w->derived.backend->is_virtual)
    return rc;
  rc = lb_storage_list(b->storage, root, found_one, NULL, &b->io, err);
  if (rc > 0)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds files that loadbank did not make; remove "
                      "them, or choose another checkpoint.checkpoint_folder",
                      root);
  if (!rc)
    rc = lb_mark_write(&s->mark, root, err);
  s->made = !rc;
  return rc;
}

static void prepare(struct lb_bench *b, int64_t epoch, int64_t step,
                    struct save *s)
{
  struct lb_err mine = LB_ERR_INIT;
  name_it(b, epoch, step, s, &mine);
  int rc = lb_bench_agree(b->world, &mine);
  if (!rc)
    rc = lb_bench_sweep(b, &mine);
  if (!rc && !b->w->checkpoint.atomic)
    rc = lb_bench_remove_at(b, s->name, &mine);
  if (b->world->rank == 0) {
    if (!rc)
      rc = make_folder(b, s, &mine);
    if (rc)
      lb_bench_fail(b, &mine);
  }
  lb_bench_clear_shares(b);
}

/* ---- while it runs ---- */

/* All stages; the release of the gate after the last one. */
static struct lb_release write_stages(struct lb_bench *b, struct save *s,
                                      struct lb_release r)
{
  struct lb_bench_stage stage = {
      .mark = &s->mark, .folder = s->folder, .zero_ns = r.ns};
  int stages = s->mark.scheme->stages;
  for (; stage.stage < stages && r.stop == LB_STOP_NONE; stage.stage++) {
    struct lb_err mine = LB_ERR_INIT;
    stage.start_ns = r.ns;
    if (lb_bench_stage(b, &stage, &mine) && !lb_err_gave_up(&mine))
      lb_bench_fail(b, &mine);
    r = lb_gate_meet(b->gate);
  }
  return r;
}

/* Rank 0: the folder gets its name, on accelerator 0's time. */
static int appear(struct lb_bench *b, struct save *s, struct lb_err *err)
{
  struct lb_checkpoint_share *first = &b->saver->share[0];
  struct lb_io rename = {
      .op = LB_OP_RENAME, .slot = -1, .path = s->folder, .path2 = s->final};
  uint64_t start = lb_clock_ns();
  int64_t rc = lb_storage_do(b->storage, rename, &b->io, err);
  uint64_t renamed = lb_clock_ns();
  if (rc >= 0 && b->w->checkpoint.fsync)
    rc = lb_storage_sync_folder(b->storage, b->w->derived.checkpoint_folder, 0,
                                &b->io, err);
  uint64_t end = lb_clock_ns();
  first->part_ns[LB_PART_RENAME] += renamed - start;
  first->part_ns[LB_PART_SYNC] += end - renamed;
  s->end_ns += end - start;
  first->ns = s->end_ns - s->zero_ns;
  return rc < 0 ? (int)rc : 0;
}

/* All bytes are written: it is whole. */
static struct lb_release complete(struct lb_bench *b, struct save *s)
{
  struct lb_err mine = LB_ERR_INIT;
  bool is_virtual = b->w->derived.backend->is_virtual;
  int rc = 0;
  if (b->w->checkpoint.atomic)
    rc = lb_bench_remove_at(b, s->name, &mine);
  if (b->world->rank == 0) {
    s->mark.complete = true;
    if (!rc && !is_virtual)
      rc = lb_mark_write(&s->mark, s->folder, &mine);
    if (!rc && !is_virtual && b->w->checkpoint.atomic)
      rc = appear(b, s, &mine);
    if (rc)
      lb_bench_fail(b, &mine);
    else
      lb_info("checkpoint %" PRId64 " saved: %s", s->mark.number, s->final);
  }
  struct lb_release r = lb_gate_meet(b->gate);
  s->whole = r.stop != LB_STOP_FAILED;
  return r;
}

/* ---- after it ---- */

static void keep_last(struct lb_bench *b)
{
  struct lb_err mine = LB_ERR_INIT;
  if (lb_bench_keep_last(b, &mine) && b->world->rank == 0)
    lb_bench_fail(b, &mine);
}

/* Files that this save did not make are left alone. */
static void undo(struct lb_bench *b, struct save *s)
{
  lb_world_bcast(b->world, &s->made, sizeof s->made);
  if (!s->made)
    return;
  s->mark.complete = false;
  lb_bench_undo_save(b, &s->mark, s->folder);
}

static void book(struct lb_bench *b, const struct save *s)
{
  const struct lb_mark *m = &s->mark;
  const struct lb_checkpoint_event e = {.synced = b->w->checkpoint.rank_sync,
                                        .number = m->number,
                                        .epoch = m->epoch,
                                        .step = m->step,
                                        .start_ns = s->zero_ns,
                                        .end_ns = s->end_ns,
                                        .size_bytes = m->bytes,
                                        .share = b->saver->share};
  b->checkpoints++;
  lb_metrics_checkpoint(b->metrics, &e);
}

int lb_bench_save(struct lb_bench *b, int64_t epoch, int64_t step,
                  uint64_t *end_ns, struct lb_err *err)
{
  struct save s = {.whole = false};
  enum lb_phase before = lb_bench_enter(b, LB_PHASE_SETUP);
  prepare(b, epoch, step, &s);
  lb_bench_enter(b, LB_PHASE_SAVE);
  struct lb_release r = lb_gate_meet(b->gate);
  s.zero_ns = r.ns;
  r = write_stages(b, &s, r);
  s.end_ns = r.ns;
  if (r.stop == LB_STOP_NONE)
    r = complete(b, &s);
  if (r.stop == LB_STOP_NONE) {
    keep_last(b);
    r = lb_gate_meet(b->gate);
  }
  lb_bench_enter(b, before);
  lb_bench_stopped(b, r.stop);
  *end_ns = r.ns;
  if (!s.whole)
    undo(b, &s);
  if (r.stop == LB_STOP_FAILED)
    lb_gate_reason(b->gate, err);
  if (r.stop != LB_STOP_NONE) /* perhaps not whole on some rank: no result */
    return -err->code;
  book(b, &s);
  return 0;
}
