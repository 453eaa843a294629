/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conductor on any number of ranks: what it books adds up to the ns, and
 * however it ends, all ranks end together. */
#include "lb-config.h"

#include "bench/conductor.h"

#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/metrics_detail.h"
#include "mpitap.h"
#include "unit/loader_rig.h"

enum { K = 3 }; /* accelerators of a rank */
#define MS UINT64_C(1000000)
#define TIMEOUT (60 * UINT64_C(1000000000))

struct play {
  const struct lb_world *w;
  struct rig r;
  struct lb_gate *gate;
  struct lb_metrics *m;
  struct lb_conductor c;
  struct lb_dist compute;
  uint64_t stop_at; /* step from which on a signal is pending */
  uint64_t ticks, last_tick;
  int64_t gates; /* passed, as the conductor says */
  enum lb_stop last_stop;
};

static bool last_rank(const struct lb_world *w)
{
  return w->rank == w->n_ranks - 1;
}

/* ---- hooks ---- */

static bool stopping(void *arg)
{
  struct play *p = arg;
  return p->c.step >= p->stop_at;
}

static void fail(void *arg, struct lb_err *err)
{
  struct play *p = arg;
  lb_gate_stop(p->gate, LB_STOP_FAILED, err);
}

static void passed(void *arg, const struct lb_release *r)
{
  struct play *p = arg;
  p->gates++;
  p->last_stop = r->stop;
}

static void tick(void *arg, uint64_t step)
{
  struct play *p = arg;
  p->ticks++;
  p->last_tick = step;
}

/* ---- a play: one gate, loader, recorder ---- */

static void play_init(struct play *p, const struct lb_world *w,
                      const char *backend, int64_t files)
{
  *p = (struct play){.w = w, .stop_at = UINT64_MAX};
  rig_init(&p->r, backend, NULL, files, 1);
  rig_set(&p->r, K, 2, 4);
}

/* The compute is a number of seconds, or uniform when most_s is larger. */
static void play_start(struct play *p, double s, double most_s)
{
  struct lb_err err = LB_ERR_INIT;
  const struct lb_metrics_config mc = {
      .k = K, .first = p->w->first, .batch = {1, 1}, .detail = K};
  p->compute = lb_dist_constant(s);
  if (most_s > s)
    p->compute =
        (struct lb_dist){.kind = lb_dist_find("uniform"), .p = {s, most_s}};
  rig_start(&p->r);
  bool good = !lb_gate_new(&p->gate, p->w, TIMEOUT, &err) &&
              !lb_metrics_new(&p->m, &mc, &err) &&
              !lb_conductor_init(&p->c, K, p->w->first, &err);
  if (!good)
    ok(false, "set-up: %s", err.msg);
  p->c.loader = p->r.loader;
  p->c.gate = p->gate;
  p->c.metrics = p->m;
  p->c.compute = lb_compute_make(&p->compute, 123, LB_RNG_COMPUTE);
  p->c.hooks = (struct lb_conductor_hooks){.arg = p,
                                           .stopping = stopping,
                                           .fail = fail,
                                           .passed = passed,
                                           .tick = tick};
}

static void play_fini(struct play *p)
{
  rig_end(&p->r);
  lb_conductor_fini(&p->c);
  lb_metrics_free(p->m);
  rig_fini(&p->r);
  lb_gate_free(p->gate);
}

/* All ranks begin together; when. */
static uint64_t curtain(struct play *p, enum lb_set set)
{
  struct lb_release r = lb_gate_meet(p->gate);
  lb_metrics_epoch_begin(p->m, set, 1, r.ns);
  rig_begin(&p->r, 1, false, false);
  return r.ns;
}

static struct lb_block_end block(struct play *p, int64_t number, int64_t steps,
                                 uint64_t start)
{
  lb_metrics_block_begin(p->m, number, start);
  struct lb_block_end end = lb_conductor_block(&p->c, steps, start);
  lb_metrics_block_end(p->m, end.ns);
  return end;
}

static const struct lb_block_sums *sums(const struct play *p, size_t b, int a)
{
  return lb_metrics_block(p->m, b, a);
}

/* Do load, compute and gate of each accelerator fill block b? */
static bool adds_up(const struct play *p, size_t b, uint64_t ns)
{
  bool good = true;
  for (int a = 0; a < K; a++) {
    const struct lb_block_sums *s = sums(p, b, a);
    good = good && s->block_ns == ns &&
           s->load_ns + s->compute_ns + s->gate_ns == ns;
  }
  return good;
}

/* The same number on every rank? */
static bool same(int64_t v)
{
  int64_t range[2] = {v, -v};
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return range[0] == -range[1];
}

/* ---- training ---- */

