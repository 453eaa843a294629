/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both engines share: the lanes (readers), which batch belongs to which,
 * and the hand-over of finished batches to the conductor.  How batches are
 * read is in pool.c, ring.c and walk.c. */
#include "lb-config.h"

#include "loadbank/loader.h"

#include <stdlib.h>
#include <string.h>

#include "loader_impl.h"

static int make_lanes(struct lb_loader *l, struct lb_err *err)
{
  l->n_lanes = (size_t)l->c.k * (size_t)l->pace.readers;
  l->lanes = aligned_alloc(64, l->n_lanes * sizeof *l->lanes);
  l->acc = calloc((size_t)l->c.k, sizeof *l->acc);
  if (!l->lanes || !l->acc)
    return lb_err_set(err, LB_FAILED, "out of memory for %zu readers",
                      l->n_lanes);
  memset(l->lanes, 0, l->n_lanes * sizeof *l->lanes);
  for (size_t i = 0; i < l->n_lanes; i++) {
    struct lane *lane = &l->lanes[i];
    lane->acc = (int)((int64_t)i / l->pace.readers);
    lane->w = (int)((int64_t)i % l->pace.readers);
    lb_iolist_init(&lane->list);
    lane->task.owner = lane;
    lane->task.list = &lane->list;
    lane->ready_ns = calloc(l->ring, sizeof *lane->ready_ns);
    if (!lane->ready_ns)
      return lb_err_set(err, LB_FAILED, "out of memory for readers");
    if (lb_reader_init(&lane->reader, l->c.format, l->c.params, err))
      return -err->code;
  }
  return 0;
}

/* Batches that one lane may have made and not taken. */
static uint64_t ring_size(const struct lb_loader_pace *pace)
{
  return (uint64_t)(pace->ahead / pace->readers) + 1;
}

uint64_t lb_loader_reader_bytes(const struct lb_loader_pace *pace)
{
  return sizeof(struct lane) + ring_size(pace) * sizeof(uint64_t);
}

int lb_loader_new(struct lb_loader **out, const struct lb_loader_config *c,
                  struct lb_err *err)
{
  struct lb_loader *l = calloc(1, sizeof *l);
  if (!l)
    return lb_err_set(err, LB_FAILED, "out of memory for the loader");
  l->c = *c;
  l->pace = c->kind->pace(c->read_threads, c->prefetch);
  l->preprocesses =
      !lb_dist_is_constant(c->preprocess) || lb_dist_mean(c->preprocess) > 0;
  l->ring = ring_size(&l->pace);
  pthread_mutex_init(&l->failed_lock, NULL);
  lb_queue_init(&l->queue);
  int rc = make_lanes(l, err);
  if (!rc)
    rc = c->storage->backend->is_virtual ? walk_new(l, err)
         : c->storage->ring.depth > 0    ? ring_new(l, err)
                                         : pool_new(l, err);
  if (rc) {
    lb_loader_free(l);
    return rc;
  }
  *out = l;
  return 0;
}

static void free_lane(struct lb_loader *l, struct lane *lane)
{
  if (lane->reader.format) {
    lb_storage_release(l->c.storage, lane->reader.fd);
    lb_reader_fini(&lane->reader);
  }
  lb_iolist_fini(&lane->list);
  free(lane->ready_ns);
}

void lb_loader_free(struct lb_loader *l)
{
  if (!l)
    return;
  pool_free(l);
  ring_free(l);
  walk_free(l);
  for (size_t i = 0; l->lanes && i < l->n_lanes; i++)
    free_lane(l, &l->lanes[i]);
  free(l->lanes);
  free(l->acc);
  pthread_mutex_destroy(&l->failed_lock);
  free(l);
}

