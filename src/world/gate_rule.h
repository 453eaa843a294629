/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gate's decisions as pure functions: when a release is due, how nodes come
 * to one answer, how long to sleep between two looks. */
#ifndef LB_WORLD_GATE_RULE_H
#define LB_WORLD_GATE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/gate.h"

/* When to release, all ranks having posted at full_ns at the latest.  A failed
 * job does not wait for its deadlines. */
uint64_t lb_gate_due(uint64_t deadline_ns, uint64_t full_ns, enum lb_stop stop);

/* Is that too long to wait for, now that a signal stops the job? */
bool lb_gate_cuts(uint64_t deadline_ns, uint64_t now_ns, enum lb_stop stop);

/* What a node says in a round of the nodes. */
struct lb_vote {
  bool ready; /* all its ranks are at the gate, and the release is due */
  enum lb_stop stop;
  int reason; /* number of a node that has the reason; INT_MAX: it has none */
  /* How long it waited for the others at the gate before.  The result is that
   * of the node that came last: what meeting itself took. */
  uint64_t waited_ns;
  bool cut; /* it was no whole step */
  int laps; /* the least of any rank */
};

/* A vote as integers of which the minimum over all nodes is the result. */
enum { LB_VOTE_INTS = 6 };
void lb_vote_encode(const struct lb_vote *v, int out[LB_VOTE_INTS]);
struct lb_vote lb_vote_decode(const int in[LB_VOTE_INTS]);

/* How long to sleep before the next look at a round that has been open for so
 * long.  A node that is ready wants to know soon (0.2 % of the time waited);
 * one that is not only helps the others on. */
uint64_t lb_gate_nap_ns(bool ready, uint64_t open_ns);

/* The spin tail for n measured oversleeps (sorted in place): what nearly all of
 * them stay below. */
uint64_t lb_gate_tail_ns(uint64_t *oversleep_ns, int n);

#endif
