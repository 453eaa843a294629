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

static void number_nodes(struct lb_world *w)
{
  struct lb_world_mpi *m = w->mpi;
  int of[2] = {0, 0};
  MPI_Request r;
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
  MPI_Comm_rank(m->node, &w->node_rank);
  MPI_Comm_size(m->node, &w->node_ranks);
  number_nodes(w);
  name_node(w, test_ranks_per_node() > 0 && w->shared);
  return lb_err_agree(w, err, NULL);
}

/* Collective.  The colour of a split is an int: two halves of a hash, so that
 * among any number of kernels no two are taken for one. */
static void join_kernel(const struct lb_world *w,
                        const char key[LB_HOST_KEY_LEN])
{
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
  int *host_first = NULL;
  void *all = NULL;
  memset(key, 0, sizeof key);
  lb_host_key(key);
  join_kernel(w, key);
  lb_world_gather(w, key, sizeof key, &all, &sizes, err);
  free(sizes);
  keys = (char(*)[LB_HOST_KEY_LEN])all;
  if (w->rank == 0 && keys) {
    size_t n = (size_t)w->n_ranks;
    host_first = (int *)malloc(sizeof *host_first * 2 * n);
    if (!host_first)
      lb_err_sys(err, LB_FAILED, ENOMEM, "hosts of %zu ranks", n);
    else
      w->n_hosts = lb_host_number(keys, w->n_ranks, host_first, host_first + n);
  }
  free(all);
  if (!lb_err_agree(w, err, NULL)) {
    int own[2] = {w->rank, 0};
    MPI_Request r[2];
    for (int i = 0; i < 2; i++) {
      const int *of = host_first ? host_first + (size_t)i * w->n_ranks : NULL;
      lb_mpi_check(w,
                   MPI_Iscatter(of, 1, MPI_INT, &own[i], 1, MPI_INT, 0,
                                w->mpi->job, &r[i]),
                   "MPI_Iscatter");
      lb_mpi_await(w, &r[i], "MPI_Iscatter");
    }
    w->host = own[0];
    w->host_first = own[1] == w->rank;
    lb_world_bcast(w, &w->n_hosts, sizeof w->n_hosts);
  }
  free(host_first);
  return -err->code;
}
