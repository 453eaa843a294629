/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation steps: each accelerator goes its own pace, all meet at one gate
 * after the last. */
#include "lb-config.h"

#include "conductor.h"

#include "conductor_impl.h"
#include "loadbank/clock.h"

/* The accelerator's compute is over.  It ended at its deadline, though that was
 * noticed a little later; but no time is made up for that this process was
 * held up. */
static void finish_step(struct lb_conductor *c, int a, int64_t steps,
                        uint64_t now_ns)
{
  struct lb_seat *s = &c->seat[a];
  uint64_t late = now_ns - s->deadline;
  uint64_t end = late < LB_STALL_NS ? s->deadline : now_ns;
  struct lb_step step = {.load_ns = s->start - s->free_at,
                         .compute_ns = s->deadline - s->start,
                         .requested_ns = s->request,
                         .gate_ns = end - s->deadline,
                         .lag_ns = s->lag,
                         .late_ns = end - s->deadline,
                         .held_ns = c->held_ns,
                         .stall = c->stall};
  lb_metrics_step(c->metrics, a, &step);
  s->free_at = end;
  s->deadline = LB_NEVER;
  c->computing--;
  if (++s->steps_done == steps) {
    lb_metrics_eval_end(c->metrics, a, end);
    return;
  }
  lb_loader_ask(c->loader, a, !lb_conductor_start(c, a, now_ns), end);
}

/* Ends every compute that is due; how many accelerators finished their last
 * step.  *next: the earliest deadline that is left. */
static int finish_due(struct lb_conductor *c, int64_t steps, uint64_t now_ns,
                      uint64_t *next)
{
  int finished = 0;
  *next = LB_NEVER;
  c->stall = lb_gate_take_stall(c->gate, &c->held_ns);
  for (int a = 0; a < c->k; a++) {
    struct lb_seat *s = &c->seat[a];
    /* A compute of no length starts and ends in the same moment. */
    while (s->deadline <= now_ns) {
      finish_step(c, a, steps, now_ns);
      finished += s->steps_done == steps;
    }
    if (s->deadline < *next)
      *next = s->deadline;
  }
  return finished;
}

/* Stopped before the last step: for each accelerator it ends with its last
 * whole one. */
static void cut_short(struct lb_conductor *c, int64_t steps, uint64_t start_ns,
                      struct lb_block_end *end)
{
  end->ns = start_ns;
  for (int a = 0; a < c->k; a++) {
    const struct lb_seat *s = &c->seat[a];
    if (s->steps_done < steps)
      lb_metrics_eval_end(c->metrics, a, s->free_at);
    if (s->steps_done < end->steps)
      end->steps = s->steps_done;
    if (s->free_at > end->ns)
      end->ns = s->free_at;
  }
}

/* That every accelerator has done. */
static int64_t fewest_steps(const struct lb_conductor *c)
{
  int64_t fewest = c->seat[0].steps_done;
  for (int a = 1; a < c->k; a++)
    fewest = c->seat[a].steps_done < fewest ? c->seat[a].steps_done : fewest;
  return fewest;
}

struct lb_block_end lb_conductor_eval(struct lb_conductor *c, int64_t steps,
                                      uint64_t start_ns)
{
  uint64_t now = lb_clock_ns();
  int going = c->k;
  bool stopped = false;
  lb_conductor_seat_all(c, start_ns);
  for (int a = 0; a < c->k; a++)
    lb_loader_ask(c->loader, a, !lb_conductor_start(c, a, now), now);
  lb_loader_flush(c->loader, now);
  while (going > 0 && !stopped) {
    uint64_t next;
    now = lb_clock_ns();
    lb_loader_advance(c->loader, now);
    lb_conductor_arrivals(c, now);
    going -= finish_due(c, steps, now, &next);
    lb_loader_flush(c->loader, now);
    if (going == 0)
      break;
    lb_conductor_look_round(c, now);
    c->hooks.tick(c->hooks.arg, (uint64_t)fewest_steps(c));
    stopped = lb_gate_stopping(c->gate) != LB_STOP_NONE;
    uint64_t until = lb_loader_deadline(c->loader);
    lb_conductor_wait(c, now, until < next ? until : next);
  }
  struct lb_release r = lb_gate_meet(c->gate);
  struct lb_block_end end = {.ns = r.ns, .steps = steps, .stop = r.stop};
  c->step += (uint64_t)steps;
  if (going > 0)
    cut_short(c, steps, start_ns, &end);
  return end;
}
