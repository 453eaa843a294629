/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gate by appointment.  One node: the last rank to post is the timekeeper.
 * Several nodes: the first rank of each node is, because it alone may talk to
 * the other nodes; the last to post wakes it.
 *
 * What a rank reads after a release stays as it is until that rank has posted
 * again, since no later release can come before that. */
#include "lb-config.h"

#include "loadbank/gate.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "world/gate_rule.h"
#include "world/leaders.h"
#include "world/tail.h"
#include "world/world_impl.h"

#define LOOK_NS ((uint64_t)LB_NS_PER_S)

/* In the memory of the node; what different ranks write at the same time lies
 * on different cache lines. */
struct gate_shared {
  _Alignas(
      64) _Atomic uint32_t turn; /* releases so far; the others sleep here */
  struct lb_release release;     /* the last one */
  _Alignas(64) _Atomic uint32_t bell;   /* the timekeeper sleeps here */
  _Atomic uint32_t full;                /* turn + 1: all have posted ... */
  _Atomic uint64_t full_ns;             /* ... at this time */
  _Alignas(64) _Atomic uint32_t posted; /* ranks */
  _Alignas(64) _Atomic int stop;        /* enum lb_stop */
  _Atomic int reason_taken;
  struct lb_err reason; /* of this node, once stop is LB_STOP_FAILED and
                         * reason_here */
  _Atomic int reason_here;
  struct lb_err verdict; /* of the job, with the release */
  struct post {          /* what a rank of the node brought to this gate */
    _Alignas(64) uint64_t deadline_ns, others_ns;
    int accelerator;
    bool cut;
    int laps;
    enum lb_stall stall;
    uint64_t held_ns;
  } post[];
};

struct lb_gate {
  const struct lb_world *w;
  struct gate_shared *s;
  struct lb_leaders *leaders; /* NULL: one node, or not its first rank */
  uint32_t turn;              /* the gate this rank stands at ... */
  bool standing;              /* ... having posted */
  enum lb_stop last_stop;     /* of the last release */
  bool keeper;                /* this rank keeps the time of that gate */
  uint64_t acted_ns;          /* when it saw that the release was due; 0: not */
  uint64_t timeout_ns, watched_ns;
  uint64_t waited_ns; /* leader: for the other nodes, at the step before */
  struct lb_stall_watch stalls;
  int laps;            /* to be said with every post */
  enum lb_stall stall; /* to be said with the next post ... */
  uint64_t held_ns;    /* ... and by how much it held this rank up */
  struct lb_gate_cost cost;
};

int lb_gate_new(struct lb_gate **out, const struct lb_world *w,
                uint64_t timeout_ns, struct lb_err *err)
{
  void *memory = NULL;
  struct lb_gate *g = (struct lb_gate *)calloc(1, sizeof *g);
  *out = NULL;
  if (!g)
    lb_err_sys(err, LB_FAILED, ENOMEM, "gate");
  size_t posts = (size_t)w->node_ranks * sizeof(struct post);
  if (lb_world_shared(w, sizeof *g->s + posts, &memory, err) || !g) {
    free(g);
    return -err->code;
  }
  g->w = w;
  g->s = (struct gate_shared *)memory;
  g->timeout_ns = timeout_ns;
  g->cost.shared = w->shared;
  if (w->n_nodes > 1 && w->node_rank == 0)
    g->leaders = lb_leaders_new(w);
  lb_clock_precise_thread();
  lb_stall_look(&g->stalls);
  g->cost.tail_ns = lb_tail_calibrate(w);
  *out = g;
  return lb_err_agree(w, err, NULL);
}

void lb_gate_free(struct lb_gate *g)
{
  if (!g)
    return;
  lb_leaders_free(g->leaders);
  lb_world_barrier(g->w);
  free(g); /* the shared memory belongs to the world */
}

void lb_gate_set_timeout(struct lb_gate *g, uint64_t timeout_ns)
{
  g->timeout_ns = timeout_ns;
}

static enum lb_stop stop_of(const struct gate_shared *s)
{
  return (enum lb_stop)atomic_load(&s->stop);
}

static void ring(struct lb_gate *g)
{
  atomic_fetch_add(&g->s->bell, 1);
  lb_futex_wake(&g->s->bell, LB_FUTEX_SHARED);
}

static void put(struct lb_gate *g, const struct post *post)
{
  struct gate_shared *s = g->s;
  struct post *mine = &s->post[g->w->node_rank];
  *mine = *post;
  mine->laps = g->laps;
  mine->stall = lb_gate_take_stall(g, &mine->held_ns);
  lb_roll_progress(g->w);
  g->turn = atomic_load(&s->turn);
  g->acted_ns = 0;
  g->standing = true;
  g->keeper = g->leaders != NULL;
  int posted = (int)atomic_fetch_add(&s->posted, 1) + 1;
  if (posted < g->w->node_ranks)
    return;
  if (g->w->n_nodes == 1)
    g->keeper = true;
  atomic_store(&s->full_ns, lb_clock_ns());
  atomic_store(&s->full, g->turn + 1);
  if (!g->keeper)
    ring(g);
}