static void test_blocks(const struct lb_world *w)
{
  struct play p;
  play_init(&p, w, "none", 300);
  play_start(&p, 2e-3, 0);
  uint64_t start[2] = {curtain(&p, LB_SET_TRAIN)};
  struct lb_block_end end[2];
  end[0] = block(&p, 1, 25, start[0]);
  lb_clock_sleep_until(lb_clock_ns() + 5 * MS); /* a checkpoint */
  start[1] = lb_gate_meet(p.gate).ns;
  end[1] = block(&p, 2, 15, start[1]);
  lb_metrics_epoch_end(p.m, end[1].ns);
  for (int b = 0; b < 2; b++) {
    int64_t steps = b ? 15 : 25;
    uint64_t ns = end[b].ns - start[b];
    bool compute = true;
    for (int a = 0; a < K; a++)
      compute =
          compute && sums(&p, (size_t)b, a)->steps == steps &&
          sums(&p, (size_t)b, a)->compute_ns == (uint64_t)steps * 2 * MS &&
          sums(&p, (size_t)b, a)->requested_ns == (uint64_t)steps * 2 * MS;
    all_ok(end[b].stop == LB_STOP_NONE && end[b].steps == steps,
           "block %d: %d steps, no stop", b + 1, (int)steps);
    all_ok(adds_up(&p, (size_t)b, ns), "load + compute + gate = block");
    all_ok(compute, "compute is what was asked for");
    all_ok(ns >= (uint64_t)steps * 2 * MS, "the block is no shorter");
  }
  all_ok(p.c.step == 40 && p.ticks == 40 && p.last_tick == 39,
         "steps count over blocks, one tick each");
  all_ok(p.gates == 40 && p.last_stop == LB_STOP_NONE, "and one gate");
  all_ok(atomic_load(&p.r.tape.begun) <= (40 + 4) * K,
         "the loader went on from block to block");
  play_fini(&p);
}

/* Compute times that differ: who is done early stands at the gate. */
static void test_stragglers(const struct lb_world *w)
{
  enum { STEPS = 30 };
  struct play p;
  play_init(&p, w, "none", 150);
  play_start(&p, 1e-3, 4e-3);
  uint64_t start = curtain(&p, LB_SET_TRAIN);
  uint64_t asked[K] = {0}, early[K] = {0};
  for (uint64_t s = 0; s < STEPS; s++) {
    uint64_t ns[K], most = 0;
    for (int a = 0; a < K; a++) {
      ns[a] = lb_compute_request_ns(&p.c.compute, w->first + a, s);
      asked[a] += ns[a];
      most = ns[a] > most ? ns[a] : most;
    }
    for (int a = 0; a < K; a++)
      early[a] += most - ns[a];
  }
  struct lb_block_end end = block(&p, 1, STEPS, start);
  lb_metrics_epoch_end(p.m, end.ns);
  bool compute = true, gate = true;
  for (int a = 0; a < K; a++) {
    const struct lb_block_sums *s = sums(&p, 0, a);
    compute =
        compute && s->requested_ns == asked[a] && s->compute_ns == asked[a];
    gate = gate && s->gate_ns >= early[a] &&
           s->gate_ns - early[a] == sums(&p, 0, 0)->gate_ns - early[0];
  }
  all_ok(adds_up(&p, 0, end.ns - start), "times that vary add up, too");
  all_ok(compute, "each computes what its draws ask");
  all_ok(gate, "and waits at the gate for the rank's slowest");
  play_fini(&p);
}

/* The same by storage: batches of a rank come 10 ms after one another. */
static void test_slow_storage(const struct lb_world *w)
{
  enum { STEPS = 5 };
  struct play p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  play_init(&p, w, "none", 64);
  lb_storage_close(p.r.storage);
  p.r.server.read_bandwidth = 100000;
  lb_storage_open(&p.r.storage, lb_backend_find("simulated"), &p.r.server, &env,
                  &err);
  p.r.c.storage = p.r.storage;
  p.r.tape.sample_bytes = 1000;
  rig_set(&p.r, K, 0, 0);
  play_start(&p, 5e-3, 0);
  uint64_t start = curtain(&p, LB_SET_TRAIN);
  struct lb_block_end end = block(&p, 1, STEPS, start);
  lb_metrics_epoch_end(p.m, end.ns);
  bool load = true, gate = true;
  for (int a = 1; a < K; a++) {
    const struct lb_block_sums *s = sums(&p, 0, a);
    const struct lb_block_sums *before = sums(&p, 0, a - 1);
    load = load && s->load_ns - before->load_ns == STEPS * 10 * MS;
    gate = gate && before->gate_ns - s->gate_ns == STEPS * 10 * MS;
  }
  all_ok(adds_up(&p, 0, end.ns - start), "with loads, it adds up");
  all_ok(sums(&p, 0, 0)->load_ns == STEPS * 10 * MS && load,
         "load is to the ns what the storage takes");
  all_ok(gate, "and the others' gate");
  play_fini(&p);
}

