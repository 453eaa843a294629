/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trap of the wrong launcher: N processes, each of which is a world of its
 * own, because the launcher belongs to another MPI. */
#ifndef LB_WORLD_SINGLETON_H
#define LB_WORLD_SINGLETON_H

#include <stdbool.h>

#include "loadbank/err.h"

/* Looks up a variable of the environment; NULL: not set. */
typedef const char *lb_lookup(void *arg, const char *name);

/* Pure but for `lookup`.  The world has one rank: does the environment say that
 * this process is one of several?  LB_USAGE with a hint that names the
 * variable; `mpi` is the library this program was built with.  *rank: which of
 * them, as far as the environment says. */
int lb_singleton_check(lb_lookup *lookup, void *arg, const char *mpi, int *rank,
                       struct lb_err *err);

/* Pure but for `lookup`.  Which process this is and how many the launcher has
 * started, where it says both; 0 of 1 otherwise.  true: one has, be it only
 * one. */
bool lb_singleton_launched(lb_lookup *lookup, void *arg, int *rank, int *size);

#endif
