/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerator utilisation of training in windows of equal numbers of steps,
 * from gate to gate: what a mean needs to have an interval.  Pure.  A rank's
 * own; the computes of all ranks together make the utilisation (lb_windows_au).
 */
#ifndef LOADBANK_WINDOWS_H
#define LOADBANK_WINDOWS_H

#include <stdint.h>

enum { LB_WINDOWS = 8 };

struct lb_windows {
  int64_t skip;  /* steps before the first window, >= 1: the user's */
  int64_t steps; /* of a window, >= 1: the user's */
  int64_t seen;  /* steps so far */
  uint64_t begin_ns;
  /* Of each window: compute of this rank's accelerators, its length, and by how
   * much the client ended its steps late. */
  uint64_t compute_ns[LB_WINDOWS], ns[LB_WINDOWS], late_ns[LB_WINDOWS];
};

/* How many are complete. */
int lb_windows_done(const struct lb_windows *w);
/* A step of this rank has ended at a gate: what its accelerators computed in it
 * together, by how much the gate was late, and its stamp.  Steps behind the
 * last window are let go. */
void lb_windows_step(struct lb_windows *w, uint64_t compute_ns,
                     uint64_t late_ns, uint64_t gate_ns);
/* %, of so many accelerators that computed compute_ns together in ns; at most
 * 100; 0 when it took no time. */
double lb_windows_au(double compute_ns, double ns, int accelerators);

#endif
