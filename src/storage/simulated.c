/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A storage server with known answers: a latency for each request, which does
 * not occupy it, and first-in-first-out service of bytes on a virtual clock
 * for each direction.  It moves no bytes and never waits.
 *
 * The server's clock counts ticks of 1/32 ns, so that a request of 4 KiB at
 * 20 GiB/s (190.7 ns) loses nothing to rounding; 64 bits of them last for 18
 * years of uptime.  A request is done at the whole ns before its tick: the
 * next one of the same reader may then find the server busy for the rest of
 * that ns, so that the fraction is carried on, not lost. */
#include "lb-config.h"

#include "loadbank/simulated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "loadbank/rng.h"
#include "storage/storage_impl.h"

enum { TICKS_PER_NS = 32 };
/* No single wait is longer (9 years): sums stay inside 64 bits. */
#define MAX_TICKS ((double)(UINT64_MAX / 2))
#define NO_WORD (-1)

enum latency { OPEN, STAT, READ, WRITE, N_LATENCIES, FREE = N_LATENCIES };

/* What an operation costs: a latency, and the direction of its bytes. */
static const struct {
  enum latency latency;
  int word;
} costs[LB_N_OPS] = {
    [LB_OP_OPEN] = {OPEN, NO_WORD},  [LB_OP_STAT] = {STAT, NO_WORD},
    [LB_OP_READ] = {READ, 0},        [LB_OP_WRITE] = {WRITE, 1},
    [LB_OP_SYNC] = {WRITE, NO_WORD}, [LB_OP_CLOSE] = {FREE, NO_WORD},
    [LB_OP_LIST] = {STAT, NO_WORD},  [LB_OP_MKDIR] = {OPEN, NO_WORD},
    [LB_OP_RMDIR] = {OPEN, NO_WORD}, [LB_OP_RENAME] = {OPEN, NO_WORD},
    [LB_OP_LINK] = {OPEN, NO_WORD},  [LB_OP_UNLINK] = {OPEN, NO_WORD},
    [LB_OP_LOCK] = {OPEN, NO_WORD},
};

struct server {
  struct {
    struct lb_dist dist;
    bool varies;
    uint64_t ticks; /* when it does not */
  } latency[N_LATENCIES];
  double ticks_per_byte[2];  /* 0: infinite bandwidth */
  _Atomic uint64_t *free_at; /* [2]: when the server is free, in ticks */
  _Atomic uint64_t own[2];
};

static const char *const scopes[] = {"job", "node", "rank", NULL};

#define OPT(field, ...) LB_OPTION(struct lb_simulated, field, __VA_ARGS__)
static const struct lb_option options[] = {
    OPT(read_bandwidth, .def = "0", .min = 0, .max = 1e15, .unit = "bytes/s",
        .doc = "Bandwidth of all reads in the scope; 0 is infinite."),
    OPT(write_bandwidth, .def = "0", .min = 0, .max = 1e15, .unit = "bytes/s",
        .doc = "Bandwidth of all writes in the scope; 0 is infinite."),
    OPT(open_latency, .def = "0", .unit = "s",
        .doc = "Latency of opening, and of making, renaming, linking, locking "
               "and removing."),
    OPT(read_latency, .def = "0", .unit = "s",
        .doc = "Latency of each read request."),
    OPT(write_latency, .def = "0", .unit = "s",
        .doc = "Latency of each write request, and of a sync."),
    OPT(stat_latency, .def = "0", .unit = "s",
        .doc = "Latency of asking for a file's size, and of listing."),
    OPT(scope, .def = "job", .words = scopes,
        .doc = "Who shares the bandwidth: the whole job, or each node or rank "
               "has its own."),
};
#undef OPT

static uint64_t ticks_of(double ns)
{
  return (uint64_t)llround(fmin(ns * TICKS_PER_NS, MAX_TICKS));
}

