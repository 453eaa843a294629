/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine for virtual backends: every lane is walked along its samples by
 * the conductor's thread, each list from the done time of the one before, so
 * a late wake-up costs nothing.  No thread, no allocation after the first
 * samples. */
#include "lb-config.h"

#include "loader_impl.h"

#include <stdlib.h>

#include "loadbank/clock.h"

struct walk {
  struct lb_virtual *v;
  struct lb_iostats stats;
  char *paths; /* LANE_PATH_MAX of each lane; NULL: the storage needs none */
};

int walk_new(struct lb_loader *l, struct lb_err *err)
{
  struct walk *w = calloc(1, sizeof *w);
  if (!w)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  l->walk = w;
  lb_iostats_init(&w->stats);
  if (l->c.storage->needs_paths &&
      !(w->paths = malloc(l->n_lanes * LANE_PATH_MAX)))
    return lb_err_set(err, LB_FAILED, "out of memory for %zu readers' paths",
                      l->n_lanes);
  w->v = lb_virtual_new(l->c.storage, &w->stats, err);
  return w->v ? 0 : -err->code;
}

void walk_free(struct lb_loader *l)
{
  if (!l->walk)
    return;
  lb_virtual_free(l->walk->v);
  lb_iostats_fini(&l->walk->stats);
  free(l->walk->paths);
  free(l->walk);
  l->walk = NULL;
}

/* Starts the next stage of the lane's sample.  1: its list is under way; 0: the
 * sample has been read; negative: failed. */
static int next_stage(struct lb_loader *l, struct lane *lane, uint64_t t_ns,
                      uint64_t now_ns)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_sample s = {.verify = false};
  char *path = l->walk->paths;
  if (path)
    path += (size_t)(lane - l->lanes) * LANE_PATH_MAX;
  int64_t file;
  lane_position(l, lane, &file, &s.in_file);
  lb_dataset_file(lane_layout(l, lane), l->c.sizes, l->c.params, l->pass.set,
                  file, path, path ? LANE_PATH_MAX : 0, &s.file);
  lb_iolist_clear(&lane->list);
  int rc = l->c.format->plan(&lane->reader, &s, lane->stage, &lane->list, &err);
  if (rc < 0)
    loader_fail(l, &err);
  if (rc == 0)
    lane->payload_bytes += lane->list.payload_bytes;
  if (rc <= 0)
    return rc;
  lane_cut(l, lane, &lane->list);
  if (lane->stage == 0)
    lane->task.rng = lane_latency(l, lane);
  lane->stage++;
  lane->payload_bytes += lane->list.payload_bytes;
  lane->task.phase = l->pass.phase;
  lb_virtual_submit(l->walk->v, &lane->task, t_ns, now_ns);
  return 1;
}

/* The lane's sample was read at t_ns: preprocess it.  Is that under way? */
static bool preprocess(struct lb_loader *l, struct lane *lane, uint64_t t_ns)
{
  if (!l->preprocesses || lane->delayed)
    return false;
  double s = lane_preprocess(l, lane);
  lane->delayed = true;
  lb_virtual_delay(l->walk->v, &lane->task, t_ns + (uint64_t)(s * 1e9));
  return true;
}

/* The lane goes on at t_ns until something of it is under way or it has no
 * more to do. */
static void go_on(struct lb_loader *l, struct lane *lane, uint64_t t_ns,
                  uint64_t now_ns)
{
  while (lane->in_part || lane_has_work(lane)) {
    if (!lane->in_part)
      lane_begin_part(l, lane);
    lane->in_part = true;
    if (!lane->delayed && next_stage(l, lane, t_ns, now_ns) != 0)
      return;
    if (preprocess(l, lane, t_ns))
      return;
    lane->delayed = false;
    lane->stage = 0;
    lane_next(l, lane);
    lane->in_part = lane->done < lane->part_end;
    if (!lane->in_part)
      lane_end_part(l, lane, t_ns);
  }
  lane->free_ns = t_ns;
  lane->busy = false;
}

/* Asked at a time that may have passed: the reader goes on from there, or from
 * when it was done with what was asked before. */
void walk_ask(struct lb_loader *l, struct lane *lane, uint64_t at_ns)
{
  lane->asked = lane->told;
  if (lane->busy)
    return;
  if (lane->free_ns > at_ns)
    at_ns = lane->free_ns;
  lane->busy = true;
  go_on(l, lane, at_ns, at_ns);
}

void walk_advance(struct lb_loader *l, uint64_t now_ns)
{
  struct lb_virtual *v = l->walk->v;
  struct lb_vtask *task;
  do {
    lb_virtual_advance(v, now_ns);
    while ((task = lb_virtual_reap(v)))
      go_on(l, task->owner, task->t_ns, now_ns);
  } while (lb_virtual_deadline(v) <= now_ns);
}

uint64_t walk_deadline(const struct lb_loader *l)
{
  return l->walk ? lb_virtual_deadline(l->walk->v) : LB_NEVER;
}

int walk_drain(struct lb_loader *l, struct lb_err *err)
{
  lb_virtual_free(l->walk->v);
  l->walk->v = lb_virtual_new(l->c.storage, &l->walk->stats, err);
  return l->walk->v ? 0 : -err->code;
}

void walk_cost(struct lb_loader *l, struct lb_iostats *stats)
{
  if (stats)
    lb_iostats_merge(stats, &l->walk->stats);
}
