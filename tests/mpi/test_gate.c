/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate [GATES]: the gate on any number of ranks and nodes: order, equality
 * of what ranks see, and the ways to stop. */
#include "lb-config.h"

#include "loadbank/gate.h"

#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "mpitap.h"

enum { GATES = 2000, MOST_GATES = 1000000, STEP_US = 300 };
#define MS UINT64_C(1000000)
#define TIMEOUT (60 * UINT64_C(1000000000))

/* Below most, a function of its arguments. */
static uint64_t some_ns(uint64_t a, uint64_t b, uint64_t most)
{
  uint64_t x = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ b;
  x = (x ^ (x >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
  return (x >> 20) % most;
}

struct gate_log {
  uint64_t *deadline; /* this rank's; then the latest of all */
  uint64_t *stamp;
};

/* Latest of all ranks of the machine, which share one clock. */
static void latest(uint64_t *v, int n)
{
  MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static uint64_t *numbers(const struct lb_world *w, int n)
{
  uint64_t *v = (uint64_t *)calloc((size_t)n, sizeof *v);
  if (!v) {
    struct lb_err err = LB_ERR_INIT;
    lb_err_set(&err, LB_FAILED, "%d numbers: no memory", n);
    lb_world_abort(w, &err);
  }
  return v;
}

static void test_many(const struct lb_world *w, struct lb_gate *g, int n)
{
  struct gate_log log = {numbers(w, n), numbers(w, n)};
  uint64_t gates = lb_gate_cost(g).gates, kept = lb_gate_cost(g).kept;
  bool stamps = true, deadlines = true, none = true;
  for (int i = 0; i < n; i++) {
    struct lb_release r;
    uint64_t now = lb_clock_ns();
    if (i % 64 == w->rank % 64)
      lb_clock_sleep_until(now + some_ns((uint64_t)w->rank, (uint64_t)i, MS));
    log.deadline[i] = i % 7 == 0 ? 0
                                 : now + some_ns((uint64_t)i, (uint64_t)w->rank,
                                                 STEP_US * 1000);
    uint64_t posted = lb_clock_ns();
    lb_gate_post(g, log.deadline[i]);
    uint64_t until = i % 5 == 0 ? posted + MS / 10 : LB_NEVER;
    while (!lb_gate_wait(g, until, &r)) {
      stamps = stamps && lb_clock_ns() >= until;
      until = LB_NEVER;
    }
    stamps = stamps && r.ns >= posted && r.ns >= r.deadline_ns &&
             r.ns <= lb_clock_ns();
    deadlines = deadlines && r.deadline_ns >= log.deadline[i];
    none = none && r.stop == LB_STOP_NONE;
    log.stamp[i] = r.ns;
  }
  all_ok(stamps, "a release comes after the post and the latest deadline");
  all_ok(deadlines, "the latest deadline is that of all ranks");
  all_ok(none, "nobody stops");
  /* Every deadline of the job lies before every node's release: one clock. */
  latest(log.deadline, n);
  bool all = true;
  for (int i = 0; i < n; i++)
    all = all && log.stamp[i] >= log.deadline[i];
  all_ok(all, "no node is released before another's deadline");
  uint64_t sums[2] = {lb_gate_cost(g).gates - gates,
                      lb_gate_cost(g).kept - kept};
  all_ok(sums[0] == (uint64_t)n, "all ranks pass the same number of gates");
  lb_world_sum_u64(w, sums, 2);
  all_ok(sums[1] == (uint64_t)n * (uint64_t)w->n_nodes,
         "each node has one timekeeper per gate");
  free(log.deadline);
  free(log.stamp);
}

/* What goes on beside the steps: all know at the same gate what all have
 * done. */
static void test_laps(const struct lb_world *w, struct lb_gate *g)
{
  bool right = true;
  for (int i = 1; i <= 5; i++) {
    lb_gate_laps(g, i + w->rank % 3);
    right = right && lb_gate_meet(g).laps == i;
  }
  all_ok(right, "the fewest laps of any rank");
}

static struct lb_gate *fresh(const struct lb_world *w)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_gate *g;
  if (lb_gate_new(&g, w, TIMEOUT, &err)) {
    printf("Bail out! %s\n", err.msg);
    lb_world_abort(w, &err);
  }
  return g;
}

/* Whom a node waits for, and how late the release is. */
static void test_last(const struct lb_world *w, struct lb_gate *g)
{
  struct lb_release r;
  int first = w->rank - w->node_rank; /* nodes have their ranks in a row */
  bool last = w->node_rank == w->node_ranks - 1;
  lb_gate_meet(g);
  uint64_t base = lb_clock_ns() + 20 * MS, latest = base + 30 * MS;
  MPI_Bcast(&base, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  latest = base + 30 * MS;
  lb_gate_post_last(g, 10 * w->rank, last ? latest : base, base - 10 * MS);
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  uint64_t second = w->node_ranks > 1 ? base : base - 10 * MS;
  all_ok(r.last == 10 * (first + w->node_ranks - 1), "the last accelerator");
  all_ok(r.alone_ns == latest - second, "it was alone for %d ms",
         (int)((latest - second) / MS));
  all_ok(r.deadline_ns == latest && r.late_ns <= r.ns - latest,
         "late is not more than what passed since the deadline");
  all_ok(r.held_ns < LB_STALL_NS || r.stall != LB_STALL_NONE,
         "a hold-up has a cause");
  /* A rank that posts late makes the release late, by as much. */
  lb_gate_meet(g);
  base = lb_clock_ns();
  MPI_Bcast(&base, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (last) {
    lb_clock_sleep_until(base + 40 * MS);
    lb_gate_held_up(g, 39 * MS);
  }
  lb_gate_post_last(g, w->rank, base + 10 * MS, 0);
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  bool waits = w->n_nodes > 1; /* then another node may have been later */
  all_ok(waits || (r.late_ns >= 25 * MS && r.late_ns <= r.ns - base),
         "a late post is late");
  all_ok(r.held_ns >= 39 * MS && r.stall != LB_STALL_NONE,
         "a hold-up of one rank is known to its node");
  lb_gate_meet(g);
  lb_gate_post(g, 0);
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  all_ok(r.held_ns < 39 * MS, "but only once");
}

static void test_until(const struct lb_world *w, struct lb_gate *g)
{
  struct lb_release r;
  /* The last rank comes late: the others may look at something else. */
  bool late = w->rank == w->n_ranks - 1;
  uint64_t now = lb_clock_ns(), until = now + 20 * MS;
  if (late)
    lb_clock_sleep_until(now + 150 * MS);
  lb_gate_post(g, late ? now + 300 * MS : 0);
  bool early = lb_gate_wait(g, until, &r);
  uint64_t back = lb_clock_ns();
  all_ok(!early && back >= until, "a wait ends when it was asked to");
  MPI_Barrier(MPI_COMM_WORLD);
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  all_ok(r.ns >= now + 300 * MS || !late, "and goes on with the next call");
}

static void test_signal(const struct lb_world *w, int who)
{
  struct lb_gate *g = fresh(w);
  struct lb_err err = LB_ERR_INIT;
  all_ok(lb_gate_meet(g).stop == LB_STOP_NONE, "before a signal: no stop");
  uint64_t due = lb_clock_ns() + 50 * MS;
  if (w->rank == who)
    lb_gate_stop(g, LB_STOP_SIGNAL, NULL);
  lb_gate_post(g, due);
  struct lb_release r;
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  lb_gate_reason(g, &err);
  all_ok(r.stop == LB_STOP_SIGNAL && r.ns >= due && !lb_err_is_set(&err),
         "a signal at rank %d stops all, after the step", who);
  lb_gate_free(g);
}

static void test_failure(const struct lb_world *w, int who)
{
  struct lb_gate *g = fresh(w);
  struct lb_err err = LB_ERR_INIT, got;
  char want[64];
  snprintf(want, sizeof want, "rank %d: disk on fire", who);
  lb_gate_meet(g);
  uint64_t far = lb_clock_ns() + 30000 * MS;
  if (w->rank == who) {
    lb_gate_stop(g, LB_STOP_SIGNAL, NULL);
    lb_err_set(&err, LB_FAILED, "%s", want);
    /* The others are at the gate by now, waiting for a deadline far away. */
    lb_clock_sleep_until(lb_clock_ns() + 100 * MS);
    lb_gate_post(g, far);
    lb_gate_stop(g, LB_STOP_FAILED, &err);
  } else {
    lb_gate_post(g, far);
  }
  struct lb_release r;
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  lb_gate_reason(g, &got);
  all_ok(r.stop == LB_STOP_FAILED && got.rank == who &&
             !strcmp(got.msg, want) && got.code == LB_FAILED,
         "a failure of rank %d is known to all, whatever the signals", who);
  all_ok(r.ns + 15000 * MS < far, "and does not wait for the deadlines");
  all_ok(lb_gate_stopping(g) == LB_STOP_FAILED, "the stop stays");
  lb_gate_free(g);
}

static void test_all_fail(const struct lb_world *w)
{
  struct lb_gate *g = fresh(w);
  struct lb_err err = LB_ERR_INIT, got;
  lb_err_set(&err, LB_FAILED, "rank %d", w->rank);
  lb_gate_stop(g, LB_STOP_FAILED, &err);
  enum lb_stop stop = lb_gate_meet(g).stop;
  lb_gate_reason(g, &got);
  char want[32];
  snprintf(want, sizeof want, "rank %d", got.rank);
  uint64_t lo = (uint64_t)got.rank, hi = lo;
  lb_world_min_u64(w, &lo, 1);
  lb_world_max_u64(w, &hi, 1);
  all_ok(stop == LB_STOP_FAILED && lo == hi && !strcmp(got.msg, want),
         "all fail at once: one reason, the same everywhere");
  lb_gate_free(g);
}

/* A step longer than a second: the nodes hear of each other meanwhile. */
static void test_long(const struct lb_world *w, struct lb_gate *g)
{
  uint64_t begin = lb_clock_ns(), busy = begin + 2500 * MS;
  bool late = w->rank == w->n_ranks - 1;
  for (uint64_t now = begin; late && now < busy; now = lb_clock_ns()) {
    lb_gate_watch(g);
    lb_clock_sleep_until(now + 100 * MS);
  }
  uint64_t posted = lb_clock_ns();
  lb_gate_post(g, late ? 0 : begin + 1200 * MS);
  struct lb_release r;
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  latest(&posted, 1);
  all_ok(r.ns >= posted && r.stop == LB_STOP_NONE,
         "a rank that is busy for long is waited for");
}

/* Of each rank, whether it is the first or last of the first or last node: all
 * that a rank can be to the gate, at most four of however many. */
static int *corners(const struct lb_world *w)
{
  int mine = (w->node_rank == 0 || w->node_rank == w->node_ranks - 1) &&
             (w->node == 0 || w->node == w->n_nodes - 1);
  int *all = (int *)numbers(w, w->n_ranks);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv)
{
  struct lb_world w;
  begin_world(&w, &argc, &argv);
  int rank = w.rank;
  long gates = argc > 1 ? strtol(argv[1], NULL, 10) : GATES;
  if (gates < 1 || gates > MOST_GATES) {
    printf("Bail out! %s gates\n", argv[1]);
    return 99;
  }
  struct lb_gate *g = fresh(&w);
  all_ok(lb_gate_cost(g).shared == w.shared, "says whether memory is shared");
  test_many(&w, g, (int)gates);
  test_last(&w, g);
  test_laps(&w, g);
  test_until(&w, g);
  test_long(&w, g);
  all_ok(lb_gate_meet(g).stop == LB_STOP_NONE, "still no stop");
  lb_gate_free(g);
  int *corner = corners(&w);
  for (int who = 0; who < w.n_ranks; who++) {
    if (corner[who]) {
      test_signal(&w, who);
      test_failure(&w, who);
    }
  }
  free(corner);
  test_all_fail(&w);
  lb_world_fini(&w);
  return all_done(rank);
}
