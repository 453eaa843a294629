/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine for backends with a ring: one thread of the rank walks all lanes,
 * each along the lists of its samples in order, while the kernel does the
 * reading; so the number of lanes is not one of threads.
 *
 * The conductor hands lanes over as to a pool, at each flush, and wakes the
 * thread only when it waits. */
#include "lb-config.h"

#include "loader_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/ring.h"
#include "loadbank/thread.h"
#include "loadbank/usage.h"

/* A lane, as the thread sees it. */
struct ring_lane {
  struct lane *lane;
  struct lb_rtask task;
  struct lb_iolist list;
  struct lb_sample sample; /* the last one; its file has no path: none yet */
  int64_t asked;           /* samples, as last handed over */
  int stage;               /* that comes next */
  uint64_t line_ns;  /* end of its preprocessing, and where the next begins */
  uint64_t begun_ns; /* when the sample's reading began */
  bool busy, in_part, delayed;
  bool handed; /* under the lock */
  char path[LANE_PATH_MAX];
};

struct ring {
  pthread_t id;
  struct lb_loader *loader;
  struct lb_ring *ring;
  struct lb_iothread io;
  struct lb_usage before, used; /* when it was made; since, as last booked */
  struct ring_lane *lanes;
  struct lb_verifier *verifiers; /* of the lanes; NULL: nothing is verified */
  bool started;
  pthread_mutex_t lock; /* for what follows, up to sleeping */
  pthread_cond_t quiet; /* it has begun, or has drained */
  uint32_t *handed;     /* lanes that have been asked for more */
  size_t n_handed;
  bool begun, quit, draining;
  _Atomic bool news;     /* one of these has changed */
  _Atomic bool sleeping; /* it waits, or is about to */
  uint32_t *fresh;       /* the conductor's: asked since the last flush */
  size_t n_fresh;
};

/* ---- one lane ---- */

static int find_sample(struct lb_loader *l, struct ring_lane *rl,
                       struct lb_err *err)
{
  struct lb_file *f = &rl->sample.file;
  int64_t file;
  lane_position(l, rl->lane, &file, &rl->sample.in_file);
  if (f->path && f->index == file && f->set == l->pass.set)
    return 0;
  lb_dataset_file(lane_layout(l, rl->lane), l->c.sizes, l->c.params,
                  l->pass.set, file, rl->path, sizeof rl->path, f);
  if (f->path)
    return 0;
  return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "file %" PRId64 " in %s",
                    file, lane_layout(l, rl->lane)->root);
}

/* Who looks at the sample's bytes does so for its lane alone: the thread reads
 * for all of them at the same time. */
static int begin_reading(struct ring *r, struct ring_lane *rl,
                         struct lb_err *err)
{
  struct lb_loader *l = r->loader;
  if (find_sample(l, rl, err))
    return -err->code;
  rl->sample.verify = lane_verifies(l, rl->lane);
  rl->task.inspect = NULL;
  if (!rl->sample.verify)
    return 0;
  lane_begin_verify(rl->lane, &r->verifiers[rl - r->lanes], &rl->sample,
                    &r->io);
  rl->task.inspect = r->io.inspect;
  rl->task.inspect_arg = r->io.inspect_arg;
  rl->task.in_order = l->c.format->inspect != NULL;
  r->io.inspect = NULL;
  return 0;
}

/* The sample has been read to its end. */
static int end_reading(struct ring *r, struct ring_lane *rl, struct lb_err *err)
{
  if (!rl->sample.verify)
    return 0;
  return lane_end_verify(rl->lane, &r->verifiers[rl - r->lanes], &r->io, err);
}

/* Starts the next stage of the lane's sample.  1: its list is under way; 0: the
 * sample has been read; negative: failed. */
static int next_stage(struct ring *r, struct ring_lane *rl)
{
  struct lb_loader *l = r->loader;
  struct lb_err err = LB_ERR_INIT;
  int rc = rl->stage == 0 ? begin_reading(r, rl, &err) : 0;
  lb_iolist_clear(&rl->list);
  if (!rc)
    rc = l->c.format->plan(&rl->lane->reader, &rl->sample, rl->stage, &rl->list,
                           &err);
  if (rc == 0) {
    rl->lane->payload_bytes += rl->list.payload_bytes;
    rc = end_reading(r, rl, &err);
  }
  if (rc < 0)
    loader_fail(l, &err);
  if (rc <= 0)
    return rc;
  lane_cut(l, rl->lane, &rl->list);
  rl->stage++;
  rl->task.phase = l->pass.phase;
  lb_ring_submit(r->ring, &rl->task);
  return 1;
}

/* A list has ended.  false: it, or what it has read, is no good. */
static bool take_list(struct ring *r, struct ring_lane *rl)
{
  struct lb_loader *l = r->loader;
  struct lb_err err = LB_ERR_INIT;
  if (rl->task.failed)
    err = *lb_ring_failure(r->ring);
  else
    lane_parse(rl->lane, &rl->sample, rl->stage - 1, &rl->list, &r->io, &err);
  if (lb_err_is_set(&err)) {
    loader_fail(l, &err);
    return false;
  }
  rl->lane->payload_bytes += rl->list.payload_bytes;
  return true;
}

