/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some of a world's ranks as a world of their own, while the others sleep. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "world/world_impl.h"

/* Collective.  How many ranks of w come before this one, when the first rank of
 * each node comes first, then the second of each ... */
static int turn_of(const struct lb_world *w, struct lb_err *err)
{
  uint64_t turn = 0;
  uint64_t *ranks = (uint64_t *)calloc((size_t)w->n_nodes, sizeof *ranks);
  if (!ranks)
    lb_err_sys(err, LB_FAILED, ENOMEM, "sizes of %d nodes", w->n_nodes);
  if (!lb_err_agree(w, err, NULL)) {
    if (w->node_rank == 0)
      ranks[w->node] = (uint64_t)w->node_ranks;
    lb_world_sum_u64(w, ranks, w->n_nodes);
    uint64_t own = (uint64_t)w->node_rank;
    for (int i = 0; i < w->n_nodes; i++)
      turn += ranks[i] <= own ? ranks[i] : own + (i < w->node);
  }
  free(ranks);
  return (int)turn;
}

static MPI_Comm part(const struct lb_world *w, MPI_Comm of, bool is_in)
{
  MPI_Comm out;
  lb_mpi_check(w, MPI_Comm_split(of, is_in ? 0 : MPI_UNDEFINED, w->rank, &out),
               "MPI_Comm_split");
  return out;
}

/* Collective over the ranks of sub, whose communicators are there. */
static int fill(struct lb_world *sub, struct lb_err *err)
{
  MPI_Comm_rank(sub->mpi->job, &sub->rank);
  MPI_Comm_size(sub->mpi->job, &sub->n_ranks);
  lb_topology_number(sub);
  if (!lb_topology_hosts(sub, err) && !lb_roll_open(sub, &sub->mpi->roll, err))
    lb_world_accelerators(sub, 0, err);
  return -err->code;
}

int lb_world_sub(const struct lb_world *w, int ranks, struct lb_world *sub,
                 struct lb_err *err)
{
  *sub = (struct lb_world){.n_ranks = 0};
  if (ranks < 1 || ranks > w->n_ranks)
    lb_err_set(err, LB_USAGE, "%d ranks: outside 1..%d, as many as there are",
               ranks, w->n_ranks);
  bool is_in = turn_of(w, err) < ranks;
  if (lb_err_is_set(err))
    return -err->code;
  struct lb_world_mpi *m = lb_world_mpi_new(w);
  m->parent = w;
  m->job = part(w, w->mpi->job, is_in);
  m->node = part(w, w->mpi->node, is_in);
  m->kernel = part(w, w->mpi->kernel, is_in);
  if (is_in) {
    *sub = *w;
    sub->mpi = m;
    fill(sub, err);
  } else {
    free(m);
  }
  if (lb_err_agree(w, err, NULL) && is_in) {
    lb_world_close(sub);
    *sub = (struct lb_world){.n_ranks = 0};
  }
  return -err->code;
}

void lb_world_sub_fini(const struct lb_world *w, struct lb_world *sub)
{
  MPI_Request r;
  if (sub->mpi) {
    lb_world_close(sub);
    alarm(0); /* should its limit have become one */
  }
  lb_mpi_check(w, MPI_Ibarrier(w->mpi->job, &r), "MPI_Ibarrier");
  if (sub->n_ranks)
    lb_mpi_await(w, &r, "MPI_Ibarrier");
  else
    lb_mpi_await_idly(w, &r, "MPI_Ibarrier");
  *sub = (struct lb_world){.n_ranks = 0};
}
