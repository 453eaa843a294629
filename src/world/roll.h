/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roll of a node: one entry per rank in shared memory, from which the
 * others see whether it lives and how far it has come.
 *
 * A rank holds a robust mutex for as long as it lives; the kernel marks it when
 * the process ends in whatever way.  Unlike a pid this cannot be reused, sees
 * zombies as dead, and works across pid namespaces. */
#ifndef LB_WORLD_ROLL_H
#define LB_WORLD_ROLL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/world.h"
#include "world/proc.h"

enum lb_life {
  LB_LIFE_ALIVE,
  LB_LIFE_DIED,  /* and this process is the first to see it */
  LB_LIFE_KNOWN, /* dead, and another has seen it first */
};

struct lb_roll_entry {
  _Alignas(64) pthread_mutex_t alive;
  int rank;
  struct lb_proc proc;
  /* Gates and collective calls begun and ended: whoever has fewer is late. */
  _Atomic uint64_t progress;
};

struct lb_roll {
  _Atomic int reported; /* a deadline has passed, and the user knows */
  _Atomic int told;     /* somebody has named the cause of an abort */
  struct lb_roll_entry entries[];
};

/* Collective. */
int lb_roll_open(const struct lb_world *w, struct lb_roll **roll,
                 struct lb_err *err);
/* This rank is about to leave in an orderly way. */
void lb_roll_leave(struct lb_roll *roll, int node_rank);

/* Another rank's life; never one's own. */
enum lb_life lb_roll_life(struct lb_roll_entry *e);

/* Counts one step forward of this rank. */
void lb_roll_progress(const struct lb_world *w);

#endif
