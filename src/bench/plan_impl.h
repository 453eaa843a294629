/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a plan, each a pure function of a few numbers. */
#ifndef LOADBANK_BENCH_PLAN_IMPL_H
#define LOADBANK_BENCH_PLAN_IMPL_H

#include "loadbank/backend.h"
#include "loadbank/dist.h"
#include "loadbank/plan.h"
#include "loadbank/ring.h"
#include "loadbank/shard.h"

struct lb_demand_in {
  double compute_s;    /* mean of a step */
  double preprocess_s; /* mean of a sample */
  double au;           /* metric.au, 0 .. 1 */
  double sample_bytes; /* mean payload */
  double read_bytes;   /* really read for one */
  int64_t batch;
  struct lb_loader_pace pace; /* of an accelerator */
  int accelerators;
};
void lb_plan_demand(const struct lb_demand_in *in, struct lb_plan_demand *out);

int lb_plan_spread(const struct lb_dist *compute, int accelerators,
                   struct lb_plan_spread *out, struct lb_err *err);

struct lb_memory_in {
  bool reads;                /* there is a loader */
  bool is_virtual;           /* simulated, none */
  struct lb_ring_shape ring; /* uring: one thread for all readers */
  int k;                     /* accelerators of a rank */
  int64_t readers;           /* of an accelerator */
  uint64_t buffer_bytes;     /* of one pool thread */
  uint64_t reader_bytes;     /* of one reader, whole KiB */
  uint64_t real_bytes;       /* that a real one would keep */
  int64_t ahead_samples;     /* that real ones of an accelerator would hold */
  uint64_t sample_bytes;     /* of each */
  uint64_t kept_files;       /* that one reader keeps open */
  uint64_t main_bytes;       /* of the main thread's buffer */
  uint64_t steps_bytes;      /* of the raw steps */
  uint64_t checkpoint_bytes; /* of the buffers of threads that save and load */
  int64_t
      checkpoint_requests; /* under way through rings; 0: there is none ... */
  uint64_t checkpoint_request; /* ... each of so many bytes */
};
int lb_plan_memory(const struct lb_memory_in *in, struct lb_plan_memory *out,
                   struct lb_err *err);

/* What one checkpoint holds, when there is any. */
int lb_plan_checkpoints(const struct lb_workload *w, struct lb_plan *p,
                        struct lb_err *err);

/* What its files are used for. */
struct lb_shard_use lb_plan_checkpoint_use(const struct lb_workload *w,
                                           const struct lb_plan *p);

/* Of the threads that write and read them; virtual storage needs none. */
void lb_plan_checkpoint_memory(const struct lb_workload *w,
                               const struct lb_plan *p,
                               struct lb_memory_in *in);

/* The ring of the storage; depth 0: it has none. */
struct lb_ring_shape lb_plan_ring(const struct lb_workload *w);
/* That of each of a rank's threads for checkpoints. */
struct lb_ring_room lb_plan_checkpoint_ring(const struct lb_workload *w,
                                            const struct lb_shard_room *room,
                                            int64_t threads);

/* Steps and dropped samples of a set over n accelerators. */
int lb_plan_divide(struct lb_plan_set *set, int accelerators,
                   struct lb_err *err);

#endif
