/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the emulator itself costs a rank. */
#include "lb-config.h"

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/usage.h"

/* Emulated preprocessing is the reader's time, but nobody's fault. */
static uint64_t preprocess_ns(const struct lb_bench *b, uint64_t samples)
{
  return (uint64_t)(lb_dist_mean(b->w->derived.preprocess) * 1e9 *
                    (double)samples);
}

enum lb_phase lb_bench_enter(struct lb_bench *b, enum lb_phase phase)
{
  enum lb_phase before = b->io.phase;
  struct lb_phase_cost *c = &b->cost.phase[before];
  struct lb_process_usage used = lb_usage_of_process();
  uint64_t now = lb_clock_ns();
  lb_process_usage_add(&c->used, &used, &b->used);
  c->wall_ns += b->phase_ns ? now - b->phase_ns : 0;
  b->used = used;
  b->phase_ns = now;
  b->io.phase = phase;
  return before;
}

static struct lb_bench_mark mark_now(const struct lb_bench *b)
{
  return (struct lb_bench_mark){.wall_ns = lb_clock_ns(),
                                .cpu_ns = lb_clock_process_cpu_ns(),
                                .conductor = lb_usage_of_thread(),
                                .gate = lb_gate_cost(b->gate)};
}

void lb_bench_cost_begin(struct lb_bench *b)
{
  b->begin = mark_now(b);
}

void lb_bench_cost_end(struct lb_bench *b)
{
  struct lb_rank_cost *c = &b->cost;
  const struct lb_bench_mark *from = &b->begin, to = mark_now(b);
  struct lb_loader_cost loader = {0};
  if (b->loader)
    loader = lb_loader_cost(b->loader, b->io.stats);
  c->wall_ns = to.wall_ns - from->wall_ns;
  c->cpu_ns = to.cpu_ns - from->cpu_ns;
  c->conductor_cpu_ns = to.conductor.run_ns - from->conductor.run_ns;
  c->conductor_delay_ns = to.conductor.wait_ns - from->conductor.wait_ns;
  c->reader_cpu_ns = loader.user_ns;
  c->reader_delay_ns = loader.runqueue_ns;
  c->reader_lock_ns = loader.lock_ns;
  c->verify_ns = loader.verify_ns;
  c->verified_samples = loader.verified_samples;
  c->verified_bytes = loader.verified_bytes;
  c->preprocess_ns = preprocess_ns(b, loader.samples);
  c->gates = to.gate.gates - from->gate.gates;
  c->gate_kept = to.gate.kept - from->gate.kept;
  c->gate_late_ns = to.gate.late_ns - from->gate.late_ns;
  c->gate_others_ns = to.gate.others_ns - from->gate.others_ns;
  c->gate_skew_ns = to.gate.skew_ns - from->gate.skew_ns;
  c->gate_spin_ns = to.gate.spin_ns - from->gate.spin_ns;
  c->gate_tail_ns = to.gate.tail_ns;
  for (int set = 0; set < LB_N_SETS; set++) {
    c->payload_bytes[set] = b->totals[set].payload_bytes;
    c->samples_read[set] = b->totals[set].samples;
  }
}

/* Of the whole run, whatever its phases were. */
void lb_bench_cost_total(struct lb_bench *b)
{
  lb_bench_enter(b, LB_PHASE_SETUP);
  if (b->saver && b->saver->crew)
    lb_crew_stats(b->saver->crew, b->io.stats);
  if (b->saver)
    lb_background_stats(b, b->io.stats);
  b->cost.max_rss_bytes = lb_usage_max_rss();
  b->cost.io = b->io.stats;
}
