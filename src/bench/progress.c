/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the progress line says.  By rank 0's main thread before it sleeps: while
 * all its accelerators compute, before it waits for a batch or a crew.  It
 * costs two reads of a clock, and some microseconds twice a second. */
#include "lb-config.h"

#include <math.h>

#include "checkpoint_impl.h"
#include "loadbank/clock.h"

/* Time left, if it goes on as it did. */
static void extrapolate(struct lb_progress_state *s)
{
  s->left_ns = LB_NEVER;
  if (s->done > 0 && s->total > 0)
    s->left_ns = s->done >= s->total ? 0
                                     : (uint64_t)((double)s->elapsed_ns *
                                                  (double)(s->total - s->done) /
                                                  (double)s->done);
}

static void add_rates(const struct lb_bench *b, enum lb_set set,
                      struct lb_progress_state *s)
{
  struct lb_so_far far = lb_metrics_so_far(b->metrics, set);
  const struct lb_plan_set *p = &b->plan.set[set];
  s->au = far.au;
  if (far.seconds <= 0)
    return;
  s->samples_per_s = far.steps * (double)p->batch *
                     (double)b->world->accelerators / far.seconds;
  s->bytes_per_s = s->samples_per_s * p->sample_bytes;
}

void lb_bench_progress_step(void *arg, uint64_t step)
{
  struct lb_bench *b = arg;
  bool evaluates = b->io.phase == LB_PHASE_EVAL;
  const char *phase = evaluates ? "evaluate" : "train";
  uint64_t now = lb_clock_ns();
  if (!lb_progress_due(&b->progress, now, phase))
    return;
  struct lb_progress_state state = {
      .phase = phase,
      .epoch = b->epoch,
      .epochs = lb_plan_epochs(&b->plan),
      .done = (int64_t)step,
      .total =
          evaluates ? b->plan.set[LB_SET_EVAL].steps : lb_plan_steps(&b->plan),
      .unit = "steps",
      .elapsed_ns = now - (evaluates ? b->phase_ns : b->train_start_ns)};
  add_rates(b, evaluates ? LB_SET_EVAL : LB_SET_TRAIN, &state);
  extrapolate(&state);
  lb_progress_tick(&b->progress, now, &state);
}

/* ---- checkpoints ---- */

/* Of the rank's accelerators. */
static uint64_t own_bytes(const struct lb_bench *b, bool load)
{
  const struct lb_mark *m = &b->saver->mark;
  uint64_t sum = 0;
  for (int a = 0; a < b->world->k; a++)
    sum += load
               ? lb_checkpoint_load_bytes(m->scheme, &m->model,
                                          b->world->accelerators,
                                          b->saver->reads_as[a])
               : lb_checkpoint_bytes(m->scheme, &m->model, b->world->first + a);
  return sum;
}

/* In stages of it that are over. */
static uint64_t bytes_before(const struct lb_bench *b)
{
  uint64_t sum = 0;
  for (int a = 0; a < b->world->k; a++)
    sum += b->saver->share[a].bytes;
  return sum;
}

void lb_bench_progress_checkpoint(struct lb_bench *b, const char *phase,
                                  const struct lb_crew *crew)
{
  uint64_t now = lb_clock_ns();
  if (!lb_progress_due(&b->progress, now, phase))
    return;
  bool load = b->io.phase == LB_PHASE_LOAD, drain = *phase == 'd';
  uint64_t moved = crew ? lb_crew_moved(crew) : 0;
  struct lb_progress_state state = {
      .phase = phase,
      .counts = "checkpoint",
      .epoch = load ? b->loads + 1 : b->saver->save.mark.number,
      .epochs = load ? b->plan.checkpoints.reads : b->plan.checkpoints.count,
      .done = (int64_t)(moved + (drain ? 0 : bytes_before(b))),
      .total = (int64_t)own_bytes(b, load),
      .au = NAN,
      .elapsed_ns = now - b->phase_ns};
  extrapolate(&state);
  lb_progress_tick(&b->progress, now, &state);
}

void lb_bench_progress_wait(struct lb_bench *b, uint64_t until_ns)
{
  uint64_t now = lb_clock_ns();
  const struct lb_progress_state state = {
      .phase = "wait between checkpoints",
      .unit = "",
      .au = NAN,
      .left_ns = until_ns > now ? until_ns - now : 0};
  lb_progress_tick(&b->progress, now, &state);
}