static int simulated_open(void **self, const void *opts,
                          const struct lb_storage_env *env, struct lb_err *err)
{
  const struct lb_simulated *o = opts;
  if (!(env->bandwidth_share > 0 && env->bandwidth_share <= 1))
    return lb_err_set(err, LB_FAILED,
                      "storage 'simulated': share of the bandwidth %g is "
                      "outside 0..1",
                      env->bandwidth_share);
  struct server *v = calloc(1, sizeof *v);
  if (!v)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage 'simulated'");
  const struct lb_dist *dist[N_LATENCIES] = {
      [OPEN] = &o->open_latency,
      [STAT] = &o->stat_latency,
      [READ] = &o->read_latency,
      [WRITE] = &o->write_latency,
  };
  for (int i = 0; i < N_LATENCIES; i++) {
    v->latency[i].dist = *dist[i];
    v->latency[i].varies = !lb_dist_is_constant(dist[i]);
    v->latency[i].ticks = ticks_of(1e9 * lb_dist_mean(dist[i]));
  }
  /* Only the job's server is divided among the nodes. */
  double share = o->scope == LB_SCOPE_JOB ? env->bandwidth_share : 1;
  bool alone = o->scope == LB_SCOPE_RANK || !env->server_free;
  const int64_t bandwidth[2] = {o->read_bandwidth, o->write_bandwidth};
  for (int word = 0; word < 2; word++)
    if (bandwidth[word] > 0)
      v->ticks_per_byte[word] =
          1e9 * TICKS_PER_NS / ((double)bandwidth[word] * share);
  v->free_at = alone ? v->own : env->server_free;
  *self = v;
  return 0;
}

static void simulated_close(void *self)
{
  free(self);
}

static uint64_t draw(const struct server *v, enum latency kind,
                     struct lb_rng *rng)
{
  if (kind == FREE)
    return 0;
  if (!v->latency[kind].varies)
    return v->latency[kind].ticks;
  return ticks_of(1e9 * lb_dist_sample(&v->latency[kind].dist, rng));
}

/* Sum that stays below LB_NEVER. */
static uint64_t later(uint64_t ticks, uint64_t by)
{
  uint64_t sum;
  return __builtin_add_overflow(ticks, by, &sum) ? UINT64_MAX - 1 : sum;
}

/* Puts `length' bytes in the queue at tick t; when they are served.  Ranks of
 * a node may do this at the same time. */
static uint64_t serve(struct server *v, int word, size_t length, uint64_t t)
{
  double rate = v->ticks_per_byte[word];
  if (!(rate > 0) || !length)
    return t;
  uint64_t service = (uint64_t)llround(fmin((double)length * rate, MAX_TICKS));
  _Atomic uint64_t *free_at = &v->free_at[word];
  uint64_t old = atomic_load_explicit(free_at, memory_order_relaxed), new;
  do {
    new = later(old > t ? old : t, service);
  } while (!atomic_compare_exchange_weak_explicit(
      free_at, &old, new, memory_order_relaxed, memory_order_relaxed));
  return new;
}

static uint64_t simulated_charge(void *self, const struct lb_io *io,
                                 size_t length, uint64_t t_ns,
                                 struct lb_rng *rng)
{
  struct server *v = self;
  uint64_t t =
      t_ns < UINT64_MAX / TICKS_PER_NS ? t_ns * TICKS_PER_NS : UINT64_MAX - 1;
  if (costs[io->op].word != NO_WORD)
    t = serve(v, costs[io->op].word, length, t);
  uint64_t done_ns =
      later(t, draw(v, costs[io->op].latency, rng)) / TICKS_PER_NS;
  return done_ns > t_ns ? done_ns : t_ns;
}

const struct lb_backend lb_backend_simulated = {
    .name = "simulated",
    .doc = "A model of a storage server with known answers; moves no bytes.",
    .is_virtual = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct lb_simulated),
    .open = simulated_open,
    .close = simulated_close,
    .charge = simulated_charge,
};