void lb_gate_post(struct lb_gate *g, uint64_t deadline_ns)
{
  lb_gate_post_last(g, -1, deadline_ns, 0);
}

void lb_gate_post_last(struct lb_gate *g, int accelerator, uint64_t deadline_ns,
                       uint64_t others_ns)
{
  put(g, &(struct post){.deadline_ns = deadline_ns,
                        .others_ns = others_ns,
                        .accelerator = accelerator});
}

void lb_gate_post_cut(struct lb_gate *g)
{
  put(g, &(struct post){.accelerator = -1, .cut = true});
}

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Never lowers it. */
static void raise_stop(struct gate_shared *s, enum lb_stop why)
{
  int old = atomic_load(&s->stop);
  while (old < (int)why &&
         !atomic_compare_exchange_weak(&s->stop, &old, (int)why))
    ;
}

/* Timekeeper, when it acts: the stop of this release, and with a failure its
 * reason. */
static void decide(struct lb_gate *g, enum lb_stop stop, int reason_node)
{
  struct gate_shared *s = g->s;
  s->release.stop = stop;
  if (stop != LB_STOP_FAILED)
    return;
  raise_stop(s, stop);
  s->verdict = s->reason;
  if (g->leaders)
    lb_leaders_share(g->leaders, reason_node, &s->verdict);
}

/* Leader.  Its part in the rounds of the nodes; true: all are at the gate and
 * the stop is decided. */
static bool meet_nodes(struct lb_gate *g, bool ready, uint64_t now)
{
  struct gate_shared *s = g->s;
  struct lb_vote own = {.ready = ready,
                        .stop = stop_of(s),
                        .reason = INT_MAX,
                        .cut = ready && s->release.cut,
                        .laps = ready ? s->release.laps : INT_MAX,
                        .waited_ns = g->waited_ns};
  struct lb_vote all;
  if (own.stop == LB_STOP_FAILED && atomic_load(&s->reason_here))
    own.reason = g->w->node;
  if (!lb_leaders_round(g->leaders, &own, g->timeout_ns, now, &all))
    return false;
  if (!all.ready) {
    raise_stop(s, all.stop);
    return false;
  }
  g->cost.skew_ns += all.waited_ns;
  s->release.cut = all.cut;
  s->release.laps = all.laps;
  decide(g, all.stop, all.reason);
  return true;
}

/* Timekeeper, all having posted.  The latest deadline, whose it is, the longest
 * hold-up and the fewest laps, into the release. */
static void sum_up(struct lb_gate *g)
{
  struct gate_shared *s = g->s;
  struct lb_release *r = &s->release;
  uint64_t second = 0;
  *r = (struct lb_release){.last = -1, .laps = INT_MAX};
  for (int i = 0; i < g->w->node_ranks; i++) {
    const struct post *p = &s->post[i];
    uint64_t lower = p->others_ns;
    if (p->deadline_ns > r->deadline_ns) {
      lower = larger(r->deadline_ns, lower);
      r->deadline_ns = p->deadline_ns;
      r->last = p->accelerator;
    } else {
      lower = larger(p->deadline_ns, lower);
    }
    second = larger(second, lower);
    r->cut = r->cut || p->cut;
    r->laps = p->laps < r->laps ? p->laps : r->laps;
    if (p->held_ns > r->held_ns) {
      r->held_ns = p->held_ns;
      r->stall = p->stall;
    }
  }
  r->alone_ns = second ? r->deadline_ns - second : 0;
}

static void release(struct lb_gate *g)
{
  struct gate_shared *s = g->s;
  struct lb_release *r = &s->release;
  uint64_t now = lb_clock_ns(), others = now - g->acted_ns;
  if (!g->leaders)
    others = 0;
  g->cost.others_ns += others;
  g->waited_ns = r->deadline_ns ? others : 0;
  if (r->deadline_ns && g->acted_ns > r->deadline_ns + others)
    r->late_ns = g->acted_ns - r->deadline_ns - others;
  atomic_store(&s->posted, 0);
  r->ns = now;
  atomic_store(&s->turn, g->turn + 1);
  if (g->w->node_ranks > 1)
    lb_futex_wake(&s->turn, LB_FUTEX_SHARED);
}

static uint64_t spin_until(struct lb_gate *g, uint64_t now, uint64_t due)
{
  uint64_t begin = now;
  while (now < due)
    now = lb_clock_ns();
  g->cost.spin_ns += now - begin;
  return now;
}

static bool is_full(const struct lb_gate *g)
{
  return atomic_load(&g->s->full) == g->turn + 1;
}

/* The stop of a signal may cut the step. */
static uint64_t due_ns(struct lb_gate *g, uint64_t now)
{
  struct gate_shared *s = g->s;
  struct lb_release *r = &s->release;
  enum lb_stop stop = stop_of(s);
  r->cut = r->cut || lb_gate_cuts(r->deadline_ns, now, stop);
  return r->cut ? now
                : lb_gate_due(r->deadline_ns, atomic_load(&s->full_ns), stop);
}

