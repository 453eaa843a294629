/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the ranks of a job may run, and what is wrong with that. */
#ifndef LOADBANK_PLACEMENT_H
#define LOADBANK_PLACEMENT_H

#include <sched.h>
#include <stddef.h>

#include "loadbank/cpus.h"
#include "loadbank/err.h"
#include "loadbank/world.h"

/* What one rank says of itself. */
struct lb_place {
  int host;
  int threads; /* that it has while it trains, readers included */
  cpu_set_t cpus;
  char name[64]; /* of its node */
};

/* Ranks of a host that may run on the same processors. */
struct lb_binding {
  cpu_set_t cpus;
  int first_rank, ranks;
  int threads; /* of the rank that has most */
};

struct lb_host_place {
  char name[64];
  struct lb_cpu_map map;
  cpu_set_t cpus; /* of all its ranks together */
  int ranks, threads;
  size_t n_bindings;
  struct lb_binding *binding; /* in order of first_rank */
};

struct lb_placement {
  size_t n_hosts;
  struct lb_host_place *host; /* in order of hosts */
};

/* Collective.  On rank 0 all hosts, elsewhere none. */
int lb_placement_new(struct lb_placement *p, const struct lb_world *w,
                     int threads, struct lb_err *err);
void lb_placement_free(struct lb_placement *p);

/* Pure: the bindings of n ranks into p, whose hosts have their maps. */
int lb_placement_sort(struct lb_placement *p, const struct lb_place *all,
                      int n_ranks, struct lb_err *err);

/* Pure.  Calls `each' with every warning: ranks that crowd on few processors, a
 * rank that is bound to less than its share. */
void lb_placement_warnings(const struct lb_placement *p,
                           void (*each)(void *arg, const char *text),
                           void *arg);
/* Pure: the host on which most threads share a processor; NULL when nowhere
 * more than one does. */
const struct lb_host_place *lb_placement_crowded(const struct lb_placement *p);

#endif
