/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit in wall-clock time for an orderly end: a thread that sleeps, and
 * when the time has come ends this process and what holds it up.  It makes no
 * MPI call. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "loadbank/thread.h"
#include "world/world_impl.h"

struct lb_deadline {
  const struct lb_world *w;
  pthread_t thread;
  _Atomic uint32_t turn; /* changes when something below does */
  _Atomic uint64_t at_ns;
  _Atomic double seconds; /* for the message */
  _Atomic int code;
  struct lb_err why; /* set before at_ns */
  _Atomic bool quit;
};

static bool is_stuck(struct lb_roll_entry *e)
{
  return lb_proc_look(&e->proc) && strchr("TtD", e->proc.state);
}

static const char *state_text(const struct lb_proc *p)
{
  return p->state == 'D'                      ? "stuck in the kernel"
         : p->state == 'T' || p->state == 't' ? "stopped"
                                              : "late";
}

/* ": rank 1 (pid 12, stopped), ..." for those who are behind or cannot run. */
static void name_late(struct lb_buf *b, const struct lb_world *w)
{
  struct lb_roll *r = w->mpi->roll;
  uint64_t most = 0;
  int named = 0;
  for (int i = 0; i < w->node_ranks; i++) {
    uint64_t p = atomic_load(&r->entries[i].progress);
    most = p > most ? p : most;
  }
  for (int i = 0; i < w->node_ranks; i++) {
    struct lb_roll_entry *e = &r->entries[i];
    bool behind = atomic_load(&e->progress) < most;
    if (!is_stuck(e) && !behind)
      continue;
    lb_buf_printf(b, "%s rank %d (pid %d on node %s, %s)", named++ ? "," : ":",
                  e->rank, e->proc.pid, w->node_name, state_text(&e->proc));
  }
}

/* Those who cannot leave by themselves; then whoever is still there.  Only
 * processes whose identity is certain. */
static void kill_rest(const struct lb_world *w, bool only_stuck)
{
  w = lb_world_root(w);
  struct lb_roll *r = w->mpi->roll;
  for (int i = 0; i < w->node_ranks; i++) {
    struct lb_roll_entry *e = &r->entries[i];
    if (i != w->node_rank && lb_roll_life(e) == LB_LIFE_ALIVE &&
        (is_stuck(e) || (!only_stuck && lb_proc_look(&e->proc))))
      kill(e->proc.pid, SIGKILL);
  }
}

static _Noreturn void expire(struct lb_deadline *d)
{
  const struct lb_world *w = d->w;
  struct lb_roll *r = lb_world_root(w)->mpi->roll;
  const uint64_t grace = LB_NS_PER_S;
  int code = atomic_load(&d->code);
  if (atomic_exchange(&r->reported, 1)) {
    /* Another rank of the node is at it. */
    lb_clock_sleep_until(lb_clock_ns() + grace / 2);
    _exit(code);
  }
  struct lb_buf b;
  lb_buf_init(&b, 4000);
  if (lb_err_is_set(&d->why))
    lb_buf_printf(&b, "%s; ", d->why.msg);
  lb_buf_printf(&b, "the end took longer than %g s; leaving without the rest",
                atomic_load(&d->seconds));
  name_late(&b, w);
  lb_world_cry(w, b.data ? b.data : "the end took too long");
  for (int only_stuck = 1; only_stuck >= 0; only_stuck--) {
    lb_clock_sleep_until(lb_clock_ns() + grace);
    kill_rest(w, only_stuck);
  }
  _exit(code);
}

static void *wait_for_it(void *arg)
{
  struct lb_deadline *d = (struct lb_deadline *)arg;
  while (!atomic_load(&d->quit)) {
    uint32_t turn = atomic_load(&d->turn);
    uint64_t at = atomic_load(&d->at_ns);
    if (lb_clock_ns() >= at)
      expire(d);
    lb_futex_wait(&d->turn, turn, at, LB_FUTEX_PROCESS);
  }
  return NULL;
}

static struct lb_deadline *start(const struct lb_world *w)
{
  struct lb_deadline *d = (struct lb_deadline *)calloc(1, sizeof *d);
  if (!d)
    return NULL;
  d->w = w;
  atomic_store(&d->at_ns, LB_NEVER);
  if (lb_thread_start(&d->thread, "lb-deadline", wait_for_it, d)) {
    free(d);
    return NULL;
  }
  return d;
}

static void ring(struct lb_deadline *d)
{
  atomic_fetch_add(&d->turn, 1);
  lb_futex_wake(&d->turn, LB_FUTEX_PROCESS);
}

void lb_world_deadline(const struct lb_world *w, double seconds, int exit_code,
                       const struct lb_err *why)
{
  struct lb_world_mpi *m = w->mpi;
  if (m && m->roll && !m->deadline)
    m->deadline = start(w);
  struct lb_deadline *d = m ? m->deadline : NULL;
  if (!d) {
    lb_world_alarm((unsigned)seconds + 1);
    return;
  }
  atomic_store(&d->code, exit_code);
  atomic_store(&d->seconds, seconds);
  if (why && !lb_err_is_set(&d->why))
    d->why = *why;
  atomic_store(&d->at_ns, lb_clock_ns() + (uint64_t)(seconds * LB_NS_PER_S));
  ring(d);
}

void lb_deadline_stop(struct lb_deadline *d)
{
  if (!d)
    return;
  atomic_store(&d->quit, true);
  ring(d);
  pthread_join(d->thread, NULL);
  free(d);
}
