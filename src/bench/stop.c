/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a run is stopped before its end: by a failure, or by SIGTERM or SIGINT.
 * Both take effect at the next gate. */
#include "lb-config.h"

#include <signal.h>
#include <stddef.h>

#include "bench_impl.h"

enum {
  RESULTS_S = 60 /* the steps of a long run are many */
};

static volatile sig_atomic_t caught;

static void note(int number)
{
  caught = number;
}

void lb_bench_catch_signals(void)
{
  struct sigaction act = {.sa_handler = note};
  sigemptyset(&act.sa_mask);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGINT, &act, NULL);
  /* A write past a limit or to a closed pipe is an error, not a death. */
  act.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &act, NULL);
  sigaction(SIGPIPE, &act, NULL);
}

int lb_bench_signal(const struct lb_world *w)
{
  uint64_t number = (uint64_t)caught;
  lb_world_max_u64(w, &number, 1);
  return number ? 128 + (int)number : 0;
}

/* A rank that is stuck may not hold up the end for ever. */
static void limit_end(struct lb_bench *b, double seconds, int exit_code,
                      const struct lb_err *why)
{
  if (b->limited)
    return;
  b->limited = true;
  b->limit_code = exit_code;
  lb_world_deadline(b->world, seconds, exit_code, why);
}

void lb_bench_fail(void *arg, struct lb_err *err)
{
  struct lb_bench *b = arg;
  lb_bench_blame(b->world, err);
  lb_gate_stop(b->gate, LB_STOP_FAILED, err);
  limit_end(b, 2 * LB_WORLD_DEADLINE_S, err->code, err);
}

void lb_bench_stopped(struct lb_bench *b, enum lb_stop stop)
{
  struct lb_err why;
  b->stop = stop;
  if (stop != LB_STOP_FAILED)
    return;
  lb_gate_reason(b->gate, &why);
  limit_end(b, 2 * LB_WORLD_DEADLINE_S, why.code, &why);
}

void lb_bench_extend_end(struct lb_bench *b)
{
  if (b->limited)
    lb_world_deadline(b->world, RESULTS_S, b->limit_code, NULL);
}

bool lb_bench_stopping(void *arg)
{
  struct lb_bench *b = arg;
  if (!caught)
    return false;
  /* The step that runs may end, as far as the gate has patience. */
  const double longest_s = (double)LB_GATE_PATIENCE_NS / 1e9;
  double step_s = lb_dist_mean(b->w->derived.compute);
  if (step_s > longest_s)
    step_s = longest_s;
  limit_end(b, 2 * step_s + 2 * LB_WORLD_DEADLINE_S, 128 + caught, NULL);
  return true;
}

bool lb_bench_look_round(void *arg)
{
  struct lb_bench *b = arg;
  lb_gate_watch(b->gate);
  if (lb_bench_stopping(b))
    lb_gate_stop(b->gate, LB_STOP_SIGNAL, NULL);
  return lb_gate_stopping(b->gate) == LB_STOP_NONE;
}
