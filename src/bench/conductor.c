/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training steps by appointment: once all accelerators of a rank compute, only
 * the latest deadline matters, and the gate keeps it.  See conductor.h and
 * docs/architecture.md; evaluation is in conductor_eval.c. */
#include "lb-config.h"

#include "conductor.h"

#include <stdlib.h>

#include "conductor_impl.h"
#include "loadbank/clock.h"

int lb_conductor_init(struct lb_conductor *c, int k, int first,
                      struct lb_err *err)
{
  *c = (struct lb_conductor){.k = k, .first = first};
  c->seat = calloc((size_t)k, sizeof *c->seat);
  if (!c->seat)
    return lb_err_set(err, LB_FAILED, "out of memory for %d accelerators", k);
  return 0;
}

void lb_conductor_fini(struct lb_conductor *c)
{
  free(c->seat);
  c->seat = NULL;
}

void lb_conductor_seat_all(struct lb_conductor *c, uint64_t start_ns)
{
  for (int a = 0; a < c->k; a++)
    c->seat[a] = (struct lb_seat){.free_at = start_ns, .deadline = LB_NEVER};
  c->computing = 0;
}

/* The accelerator takes its next batch, if there is one, and computes from
 * when both were ready; how late that was noticed is the client's lag. */
bool lb_conductor_start(struct lb_conductor *c, int a, uint64_t now_ns)
{
  uint64_t ready = lb_loader_take(c->loader, a);
  if (!ready)
    return false;
  struct lb_seat *s = &c->seat[a];
  s->start = ready > s->free_at ? ready : s->free_at;
  s->lag = now_ns > s->start ? now_ns - s->start : 0;
  s->request = lb_compute_request_ns(&c->compute, c->first + a,
                                     c->step + (uint64_t)s->steps_done);
  s->deadline = c->compute.kind->deadline(s->start, s->request);
  c->computing++;
  return true;
}

/* First all accelerators start, then they ask for their next batches, with one
 * wake of the readers: a wake inside the first loop would delay the others. */
static void start_step(struct lb_conductor *c, uint64_t now_ns)
{
  c->computing = 0;
  for (int a = 0; a < c->k; a++) {
    c->seat[a].deadline = LB_NEVER;
    lb_conductor_start(c, a, now_ns);
  }
  for (int a = 0; a < c->k; a++) {
    const struct lb_seat *s = &c->seat[a];
    bool waits = s->deadline == LB_NEVER;
    lb_loader_ask(c->loader, a, waits, waits ? s->free_at : s->start);
  }
  lb_loader_flush(c->loader, now_ns);
}

/* Starts those whose batches have come. */
void lb_conductor_arrivals(struct lb_conductor *c, uint64_t now_ns)
{
  bool asked = false;
  int a;
  while ((a = lb_loader_next(c->loader)) >= 0)
    if (lb_conductor_start(c, a, now_ns)) {
      lb_loader_ask(c->loader, a, false, c->seat[a].start);
      asked = true;
    }
  if (asked)
    lb_loader_flush(c->loader, now_ns);
}

/* Are the others alive (looked at once a second), has somebody failed, was a
 * signal caught?  true: a failure stops the job now. */
bool lb_conductor_look_round(struct lb_conductor *c, uint64_t now_ns)
{
  struct lb_err err = LB_ERR_INIT;
  if (lb_loader_failed(c->loader, &err))
    c->hooks.fail(c->hooks.arg, &err);
  if (now_ns - c->last_watch >= LB_NS_PER_S) {
    c->last_watch = now_ns;
    lb_gate_watch(c->gate);
  }
  if (c->hooks.stopping(c->hooks.arg))
    lb_gate_stop(c->gate, LB_STOP_SIGNAL, NULL);
  return lb_gate_stopping(c->gate) == LB_STOP_FAILED;
}

/* Waits for a batch.  Not for long: a process that is stopped meanwhile shows
 * in that the wait ends later than it should. */
void lb_conductor_wait(struct lb_conductor *c, uint64_t now_ns,
                       uint64_t until_ns)
{
  const uint64_t longest = LB_NS_PER_S / 10;
  if (until_ns < now_ns)
    until_ns = now_ns;
  else if (until_ns > now_ns + longest)
    until_ns = now_ns + longest;
  lb_loader_wait(c->loader, until_ns);
  uint64_t after = lb_clock_ns();
  if (after > until_ns)
    lb_gate_held_up(c->gate, after - until_ns);
}

