/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/loader only: the state of loader and readers, and what the two
 * engines (pool.c, walk.c, ring.c) offer to loader.c. */
#ifndef LOADER_IMPL_H
#define LOADER_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "loadbank/loader.h"
#include "loadbank/queue.h"
#include "loadbank/virtual.h"

enum { LANE_PATH_MAX = 4096 };

/* One reader of one accelerator: makes batches w, w + readers, ... */
struct lane {
  struct lb_reader reader;
  int acc, w;
  uint64_t asked;        /* batches asked for; engine's side */
  uint64_t asking;       /* pool.c: and those not handed to it yet */
  _Atomic uint64_t made; /* batches done; the ring holds when */
  uint64_t *ready_ns;    /* ring of `ring' entries */
  bool busy;             /* queued or running in the pool, or walking */
  uint64_t batches, samples, payload_bytes;
  /* walk.c: where it stands */
  struct lb_vtask task;
  struct lb_iolist list;
  int64_t sample;
  int stage;
  bool delayed, in_batch;
  /* Readers of other lanes run on other cores. */
  _Alignas(64) char next_line;
};

struct accelerator {
  struct lb_queue_node node; /* first: a node is its accelerator */
  _Atomic uint64_t wanted;   /* 1 + the batch that is waited for, or 0 */
  int64_t asked, taken;      /* conductor's */
};

struct pool;
struct walk;
struct ring;

struct lb_loader {
  struct lb_loader_config c;
  struct lb_loader_pace pace;
  struct lb_loader_pass pass;
  struct lb_rng preprocess, latency; /* of the pass */
  bool preprocesses;
  uint64_t ring;      /* batches that one lane may have made and not taken */
  struct lane *lanes; /* k x readers, reader fastest */
  size_t n_lanes;
  struct accelerator *acc;
  struct lb_queue queue;
  struct lb_queue_node *arrived; /* taken from queue, not yet named */
  pthread_mutex_t failed_lock;
  _Atomic bool failed;
  struct lb_err failure;    /* the first; under failed_lock */
  struct pool *pool;        /* blocking backend */
  struct walk *walk;        /* virtual backend */
  struct ring *ring_engine; /* blocking backend with a ring */
};

static inline bool lane_has_work(const struct lane *l)
{
  return l->asked > atomic_load_explicit(&l->made, memory_order_relaxed);
}

/* Which file, and which of its samples, is the i-th sample of the lane's next
 * batch. */
void lane_position(const struct lb_loader *l, const struct lane *lane,
                   int64_t i, int64_t *file, int64_t *in_file);
/* s of preprocessing for the i-th sample of the lane's next batch. */
double lane_preprocess(const struct lb_loader *l, const struct lane *lane,
                       int64_t i);
/* Where the latencies of that sample come from on virtual storage. */
struct lb_rng lane_latency(const struct lb_loader *l, const struct lane *lane,
                           int64_t i);
/* The lane's next batch is ready. */
void lane_made(struct lb_loader *l, struct lane *lane, uint64_t t_ns);
/* Records the first failure and wakes the conductor.  Any thread. */
void loader_fail(struct lb_loader *l, const struct lb_err *err);

int pool_new(struct lb_loader *l, struct lb_err *err);
void pool_free(struct lb_loader *l);
void pool_ask(struct lb_loader *l, struct lane *lane);
void pool_flush(struct lb_loader *l);
void pool_drain(struct lb_loader *l);
void pool_cost(struct lb_loader *l, struct lb_loader_cost *c,
               struct lb_iostats *stats);

int walk_new(struct lb_loader *l, struct lb_err *err);
void walk_free(struct lb_loader *l);
void walk_ask(struct lb_loader *l, struct lane *lane, uint64_t at_ns);
void walk_advance(struct lb_loader *l, uint64_t now_ns);
uint64_t walk_deadline(const struct lb_loader *l);
/* Forgets what is under way. */
int walk_drain(struct lb_loader *l, struct lb_err *err);
void walk_cost(struct lb_loader *l, struct lb_iostats *stats);

int ring_new(struct lb_loader *l, struct lb_err *err);
void ring_free(struct lb_loader *l);
void ring_ask(struct lb_loader *l, struct lane *lane);
void ring_flush(struct lb_loader *l);
void ring_drain(struct lb_loader *l);
void ring_cost(struct lb_loader *l, struct lb_loader_cost *c,
               struct lb_iostats *stats);

#endif
