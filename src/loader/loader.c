/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both engines share: the lanes (readers), what they read for which batch,
 * and the hand-over of finished batches to the conductor.  How samples are read
 * is in pool.c and walk.c. */
#include "lb-config.h"

#include "loadbank/loader.h"

#include <stdlib.h>
#include <string.h>

#include "loader_impl.h"

/* Requests of O_DIRECT are whole multiples. */
enum { DIRECT_UNIT = 4096 };

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
  l->ring = ring_size(&l->pace);
  pthread_mutex_init(&l->failed_lock, NULL);
  lb_queue_init(&l->queue);
  int rc = make_accelerators(l, err);
  if (!rc)
    rc = make_lanes(l, err);
  if (!rc && l->n_lanes)
    rc = c->storage->backend->is_virtual ? walk_new(l, err) : pool_new(l, err);
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
  else if (l->walk)
    rc = walk_drain(l, err);
  for (size_t i = 0; i < l->n_lanes; i++) {
    lb_storage_release(l->c.storage, l->lanes[i].reader.fd);
    lb_reader_reset(&l->lanes[i].reader);
  }
  return rc;
}

/* ---- streams ---- */

/* Of a sample of an accelerator's share, so that any number of ranks and
 * readers draws the same. */
static struct lb_rng sample_stream(const struct lb_loader *l, int acc,
                                   int64_t sample, const struct lb_rng *of_pass)
{
  struct lb_rng own =
      lb_rng_fork(of_pass, (uint64_t)l->c.first + (uint64_t)acc);
  return lb_rng_fork(&own, (uint64_t)sample);
}

static double preprocess_s(const struct lb_loader *l, int acc, int64_t sample)
{
  struct lb_rng rng = sample_stream(l, acc, sample, &l->preprocess);
  return lb_dist_sample(l->c.preprocess, &rng);
}

double lane_preprocess(const struct lb_loader *l, const struct lane *lane)
{
  return preprocess_s(l, lane->acc, lane->pos);
}

void lane_cut(const struct lb_loader *l, const struct lane *lane,
              struct lb_iolist *list)
{
  if (!l->c.request)
    return;
  struct lb_rng rng = sample_stream(l, lane->acc, lane->pos, &l->request);
  double drawn = lb_dist_sample(l->c.request, &rng);
  double longest = l->c.longest_request;
  uint32_t bytes = (uint32_t)(drawn < longest ? drawn : longest);
  if (l->c.params->open_flags & LB_IO_DIRECT)
    bytes = bytes / DIRECT_UNIT * DIRECT_UNIT;
  if (bytes == 0)
    bytes = l->c.params->open_flags & LB_IO_DIRECT ? DIRECT_UNIT : 1;
  for (size_t i = 0; i < list->n; i++)
    if (list->v[i].op == LB_OP_READ &&
        list->v[i].request == l->c.params->request)
      list->v[i].request = bytes;
}

struct lb_rng lane_latency(const struct lb_loader *l, const struct lane *lane)
{
  return sample_stream(l, lane->acc, lane->pos, &l->latency);
}

/* ---- asking ---- */

static struct batch *slot_of(struct lb_loader *l, struct accelerator *a,
                             int64_t batch)
{
  return &a->ring[batch % l->ring];
}

static uint64_t batch_work_ns(const struct lb_loader *l, int acc, int64_t batch)
{
  int64_t n = l->pass.batch;
  double s = 0;
  if (lb_dist_is_constant(l->c.preprocess))
    return (uint64_t)((double)n * lb_dist_mean(l->c.preprocess) * 1e9);
  for (int64_t i = 0; i < n; i++)
    s += preprocess_s(l, acc, batch * n + i);
  return (uint64_t)(s * 1e9);
}

