/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the clocks of the nodes are apart.  Durations never depend on it;
 * whoever lays the time stamps of two nodes side by side does. */
#ifndef LOADBANK_CLOCKS_H
#define LOADBANK_CLOCKS_H

#include "loadbank/err.h"
#include "loadbank/world.h"

/* A node's clock against that of node 0, seconds; positive: it is ahead. */
struct lb_clock_offset {
  double offset_s;      /* CLOCK_REALTIME */
  double monotonic_s;   /* CLOCK_MONOTONIC */
  double uncertainty_s; /* the truth lies within +- this of either */
};
struct lb_node_clock {
  char name[sizeof((struct lb_world *)0)->node_name];
  struct lb_clock_offset begin, end; /* of the run */
};

struct lb_clocks {
  struct lb_node_clock *node; /* [n], on rank 0; NULL elsewhere */
  int n;                      /* 0: there is one node only */
};

/* Collective, outside timed intervals; sleeps between its messages.  begin
 * fills c and end completes it; without a begin that succeeded end does
 * nothing.  A zeroed c may be freed. */
int lb_clocks_begin(struct lb_clocks *c, const struct lb_world *w,
                    struct lb_err *err);
void lb_clocks_end(struct lb_clocks *c, const struct lb_world *w);
void lb_clocks_free(struct lb_clocks *c);

/* The node whose wall clock is farthest from node 0's, if it is surely more
 * than limit_s away, at the begin or the end; NULL: none.  *offset_s: by how
 * much. */
const struct lb_node_clock *lb_clocks_worst(const struct lb_clocks *c,
                                            double limit_s, double *offset_s);

#endif
