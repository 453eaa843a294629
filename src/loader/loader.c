/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the lanes (readers) and begins and ends passes.  What lanes read is in
 * lane.c, how batches are asked for and handed over in batches.c, how samples
 * are read in pool.c, ring.c and walk.c. */
#include "lb-config.h"

#include "loadbank/loader.h"

#include <stdlib.h>
#include <string.h>

#include "loader_impl.h"

static int no_memory(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "out of memory for the loader");
}

static int make_lane(struct lb_loader *l, size_t i, struct lb_err *err)
{
  struct lane *lane = &l->lanes[i];
  lane->acc = (int)((int64_t)i / l->pace.readers);
  lane->w = (int)((int64_t)i % l->pace.readers);
  lb_iolist_init(&lane->list);
  lane->task.owner = lane;
  lane->task.list = &lane->list;
  return lb_reader_init(&lane->reader, l->c.format, l->c.params, err);
}

static int make_lanes(struct lb_loader *l, struct lb_err *err)
{
  size_t n = (size_t)l->c.k * (size_t)l->pace.readers;
  l->lanes = n ? aligned_alloc(64, n * sizeof *l->lanes) : NULL;
  if (n && !l->lanes)
    return lb_err_set(err, LB_FAILED, "out of memory for %zu readers", n);
  if (n)
    memset(l->lanes, 0, n * sizeof *l->lanes);
  for (l->n_lanes = 0; l->n_lanes < n; l->n_lanes++)
    if (make_lane(l, l->n_lanes, err))
      return -err->code;
  return 0;
}

static int make_accelerators(struct lb_loader *l, struct lb_err *err)
{
  l->acc = calloc((size_t)l->c.k, sizeof *l->acc);
  for (int a = 0; l->acc && a < l->c.k; a++) {
    l->acc[a].ring = calloc((size_t)l->ring, sizeof(struct batch));
    if (l->computes)
      l->acc[a].out_ns = calloc((size_t)l->pace.computing, sizeof(uint64_t));
    if (!l->acc[a].ring || (l->computes && !l->acc[a].out_ns))
      return no_memory(err);
  }
  return l->acc ? 0 : no_memory(err);
}

/* Batches of an accelerator that may be asked for and not taken. */
static int64_t ring_size(const struct lb_loader_pace *pace)
{
  return pace->ahead > 0 ? pace->ahead : 1;
}

uint64_t lb_loader_reader_bytes(const struct lb_loader_pace *pace)
{
  uint64_t ring = (uint64_t)ring_size(pace) * sizeof(struct batch) +
                  (uint64_t)pace->computing * sizeof(uint64_t);
  uint64_t readers = (uint64_t)(pace->readers > 0 ? pace->readers : 1);
  return sizeof(struct lane) + (ring + readers - 1) / readers;
}

int lb_loader_new(struct lb_loader **out, const struct lb_loader_config *c,
                  struct lb_err *err)
{
  struct lb_loader *l = calloc(1, sizeof *l);
  if (!l)
    return no_memory(err);
  l->c = *c;
  l->pace = c->pace;
  bool takes_time =
      !lb_dist_is_constant(c->preprocess) || lb_dist_mean(c->preprocess) > 0;
  l->computes = takes_time && l->pace.computing > 0;
  l->preprocesses = takes_time && !l->computes;
  /* What is done for every sample, or for every file, parts the lists. */
  l->appends = l->c.format->append && !l->preprocesses && !l->c.request &&
               !l->c.leaves_files && l->c.verify == LB_VERIFY_OFF;
  l->ring = ring_size(&l->pace);
  pthread_mutex_init(&l->failed_lock, NULL);
  lb_queue_init(&l->queue);
  int rc = make_accelerators(l, err);
  if (!rc)
    rc = make_lanes(l, err);
  if (!rc && l->n_lanes)
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
}

void lb_loader_free(struct lb_loader *l)
{
  if (!l)
    return;
  pool_free(l);
  ring_free(l);
  walk_free(l);
  for (size_t i = 0; i < l->n_lanes; i++)
    free_lane(l, &l->lanes[i]);
  for (int a = 0; l->acc && a < l->c.k; a++) {
    free(l->acc[a].ring);
    free(l->acc[a].out_ns);
  }
  free(l->lanes);
  free(l->acc);
  pthread_mutex_destroy(&l->failed_lock);
  free(l);
}

static void begin_accelerator(struct lb_loader *l, int acc)
{
  const struct lb_loader_pass *p = &l->pass;
  struct accelerator *a = &l->acc[acc];
  int64_t samples = p->stride * p->batch;
  a->share = (struct lb_share){
      .begin = (l->c.first + acc) * samples,
      .samples = samples,
      .batch = p->batch,
      .readers = l->pace.readers,
      .buffer = l->pace.buffer,
      .segment = l->pace.by_file ? (int64_t)p->sampler.samples_per_file : 1};
  atomic_store(&a->wanted, 0);
  a->asked = a->taken = a->worked = 0;
  a->gathered_ns = a->last_ns = a->due_ns = 0;
  if (a->out_ns)
    memset(a->out_ns, 0, (size_t)l->pace.computing * sizeof *a->out_ns);
}

void lb_loader_begin(struct lb_loader *l, const struct lb_loader_pass *pass)
{
  uint64_t set = (uint64_t)pass->set, epoch = (uint64_t)pass->epoch;
  l->pass = *pass;
  l->preprocess = lb_rng_stream(l->c.seed, LB_RNG_PREPROCESS, set, epoch);
  l->latency = lb_rng_stream(l->c.seed, LB_RNG_LATENCY, set, epoch);
  l->request = lb_rng_stream(l->c.seed, LB_RNG_REQUEST, set, epoch);
  l->arrived = NULL;
  l->n_due = 0;
  l->now_ns = 0;
  lb_queue_take(&l->queue);
  for (int a = 0; a < l->c.k; a++)
    begin_accelerator(l, a);
  for (size_t i = 0; i < l->n_lanes; i++) {
    struct lane *lane = &l->lanes[i];
    lane->target = lane->told = lane->asked = lane->done = 0;
    lane->pos = lane->run = 0;
    lane->row.n = 0;
    lane->free_ns = 0;
    lane->stage = 0;
    lane->file = -1;
    lane->fresh = lane->busy = lane->in_part = lane->delayed = false;
  }
}

int lb_loader_end(struct lb_loader *l, struct lb_err *err)
{
  int rc = 0;
  if (l->pool)
    pool_drain(l);
  else if (l->ring_engine)
    ring_drain(l);
  else if (l->walk)
    rc = walk_drain(l, err);
  for (size_t i = 0; i < l->n_lanes; i++) {
    lb_storage_release(l->c.storage, l->lanes[i].reader.fd);
    lb_reader_reset(&l->lanes[i].reader);
  }
  lb_storage_settle(l->c.storage);
  return rc;
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
    c.verified_samples += lane->verified_samples;
    c.verified_bytes += lane->verified_bytes;
    c.samples_seen += lane->reader.samples_seen;
    c.sample_bytes_seen += lane->reader.sample_bytes_seen;
  }
  if (l->pool)
    pool_cost(l, &c, stats);
  else if (l->ring_engine)
    ring_cost(l, &c, stats);
  else if (l->walk)
    walk_cost(l, stats);
  return c;
}
