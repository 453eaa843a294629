/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAP of a parallel test: a check holds when it holds on every rank; rank 0
 * prints it.  Reduces with MPI directly, not with what is under test. */
#ifndef MPITAP_H
#define MPITAP_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/world.h"
#include "tap.h"

/* A world that cannot be had ends the test. */
static inline void begin_world(struct lb_world *w, int *argc, char ***argv)
{
  struct lb_err err = LB_ERR_INIT;
  if (lb_world_init(w, argc, argv, &err)) {
    printf("Bail out! %s\n", err.msg);
    exit(99);
  }
}

/* Collective. */
static inline bool __attribute__((format(printf, 2, 3)))
all_ok(bool mine, const char *fmt, ...)
{
  char text[256];
  int rank, own = mine, all;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (!mine)
    fprintf(stderr, "# rank %d: not ok: %s\n", rank, text);
  if (rank == 0)
    ok(all, "%s", text);
  return all;
}

/* Rank 0's verdict; after MPI's end. */
static inline int all_done(int rank)
{
  return rank == 0 ? done() : 0;
}

#endif
