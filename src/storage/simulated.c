/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A storage server with known answers: a latency for each request, which does
 * not occupy it, and first-in-first-out service of bytes on a virtual clock
 * for each direction; queues and stalls of paths are in contention.c.  It moves
 * no bytes and never waits.
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
#include "storage/contention.h"
#include "storage/storage_impl.h"

enum { TICKS_PER_NS = 32, N_DIRECTIONS = 2 };
/* No single wait is longer (9 years): sums stay inside 64 bits. */
#define MAX_TICKS ((double)(UINT64_MAX / 2))
#define NO_BYTES (-1)

enum latency { OPEN, STAT, READ, WRITE, N_LATENCIES, FREE = N_LATENCIES };

/* What an operation costs: a latency, and the direction of its bytes. */
static const struct {
  enum latency latency;
  int direction; /* 0: read, 1: write */
} costs[LB_N_OPS] = {
    [LB_OP_OPEN] = {OPEN, NO_BYTES},  [LB_OP_STAT] = {STAT, NO_BYTES},
    [LB_OP_READ] = {READ, 0},         [LB_OP_WRITE] = {WRITE, 1},
    [LB_OP_SYNC] = {WRITE, NO_BYTES}, [LB_OP_CLOSE] = {FREE, NO_BYTES},
    [LB_OP_LIST] = {STAT, NO_BYTES},  [LB_OP_MKDIR] = {OPEN, NO_BYTES},
    [LB_OP_RMDIR] = {OPEN, NO_BYTES}, [LB_OP_RENAME] = {OPEN, NO_BYTES},
    [LB_OP_LINK] = {OPEN, NO_BYTES},  [LB_OP_UNLINK] = {OPEN, NO_BYTES},
    [LB_OP_LOCK] = {OPEN, NO_BYTES},
};

struct server {
  struct {
    struct lb_dist dist;
    bool varies;
    uint64_t ticks; /* when it does not */
  } latency[N_LATENCIES];
  double ticks_per_byte[N_DIRECTIONS]; /* 0: infinite bandwidth */
  _Atomic uint64_t *free_at;           /* when the server is free, in ticks */
  _Atomic uint64_t *own; /* the words of a server of one rank; or NULL */
  int word_of_writes;    /* which of them writes use; reads use the first */
  bool contends;         /* do paths matter? */
  struct lb_contention contention;
};

static const char *const scopes[] = {"job", "node", "rank", NULL};
static const char *const duplexes[] = {"full", "half", NULL};
static const char *const contention_scopes[] = {"file", "directory", "job",
                                                NULL};

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
               "has its own; open_concurrency's servers likewise."),
    OPT(duplex, .def = "full", .words = duplexes,
        .doc = "full: reads and writes do not disturb each other; half: the "
               "server does one or the other, each at its bandwidth."),
    OPT(open_concurrency.scope, .def = "file", .words = contention_scopes,
        .doc = "Whose servers: each file, each directory, or one metadata "
               "server of the job has some."),
    OPT(open_concurrency.servers, .def = "0", .min = 0, .max = 256,
        .doc = "How many operations that name a path (open, stat, create, "
               "unlink ...) are served there at the same time; 0: any number."),
    OPT(open_concurrency.service, .def = "0", .min = 0, .max = 86400,
        .unit = "s",
        .doc = "How long each of them occupies its server; others wait, first "
               "come, first served."),
    OPT(same_file_open_stall.time, .def = "0", .min = 0, .max = 86400,
        .unit = "s",
        .doc = "How much longer an open takes that finds another client's open "
               "of the same file in flight."),
    OPT(same_file_open_stall.probability, .def = "1", .min = 0, .max = 1,
        .doc = "With which probability it does."),
    OPT(burst_buffer.read_bandwidth, .def = "0", .min = 0, .max = 1e15,
        .unit = "bytes/s",
        .doc = "Of checkpoint.burst_buffer.folder, a server of its own without "
               "latencies; 0 is infinite."),
    OPT(burst_buffer.write_bandwidth, .def = "0", .min = 0, .max = 1e15,
        .unit = "bytes/s", .doc = "The same for writes."),
    OPT(burst_buffer.scope, .def = "job", .words = scopes,
        .doc = "Who shares that bandwidth: the job, each node, each rank."),
};
#undef OPT

static uint64_t ticks_of(double ns)
{
  return (uint64_t)llround(fmin(ns * TICKS_PER_NS, MAX_TICKS));
}

static size_t simulated_words(const void *opts)
{
  return N_DIRECTIONS + lb_contention_words(opts);
}

static bool simulated_needs_paths(const void *opts)
{
  return lb_contention_words(opts) > 0;
}