/* The sample was read: preprocess it.  Is that under way?  It runs on a time
 * line of its own: what one wake was late is not added to the next. */
static bool preprocess(struct ring *r, struct ring_lane *rl)
{
  struct lb_loader *l = r->loader;
  if (!l->preprocesses || rl->delayed)
    return false;
  rl->line_ns += lb_clock_ns() - rl->begun_ns;
  rl->line_ns += (uint64_t)(lane_preprocess(l, rl->lane) * 1e9);
  rl->delayed = true;
  lb_ring_delay(r->ring, &rl->task, rl->line_ns);
  return true;
}

static void begin_sample(struct ring *r, struct ring_lane *rl)
{
  rl->stage = 0;
  if (r->loader->preprocesses)
    rl->begun_ns = lb_clock_ns();
}

/* The lane goes on until something of it is under way or it has no more to
 * do. */
static void go_on(struct ring *r, struct ring_lane *rl)
{
  struct lb_loader *l = r->loader;
  struct lane *lane = rl->lane;
  while (rl->in_part || rl->asked > lane->done) {
    if (!rl->in_part) {
      rl->in_part = true;
      lane_begin_part(l, lane);
      begin_sample(r, rl);
      rl->line_ns = rl->begun_ns;
    }
    if (!rl->delayed && next_stage(r, rl) != 0)
      return;
    if (preprocess(r, rl))
      return;
    rl->delayed = false;
    begin_sample(r, rl);
    lane_next(l, lane);
    rl->in_part = lane->done < lane->part_end;
    if (!rl->in_part)
      lane_end_part(l, lane, lb_clock_ns());
  }
  rl->busy = false;
}

/* ---- the thread ---- */

/* Takes over what the conductor has handed; false: quit. */
static bool take_news(struct ring *r)
{
  struct lb_loader *l = r->loader;
  if (!atomic_exchange(&r->news, false))
    return true;
  pthread_mutex_lock(&r->lock);
  size_t n = r->n_handed;
  for (size_t i = 0; i < n; i++) {
    struct ring_lane *rl = &r->lanes[r->handed[i]];
    rl->handed = false;
    rl->asked = l->lanes[r->handed[i]].asked;
    if (rl->busy)
      continue;
    rl->busy = true;
    lb_iolist_clear(&rl->list);
    lb_ring_submit(r->ring, &rl->task); /* an empty list: it begins */
  }
  r->n_handed = 0;
  bool good = !r->quit;
  pthread_mutex_unlock(&r->lock);
  return good;
}

/* Lets what is under way end, and notes what the thread has used. */
static void drain(struct ring *r)
{
  pthread_mutex_lock(&r->lock);
  bool asked = r->draining;
  if (asked)
    r->n_handed = 0;
  pthread_mutex_unlock(&r->lock);
  if (!asked)
    return;
  lb_ring_drain(r->ring);
  for (size_t i = 0; i < r->loader->n_lanes; i++) {
    struct ring_lane *rl = &r->lanes[i];
    lb_iolist_clear(&rl->list);
    rl->busy = rl->in_part = rl->delayed = rl->handed = false;
    rl->asked = 0;
    rl->stage = 0;
  }
  struct lb_usage now = lb_usage_of_thread();
  pthread_mutex_lock(&r->lock);
  r->used = lb_usage_since(&now, &r->before);
  r->draining = false;
  pthread_cond_signal(&r->quiet);
  pthread_mutex_unlock(&r->lock);
}

static void walk_lanes(struct ring *r)
{
  while (take_news(r)) {
    drain(r);
    atomic_store(&r->sleeping, true);
    lb_ring_go(r->ring, !atomic_load(&r->news));
    atomic_store(&r->sleeping, false);
    for (struct lb_rtask *task; (task = lb_ring_reap(r->ring));) {
      struct ring_lane *rl = task->owner;
      bool read = rl->in_part && !rl->delayed;
      if (!read || take_list(r, rl))
        go_on(r, rl);
    }
  }
}

static void *ring_main(void *arg)
{
  struct ring *r = arg;
  struct lb_loader *l = r->loader;
  struct lb_err err = LB_ERR_INIT;
  const struct lb_ring_room room = {.depth = (size_t)l->c.storage->ring.depth,
                                    .request = l->c.scratch_bytes,
                                    .used = l->c.scratch_used};
  lb_clock_precise_thread();
  if (!lb_iothread_init_part(&r->io, l->c.scratch_bytes, 0, &err))
    r->ring = lb_ring_new(l->c.storage, &r->io, &room, &err);
  if (!r->ring)
    loader_fail(l, &err);
  r->before = lb_usage_of_thread();
  pthread_mutex_lock(&r->lock);
  r->begun = true;
  pthread_cond_signal(&r->quiet);
  pthread_mutex_unlock(&r->lock);
  if (r->ring)
    walk_lanes(r);
  lb_ring_free(r->ring);
  return NULL;
}