/* All of the batch has been read.  Any thread. */
static void gathered(struct lb_loader *l, int acc, int64_t batch)
{
  struct accelerator *a = &l->acc[acc];
  struct batch *slot = slot_of(l, a, batch);
  uint64_t want = (uint64_t)batch + 1;
  if (l->computes)
    slot->work_ns = batch_work_ns(l, acc, batch);
  atomic_store(&slot->ready, true);
  if (atomic_load(&a->wanted) == want && atomic_exchange(&a->wanted, 0) == want)
    lb_queue_push(&l->queue, &a->node);
}

/* Sets what the batch asks of the lanes; how many of them read for it. */
static int64_t aim(struct lb_loader *l, int acc, int64_t batch, int64_t first,
                   int64_t n)
{
  const struct lb_share *share = &l->acc[acc].share;
  int64_t parts = 0;
  for (int64_t w = first; w < first + n; w++) {
    struct lane *lane = &l->lanes[acc * l->pace.readers + w];
    lane->target = l->pace.deal->until(share, w, batch);
    parts += lane->target > lane->told;
  }
  return parts;
}

static void ask_one(struct lb_loader *l, int acc, uint64_t at_ns)
{
  struct accelerator *a = &l->acc[acc];
  int64_t batch = a->asked++, n = l->pace.readers;
  bool whole = n > 0 && l->pace.deal->whole;
  int64_t first = whole ? batch % n : 0;
  n = whole ? 1 : n;
  struct batch *slot = slot_of(l, a, batch);
  int64_t parts = aim(l, acc, batch, first, n);
  atomic_store(&slot->ready, false);
  atomic_store(&slot->ready_ns, parts || !at_ns ? 1 : at_ns);
  atomic_store(&slot->missing, parts);
  if (!parts)
    gathered(l, acc, batch);
  for (int64_t w = first; w < first + n && parts; w++) {
    struct lane *lane = &l->lanes[acc * l->pace.readers + w];
    if (lane->target == lane->told)
      continue;
    lane->told = lane->target;
    if (l->pool)
      pool_ask(l, lane);
    else
      walk_ask(l, lane, at_ns);
  }
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
  l->now_ns = now_ns;
  if (l->pool)
    pool_flush(l);
  else if (l->walk)
    walk_advance(l, now_ns);
}

/* ---- taking ---- */

/* Is the accelerator's next batch there? */
static bool is_there(struct lb_loader *l, struct accelerator *a)
{
  return a->taken < a->asked && atomic_load(&slot_of(l, a, a->taken)->ready);
}

/* If it is not, say that it is wanted, then look again: a reader that finished
 * before it could see that is seen here. */
static bool look_for(struct lb_loader *l, struct accelerator *a)
{
  uint64_t want = (uint64_t)a->taken + 1;
  if (is_there(l, a))
    return true;
  atomic_store(&a->wanted, want);
  /* Else the reader took notice: it comes through the queue. */
  return is_there(l, a) && atomic_exchange(&a->wanted, 0) == want;
}

/* When the batch, which is there, has been preprocessed: it waits for those
 * before it, then for the thread that is free first, as in a parallel map that
 * keeps their order. */
static uint64_t worked_ns(struct lb_loader *l, struct accelerator *a)
{
  struct batch *slot = slot_of(l, a, a->taken);
  uint64_t t = atomic_load(&slot->ready_ns);
  uint64_t *out = &a->out_ns[a->taken % l->pace.computing];
  if (a->worked > a->taken)
    return a->last_ns;
  a->worked = a->taken + 1;
  if (t > a->gathered_ns)
    a->gathered_ns = t;
  t = a->gathered_ns > *out ? a->gathered_ns : *out;
  t += slot->work_ns;
  if (t > a->last_ns)
    a->last_ns = t;
  *out = a->last_ns;
  return a->last_ns;
}

/* When it was read.  Where readers share batches none overtakes another. */
static uint64_t read_ns(struct lb_loader *l, struct accelerator *a)
{
  uint64_t t = atomic_load(&slot_of(l, a, a->taken)->ready_ns);
  if (l->pace.deal->whole)
    return t;
  if (t > a->last_ns)
    a->last_ns = t;
  return a->last_ns;
}