static void set_latencies(struct server *v, const struct lb_simulated *o)
{
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
}

/* The model of the burst buffer, in the same terms. */
static struct lb_simulated burst_buffer_of(const struct lb_simulated *o)
{
  const struct lb_dist none = lb_dist_constant(0);
  return (struct lb_simulated){
      .read_bandwidth = o->burst_buffer.read_bandwidth,
      .write_bandwidth = o->burst_buffer.write_bandwidth,
      .scope = o->burst_buffer.scope,
      .open_latency = none,
      .read_latency = none,
      .write_latency = none,
      .stat_latency = none,
  };
}

static int simulated_open(void **self, const void *opts,
                          const struct lb_storage_env *env, struct lb_err *err)
{
  const struct lb_simulated buffer = burst_buffer_of(opts);
  const struct lb_simulated *o = env->burst_buffer ? &buffer : opts;
  if (!(env->bandwidth_share > 0 && env->bandwidth_share <= 1))
    return lb_err_set(err, LB_FAILED,
                      "storage 'simulated': share of the bandwidth %g is "
                      "outside 0..1",
                      env->bandwidth_share);
  struct server *v = calloc(1, sizeof *v);
  bool alone = o->scope == LB_SCOPE_RANK || !env->server_free;
  if (v && alone)
    v->own = calloc(simulated_words(o), sizeof *v->own);
  if (!v || (alone && !v->own)) {
    free(v);
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage 'simulated'");
  }
  set_latencies(v, o);
  /* Only the job's server is divided among the nodes. */
  double share = o->scope == LB_SCOPE_JOB ? env->bandwidth_share : 1;
  const int64_t bandwidth[N_DIRECTIONS] = {o->read_bandwidth,
                                           o->write_bandwidth};
  for (int d = 0; d < N_DIRECTIONS; d++)
    if (bandwidth[d] > 0)
      v->ticks_per_byte[d] =
          1e9 * TICKS_PER_NS / ((double)bandwidth[d] * share);
  v->free_at = alone ? v->own : env->server_free;
  v->word_of_writes = o->duplex == LB_DUPLEX_HALF ? 0 : 1;
  v->contends = simulated_needs_paths(o);
  if (v->contends)
    lb_contention_init(&v->contention, o, v->free_at + N_DIRECTIONS, 1 / share,
                       1e9 * TICKS_PER_NS);
  *self = v;
  return 0;
}

static void simulated_close(void *self)
{
  struct server *v = self;
  if (v)
    free(v->own);
  free(v);
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

/* Puts `length' bytes in the queue at tick t; when they are served.  Ranks of
 * a node may do this at the same time. */
static uint64_t serve(struct server *v, int direction, size_t length,
                      uint64_t t)
{
  double rate = v->ticks_per_byte[direction];
  if (!(rate > 0) || !length)
    return t;
  uint64_t service = (uint64_t)llround(fmin((double)length * rate, MAX_TICKS));
  _Atomic uint64_t *free_at = &v->free_at[direction ? v->word_of_writes : 0];
  uint64_t old = atomic_load_explicit(free_at, memory_order_relaxed), new;
  do {
    new = lb_ticks_later(old > t ? old : t, service);
  } while (!atomic_compare_exchange_weak_explicit(
      free_at, &old, new, memory_order_relaxed, memory_order_relaxed));
  return new;
}

static uint64_t simulated_charge(void *self, const struct lb_io *io,
                                 size_t length, uint64_t t_ns,
                                 struct lb_rng *rng)
{
  struct server *v = self;
  uint64_t asked =
      t_ns < UINT64_MAX / TICKS_PER_NS ? t_ns * TICKS_PER_NS : UINT64_MAX - 1;
  uint64_t t = asked;
  bool contends = v->contends && io->path;
  if (contends)
    t = lb_contention_queue(&v->contention, io, t);
  if (costs[io->op].direction != NO_BYTES)
    t = serve(v, costs[io->op].direction, length, t);
  uint64_t done = lb_ticks_later(t, draw(v, costs[io->op].latency, rng));
  if (contends && io->op == LB_OP_OPEN)
    done = lb_contention_open(&v->contention, io, asked, done, rng);
  uint64_t done_ns = done / TICKS_PER_NS;
  return done_ns > t_ns ? done_ns : t_ns;
}

const struct lb_backend lb_backend_simulated = {
    .name = "simulated",
    .doc = "A model of a storage server with known answers; moves no bytes.",
    .is_virtual = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_size = sizeof(struct lb_simulated),
    .shared_words = simulated_words,
    .needs_paths = simulated_needs_paths,
    .open = simulated_open,
    .close = simulated_close,
    .charge = simulated_charge,
};
