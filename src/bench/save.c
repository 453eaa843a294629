/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One save: all meet, write their files stage by stage, meet, and rank 0 says
 * that it is whole.  Its time belongs to no block.  With checkpoint.async or a
 * burst buffer all or a part of that goes on beside training: background.c. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

/* ---- before the clock runs ---- */

static int name_on(struct lb_bench_save *s, int tier, const struct lb_tier *t,
                   struct lb_err *err)
{
  struct lb_save_place *at = &s->at[tier];
  int n = lb_checkpoint_folder(t->root, s->mark.epoch, s->mark.step, at->final,
                               sizeof at->final);
  if (n >= 0) {
    snprintf(s->name, sizeof s->name, "%s", strrchr(at->final, '/') + 1);
    memcpy(at->folder, at->final, sizeof at->folder);
  }
  if (n >= 0 && t->atomic)
    n = lb_bench_part_folder(t, s->name, at->folder);
  if (n < 0)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long", t->root);
  return 0;
}

static int name_it(struct lb_bench *b, int64_t epoch, int64_t step,
                   struct lb_err *err)
{
  struct lb_bench_saver *v = b->saver;
  struct lb_bench_save *s = &v->save;
  int rc = 0;
  *s = (struct lb_bench_save){.mark = v->mark};
  s->mark.number = b->checkpoints + 1;
  s->mark.epoch = epoch;
  s->mark.step = step;
  s->mark.utc_ns = lb_clock_utc_ns();
  for (int tier = 0; !rc && tier < v->tiers; tier++)
    rc = name_on(s, tier, &v->tier[tier], err);
  return rc;
}

static int found_one(void *arg, const char *name)
{
  (void)arg, (void)name;
  return 1;
}

/* Rank 0.  Nothing may be in it; it may be absent. */
static int refuse_files(struct lb_bench *b, const struct lb_tier *t,
                        const char *folder, struct lb_err *err)
{
  int rc = lb_storage_list(t->storage, folder, found_one, NULL, &b->io, err);
  if (rc > 0)
    return lb_err_set(err, LB_FAILED,
                      "%s: holds files that loadbank did not make; remove "
                      "them, or choose another checkpoint.checkpoint_folder",
                      folder);
  if (rc && err->sys == ENOENT) {
    *err = (struct lb_err)LB_ERR_INIT;
    rc = 0;
  }
  return rc;
}

/* Rank 0.  The name that it gets in the end is free, or that of one of ours. */
static int check_name(struct lb_bench *b, int tier, struct lb_err *err)
{
  const struct lb_tier *t = &b->saver->tier[tier];
  const char *final = b->saver->save.at[tier].final;
  struct lb_mark older;
  if (!t->atomic || b->w->derived.backend->is_virtual)
    return 0;
  int found = lb_mark_read(&older, final, err);
  if (found)
    return found < 0 ? found : 0;
  return refuse_files(b, t, final, err);
}

/* Rank 0: a folder for it that holds nothing but its mark.  First ranks of
 * other hosts: the folder, if it may be the host's own. */
static int make_folder(struct lb_bench *b, int tier, struct lb_err *err)
{
  const struct lb_tier *t = &b->saver->tier[tier];
  struct lb_save_place *at = &b->saver->save.at[tier];
  bool first = b->world->rank == 0;
  if (!first && !(t->by_node && b->world->host_first))
    return 0;
  int rc = first ? check_name(b, tier, err) : 0;
  if (!rc)
    rc = lb_storage_mkdirs(t->storage, at->folder, b->w->checkpoint.fsync,
                           &b->io, err);
  if (rc || !first || b->w->derived.backend->is_virtual)
    return rc;
  rc = refuse_files(b, t, at->folder, err);
  if (!rc)
    rc = lb_mark_write(&b->saver->save.mark, at->folder, err);
  at->made = !rc;
  return rc;
}

static int prepare_on(struct lb_bench *b, int tier, struct lb_err *err)
{
  struct lb_tier *t = &b->saver->tier[tier];
  int rc = lb_bench_sweep(b, t, err);
  if (!rc && !t->atomic)
    rc = lb_bench_remove_at(b, t, b->saver->save.name, err);
  if (rc) /* of one rank, and all know of it; or the run stops */
    return rc < 0 && b->world->rank == 0 ? rc : 0;
  return make_folder(b, tier, err);
}

static void prepare(struct lb_bench *b, int64_t epoch, int64_t step)
{
  struct lb_err mine = LB_ERR_INIT;
  name_it(b, epoch, step, &mine);
  int rc = lb_bench_agree(b->world, &mine);
  if (rc) {
    if (b->world->rank == 0)
      lb_bench_fail(b, &mine);
    return;
  }
  for (int tier = 0; tier < b->saver->tiers; tier++) {
    struct lb_err here = LB_ERR_INIT;
    if (prepare_on(b, tier, &here))
      lb_bench_fail(b, &here);
  }
  lb_bench_clear_shares(b);
}

/* ---- while it runs ---- */

