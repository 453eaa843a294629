/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine for blocking backends: a pool of threads per rank.  A lane with
 * work stands in one ring, in the order in which it was asked; a thread takes
 * the first, reads what one batch needs of it, and puts it back behind the
 * others if it has more.  So a lane does one sample at a time, as a worker
 * would.
 *
 * The conductor wakes one thread; each thread that takes a lane wakes one more
 * while lanes wait.  All threads are made with the loader, before any clock
 * runs; each makes its own buffer. */
#include "lb-config.h"

#include "loader_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "loadbank/thread.h"
#include "loadbank/usage.h"

/* Reads of one list: enough that what a list costs does not show, and an end
 * that is asked for is near. */
enum { LIST_READS = 64 };

struct reader_thread {
  pthread_t id;
  struct lb_loader *loader;
  struct lb_usage before, used; /* when it was made; since, as last booked */
  uint32_t round;               /* of booking that it has done */
  struct lb_iothread io;
  struct lb_iolist list;
  struct lb_sample sample; /* the last one; its file has no path: none yet */
  const struct lb_layout *layout; /* that its path goes by */
  char path[LANE_PATH_MAX];
  struct lb_verifier verifier;
  uint64_t now_ns, line_ns; /* of a lane that preprocesses */
};

struct pool {
  pthread_mutex_t lock; /* for what follows, up to the threads */
  uint32_t *ring;       /* lanes with work */
  uint64_t head, tail;  /* of the ring; tail - head lanes wait */
  uint32_t mask;
  int n_idle, n_running;
  bool quit, draining;
  uint32_t round;        /* of booking */
  int64_t awaited;       /* threads that are still to arrive */
  pthread_cond_t quiet;  /* nothing runs, or is awaited */
  _Atomic uint32_t work; /* futex: changes when there may be work */
  _Atomic bool abandon;  /* drain: stop between samples */
  struct reader_thread **thread;
  int64_t n_threads;
  uint32_t *fresh; /* the conductor's: lanes asked since the last flush */
  size_t n_fresh;
};

/* ---- one thread ---- */

/* The lane's next sample into t->sample.  Samples that follow each other are
 * mostly of one file. */
static void find_sample(const struct lb_loader *l, struct lane *lane,
                        struct reader_thread *t)
{
  struct lb_file *f = &t->sample.file;
  int64_t file;
  lane_position(l, lane, &file, &t->sample.in_file);
  if (f->samples && f->index == file && f->set == l->pass.set)
    return;
  lb_dataset_file(t->layout, l->c.sizes, l->c.params, l->pass.set, file, NULL,
                  0, f);
}

/* The same, and its file has a path. */
static int find_and_name(const struct lb_loader *l, struct lane *lane,
                         struct reader_thread *t, struct lb_err *err)
{
  struct lb_file *f = &t->sample.file;
  find_sample(l, lane, t);
  if (f->path)
    return 0;
  if (lb_layout_path(t->layout, f->set, f->index, t->path, sizeof t->path) < 0)
    return lb_err_sys(err, LB_FAILED, ENAMETOOLONG, "file %" PRId64 " in %s",
                      f->index, t->layout->root);
  f->path = t->path;
  return 0;
}

static int read_stages(struct lb_loader *l, struct lane *lane,
                       struct reader_thread *t, struct lb_err *err)
{
  const struct lb_format *f = l->c.format;
  const struct lb_sample *s = &t->sample;
  for (int stage = 0;; stage++) {
    lb_iolist_clear(&t->list);
    int rc = f->plan(&lane->reader, s, stage, &t->list, err);
    if (rc == 0)
      lane->payload_bytes += t->list.payload_bytes;
    if (rc <= 0)
      return rc;
    lane_cut(l, lane, &t->list);
    rc = lb_storage_run(l->c.storage, &t->list, lane->reader.fd, &t->io, err);
    if (!rc)
      rc = lane_parse(lane, s, stage, &t->list, &t->io, err);
    if (rc)
      return rc;
    lane->payload_bytes += t->list.payload_bytes;
  }
}

