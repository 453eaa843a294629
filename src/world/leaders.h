/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How nodes meet: the first rank of each takes part in rounds of a non-blocking
 * reduction.  A node whose ranks are not all at the gate takes part too, about
 * once a second, with a vote that says so: thus a node that waits for its
 * storage differs from one that is gone, and a stop is known everywhere within
 * about a second. */
#ifndef LB_WORLD_LEADERS_H
#define LB_WORLD_LEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/world.h"
#include "world/gate_rule.h"

struct lb_leaders;

/* Collective over the leaders, as _free and _share.  Without memory it ends the
 * job. */
struct lb_leaders *lb_leaders_new(const struct lb_world *w);
void lb_leaders_free(struct lb_leaders *l); /* finishes what is open */

/* Takes part in the current round, opening it when that is due; never blocks.
 * true: the round has ended, *all is the result (all->ready: every node is at
 * the gate).  A vote once given stands until its round ends.  Ends the job when
 * a node has been silent for timeout_ns. */
bool lb_leaders_round(struct lb_leaders *l, const struct lb_vote *own,
                      uint64_t timeout_ns, uint64_t now_ns,
                      struct lb_vote *all);

/* When to call lb_leaders_round next. */
uint64_t lb_leaders_next_ns(const struct lb_leaders *l, bool ready,
                            uint64_t now_ns);

/* The reason of that node to all. */
void lb_leaders_share(struct lb_leaders *l, int node, struct lb_err *reason);

#endif
