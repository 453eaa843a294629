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

/* Once a second at most: are the others alive, has somebody failed, was a
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

/* Until every accelerator has its batch.  false: a failure stops the job. */
static bool wait_for_batches(struct lb_conductor *c)
{
  while (c->computing < c->k) {
    uint64_t now = lb_clock_ns();
    lb_loader_advance(c->loader, now);
    lb_conductor_arrivals(c, now);
    if (c->computing == c->k)
      break;
    if (lb_conductor_look_round(c, now))
      return false;
    uint64_t until = lb_loader_deadline(c->loader);
    if (until > now + LB_NS_PER_S)
      until = now + LB_NS_PER_S;
    lb_loader_wait(c->loader, until);
  }
  return true;
}

static uint64_t latest_deadline(const struct lb_conductor *c)
{
  uint64_t latest = 0;
  for (int a = 0; a < c->k; a++)
    if (c->seat[a].deadline > latest)
      latest = c->seat[a].deadline;
  return latest;
}

/* Sleeps in the gate; virtual storage goes on meanwhile. */
static struct lb_release pass_gate(struct lb_conductor *c, uint64_t deadline_ns)
{
  struct lb_release r;
  lb_gate_post(c->gate, deadline_ns);
  c->hooks.tick(c->hooks.arg, c->step);
  while (!lb_gate_wait(c->gate, lb_loader_deadline(c->loader), &r))
    lb_loader_advance(c->loader, lb_clock_ns());
  return r;
}

static void book_step(struct lb_conductor *c, uint64_t release_ns)
{
  for (int a = 0; a < c->k; a++) {
    struct lb_seat *s = &c->seat[a];
    struct lb_step step = {
        .load_ns = s->start - s->free_at,
        .compute_ns = s->deadline - s->start,
        .requested_ns = s->request,
        .gate_ns = release_ns > s->deadline ? release_ns - s->deadline : 0,
        .lag_ns = s->lag,
    };
    lb_metrics_step(c->metrics, a, &step);
    s->free_at = release_ns;
  }
}

struct lb_block_end lb_conductor_block(struct lb_conductor *c, int64_t steps,
                                       uint64_t start_ns)
{
  struct lb_block_end end = {.ns = start_ns};
  lb_conductor_seat_all(c, start_ns);
  while (end.steps < steps && end.stop == LB_STOP_NONE) {
    start_step(c, lb_clock_ns());
    bool complete = wait_for_batches(c);
    if (complete)
      complete = !lb_conductor_look_round(c, lb_clock_ns());
    struct lb_release r = pass_gate(c, complete ? latest_deadline(c) : 0);
    end.ns = r.ns;
    end.stop = r.stop;
    if (!complete || r.stop == LB_STOP_FAILED)
      break;
    book_step(c, r.ns);
    c->step++;
    end.steps++;
  }
  return end;
}