/* A signal stops the job, and what a batch is waited for may never come. */
static bool out_of_patience(struct lb_conductor *c, uint64_t now_ns)
{
  if (lb_gate_stopping(c->gate) != LB_STOP_SIGNAL)
    return false;
  if (!c->stop_seen)
    c->stop_seen = now_ns;
  return now_ns - c->stop_seen > LB_GATE_PATIENCE_NS;
}

/* Until every accelerator has its batch.  false: the step is given up. */
static bool wait_for_batches(struct lb_conductor *c)
{
  while (c->computing < c->k) {
    uint64_t now = lb_clock_ns();
    lb_loader_advance(c->loader, now);
    lb_conductor_arrivals(c, now);
    if (c->computing == c->k)
      break;
    if (lb_conductor_look_round(c, now) || out_of_patience(c, now))
      return false;
    lb_conductor_wait(c, now, lb_loader_deadline(c->loader));
  }
  return true;
}

static void post(struct lb_conductor *c)
{
  uint64_t latest = 0, others = 0;
  int last = 0;
  for (int a = 0; a < c->k; a++) {
    uint64_t deadline = c->seat[a].deadline;
    if (deadline > latest) {
      others = latest;
      latest = deadline;
      last = a;
    } else if (deadline > others) {
      others = deadline;
    }
  }
  lb_gate_post_last(c->gate, c->first + last, latest, others);
}

/* Sleeps in the gate, having posted.  Virtual storage goes on meanwhile, and a
 * batch read ahead that fails is told now: another rank may wait for good. */
static struct lb_release pass_gate(struct lb_conductor *c)
{
  struct lb_release r;
  uint64_t now = lb_clock_ns(), look = now + LB_NS_PER_S;
  c->hooks.tick(c->hooks.arg, c->step);
  for (;;) {
    uint64_t until = lb_loader_deadline(c->loader);
    if (lb_gate_wait(c->gate, until < look ? until : look, &r))
      return r;
    now = lb_clock_ns();
    lb_loader_advance(c->loader, now);
    if (now >= look) {
      look = now + LB_NS_PER_S;
      lb_conductor_look_round(c, now);
    }
  }
}

static void book_step(struct lb_conductor *c, const struct lb_release *r)
{
  uint64_t compute_ns = 0;
  for (int a = 0; a < c->k; a++) {
    struct lb_seat *s = &c->seat[a];
    uint64_t load_ns = s->start - s->free_at;
    struct lb_step step = {
        .load_ns = load_ns,
        .last_load_ns = r->last == c->first + a ? load_ns : 0,
        .compute_ns = s->deadline - s->start,
        .requested_ns = s->request,
        .gate_ns = r->ns > s->deadline ? r->ns - s->deadline : 0,
        .lag_ns = s->lag,
        .late_ns = r->late_ns,
        .held_ns = r->held_ns,
        .stall = r->stall,
    };
    lb_metrics_step(c->metrics, a, &step);
    s->free_at = r->ns;
    compute_ns += step.compute_ns;
  }
  if (c->windows)
    lb_windows_step(c->windows, compute_ns, r->late_ns, r->ns);
  if (r->last >= c->first && r->last < c->first + c->k)
    lb_metrics_last(c->metrics, r->last - c->first, r->alone_ns);
}

struct lb_block_end lb_conductor_block(struct lb_conductor *c, int64_t steps,
                                       uint64_t start_ns)
{
  struct lb_block_end end = {.ns = start_ns};
  lb_conductor_seat_all(c, start_ns);
  while (end.steps < steps && end.stop == LB_STOP_NONE) {
    uint64_t now = lb_clock_ns();
    if (end.steps > 0)
      lb_gate_held_up(c->gate, now - end.ns);
    start_step(c, now);
    bool complete =
        wait_for_batches(c) && !lb_conductor_look_round(c, lb_clock_ns());
    if (complete)
      post(c);
    else
      lb_gate_post_cut(c->gate);
    struct lb_release r = pass_gate(c);
    c->hooks.passed(c->hooks.arg, &r);
    end.stop = r.stop;
    if (!complete || r.cut || r.stop == LB_STOP_FAILED)
      break; /* the block ends with the step before */
    end.ns = r.ns;
    book_step(c, &r);
    c->step++;
    end.steps++;
  }
  return end;
}