/* The timekeeper goes through. */
static void act(struct lb_gate *g, uint64_t now, uint64_t due)
{
  struct lb_release *r = &g->s->release;
  g->acted_ns = now = spin_until(g, now, due);
  g->cost.late_ns += now - due;
  g->cost.kept++;
  if (now - due < LB_STALL_NS || now - due <= r->held_ns)
    return;
  r->held_ns = now - due;
  r->stall = lb_stall_cause(&g->stalls, now - due);
}

/* The timekeeper's look.  true: released.  Otherwise *wake_ns: when to look
 * again. */
static bool keep_time(struct lb_gate *g, uint64_t now, uint64_t *wake_ns)
{
  bool ready = g->acted_ns != 0;
  *wake_ns = LB_NEVER;
  if (!ready && is_full(g)) {
    sum_up(g);
    uint64_t due = due_ns(g, now), tail = g->cost.tail_ns;
    ready = now + tail >= due;
    if (ready)
      act(g, now, due);
    else
      *wake_ns = due - tail;
  }
  if (g->leaders) {
    if (meet_nodes(g, ready, now)) {
      release(g);
      return true;
    }
    uint64_t next = lb_leaders_next_ns(g->leaders, ready, now);
    *wake_ns = next < *wake_ns ? next : *wake_ns;
    return false;
  }
  if (!ready)
    return false;
  decide(g, stop_of(g->s), 0);
  release(g);
  return true;
}

void lb_gate_laps(struct lb_gate *g, int done)
{
  g->laps = done;
}

void lb_gate_held_up(struct lb_gate *g, uint64_t held_ns)
{
  if (held_ns < LB_STALL_NS || held_ns <= g->held_ns)
    return;
  g->held_ns = held_ns;
  g->stall = lb_stall_cause(&g->stalls, held_ns);
}

enum lb_stall lb_gate_take_stall(struct lb_gate *g, uint64_t *held_ns)
{
  enum lb_stall stall = g->stall;
  *held_ns = g->held_ns;
  g->stall = LB_STALL_NONE;
  g->held_ns = 0;
  return stall;
}

/* Once a second: are the others alive?  And what the counters say by now. */
static void look_at_ranks(struct lb_gate *g, uint64_t now)
{
  if (now - g->watched_ns < LOOK_NS)
    return;
  g->watched_ns = now;
  lb_stall_look(&g->stalls);
  lb_world_watch(g->w);
}

static void pass(struct lb_gate *g)
{
  g->standing = false;
  g->last_stop = g->s->release.stop;
  g->cost.gates++;
  lb_roll_progress(g->w);
}

bool lb_gate_wait(struct lb_gate *g, uint64_t until_ns, struct lb_release *out)
{
  struct gate_shared *s = g->s;
  for (;;) {
    uint64_t now = lb_clock_ns(), wake = LB_NEVER;
    /* Read before the look, so that a bell rung after it is not slept over. */
    uint32_t bell = atomic_load(&s->bell);
    if (g->keeper ? keep_time(g, now, &wake)
                  : atomic_load(&s->turn) != g->turn) {
      *out = s->release;
      pass(g);
      return true;
    }
    if (now >= until_ns)
      return false;
    look_at_ranks(g, now);
    wake = wake < until_ns ? wake : until_ns;
    wake = wake < now + LOOK_NS ? wake : now + LOOK_NS;
    if (g->keeper)
      lb_futex_wait(&s->bell, bell, wake, LB_FUTEX_SHARED);
    else
      lb_futex_wait(&s->turn, g->turn, wake, LB_FUTEX_SHARED);
  }
}

void lb_gate_stop(struct lb_gate *g, enum lb_stop why, const struct lb_err *err)
{
  struct gate_shared *s = g->s;
  if (why == LB_STOP_FAILED) {
    /* Who comes first, also raises the flag once the reason stands. */
    if (atomic_exchange(&s->reason_taken, 1))
      return;
    s->reason = (struct lb_err)LB_ERR_INIT;
    if (err && lb_err_is_set(err))
      s->reason = *err;
    else
      lb_err_set(&s->reason, LB_FAILED, "stopped without a reason");
    if (s->reason.rank < 0)
      s->reason.rank = g->w->rank;
    atomic_store(&s->reason_here, 1);
  }
  raise_stop(s, why);
  ring(g);
}

enum lb_stop lb_gate_stopping(const struct lb_gate *g)
{
  return stop_of(g->s);
}

void lb_gate_reason(const struct lb_gate *g, struct lb_err *err)
{
  *err = (struct lb_err)LB_ERR_INIT;
  if (g->last_stop == LB_STOP_FAILED)
    *err = g->s->verdict;
}

void lb_gate_watch(struct lb_gate *g)
{
  uint64_t now = lb_clock_ns();
  look_at_ranks(g, now);
  if (g->leaders && !g->standing)
    meet_nodes(g, false, now);
}

struct lb_release lb_gate_meet(struct lb_gate *g)
{
  struct lb_release r;
  lb_gate_post(g, 0);
  while (!lb_gate_wait(g, LB_NEVER, &r))
    ;
  return r;
}

struct lb_gate_cost lb_gate_cost(const struct lb_gate *g)
{
  return g->cost;
}
