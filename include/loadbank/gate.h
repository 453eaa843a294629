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
#include "loadbank/stall.h"
#include "loadbank/world.h"

enum lb_stop {
  LB_STOP_NONE,
  LB_STOP_SIGNAL, /* SIGTERM, SIGINT: stop at the next gate, results stand */
  LB_STOP_FAILED, /* somebody failed */
};

/* A signal lets a step end that takes no longer than this from now on; a longer
 * one is cut and does not count. */
#define LB_GATE_PATIENCE_NS (10 * (uint64_t)1000000000)

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
/* The same, saying which accelerator that is, and when this rank's other ones
 * are done (0: there are none). */
void lb_gate_post_last(struct lb_gate *g, int accelerator, uint64_t deadline_ns,
                       uint64_t others_ns);
/* This rank has given its step up, so it is none on any. */
void lb_gate_post_cut(struct lb_gate *g);

struct lb_release {
  uint64_t ns;          /* stamp of the release, this node's clock */
  uint64_t deadline_ns; /* latest deadline of this node */
  uint64_t late_ns;     /* how much after that the client let it go; what was
                         * lost while waiting for other nodes is not counted */
  int last;             /* this node's accelerator with that deadline, or -1 */
  uint64_t alone_ns;    /* for so long the node waited for that one only */
  uint64_t held_ns;     /* a rank of the node was held up by so much (the most
                         * of any), lb_gate_held_up ... */
  enum lb_stall stall;  /* ... and why */
  enum lb_stop stop;    /* the same on every rank of the job ... */
  bool cut;             /* ... as this: what ran was no whole step ... */
  int laps;             /* ... and this: the least that a rank had done */
};
/* Sleeps until released or until_ns.  true: released, out filled.  false:
 * until_ns has come (post stands; call again). */
bool lb_gate_wait(struct lb_gate *g, uint64_t until_ns, struct lb_release *out);

/* Of what goes on beside the steps, this rank has now done so many laps (0 at
 * first, never fewer): said with its posts from now on.  Thus all ranks know at
 * the same gate that all have done the n-th. */
void lb_gate_laps(struct lb_gate *g, int done);

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

/* This rank went on so much later than it should have.  From LB_STALL_NS on
 * finds out why and says so at its next gate; less costs nothing. */
void lb_gate_held_up(struct lb_gate *g, uint64_t held_ns);
/* What was noted so and not yet said: where no gate follows.  Takes it. */
enum lb_stall lb_gate_take_stall(struct lb_gate *g, uint64_t *held_ns);

/* Post with deadline 0 and wait: a sleeping barrier that carries the stop
 * flag. */
struct lb_release lb_gate_meet(struct lb_gate *g);

/* ---- evidence, for the metrics ---- */
struct lb_gate_cost {
  uint64_t gates;   /* this rank passed */
  uint64_t kept;    /* of these, how many it kept the time of */
  uint64_t late_ns; /* over those: sum of (when the timekeeper acted - when the
                     * release was due: the latest deadline, or the last post
                     * if that came later): the error of its sleep */
  uint64_t others_ns; /* over those: from then to the release: waiting for the
                       * other nodes */
  uint64_t skew_ns;   /* the least others_ns of any node, sum over steps: what
                       * meeting of nodes takes; first rank of a node, 0 of
                       * one node */
  uint64_t spin_ns;   /* spent in the calibrated tail */
  uint64_t tail_ns;   /* the calibrated tail in use; 0: none */
  bool shared;        /* false: no shared window, a fall-back is in use */
};
struct lb_gate_cost lb_gate_cost(const struct lb_gate *g);

#endif