/* All stages; the release of the gate after the last one. */
static struct lb_release write_stages(struct lb_bench *b, struct lb_release r)
{
  const struct lb_bench_save *s = &b->saver->save;
  struct lb_bench_stage stage = {.tier = &b->saver->tier[0],
                                 .mark = &s->mark,
                                 .folder = s->at[0].folder,
                                 .zero_ns = r.ns};
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

/* All bytes are written: it is whole, on accelerator 0's time. */
static struct lb_release complete(struct lb_bench *b, struct lb_release r)
{
  struct lb_bench_save *s = &b->saver->save;
  struct lb_checkpoint_share *first = &b->saver->share[0];
  struct lb_err mine = LB_ERR_INIT;
  s->durable_ns = r.ns - s->zero_ns;
  if (b->world->rank == 0) {
    uint64_t ns;
    if (lb_bench_make_whole(b, 0, &b->io, first->part_ns, &ns, &mine))
      lb_bench_fail(b, &mine);
    s->durable_ns += ns;
    if (ns)
      first->ns = s->durable_ns;
  }
  s->visible_ns = s->written_ns = s->durable_ns;
  r = lb_gate_meet(b->gate);
  s->at[0].whole = r.stop != LB_STOP_FAILED;
  if (s->at[0].whole && b->world->rank == 0)
    lb_info("checkpoint %" PRId64 " saved: %s", s->mark.number, s->at[0].final);
  return r;
}

/* ---- after it ---- */

static void keep_last(struct lb_bench *b)
{
  for (int tier = 0; tier < b->saver->tiers; tier++) {
    struct lb_err mine = LB_ERR_INIT;
    if (lb_bench_keep_last(b, &b->saver->tier[tier], &mine) < 0 &&
        b->world->rank == 0)
      lb_bench_fail(b, &mine);
  }
}

/* Where it is not whole.  Files that this save did not make are left alone. */
static void undo(struct lb_bench *b)
{
  for (int tier = 0; tier < b->saver->tiers; tier++) {
    struct lb_save_place *at = &b->saver->save.at[tier];
    lb_world_bcast(b->world, &at->made, sizeof at->made);
    if (at->made && !at->whole)
      lb_bench_undo_save(b, &b->saver->tier[tier], &b->saver->save.mark,
                         at->folder);
  }
}

static void book(struct lb_bench *b)
{
  const struct lb_bench_save *s = &b->saver->save;
  const struct lb_mark *m = &s->mark;
  const struct lb_checkpoint_event e = {.synced = b->w->checkpoint.rank_sync,
                                        .background =
                                            b->saver->background != NULL,
                                        .number = m->number,
                                        .epoch = m->epoch,
                                        .step = m->step,
                                        .start_ns = s->zero_ns,
                                        .end_ns = s->zero_ns + s->written_ns,
                                        .visible_ns = s->visible_ns,
                                        .waited_ns = s->waited_ns,
                                        .durable_ns = s->durable_ns,
                                        .size_bytes = m->bytes,
                                        .share = b->saver->share};
  lb_metrics_checkpoint(b->metrics, &e);
}

void lb_bench_save_over(struct lb_bench *b, enum lb_stop stop)
{
  if (stop == LB_STOP_NONE) {
    book(b);
    keep_last(b);
  } else {
    undo(b);
  }
}

/* What training waits for. */
static struct lb_release save(struct lb_bench *b)
{
  struct lb_bench_save *s = &b->saver->save;
  struct lb_release r = lb_gate_meet(b->gate);
  s->zero_ns = r.ns;
  if (!b->w->checkpoint.async)
    r = write_stages(b, r);
  if (!b->w->checkpoint.async && r.stop == LB_STOP_NONE)
    r = complete(b, r);
  return r;
}

int lb_bench_save(struct lb_bench *b, int64_t epoch, int64_t step,
                  uint64_t *end_ns, struct lb_err *err)
{
  uint64_t came_ns = *end_ns;
  enum lb_phase before = lb_bench_enter(b, LB_PHASE_SAVE);
  int rc = lb_background_finish(b, end_ns, err);
  if (rc || b->stop != LB_STOP_NONE) {
    lb_bench_enter(b, before);
    return rc;
  }
  lb_bench_enter(b, LB_PHASE_SETUP);
  prepare(b, epoch, step);
  b->saver->save.waited_ns = *end_ns - came_ns;
  lb_bench_enter(b, LB_PHASE_SAVE);
  lb_bench_progress_checkpoint(b, "save", NULL);
  struct lb_release r = save(b);
  if (r.stop == LB_STOP_NONE)
    b->checkpoints++;
  if (r.stop == LB_STOP_NONE && b->saver->background)
    lb_background_begin(b, r.ns);
  else
    lb_bench_save_over(b, r.stop);
  if (r.stop == LB_STOP_NONE && !b->saver->background)
    r = lb_gate_meet(b->gate); /* keep_last may have failed */
  lb_bench_enter(b, before);
  lb_bench_stopped(b, r.stop);
  *end_ns = r.ns;
  if (r.stop == LB_STOP_FAILED)
    lb_gate_reason(b->gate, err);
  return r.stop == LB_STOP_NONE ? 0 : -err->code;
}
