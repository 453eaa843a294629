/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading checkpoints: one rank looks which are there, all read. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>

#include "checkpoint_impl.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"
#include "loadbank/units.h"

/* ---- which ---- */

/* Rank 0. */
static void find(struct lb_bench *b, int64_t wanted,
                 struct lb_bench_loads *loads, struct lb_err *err)
{
  const char *folder = b->w->derived.checkpoint_folder;
  struct lb_found_list *l = &loads->found;
  if (lb_found_list(l, folder, b->storage, &b->io, err))
    return;
  int64_t there = (int64_t)lb_found_complete(l);
  int64_t cut = (int64_t)l->n - there;
  if (there < wanted) {
    lb_err_set(err, LB_USAGE,
               "%s: checkpoint.num_checkpoints_read asks for %" PRId64
               " checkpoint%s, %" PRId64 " whole %s of loadbank's %s there",
               folder, wanted, lb_plural(wanted), there,
               there == 1 ? "one" : "ones", lb_are(there));
    if (cut > 0)
      lb_warn("%s: %" PRId64 " more %s cut off while saved", folder, cut,
              cut == 1 ? "was" : "were");
    return;
  }
  /* The newest, in the order of their times. */
  for (int64_t skip = there - wanted; skip > 0; loads->next++)
    skip -= l->v[loads->next].complete;
}

int lb_bench_find_checkpoints(struct lb_bench *b, int64_t wanted,
                              struct lb_bench_loads *loads, struct lb_err *err)
{
  if (b->world->rank == 0 && !b->w->derived.backend->is_virtual)
    find(b, wanted, loads, err);
  return lb_bench_agree(b->world, err);
}

/* Rank 0. */
static int take_next(struct lb_bench *b, struct lb_bench_loads *loads,
                     struct lb_mark *mark, char folder[PATH_MAX],
                     struct lb_err *err)
{
  const struct lb_found_list *l = &loads->found;
  while (loads->next < l->n && !l->v[loads->next].complete)
    loads->next++;
  if (loads->next == l->n)
    return lb_err_set(err, LB_FAILED, "%s: there is no checkpoint left to read",
                      b->w->derived.checkpoint_folder);
  const struct lb_found *f = &l->v[loads->next++];
  int n = snprintf(folder, PATH_MAX, "%s/%s", b->w->derived.checkpoint_folder,
                   f->name);
  if (n < 0 || n >= PATH_MAX)
    return lb_err_set(err, LB_FAILED, "%s: the path is too long",
                      b->w->derived.checkpoint_folder);
  int found = lb_mark_read(mark, folder, err);
  if (found < 0)
    return found;
  if (!found || !mark->complete)
    return lb_err_set(err, LB_FAILED, "%s: is no whole checkpoint any more",
                      folder);
  return lb_mark_compare(mark, &b->saver->mark, folder, err);
}

/* The same on all ranks. */
static int choose(struct lb_bench *b, int64_t number,
                  struct lb_bench_loads *loads, struct lb_mark *mark,
                  char folder[PATH_MAX], struct lb_err *err)
{
  if (b->w->derived.backend->is_virtual) {
    *mark = b->saver->mark;
    mark->number = mark->step = number;
    mark->epoch = 1;
    return lb_checkpoint_folder(b->w->derived.checkpoint_folder, 1, number,
                                folder, PATH_MAX) < 0
               ? lb_err_set(err, LB_FAILED, "%s: the path is too long",
                            b->w->derived.checkpoint_folder)
               : 0;
  }
  if (b->world->rank == 0)
    take_next(b, loads, mark, folder, err);
  if (lb_bench_agree(b->world, err))
    return -err->code;
  return lb_bench_share_mark(b, mark, folder, err);
}

/* ---- reading ---- */

static struct lb_release read_stages(struct lb_bench *b,
                                     struct lb_bench_stage *stage,
                                     struct lb_release r)
{
  int stages = lb_checkpoint_load_stages(stage->mark->scheme);
  stage->zero_ns = r.ns;
  for (; stage->stage < stages && r.stop == LB_STOP_NONE; stage->stage++) {
    struct lb_err mine = LB_ERR_INIT;
    stage->start_ns = r.ns;
    if (lb_bench_stage(b, stage, &mine) && !lb_err_gave_up(&mine))
      lb_bench_fail(b, &mine);
    r = lb_gate_meet(b->gate);
  }
  return r;
}

static int read_it(struct lb_bench *b, int64_t number,
                   const struct lb_mark *mark, const char *folder,
                   struct lb_err *err)
{
  struct lb_bench_stage stage = {.tier = lb_bench_last_tier(b->saver),
                                 .mark = mark,
                                 .folder = folder,
                                 .load = true};
  lb_bench_clear_shares(b);
  enum lb_phase before = lb_bench_enter(b, LB_PHASE_LOAD);
  lb_bench_progress_checkpoint(b, "load", NULL);
  struct lb_release r = read_stages(b, &stage, lb_gate_meet(b->gate));
  lb_bench_enter(b, before);
  lb_bench_stopped(b, r.stop);
  if (r.stop == LB_STOP_FAILED)
    lb_gate_reason(b->gate, err);
  if (r.stop != LB_STOP_NONE)
    return -err->code;
  const struct lb_checkpoint_event e = {.load = true,
                                        .synced = b->w->checkpoint.rank_sync,
                                        .number = number,
                                        .epoch = mark->epoch,
                                        .step = mark->step,
                                        .start_ns = stage.zero_ns,
                                        .end_ns = r.ns,
                                        .size_bytes = mark->bytes,
                                        .share = b->saver->share};
  lb_metrics_checkpoint(b->metrics, &e);
  b->loads++;
  lb_info("checkpoint %" PRId64 " loaded: %s", number, folder);
  return 0;
}

int lb_bench_load(struct lb_bench *b, int64_t number,
                  struct lb_bench_loads *loads, struct lb_err *err)
{
  struct lb_mark mark = {.scheme = NULL};
  char folder[PATH_MAX] = "";
  int rc = choose(b, number, loads, &mark, folder, err);
  if (!rc)
    rc = lb_bench_drop_shards(b, &mark, folder, err);
  return rc ? rc : read_it(b, number, &mark, folder, err);
}