void lb_loader_begin(struct lb_loader *l, const struct lb_loader_pass *pass)
{
  uint64_t set = (uint64_t)pass->set, epoch = (uint64_t)pass->epoch;
  l->pass = *pass;
  l->preprocess = lb_rng_stream(l->c.seed, LB_RNG_PREPROCESS, set, epoch);
  l->latency = lb_rng_stream(l->c.seed, LB_RNG_LATENCY, set, epoch);
  l->arrived = NULL;
  lb_queue_take(&l->queue);
  for (int a = 0; a < l->c.k; a++) {
    atomic_store(&l->acc[a].wanted, 0);
    l->acc[a].asked = l->acc[a].taken = 0;
  }
  for (size_t i = 0; i < l->n_lanes; i++) {
    struct lane *lane = &l->lanes[i];
    lane->asked = lane->asking = 0;
    atomic_store(&lane->made, 0);
    lane->busy = lane->in_batch = lane->delayed = false;
  }
}

int lb_loader_end(struct lb_loader *l, struct lb_err *err)
{
  int rc = 0;
  if (l->pool)
    pool_drain(l);
  else if (l->ring_engine)
    ring_drain(l);
  else
    rc = walk_drain(l, err);
  for (size_t i = 0; i < l->n_lanes; i++) {
    lb_storage_release(l->c.storage, l->lanes[i].reader.fd);
    lb_reader_reset(&l->lanes[i].reader);
  }
  return rc;
}

/* ---- asking and taking ---- */

static struct lane *lane_of(struct lb_loader *l, int acc, int64_t batch)
{
  return &l->lanes[acc * l->pace.readers + batch % l->pace.readers];
}

static void ask_one(struct lb_loader *l, int acc, uint64_t at_ns)
{
  struct lane *lane = lane_of(l, acc, l->acc[acc].asked++);
  if (l->pool)
    pool_ask(l, lane);
  else if (l->ring_engine)
    ring_ask(l, lane);
  else
    walk_ask(l, lane, at_ns);
}

void lb_loader_ask(struct lb_loader *l, int acc, bool needed, uint64_t at_ns)
{
  struct accelerator *a = &l->acc[acc];
  int64_t until = a->taken + l->pace.ahead;
  if (needed && l->pace.ahead == 0)
    until = a->taken + 1;
  if (until > l->pass.batches)
    until = l->pass.batches;
  while (a->asked < until)
    ask_one(l, acc, at_ns);
}

void lb_loader_flush(struct lb_loader *l, uint64_t now_ns)
{
  if (l->pool)
    pool_flush(l);
  else if (l->ring_engine)
    ring_flush(l);
  else
    walk_advance(l, now_ns);
}

/* When the batch was ready, or 0. */
static uint64_t ready(struct lb_loader *l, int acc, int64_t batch)
{
  struct lane *lane = lane_of(l, acc, batch);
  uint64_t i = (uint64_t)(batch / l->pace.readers);
  return atomic_load(&lane->made) > i ? lane->ready_ns[i % l->ring] : 0;
}

uint64_t lb_loader_take(struct lb_loader *l, int acc)
{
  struct accelerator *a = &l->acc[acc];
  uint64_t t = ready(l, acc, a->taken);
  if (!t) {
    /* Say that it is wanted, then look again: a reader that finished before
     * it could see that is seen here. */
    uint64_t want = (uint64_t)a->taken + 1;
    atomic_store(&a->wanted, want);
    t = ready(l, acc, a->taken);
    if (t && atomic_exchange(&a->wanted, 0) != want)
      t = 0; /* the reader took notice: it comes through the queue */
  }
  if (t)
    a->taken++;
  return t;
}

void lane_made(struct lb_loader *l, struct lane *lane, uint64_t t_ns)
{
  uint64_t i = atomic_load_explicit(&lane->made, memory_order_relaxed);
  uint64_t batch = i * (uint64_t)l->pace.readers + (uint64_t)lane->w;
  lane->ready_ns[i % l->ring] = t_ns ? t_ns : 1;
  lane->batches++;
  lane->samples += (uint64_t)l->pass.batch;
  atomic_store(&lane->made, i + 1);
  struct accelerator *a = &l->acc[lane->acc];
  if (atomic_load(&a->wanted) == batch + 1 &&
      atomic_exchange(&a->wanted, 0) == batch + 1)
    lb_queue_push(&l->queue, &a->node);
}