/* ---- making it ---- */

int ring_new(struct lb_loader *l, struct lb_err *err)
{
  struct ring *r = calloc(1, sizeof *r);
  if (!r)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  l->ring_engine = r;
  r->loader = l;
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->quiet, NULL);
  r->lanes = calloc(l->n_lanes, sizeof *r->lanes);
  r->handed = calloc(l->n_lanes, sizeof *r->handed);
  r->fresh = calloc(l->n_lanes, sizeof *r->fresh);
  if (l->c.verify != LB_VERIFY_OFF)
    r->verifiers = calloc(l->n_lanes, sizeof *r->verifiers);
  if (!r->lanes || !r->handed || !r->fresh ||
      (l->c.verify != LB_VERIFY_OFF && !r->verifiers))
    return lb_err_set(err, LB_FAILED, "out of memory for %zu readers",
                      l->n_lanes);
  for (size_t i = 0; i < l->n_lanes; i++) {
    struct ring_lane *rl = &r->lanes[i];
    lb_iolist_init(&rl->list);
    rl->lane = &l->lanes[i];
    rl->task = (struct lb_rtask){
        .owner = rl, .list = &rl->list, .fd = rl->lane->reader.fd};
  }
  int sys = lb_thread_start(&r->id, "lb-ring", ring_main, r);
  if (sys)
    return lb_err_sys(err, LB_FAILED, sys, "cannot start the reading thread");
  r->started = true;
  pthread_mutex_lock(&r->lock);
  while (!r->begun)
    pthread_cond_wait(&r->quiet, &r->lock);
  pthread_mutex_unlock(&r->lock);
  return lb_loader_failed(l, err);
}

/* ---- the conductor's side ---- */

static void tell(struct ring *r)
{
  atomic_store(&r->news, true);
  if (r->ring && atomic_exchange(&r->sleeping, false))
    lb_ring_wake(r->ring);
}

/* Only notes it: the thread is not disturbed before the flush. */
void ring_ask(struct lb_loader *l, struct lane *lane)
{
  struct ring *r = l->ring_engine;
  if (!lane->fresh)
    r->fresh[r->n_fresh++] = (uint32_t)(lane - l->lanes);
  lane->fresh = true;
}

void ring_flush(struct lb_loader *l)
{
  struct ring *r = l->ring_engine;
  if (!r->n_fresh)
    return;
  pthread_mutex_lock(&r->lock);
  for (size_t i = 0; i < r->n_fresh; i++) {
    uint32_t n = r->fresh[i];
    l->lanes[n].asked = l->lanes[n].told;
    l->lanes[n].fresh = false;
    if (!r->lanes[n].handed)
      r->handed[r->n_handed++] = n;
    r->lanes[n].handed = true;
  }
  r->n_fresh = 0;
  pthread_mutex_unlock(&r->lock);
  tell(r);
}

void ring_drain(struct lb_loader *l)
{
  struct ring *r = l->ring_engine;
  pthread_mutex_lock(&r->lock);
  r->draining = true;
  pthread_mutex_unlock(&r->lock);
  tell(r);
  pthread_mutex_lock(&r->lock);
  while (r->draining && r->ring)
    pthread_cond_wait(&r->quiet, &r->lock);
  pthread_mutex_unlock(&r->lock);
  r->n_fresh = 0;
}

void ring_free(struct lb_loader *l)
{
  struct ring *r = l->ring_engine;
  if (!r)
    return;
  /* Under the lock: the thread frees its ring when it has seen this, which must
   * not be before it was told by that ring. */
  pthread_mutex_lock(&r->lock);
  r->quit = true;
  if (r->started)
    tell(r);
  pthread_mutex_unlock(&r->lock);
  if (r->started)
    pthread_join(r->id, NULL);
  for (size_t i = 0; r->lanes && i < l->n_lanes; i++)
    lb_iolist_fini(&r->lanes[i].list);
  lb_iothread_fini(&r->io);
  pthread_cond_destroy(&r->quiet);
  pthread_mutex_destroy(&r->lock);
  free(r->lanes);
  free(r->verifiers);
  free(r->handed);
  free(r->fresh);
  free(r);
  l->ring_engine = NULL;
}

/* ---- evidence ---- */

void ring_cost(struct lb_loader *l, struct lb_loader_cost *c,
               struct lb_iostats *stats)
{
  struct ring *r = l->ring_engine;
  c->threads = 1;
  if (stats)
    lb_iostats_merge(stats, r->io.stats);
  c->cpu_ns += r->used.run_ns;
  c->runqueue_ns += r->used.wait_ns;
  c->user_ns += r->used.user_ns;
  c->verify_ns += r->io.inspect_ns;
}