static int read_verified(struct lb_loader *l, struct lane *lane,
                         struct reader_thread *t, struct lb_err *err)
{
  lane_begin_verify(lane, &t->verifier, &t->sample, &t->io);
  read_stages(l, lane, t, err);
  return lane_end_verify(lane, &t->verifier, &t->io, err);
}

static int read_sample(struct lb_loader *l, struct lane *lane,
                       struct reader_thread *t, struct lb_err *err)
{
  if (find_and_name(l, lane, t, err))
    return -err->code;
  t->sample.verify = lane_verifies(l, lane);
  return t->sample.verify ? read_verified(l, lane, t, err)
                          : read_stages(l, lane, t, err);
}

/* Samples of files that are open, each one READ away, in one list: what it
 * costs to go from sample to sample is then paid once for many.  1: at least
 * one was read; 0: the next one takes more. */
static int read_appended(struct lb_loader *l, struct lane *lane,
                         struct reader_thread *t, struct lb_err *err)
{
  lb_iolist_clear(&t->list);
  while (lane->done < lane->part_end && t->list.n < LIST_READS) {
    find_sample(l, lane, t);
    if (!l->c.format->append(&lane->reader, &t->sample, &t->list))
      break;
    lane_next(l, lane);
  }
  if (!t->list.n)
    return 0;
  lane->payload_bytes += t->list.payload_bytes;
  int rc = lb_storage_run(l->c.storage, &t->list, lane->reader.fd, &t->io, err);
  return rc ? rc : 1;
}

/* Preprocessing runs on a time line of its own: what one sleep was late is not
 * added to the next. */
static void preprocess(const struct lb_loader *l, const struct lane *lane,
                       struct reader_thread *t)
{
  uint64_t read = lb_clock_ns();
  t->line_ns += read - t->now_ns;
  t->line_ns += (uint64_t)(lane_preprocess(l, lane) * 1e9);
  lb_clock_sleep_until(t->line_ns);
  t->now_ns = lb_clock_ns();
}

static int read_one(struct lb_loader *l, struct lane *lane,
                    struct reader_thread *t, struct lb_err *err)
{
  int rc = read_sample(l, lane, t, err);
  if (rc < 0)
    return rc;
  if (l->preprocesses)
    preprocess(l, lane, t);
  lane_next(l, lane);
  return 0;
}

/* The thread goes by that layout from now on. */
static void use_layout(struct reader_thread *t, const struct lb_layout *layout)
{
  if (t->layout == layout)
    return;
  t->layout = layout;
  t->sample.file = (struct lb_file){.path = NULL};
}

/* What one batch needs of the lane.  false: failed or abandoned. */
static bool read_part(struct lb_loader *l, struct lane *lane,
                      struct reader_thread *t)
{
  struct lb_err err = LB_ERR_INIT;
  t->io.phase = l->pass.phase;
  use_layout(t, lane_layout(l, lane));
  t->now_ns = t->line_ns = lb_clock_ns();
  lane_begin_part(l, lane);
  while (lane->done < lane->part_end) {
    if (atomic_load_explicit(&l->pool->abandon, memory_order_relaxed))
      return false;
    int rc = l->appends ? read_appended(l, lane, t, &err) : 0;
    if (rc == 0)
      rc = read_one(l, lane, t, &err);
    if (rc < 0) {
      loader_fail(l, &err);
      return false;
    }
  }
  lane_end_part(l, lane, lb_clock_ns());
  return true;
}

static void put(struct pool *p, uint32_t lane)
{
  p->ring[p->tail++ & p->mask] = lane;
}

/* It is made, or has booked: the conductor awaits that; under the lock. */
static void arrive(struct pool *p)
{
  if (--p->awaited == 0)
    pthread_cond_signal(&p->quiet);
}