uint64_t lb_loader_take(struct lb_loader *l, int acc)
{
  struct accelerator *a = &l->acc[acc];
  if (!look_for(l, a))
    return 0;
  uint64_t t = l->computes ? worked_ns(l, a) : read_ns(l, a);
  if (l->computes && t > l->now_ns) {
    l->n_due += !a->due_ns;
    a->due_ns = t;
    return 0;
  }
  a->taken++;
  return t;
}

/* An accelerator whose batch is preprocessed by now, or -1. */
static int next_due(struct lb_loader *l)
{
  for (int i = 0; i < l->c.k && l->n_due; i++) {
    struct accelerator *a = &l->acc[i];
    if (!a->due_ns || a->due_ns > l->now_ns)
      continue;
    a->due_ns = 0;
    l->n_due--;
    return i;
  }
  return -1;
}

int lb_loader_next(struct lb_loader *l)
{
  if (!l->arrived)
    l->arrived = lb_queue_take(&l->queue);
  if (!l->arrived)
    return next_due(l);
  struct accelerator *a = (struct accelerator *)l->arrived;
  l->arrived = l->arrived->next;
  return (int)(a - l->acc);
}

void lb_loader_advance(struct lb_loader *l, uint64_t now_ns)
{
  l->now_ns = now_ns;
  if (l->walk)
    walk_advance(l, now_ns);
}

uint64_t lb_loader_deadline(const struct lb_loader *l)
{
  uint64_t t = walk_deadline(l);
  for (int i = 0; i < l->c.k && l->n_due; i++) {
    uint64_t due = l->acc[i].due_ns;
    t = due && due < t ? due : t;
  }
  return t;
}

void lb_loader_wait(struct lb_loader *l, uint64_t until_ns)
{
  if (!l->arrived)
    lb_queue_wait(&l->queue, until_ns);
}

/* ---- what lanes read ---- */

void lane_begin_part(const struct lb_loader *l, struct lane *lane)
{
  const struct lb_share *share = &l->acc[lane->acc].share;
  const struct lb_deal *deal = l->pace.deal;
  lane->part_batch = deal->batch_of(share, lane->w, lane->done);
  lane->part_end = deal->until(share, lane->w, lane->part_batch);
  lane->part_begin = lane->done;
}

void lane_end_part(struct lb_loader *l, struct lane *lane, uint64_t t_ns)
{
  struct accelerator *a = &l->acc[lane->acc];
  struct batch *slot = slot_of(l, a, lane->part_batch);
  uint64_t last = atomic_load(&slot->ready_ns);
  while (t_ns > last &&
         !atomic_compare_exchange_weak(&slot->ready_ns, &last, t_ns))
    ;
  lane->samples += (uint64_t)(lane->done - lane->part_begin);
  if (atomic_fetch_sub(&slot->missing, 1) != 1)
    return;
  lane->batches++;
  gathered(l, lane->acc, lane->part_batch);
}

/* The lane goes on to another file and closes the one before. */
static void leave_file(const struct lb_loader *l, struct lane *lane,
                       int64_t next)
{
  if (lane->file >= 0) {
    lb_storage_release(l->c.storage, lane->reader.fd);
    lb_reader_reset(&lane->reader);
  }
  lane->file = next;
}

void lane_position(const struct lb_loader *l, struct lane *lane, int64_t *file,
                   int64_t *in_file)
{
  const struct lb_share *share = &l->acc[lane->acc].share;
  if (lane->run == 0)
    lane->pos = l->pace.deal->at(share, lane->w, lane->done, &lane->run);
  lb_sampler_at(&l->pass.sampler, (uint64_t)(share->begin + lane->pos), file,
                in_file);
  if (l->c.leaves_files && lane->file != *file)
    leave_file(l, lane, *file);
}

void lane_next(struct lane *lane)
{
  lane->done++;
  lane->pos++;
  lane->run--;
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
  else if (l->walk)
    walk_cost(l, stats);
  return c;
}
