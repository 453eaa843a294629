/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the emulator itself costs a rank, and the progress line. */
#include "lb-config.h"

#include <math.h>

#include "bench_impl.h"
#include "loadbank/clock.h"
#include "loadbank/usage.h"

/* Emulated preprocessing is the reader's time, but nobody's fault. */
static uint64_t preprocess_ns(const struct lb_bench *b, uint64_t samples)
{
  return (uint64_t)(lb_dist_mean(b->w->derived.preprocess) * 1e9 *
                    (double)samples);
}

void lb_bench_cost_begin(struct lb_bench *b)
{
  struct lb_usage u = lb_usage_of_thread();
  b->cost.wall_ns = lb_clock_ns();
  b->cost.cpu_ns = lb_clock_process_cpu_ns();
  b->cost.conductor_cpu_ns = u.run_ns;
  b->cost.conductor_delay_ns = u.wait_ns;
}

/* The fields held their values at the beginning; now they hold differences. */
void lb_bench_cost_end(struct lb_bench *b)
{
  struct lb_rank_cost *c = &b->cost;
  struct lb_usage u = lb_usage_of_thread();
  struct lb_loader_cost loader = lb_loader_cost(b->loader, b->io.stats);
  struct lb_gate_cost gate = lb_gate_cost(b->gate);
  c->wall_ns = lb_clock_ns() - c->wall_ns;
  c->cpu_ns = lb_clock_process_cpu_ns() - c->cpu_ns;
  c->conductor_cpu_ns = u.run_ns - c->conductor_cpu_ns;
  c->conductor_delay_ns = u.wait_ns - c->conductor_delay_ns;
  c->reader_cpu_ns = loader.user_ns;
  c->reader_delay_ns = loader.runqueue_ns;
  c->reader_lock_ns = loader.lock_ns;
  c->preprocess_ns = preprocess_ns(b, loader.samples);
  c->gates = gate.gates;
  c->gate_late_ns = gate.late_ns;
  c->gate_spin_ns = gate.spin_ns;
  for (int set = 0; set < LB_N_SETS; set++)
    c->payload_bytes[set] = b->totals[set].payload_bytes;
}

/* Of the whole run, whatever its phases were. */
void lb_bench_cost_total(struct lb_bench *b)
{
  b->cost.max_rss_bytes = lb_usage_max_rss();
  b->cost.io = b->io.stats;
}

void lb_bench_progress_step(void *arg, uint64_t step)
{
  struct lb_bench *b = arg;
  uint64_t now = lb_clock_ns();
  if (!b->progress.on || now < b->progress.next_ns)
    return;
  int64_t total = lb_plan_steps(&b->plan);
  uint64_t elapsed = now - b->train_start_ns;
  struct lb_progress_state state = {.phase = "train",
                                    .epoch = b->epoch,
                                    .epochs = lb_plan_epochs(&b->plan),
                                    .done = (int64_t)step,
                                    .total = total,
                                    .unit = "steps",
                                    .au = NAN,
                                    .elapsed_ns = elapsed,
                                    .left_ns = LB_NEVER};
  if (step > 0)
    state.left_ns = (uint64_t)((double)elapsed * (double)(total - state.done) /
                               (double)step);
  lb_progress_tick(&b->progress, now, &state);
}