/* The thread notes what it has used; under the lock. */
static void book(struct pool *p, struct reader_thread *t)
{
  t->round = p->round;
  pthread_mutex_unlock(&p->lock);
  struct lb_usage now = lb_usage_of_thread();
  pthread_mutex_lock(&p->lock);
  t->used = lb_usage_since(&now, &t->before);
  arrive(p);
}

/* Waits for a lane with work, under the lock; NULL: quit. */
static struct lane *get_lane(struct lb_loader *l, struct reader_thread *t)
{
  struct pool *p = l->pool;
  while (p->head == p->tail && !p->quit) {
    if (t->round != p->round) {
      book(p, t);
      continue;
    }
    uint32_t seen = atomic_load(&p->work);
    p->n_idle++;
    pthread_mutex_unlock(&p->lock);
    lb_futex_wait(&p->work, seen, LB_NEVER, LB_FUTEX_PROCESS);
    pthread_mutex_lock(&p->lock);
    p->n_idle--;
  }
  if (p->quit)
    return NULL;
  return &l->lanes[p->ring[p->head++ & p->mask]];
}

static void wake_one(struct pool *p)
{
  atomic_fetch_add(&p->work, 1);
  lb_futex_wake_one(&p->work, LB_FUTEX_PROCESS);
}

/* One part of a lane's work, then the lane goes back if it has more. */
static void serve(struct lb_loader *l, struct reader_thread *t,
                  struct lane *lane)
{
  struct pool *p = l->pool;
  p->n_running++;
  bool more = p->head != p->tail && p->n_idle > 0;
  pthread_mutex_unlock(&p->lock);
  if (more)
    wake_one(p);
  bool made = read_part(l, lane, t);
  pthread_mutex_lock(&p->lock);
  p->n_running--;
  if (made && !p->draining && lane_has_work(lane))
    put(p, (uint32_t)(lane - l->lanes));
  else
    lane->busy = false;
  if (p->n_running == 0)
    pthread_cond_signal(&p->quiet);
}

