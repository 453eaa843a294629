/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks, nodes, hosts and accelerators.  src/world is the only folder that
 * sees MPI; what others need of it is here.  MPI_THREAD_FUNNELED: only a
 * rank's main thread calls any of this. */
#ifndef LOADBANK_WORLD_H
#define LOADBANK_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

struct lb_world {
  int rank, n_ranks;
  int node, n_nodes;         /* ranks that share memory */
  int node_rank, node_ranks; /* within the node */
  int host, n_hosts;         /* one kernel and memory limit */
  bool host_first;           /* the lowest rank of its host */
  int host_rank, host_ranks; /* within the host */
  char node_name[256];
  bool shared; /* false: no shared memory, so each rank is a node of its own */
  /* Set by lb_world_accelerators or _spread: this rank hosts
   * [first, first + k). */
  int accelerators, k, first;
  int node_accelerators;    /* of all ranks of the node */
  struct lb_world_mpi *mpi; /* communicators; src/world only */
};

/* Collective.  MPI_Init_thread, topology, error handlers.  Detects the
 * launcher of another MPI vendor: a world of one rank although the environment
 * (PMI_SIZE, OMPI_COMM_WORLD_SIZE, SLURM_STEP_NUM_TASKS ...) says more is
 * LB_USAGE with a hint.  lb_world_fini is due even when this failed. */
int lb_world_init(struct lb_world *w, int *argc, char ***argv,
                  struct lb_err *err);
void lb_world_fini(struct lb_world *w); /* collective */

/* Collective over w.  `ranks' of its ranks become a world of their own, rank 0
 * of w its rank 0: with communicators, nodes, hosts and shared memory that go
 * with it.  They are spread over the nodes of w as evenly as these allow: first
 * the first rank of every node, then the second of every node ...; they keep
 * their order.  The others get a *sub of 0 ranks.  w stays where it is while
 * sub lives.  When it failed, on all ranks alike, there is no sub. */
int lb_world_sub(const struct lb_world *w, int ranks, struct lb_world *sub,
                 struct lb_err *err);
/* Collective over w: those that are not in sub call it at once, and sleep in it
 * until the others do.  Lifts the limit of sub's end, if it has one. */
void lb_world_sub_fini(const struct lb_world *w, struct lb_world *sub);

/* For what does not use MPI: rank and number of processes according to the
 * launcher's environment; 0 of 1 when there is none.  false: none that can be
 * told from a shell of the batch system has started this.  Any time. */
bool lb_world_launched(int *rank, int *size);

/* Pure but for w: n accelerators over the ranks; 0: one per rank; must be a
 * multiple of the ranks. */
int lb_world_accelerators(struct lb_world *w, int64_t n, struct lb_err *err);

/* Collective.  The same for any n that is not less than the ranks: the first
 * n % ranks of them host one more than the others. */
int lb_world_spread(struct lb_world *w, int64_t n, struct lb_err *err);
/* Pure.  The first of n accelerators that `rank' of so many hosts; of rank
 * `ranks': n. */
static inline int lb_first_accelerator(int n, int ranks, int rank)
{
  int more = n % ranks;
  return rank * (n / ranks) + (rank < more ? rank : more);
}

/* Collective.  Someone failed, so everyone fails: all ranks return the code of
 * the lowest failed rank and hold its err (rank filled); 0 when none.  *others
 * (may be NULL): how many more ranks failed. */
int lb_err_agree(const struct lb_world *w, struct lb_err *err, int *others);

/* All of the following are collective, sleep instead of spinning, and never
 * belong inside a timed interval.  Those that return int end in lb_err_agree:
 * the same result on all ranks, and an err that is already set when they are
 * called (a file rank 0 could not read) counts as a failure. */
void lb_world_bcast(const struct lb_world *w, void *bytes, size_t n);
/* Text of rank 0 to all; *text is malloc'ed on the others and ends in a zero
 * byte that *n does not count. */
int lb_world_bcast_text(const struct lb_world *w, char **text, size_t *n,
                        struct lb_err *err);
void lb_world_sum(const struct lb_world *w, double *v, int n);
void lb_world_sum_u64(const struct lb_world *w, uint64_t *v, int n);
void lb_world_max(const struct lb_world *w, double *v, int n);
void lb_world_min(const struct lb_world *w, double *v, int n);
void lb_world_max_u64(const struct lb_world *w, uint64_t *v, int n);
void lb_world_min_u64(const struct lb_world *w, uint64_t *v, int n);
/* Bytes of every rank to rank 0, in rank order, less than 2 GiB of all; *all is
 * malloc'ed on rank 0 with sizes[n_ranks] (malloc'ed too), NULL elsewhere. */
int lb_world_gather(const struct lb_world *w, const void *bytes, size_t n,
                    void **all, uint64_t **sizes, struct lb_err *err);
/* One after another: rank 0 calls take for each rank's bytes in rank order;
 * memory holds one rank's bytes at a time. */
int lb_world_collect(const struct lb_world *w, const void *bytes, size_t n,
                     int (*take)(void *arg, int rank, const void *bytes,
                                 size_t n, struct lb_err *err),
                     void *arg, struct lb_err *err);
/* Barrier that sleeps instead of spinning. */
void lb_world_barrier(const struct lb_world *w);

/* Memory shared by a node's ranks, zeroed, aligned to 64 bytes; collective.
 * Lives as long as the world. */
int lb_world_shared(const struct lb_world *w, size_t bytes, void **memory,
                    struct lb_err *err);

/* Looks whether the ranks of this node are alive; ends the job if one is not.
 * The collective functions and the gate do this once a second while they
 * wait. */
void lb_world_watch(const struct lb_world *w);

/* A limit in wall-clock time for an orderly end: if this process is still there
 * after so many seconds, it says which ranks of its node hold the end up, kills
 * them and leaves with this exit code.  A rank that is stopped or stuck in the
 * kernel thus cannot keep a job from ending.  A later call moves the limit;
 * lb_world_fini is covered and lifts it.  why: the failure that ends the job,
 * said first, should it not be said otherwise; or NULL. */
enum { LB_WORLD_DEADLINE_S = 10 };
void lb_world_deadline(const struct lb_world *w, double seconds, int exit_code,
                       const struct lb_err *why);

/* Ends the whole job now with this exit code; only for faults after which
 * nothing collective can work.  Prints err first, as this rank. */
_Noreturn void lb_world_abort(const struct lb_world *w,
                              const struct lb_err *err);

/* "MPICH 4.0.2": library version of the MPI in use, one line. */
const char *lb_world_mpi_version(void);

#endif
