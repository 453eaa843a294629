/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fault MODE WHO: a job in which something goes wrong at rank (silent: node)
 * WHO after some gates.  It must end by itself; tests/mpi/fault.test looks at
 * how.
 *   kill     dies at the gate         leave   leaves without a word
 *   barrier  dies while the others stand in a collective call
 *   stop     is stopped (SIGSTOP) when the others get SIGTERM
 *   part     dies while ranks 0 and 1 are a world of their own and the others
 *            wait for them
 *   partstop is stopped in it, and its limit passes
 *   silent   gives no sign of life, with a time-out of 2 s */
#include "lb-config.h"

#include "loadbank/gate.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"

#define MS UINT64_C(1000000)
enum { GATES = 20 };

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
  signalled = number;
}

static void go_on(struct lb_gate *g)
{
  struct lb_release r;
  lb_gate_post(g, lb_clock_ns() + 5 * MS);
  while (!lb_gate_wait(g, lb_clock_ns() + 2 * MS, &r))
    ;
}

static void do_kill(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)w;
  if (me)
    raise(SIGKILL);
  go_on(g);
}

static void do_leave(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)w;
  if (me)
    _exit(0);
  go_on(g);
}

static void do_barrier(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)g;
  if (me)
    raise(SIGKILL);
  lb_world_barrier(w);
}

static void do_stop(const struct lb_world *w, struct lb_gate *g, bool me)
{
  signal(SIGTERM, on_signal);
  if (me) {
    printf("stopped %d\n", (int)getpid());
    fflush(stdout);
    raise(SIGSTOP);
  }
  raise(SIGTERM);
  if (signalled) {
    lb_gate_stop(g, LB_STOP_SIGNAL, NULL);
    lb_world_deadline(w, 2, 143, NULL);
  }
  go_on(g);
}

/* The first two ranks have a gate of their own. */
static void in_a_part(const struct lb_world *w, bool me, bool stop)
{
  struct lb_world part;
  struct lb_err err = LB_ERR_INIT;
  struct lb_gate *g = NULL;
  if (lb_world_sub(w, 2, &part, &err))
    return;
  if (me && !stop)
    raise(SIGKILL);
  if (part.n_ranks && !lb_gate_new(&g, &part, 60000 * MS, &err)) {
    go_on(g);
    if (stop)
      lb_world_deadline(&part, 2, 143, NULL);
    if (me)
      raise(SIGSTOP);
    lb_clock_sleep_until(lb_clock_ns() + (stop ? 0 : 1500) * MS);
    go_on(g);
    lb_gate_free(g);
  }
  lb_world_sub_fini(w, &part);
}

static void do_part(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)g;
  in_a_part(w, me, false);
}

static void do_partstop(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)g;
  in_a_part(w, me, true);
}

static void do_silent(const struct lb_world *w, struct lb_gate *g, bool me)
{
  (void)me;
  lb_gate_set_timeout(g, 2000 * MS);
  if (w->node == (int)strtol(getenv("FAULT_NODE"), NULL, 10))
    lb_clock_sleep_until(lb_clock_ns() + 60000 * MS);
  go_on(g);
}

static const struct {
  const char *name;
  void (*run)(const struct lb_world *w, struct lb_gate *g, bool me);
} modes[] = {{"kill", do_kill},       {"leave", do_leave},
             {"barrier", do_barrier}, {"stop", do_stop},
             {"part", do_part},       {"partstop", do_partstop},
             {"silent", do_silent}};

int main(int argc, char **argv)
{
  struct lb_world w;
  struct lb_gate *g;
  struct lb_err err = LB_ERR_INIT;
  if (argc != 3 || lb_world_init(&w, &argc, &argv, &err) ||
      lb_gate_new(&g, &w, 60000 * MS, &err))
    return 99;
  bool me = w.rank == (int)strtol(argv[2], NULL, 10);
  for (int i = 0; i < GATES; i++)
    go_on(g);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (!strcmp(argv[1], modes[i].name))
      modes[i].run(&w, g, me);
  lb_gate_free(g);
  lb_world_fini(&w);
  return 0;
}