static void *reader_main(void *arg)
{
  struct reader_thread *t = arg;
  struct lb_loader *l = t->loader;
  struct pool *p = l->pool;
  struct lb_err err = LB_ERR_INIT;
  lb_clock_precise_thread();
  bool good = !lb_iothread_init_part(&t->io, l->c.scratch_bytes,
                                     l->c.scratch_used, &err);
  if (!good)
    loader_fail(l, &err);
  t->before = lb_usage_of_thread();
  pthread_mutex_lock(&p->lock);
  arrive(p);
  struct lane *lane;
  while (good && (lane = get_lane(l, t)))
    serve(l, t, lane);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* ---- making it ---- */

static int start_thread(struct lb_loader *l, struct lb_err *err)
{
  struct pool *p = l->pool;
  struct reader_thread *t = calloc(1, sizeof *t);
  if (!t)
    return lb_err_set(err, LB_FAILED, "out of memory for a reader thread");
  t->loader = l;
  lb_iolist_init(&t->list);
  int sys = lb_thread_start(&t->id, "lb-reader", reader_main, t);
  if (sys) {
    free(t);
    return lb_err_sys(err, LB_FAILED, sys,
                      "cannot start reader thread %" PRId64, p->n_threads + 1);
  }
  p->thread[p->n_threads++] = t;
  return 0;
}

/* Until n threads have arrived. */
static void await(struct pool *p, int64_t n)
{
  pthread_mutex_lock(&p->lock);
  p->awaited += n;
  while (p->awaited)
    pthread_cond_wait(&p->quiet, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

/* As many as can have work at the same time. */
static int start_threads(struct lb_loader *l, struct lb_err *err)
{
  struct pool *p = l->pool;
  int64_t n = (int64_t)l->n_lanes;
  n = n < l->c.max_threads ? n : l->c.max_threads;
  p->thread = calloc((size_t)n, sizeof(struct reader_thread *));
  if (!p->thread)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  int rc = 0;
  while (!rc && p->n_threads < n)
    rc = start_thread(l, err);
  await(p, p->n_threads);
  return rc ? rc : lb_loader_failed(l, err);
}

int pool_new(struct lb_loader *l, struct lb_err *err)
{
  struct pool *p = calloc(1, sizeof *p);
  if (!p)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  l->pool = p;
  uint32_t size = 1;
  while (size < l->n_lanes)
    size *= 2;
  p->mask = size - 1;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->quiet, NULL);
  p->ring = calloc(size, sizeof *p->ring);
  p->fresh = calloc(l->n_lanes, sizeof *p->fresh);
  if (!p->ring || !p->fresh)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  return start_threads(l, err);
}

/* ---- the conductor's side ---- */

static void wake_all(struct pool *p)
{
  atomic_fetch_add(&p->work, 1);
  lb_futex_wake(&p->work, LB_FUTEX_PROCESS);
}

/* Only notes it: readers are not disturbed before the flush. */
void pool_ask(struct lb_loader *l, struct lane *lane)
{
  struct pool *p = l->pool;
  if (!lane->fresh)
    p->fresh[p->n_fresh++] = (uint32_t)(lane - l->lanes);
  lane->fresh = true;
}

void pool_flush(struct lb_loader *l)
{
  struct pool *p = l->pool;
  if (!p->n_fresh)
    return;
  pthread_mutex_lock(&p->lock);
  for (size_t i = 0; i < p->n_fresh; i++) {
    struct lane *lane = &l->lanes[p->fresh[i]];
    lane->asked = lane->told;
    lane->fresh = false;
    if (!lane->busy) {
      lane->busy = true;
      put(p, p->fresh[i]);
    }
  }
  p->n_fresh = 0;
  bool wake = p->head != p->tail && p->n_idle > 0;
  pthread_mutex_unlock(&p->lock);
  if (wake)
    wake_one(p);
}

void pool_drain(struct lb_loader *l)
{
  struct pool *p = l->pool;
  atomic_store(&p->abandon, true);
  pthread_mutex_lock(&p->lock);
  p->draining = true;
  p->head = p->tail = 0;
  while (p->n_running)
    pthread_cond_wait(&p->quiet, &p->lock);
  p->draining = false;
  p->round++;
  pthread_mutex_unlock(&p->lock);
  atomic_store(&p->abandon, false);
  p->n_fresh = 0;
  wake_all(p);
  await(p, p->n_threads);
}

void pool_free(struct lb_loader *l)
{
  struct pool *p = l->pool;
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  p->quit = true;
  pthread_mutex_unlock(&p->lock);
  wake_all(p);
  for (int64_t i = 0; i < p->n_threads; i++) {
    struct reader_thread *t = p->thread[i];
    pthread_join(t->id, NULL);
    lb_iothread_fini(&t->io);
    lb_iolist_fini(&t->list);
    free(t);
  }
  pthread_cond_destroy(&p->quiet);
  pthread_mutex_destroy(&p->lock);
  free(p->ring);
  free(p->fresh);
  free(p->thread);
  free(p);
  l->pool = NULL;
}

/* ---- evidence ---- */

void pool_cost(struct lb_loader *l, struct lb_loader_cost *c,
               struct lb_iostats *stats)
{
  struct pool *p = l->pool;
  c->threads = (uint64_t)p->n_threads;
  for (int64_t i = 0; i < p->n_threads; i++) {
    struct reader_thread *t = p->thread[i];
    if (stats)
      lb_iostats_merge(stats, t->io.stats);
    c->cpu_ns += t->used.run_ns;
    c->runqueue_ns += t->used.wait_ns;
    c->user_ns += t->used.user_ns;
    c->lock_ns += t->io.waited_ns;
    c->verify_ns += t->io.inspect_ns;
  }
}
