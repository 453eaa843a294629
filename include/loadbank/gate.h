/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gate: where all accelerators meet after a step, in place of the
 * all-reduce.  By appointment (docs/architecture.md): a rank that has all its
 * batches of the step in hand posts its latest compute deadline and sleeps;
 * the last of a node to post keeps the time and releases at the latest
 * deadline of all.  One wake per rank and step; nobody spins but a timekeeper
 * in its calibrated tail.
 *
 * The gate carries the stop flag: the one place where "one failed, so all stop
 * at the same step" is decided. */
#ifndef LOADBANK_GATE_H
#define LOADBANK_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/world.h"

enum lb_stop {
  LB_STOP_NONE,
  LB_STOP_SIGNAL, /* SIGTERM, SIGINT: stop at the next gate, results stand */
  LB_STOP_FAILED, /* somebody failed */
};

struct lb_gate;

/* Collective.  timeout_ns: how long a node may be silent before the job ends
 * with its name (several nodes only; a node that waits for its storage is not
 * silent as long as its ranks call lb_gate_watch). */
int lb_gate_new(struct lb_gate **g, const struct lb_world *w,
                uint64_t timeout_ns, struct lb_err *err);
void lb_gate_free(struct lb_gate *g); /* collective; NULL is fine */
/* For instance 10 times the longest step seen. */
void lb_gate_set_timeout(struct lb_gate *g, uint64_t timeout_ns);

/* This rank's accelerators all compute; the latest is done at deadline_ns
 * (0: at once).  Does not block. */
void lb_gate_post(struct lb_gate *g, uint64_t deadline_ns);

struct lb_release {
  uint64_t ns;          /* stamp of the release, this node's clock */
  uint64_t deadline_ns; /* latest deadline of this node */
  enum lb_stop stop;    /* the same on every rank of the job */
};
/* Sleeps until released or until_ns.  true: released, out filled.  false:
 * until_ns has come (post stands; call again). */
bool lb_gate_wait(struct lb_gate *g, uint64_t until_ns, struct lb_release *out);

/* Asks that all stop at the next gate.  The first failure wins over a signal;
 * err (may be NULL for a signal) goes along to every rank of the job.  With
 * LB_STOP_FAILED the gate does not wait for the deadlines any more; who failed
 * must still post.  Main thread. */
void lb_gate_stop(struct lb_gate *g, enum lb_stop why,
                  const struct lb_err *err);
/* Is a stop asked for on this node?  Cheap; any thread. */
enum lb_stop lb_gate_stopping(const struct lb_gate *g);
/* After a release with LB_STOP_FAILED: whose failure it was; on every rank of
 * the job the same.  Empty before. */
void lb_gate_reason(const struct lb_gate *g, struct lb_err *err);

/* To be called at least once a second by a rank that waits for, or does,
 * something else (a batch, a checkpoint): looks whether the node's ranks are
 * alive, ends the job if not, and tells the other nodes that this one is.
 * Costs a clock read when called more often. */
void lb_gate_watch(struct lb_gate *g);

/* Post with deadline 0 and wait: a sleeping barrier that carries the stop
 * flag. */
struct lb_release lb_gate_meet(struct lb_gate *g);

/* ---- evidence, for the metrics ---- */
struct lb_gate_cost {
  uint64_t gates;   /* this rank passed */
  uint64_t kept;    /* of these, how many it kept the time of */
  uint64_t late_ns; /* over those: sum of (when the timekeeper acted - when the
                     * release was due: the latest deadline, or the last post
                     * if that came later) */
  uint64_t spin_ns; /* spent in the calibrated tail */
  uint64_t tail_ns; /* the calibrated tail in use; 0: none */
  bool shared;      /* false: no shared window, a fall-back is in use */
};
struct lb_gate_cost lb_gate_cost(const struct lb_gate *g);

#endif
