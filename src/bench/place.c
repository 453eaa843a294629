/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks and threads on processors. */
#include "lb-config.h"

#include "bench_impl.h"
#include "loadbank/log.h"

/* Share of the time, %, from which on lateness is worth a line. */
static const double much_late = 1;

int lb_bench_place(struct lb_bench *b, struct lb_err *err)
{
  /* Runs that only measure are many and short, and nobody reads this of them.
   */
  if (b->o->output == LB_OUTPUT_NONE)
    return 0;
  int readers = b->w->workflow.train ? (int)b->plan.memory.threads : 0;
  if (lb_placement_new(&b->placement, b->world, 1 + readers, err))
    return -err->code;
  if (b->w->workflow.train)
    lb_placement_warnings(&b->placement, lb_warn_text, NULL);
  return 0;
}

void lb_bench_warn_crowded(const struct lb_bench *b, const struct lb_summary *s)
{
  const struct lb_host_place *h = lb_placement_crowded(&b->placement);
  if (h && s->limit.late_percent > much_late)
    lb_warn(
        "the client ended steps late, by %.3g %% of the time: on host %s %d "
        "threads share %d processors (fewer ranks, fewer "
        "reader.read_threads or more processors help)",
        s->limit.late_percent, h->name, h->threads, CPU_COUNT(&h->cpus));
}