int lb_loader_next(struct lb_loader *l)
{
  if (!l->arrived)
    l->arrived = lb_queue_take(&l->queue);
  if (!l->arrived)
    return -1;
  struct accelerator *a = (struct accelerator *)l->arrived;
  l->arrived = l->arrived->next;
  return (int)(a - l->acc);
}

void lb_loader_advance(struct lb_loader *l, uint64_t now_ns)
{
  if (l->walk)
    walk_advance(l, now_ns);
}

uint64_t lb_loader_deadline(const struct lb_loader *l)
{
  return walk_deadline(l);
}

void lb_loader_wait(struct lb_loader *l, uint64_t until_ns)
{
  if (!l->arrived)
    lb_queue_wait(&l->queue, until_ns);
}

/* ---- what lanes read ---- */

static int64_t next_batch(const struct lb_loader *l, const struct lane *lane)
{
  uint64_t made = atomic_load_explicit(&lane->made, memory_order_relaxed);
  return (int64_t)made * l->pace.readers + lane->w;
}

void lane_position(const struct lb_loader *l, const struct lane *lane,
                   int64_t i, int64_t *file, int64_t *in_file)
{
  const struct lb_loader_pass *p = &l->pass;
  int64_t accelerator = l->c.first + lane->acc;
  int64_t batch = accelerator * p->stride + next_batch(l, lane);
  lb_sampler_at(&p->sampler, (uint64_t)(batch * p->batch + i), file, in_file);
}

/* The stream of the lane's i-th sample: by accelerator and its samples, so
 * that any number of ranks and readers draws the same. */
static struct lb_rng sample_stream(const struct lb_loader *l,
                                   const struct lane *lane, int64_t i,
                                   const struct lb_rng *of_pass)
{
  int64_t sample = next_batch(l, lane) * l->pass.batch + i;
  struct lb_rng own =
      lb_rng_fork(of_pass, (uint64_t)l->c.first + (uint64_t)lane->acc);
  return lb_rng_fork(&own, (uint64_t)sample);
}

double lane_preprocess(const struct lb_loader *l, const struct lane *lane,
                       int64_t i)
{
  struct lb_rng rng = sample_stream(l, lane, i, &l->preprocess);
  return lb_dist_sample(l->c.preprocess, &rng);
}

struct lb_rng lane_latency(const struct lb_loader *l, const struct lane *lane,
                           int64_t i)
{
  return sample_stream(l, lane, i, &l->latency);
}

/* ---- failures and evidence ---- */

void loader_fail(struct lb_loader *l, const struct lb_err *err)
{
  pthread_mutex_lock(&l->failed_lock);
  if (!lb_err_is_set(&l->failure))
    l->failure = *err;
  pthread_mutex_unlock(&l->failed_lock);
  atomic_store(&l->failed, true);
  lb_queue_kick(&l->queue);
}

int lb_loader_failed(struct lb_loader *l, struct lb_err *err)
{
  if (!atomic_load(&l->failed))
    return 0;
  pthread_mutex_lock(&l->failed_lock);
  if (!lb_err_is_set(err))
    *err = l->failure;
  pthread_mutex_unlock(&l->failed_lock);
  return -err->code;
}

struct lb_loader_cost lb_loader_cost(struct lb_loader *l,
                                     struct lb_iostats *stats)
{
  struct lb_loader_cost c = {0};
  for (size_t i = 0; i < l->n_lanes; i++) {
    const struct lane *lane = &l->lanes[i];
    c.batches += lane->batches;
    c.samples += lane->samples;
    c.payload_bytes += lane->payload_bytes;
    c.samples_seen += lane->reader.samples_seen;
    c.sample_bytes_seen += lane->reader.sample_bytes_seen;
  }
  if (l->pool)
    pool_cost(l, &c, stats);
  else if (l->ring_engine)
    ring_cost(l, &c, stats);
  else
    walk_cost(l, stats);
  return c;
}
