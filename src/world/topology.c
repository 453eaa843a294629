/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which ranks share memory (node), and which share a kernel and a memory limit
 * (host).  For tests, LB_TEST_RANKS_PER_NODE=N takes a machine apart into nodes
 * of N ranks, and LB_TEST_NO_SHARED=1 behaves as if memory could not be
 * shared. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/hash.h"
#include "world/host_key.h"
#include "world/world_impl.h"

static int test_ranks_per_node(void)
{
  const char *text = getenv("LB_TEST_RANKS_PER_NODE");
  long n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 && n < INT_MAX ? (int)n : 0;
}

/* Collective over *node, which is replaced by its part. */
static void split_node(const struct lb_world *w, MPI_Comm *node, int ranks)
{
  MPI_Comm part;
  int rank;
  MPI_Comm_rank(*node, &rank);
  lb_mpi_check(w, MPI_Comm_split(*node, rank / ranks, w->rank, &part),
               "MPI_Comm_split");
  MPI_Comm_free(node);
  *node = part;
}

void lb_topology_number(struct lb_world *w)
{
  struct lb_world_mpi *m = w->mpi;
  int of[2] = {0, 0};
  MPI_Request r;
  MPI_Comm_rank(m->node, &w->node_rank);
  MPI_Comm_size(m->node, &w->node_ranks);
  lb_mpi_check(w,
               MPI_Comm_split(m->job, w->node_rank == 0 ? 0 : MPI_UNDEFINED,
                              w->rank, &m->leaders),
               "MPI_Comm_split");
  if (m->leaders != MPI_COMM_NULL) {
    MPI_Comm_rank(m->leaders, &of[0]);
    MPI_Comm_size(m->leaders, &of[1]);
  }
  lb_mpi_check(w, MPI_Ibcast(of, 2, MPI_INT, 0, m->node, &r), "MPI_Ibcast");
  lb_mpi_await(w, &r, "MPI_Ibcast");
  w->node = of[0];
  w->n_nodes = of[1];
}

static void name_node(struct lb_world *w, bool in_parts)
{
  char host[200] = "?";
  gethostname(host, sizeof host - 1);
  if (in_parts)
    snprintf(w->node_name, sizeof w->node_name, "%s.part%d", host, w->node);
  else
    snprintf(w->node_name, sizeof w->node_name, "%s", host);
}

int lb_topology_nodes(struct lb_world *w, struct lb_err *err)
{
  struct lb_world_mpi *m = w->mpi;
  int parts = test_ranks_per_node();
  lb_mpi_check(w,
               MPI_Comm_split_type(m->job, MPI_COMM_TYPE_SHARED, w->rank,
                                   MPI_INFO_NULL, &m->node),
               "MPI_Comm_split_type");
  w->shared = lb_shared_works(w, m->node);
  if (!w->shared)
    parts = 1;
  if (parts)
    split_node(w, &m->node, parts);
  lb_topology_number(w);
  name_node(w, test_ranks_per_node() > 0 && w->shared);
  return lb_err_agree(w, err, NULL);
}

/* The colour of a split is an int: two halves of a hash, so that among any
 * number of kernels no two are taken for one. */
void lb_topology_kernels(const struct lb_world *w)
{
  char key[LB_HOST_KEY_LEN] = "";
  lb_host_key(key);
  uint64_t hash = lb_hash(LB_HASH_START, key, strcspn(key, "/"));
  MPI_Comm half;
  lb_mpi_check(
      w, MPI_Comm_split(w->mpi->job, (int)(hash & INT_MAX), w->rank, &half),
      "MPI_Comm_split");
  lb_mpi_check(w,
               MPI_Comm_split(half, (int)(hash >> 32 & INT_MAX), w->rank,
                              &w->mpi->kernel),
               "MPI_Comm_split");
  MPI_Comm_free(&half);
}

int lb_topology_hosts(struct lb_world *w, struct lb_err *err)
{
  char key[LB_HOST_KEY_LEN];
  char(*keys)[LB_HOST_KEY_LEN] = NULL;
  uint64_t *sizes = NULL;
  struct lb_host_seat *seats = NULL, own;
  void *all = NULL;
  memset(key, 0, sizeof key);
  lb_host_key(key);
  lb_world_gather(w, key, sizeof key, &all, &sizes, err);
  free(sizes);
  keys = (char(*)[LB_HOST_KEY_LEN])all;
  if (w->rank == 0 && keys) {
    seats = malloc(sizeof *seats * (size_t)w->n_ranks);
    if (!seats)
      lb_err_sys(err, LB_FAILED, ENOMEM, "hosts of %d ranks", w->n_ranks);
    else
      w->n_hosts = lb_host_number(keys, w->n_ranks, seats);
  }
  free(all);
  if (!lb_err_agree(w, err, NULL)) {
    enum { N = sizeof own / sizeof own.host }; /* nothing but ints */
    MPI_Request r;
    lb_mpi_check(
        w,
        MPI_Iscatter(seats, N, MPI_INT, &own, N, MPI_INT, 0, w->mpi->job, &r),
        "MPI_Iscatter");
    lb_mpi_await(w, &r, "MPI_Iscatter");
    w->host = own.host;
    w->host_rank = own.rank;
    w->host_ranks = own.ranks;
    w->host_first = own.rank == 0;
    lb_world_bcast(w, &w->n_hosts, sizeof w->n_hosts);
  }
  free(seats);
  return -err->code;
}