/* ---- evaluation ---- */

static void test_eval(const struct lb_world *w, double s, double most_s)
{
  enum { STEPS = 30 };
  struct play p;
  play_init(&p, w, "none", 100);
  play_start(&p, s, most_s);
  uint64_t start = curtain(&p, LB_SET_EVAL);
  lb_metrics_block_begin(p.m, 1, start);
  struct lb_block_end end = lb_conductor_eval(&p.c, STEPS, start);
  lb_metrics_block_end(p.m, end.ns);
  lb_metrics_epoch_end(p.m, end.ns);
  bool sum = true, steps = true, compute = true;
  for (int a = 0; a < K; a++) {
    const struct lb_block_sums *b = sums(&p, 0, a);
    uint64_t asked = 0;
    for (uint64_t i = 0; i < STEPS; i++)
      asked += lb_compute_request_ns(&p.c.compute, w->first + a, i);
    sum = sum && b->load_ns + b->compute_ns + b->gate_ns == b->block_ns &&
          start + b->block_ns <= end.ns;
    steps = steps && b->steps == STEPS;
    compute = compute && b->requested_ns == asked && b->compute_ns == asked;
  }
  all_ok(end.stop == LB_STOP_NONE && end.steps == STEPS && steps,
         "evaluation, compute %g s: all steps", s);
  all_ok(sum, "load + compute + hold-ups = each accelerator's own time");
  all_ok(compute, "compute is what was asked for");
  all_ok(p.c.step == STEPS, "the step goes on");
  play_fini(&p);
}

/* ---- ending ---- */

static void test_failure(const struct lb_world *w, const char *backend,
                         bool eval)
{
  struct play p;
  struct lb_err why = LB_ERR_INIT;
  play_init(&p, w, backend, 3000);
  if (last_rank(w))
    p.r.tape.fail_file = 120; /* of the first accelerator */
  play_start(&p, 1e-3, 0);
  uint64_t start = curtain(&p, eval ? LB_SET_EVAL : LB_SET_TRAIN);
  lb_metrics_block_begin(p.m, 1, start);
  struct lb_block_end end = eval ? lb_conductor_eval(&p.c, 300, start)
                                 : lb_conductor_block(&p.c, 300, start);
  lb_metrics_block_end(p.m, end.ns);
  lb_metrics_epoch_end(p.m, end.ns);
  lb_gate_reason(p.gate, &why);
  bool alike = same(end.steps);
  const char *text = eval ? "evaluation" : "training";
  all_ok(end.stop == LB_STOP_FAILED, "%s over %s, a reader fails: all stop",
         text, backend);
  if (eval) /* which has no gate between steps */
    all_ok(end.steps < 300 || !last_rank(w), "who fails does not do them all");
  else
    all_ok(alike && end.steps >= 114 && end.steps <= 120, "at the same step");
  all_ok(why.rank == w->n_ranks - 1 && strstr(why.msg, "damaged"),
         "and know who and why: %s", why.msg);
  if (!eval)
    all_ok(sums(&p, 0, 0)->steps == end.steps, "what was done is booked");
  play_fini(&p);
}

static void test_signal(const struct lb_world *w)
{
  struct play p;
  play_init(&p, w, "none", 3000);
  if (last_rank(w))
    p.stop_at = 7;
  play_start(&p, 1e-3, 0);
  uint64_t start = curtain(&p, LB_SET_TRAIN);
  struct lb_block_end end = block(&p, 1, 300, start);
  lb_metrics_epoch_end(p.m, end.ns);
  bool alike = same(end.steps);
  all_ok(end.stop == LB_STOP_SIGNAL && end.steps == 8 && alike,
         "a signal on one rank: the step that runs is the last");
  all_ok(adds_up(&p, 0, end.ns - start), "and is booked");
  play_fini(&p);
}

int main(int argc, char **argv)
{
  struct lb_world w;
  struct lb_err err = LB_ERR_INIT;
  if (lb_world_init(&w, &argc, &argv, &err) ||
      lb_world_accelerators(&w, (int64_t)K * w.n_ranks, &err)) {
    ok(false, "world: %s", err.msg);
    return done();
  }
  test_blocks(&w);
  test_stragglers(&w);
  test_slow_storage(&w);
  test_eval(&w, 1e-3, 3e-3);
  test_eval(&w, 0, 0);
  test_failure(&w, "none", false);
  test_failure(&w, "local_fs", false);
  test_failure(&w, "none", true);
  test_failure(&w, "local_fs", true);
  test_signal(&w);
  int rank = w.rank;
  lb_world_fini(&w);
  return all_done(rank);
}
