/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/loader only: the state of loader and readers, and what the two
 * engines (pool.c, walk.c, ring.c) offer to loader.c. */
#ifndef LOADER_IMPL_H
#define LOADER_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "loadbank/loader.h"
#include "loadbank/queue.h"
#include "loadbank/verify.h"
#include "loadbank/virtual.h"

enum { LANE_PATH_MAX = 4096 };

/* One reader of one accelerator. */
struct lane {
  struct lb_reader reader;
  int acc, w;
  /* The conductor's: samples that it is to read, and of them those that the
   * engine has been told of. */
  int64_t target, told;
  /* The engine's and whoever reads for it, one at a time. */
  int64_t asked;    /* samples that it may read */
  int64_t done;     /* samples that it has read */
  int64_t pos, run; /* the next one in the share; how many follow it there */
  struct lb_order_row row; /* of the order, where it stands; n 0: none */
  int64_t file;            /* of the one before, where files are left; or -1 */
  int64_t part_batch;      /* what it reads for now, ... */
  int64_t part_begin, part_end; /* ... which of its samples */
  uint64_t free_ns;             /* walk.c: when it had read the last one */
  bool fresh;                   /* not walk.c: told, not yet handed over */
  bool busy;                    /* queued or running in the pool, or walking */
  uint64_t batches, samples, payload_bytes;
  uint64_t verified_samples, verified_bytes;
  uint64_t payload_before; /* payload_bytes when verification began */
  /* walk.c: where it stands */
  struct lb_vtask task;
  struct lb_iolist list;
  int stage;
  bool delayed, in_part;
  /* Readers of other lanes run on other cores. */
  _Alignas(64) char next_line;
};

/* A batch that was asked for and not yet taken. */
struct batch {
  _Atomic int64_t missing;   /* readers that still read for it */
  _Atomic uint64_t ready_ns; /* when the last of the others had done so */
  uint64_t work_ns;          /* its preprocessing, where that follows */
  _Atomic bool ready;        /* nothing is missing */
};

struct accelerator {
  struct lb_queue_node node; /* first: a node is its accelerator */
  _Atomic uint64_t wanted;   /* 1 + the batch that is waited for, or 0 */
  struct batch *ring;        /* of l->ring batches */
  struct lb_share share;     /* of the pass */
  /* The conductor's. */
  int64_t asked, taken;
  uint64_t last_ns; /* when the last batch was done, where none overtakes */
  /* Of batches that are preprocessed after they were read: */
  int64_t worked;       /* batches that have begun */
  uint64_t *out_ns;     /* ring of pace.computing: when they were done */
  uint64_t gathered_ns; /* when the last one was read */
  uint64_t due_ns;      /* when the one that is waited for is done; or 0 */
};

struct pool;
struct walk;
struct ring;

struct lb_loader {
  struct lb_loader_config c;
  struct lb_loader_pace pace;
  struct lb_loader_pass pass;
  struct lb_rng preprocess, latency, request; /* of the pass */
  bool preprocesses;                          /* readers do */
  bool computes;                              /* threads behind them do */
  bool appends;       /* pool.c: many samples may share a list */
  int64_t ring;       /* batches of an accelerator that are under way */
  struct lane *lanes; /* k x readers, reader fastest */
  size_t n_lanes;
  struct accelerator *acc;
  struct lb_queue queue;
  struct lb_queue_node *arrived; /* taken from queue, not yet named */
  uint64_t now_ns;               /* as the conductor said last */
  int n_due;                     /* accelerators with due_ns */
  pthread_mutex_t failed_lock;
  _Atomic bool failed;
  struct lb_err failure;    /* the first; under failed_lock */
  struct pool *pool;        /* blocking backend; NULL: no lanes, too */
  struct walk *walk;        /* virtual backend; likewise */
  struct ring *ring_engine; /* blocking backend with a ring; likewise */
};

static inline bool lane_has_work(const struct lane *l)
{
  return l->asked > l->done;
}

/* Where the lane's accelerator finds files. */
static inline const struct lb_layout *lane_layout(const struct lb_loader *l,
                                                  const struct lane *lane)
{
  return &l->c.layout[(l->c.first + lane->acc) % l->c.n_layouts];
}

/* Before a lane reads on: for which batch, up to which of its samples. */
void lane_begin_part(const struct lb_loader *l, struct lane *lane);
/* That was read. */
void lane_end_part(struct lb_loader *l, struct lane *lane, uint64_t t_ns);
/* Which file, and which of its samples, the lane reads next. */
void lane_position(const struct lb_loader *l, struct lane *lane, int64_t *file,
                   int64_t *in_file);
/* It has been read, and with it all that the reader has in hand: that costs
 * nothing, not even a look. */
void lane_next(const struct lb_loader *l, struct lane *lane);
/* s of preprocessing for a sample of an accelerator's share. */
double sample_preprocess(const struct lb_loader *l, int acc, int64_t sample);
/* The same for the lane's next one. */
double lane_preprocess(const struct lb_loader *l, const struct lane *lane);
/* The requests of a list for that sample are as long as was drawn for it. */
void lane_cut(const struct lb_loader *l, const struct lane *lane,
              struct lb_iolist *list);
/* Where its latencies come from on virtual storage. */
struct lb_rng lane_latency(const struct lb_loader *l, const struct lane *lane);
/* Is it to be verified? */
bool lane_verifies(const struct lb_loader *l, const struct lane *lane);
/* Around the reading of a sample that is: what it brings counts as verified. */
void lane_begin_verify(struct lane *lane, struct lb_verifier *v,
                       const struct lb_sample *s, struct lb_iothread *io);
int lane_end_verify(struct lane *lane, struct lb_verifier *v,
                    struct lb_iothread *io, struct lb_err *err);
/* The format takes what a stage's list has read; of a sample that is verified
 * the time of that is checking, too. */
int lane_parse(struct lane *lane, const struct lb_sample *s, int stage,
               const struct lb_iolist *list, struct lb_iothread *io,
               struct lb_err *err);
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
