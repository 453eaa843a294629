/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/world share; nobody else includes it. */
#ifndef LB_WORLD_IMPL_H
#define LB_WORLD_IMPL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"
#include "loadbank/world.h"
#include "world/ending.h"
#include "world/roll.h"

struct lb_deadline;

/* One piece of lb_world_shared. */
struct lb_shared_piece {
  void *base; /* plain memory when win is MPI_WIN_NULL */
  MPI_Win win;
};

/* Memory shared by the node that pieces are cut from. */
struct lb_shared_arena {
  struct lb_shared_piece piece;
  char *memory; /* NULL: there is none */
  size_t used, room;
  size_t kept; /* of what is used: as long as the world */
};

/* A world made of some of the ranks, kept for the next time: its communicators
 * take milliseconds, and MPI spins for them. */
struct lb_world_part {
  int ranks;
  struct lb_world world; /* of 0 ranks: this one is not in it */
  struct lb_world_part *next;
};

struct lb_world_mpi {
  const struct lb_world *parent; /* NULL: not a part of another one */
  struct lb_world_part *parts;   /* the same ones on all ranks */
  MPI_Comm job, node;
  MPI_Comm leaders;     /* rank = number of the node; MPI_COMM_NULL but on the
                         * first rank of a node */
  MPI_Comm kernel;      /* ranks that share a kernel, and so its cores,
                         * whatever namespaces they are in */
  struct lb_roll *roll; /* NULL until it is there */
  struct lb_shared_piece *pieces;
  int n_pieces;
  struct lb_shared_arena arena;
  struct lb_inherited inherited;
  struct lb_deadline *deadline; /* NULL: none was set */
};

/* An MPI call failed: nothing collective can work any more. */
void lb_mpi_check(const struct lb_world *w, int rc, const char *call);

/* Sleeps until the request is complete, ever longer in proportion to the time
 * waited so far; looks once a second whether the node's ranks are alive. */
void lb_mpi_await(const struct lb_world *w, MPI_Request *request,
                  const char *call);

/* The same for a wait of any length, which nothing depends on the end of. */
void lb_mpi_await_idly(const struct lb_world *w, MPI_Request *request,
                       const char *call);

/* Sleeping barrier of some of the ranks. */
void lb_mpi_barrier(const struct lb_world *w, MPI_Comm comm);

/* The job that w is, or is a part of. */
const struct lb_world *lb_world_root(const struct lb_world *w);

/* Memory for the communicators, there are none yet. */
struct lb_world_mpi *lb_world_mpi_new(const struct lb_world *w);
/* Collective.  All of w but MPI itself. */
void lb_world_close(struct lb_world *w);
/* Collective.  Its parts. */
void lb_world_close_parts(const struct lb_world *w);

/* Collective.  Splits the job into nodes, kernels and hosts and fills w. */
int lb_topology_nodes(struct lb_world *w, struct lb_err *err);
void lb_topology_kernels(const struct lb_world *w);
int lb_topology_hosts(struct lb_world *w, struct lb_err *err);
/* Collective.  Of w->mpi->node: where w is, and the leaders. */
void lb_topology_number(struct lb_world *w);

/* Collective.  Frees all pieces, in the arena those that are not kept. */
void lb_shared_free_pieces(const struct lb_world *w);
/* Collective.  Pieces that fit are cut from memory that lasts. */
int lb_shared_arena_new(const struct lb_world *w, size_t bytes,
                        struct lb_err *err);
void lb_shared_arena_free(const struct lb_world *w);
/* Collective over comm: can memory be shared?  The same answer on all. */
bool lb_shared_works(const struct lb_world *w, MPI_Comm comm);

/* Lifts the limit and ends its thread. */
void lb_deadline_stop(struct lb_deadline *d);

/* The bare limit where there is no thread for it: SIGALRM ends the process
 * without a word. */
void lb_world_alarm(unsigned seconds);

/* A line on stderr, past the log: a thread may have died holding its lock.  */
void lb_world_cry(const struct lb_world *w, const char *text);

#endif
