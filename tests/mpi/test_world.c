/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks, nodes and what is collective, on any number of ranks. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clocks.h"
#include "mpitap.h"

static void test_topology(const struct lb_world *w, int size)
{
  uint64_t node_ranks = (uint64_t)w->node_rank == 0;
  const char *parts = getenv("LB_TEST_RANKS_PER_NODE");
  int per = parts ? (int)strtol(parts, NULL, 10) : size;
  if (getenv("LB_TEST_NO_SHARED"))
    per = 1;
  all_ok(w->n_ranks == size, "%d ranks", size);
  all_ok(w->n_nodes == (size + per - 1) / per, "%d nodes", w->n_nodes);
  all_ok(w->node == w->rank / per && w->node_rank == w->rank % per,
         "each rank has its place on its node");
  lb_world_sum_u64(w, &node_ranks, 1);
  all_ok((int)node_ranks == w->n_nodes, "each node has one first rank");
  all_ok(w->n_hosts == 1 && w->host == 0 && w->host_first == (w->rank == 0),
         "one machine is one host, whatever the nodes");
  all_ok(w->host_rank == w->rank && w->host_ranks == size,
         "with all ranks in their order");
  all_ok(w->shared == !getenv("LB_TEST_NO_SHARED"), "shared memory");
  all_ok(w->node_name[0] != '\0', "the node has a name");
  all_ok(strpbrk(lb_world_mpi_version(), "\n\t") == NULL &&
             lb_world_mpi_version()[0],
         "the MPI has a version in one line");
}

static void test_accelerators(struct lb_world *w)
{
  struct lb_err err = LB_ERR_INIT;
  all_ok(w->accelerators == w->n_ranks && w->k == 1 && w->first == w->rank,
         "one accelerator per rank without a choice");
  int rc = lb_world_accelerators(w, 3 * (int64_t)w->n_ranks, &err);
  all_ok(!rc && w->k == 3 && w->first == 3 * w->rank &&
             w->node_accelerators == 3 * w->node_ranks,
         "three accelerators per rank");
  struct lb_err wrong = LB_ERR_INIT;
  rc = w->n_ranks > 1 ? lb_world_accelerators(w, w->n_ranks + 1, &wrong)
                      : lb_world_accelerators(w, -1, &wrong);
  all_ok(rc == -LB_USAGE, "no multiple of the ranks: refused");
}

static void test_reductions(const struct lb_world *w)
{
  int n = w->n_ranks;
  double r = w->rank, v[2] = {r, 2 * r};
  lb_world_sum(w, v, 2);
  all_ok(v[0] == n * (n - 1) / 2.0 && v[1] == n * (n - 1.0), "sums");
  double lo = r + 1, hi = -r;
  lb_world_min(w, &lo, 1);
  lb_world_max(w, &hi, 1);
  all_ok(lo == 1 && hi == 0, "minimum and maximum");
  /* On both sides of 2^63. */
  uint64_t big = w->rank ? (uint64_t)w->rank : UINT64_MAX, small = big, sum = 1;
  lb_world_max_u64(w, &big, 1);
  lb_world_min_u64(w, &small, 1);
  lb_world_sum_u64(w, &sum, 1);
  all_ok(big == UINT64_MAX && small == (n > 1 ? 1 : UINT64_MAX) &&
             sum == (uint64_t)n,
         "64-bit integers stay exact");
}

static void test_text(const struct lb_world *w)
{
  struct lb_err err = LB_ERR_INIT;
  char *text = NULL;
  size_t n = 0;
  if (w->rank == 0) {
    text = strdup("reader:\n  batch_size: 4\n");
    n = strlen(text);
  }
  int rc = lb_world_bcast_text(w, &text, &n, &err);
  all_ok(!rc && n == 24 && !strcmp(text, "reader:\n  batch_size: 4\n"),
         "a text of rank 0 reaches all");
  free(text);
  text = NULL;
  n = 0;
  if (w->rank == 0)
    lb_err_set(&err, LB_USAGE, "x.yaml: cannot be read");
  rc = lb_world_bcast_text(w, &text, &n, &err);
  all_ok(rc == -LB_USAGE && !text && !strcmp(err.msg, "x.yaml: cannot be read"),
         "a text that rank 0 does not have is everybody's error");
}

/* Rank r has r bytes of value r. */
static bool gathered_well(const struct lb_world *w, const char *all,
                          const uint64_t *sizes)
{
  size_t at = 0;
  for (int r = 0; r < w->n_ranks; r++) {
    if (sizes[r] != (size_t)r)
      return false;
    for (int i = 0; i < r; i++)
      if (all[at++] != (char)r)
        return false;
  }
  return true;
}

static void test_gather(const struct lb_world *w)
{
  struct lb_err err = LB_ERR_INIT;
  char bytes[256];
  void *all;
  uint64_t *sizes;
  memset(bytes, w->rank, sizeof bytes);
  int rc = lb_world_gather(w, bytes, (size_t)w->rank, &all, &sizes, &err);
  all_ok(!rc && (w->rank == 0 ? gathered_well(w, all, sizes) : !all && !sizes),
         "bytes of every rank, in rank order, some of them none");
  free(all);
  free(sizes);
}

struct taken {
  int next, fail_at;
};

static int take(void *arg, int rank, const void *bytes, size_t n,
                struct lb_err *err)
{
  struct taken *t = arg;
  const char *p = bytes;
  if (rank != t->next++ || n != 100000 + (size_t)rank || p[n - 1] != rank)
    return lb_err_set(err, LB_FAILED, "wrong bytes of rank %d", rank);
  if (rank == t->fail_at)
    return lb_err_set(err, LB_FAILED, "no room");
  return 0;
}

static void test_collect(const struct lb_world *w)
{
  size_t n = 100000 + (size_t)w->rank;
  struct taken t = {.fail_at = -1};
  struct lb_err err = LB_ERR_INIT;
  char *bytes = malloc(n);
  memset(bytes, w->rank, n);
  int rc = lb_world_collect(w, bytes, n, take, &t, &err);
  all_ok(!rc && (w->rank || t.next == w->n_ranks), "one rank after another");
  t = (struct taken){.fail_at = 0};
  rc = lb_world_collect(w, bytes, n, take, &t, &err);
  all_ok(rc == -LB_FAILED && !strcmp(err.msg, "no room"),
         "a failure while collecting is everybody's");
  free(bytes);
}

static void test_agree(const struct lb_world *w)
{
  int others = -1;
  struct lb_err err = LB_ERR_INIT;
  all_ok(!lb_err_agree(w, &err, &others) && others == 0, "nobody failed");
  for (int r = 0; r < w->n_ranks; r++) {
    struct lb_err e = LB_ERR_INIT;
    char want[64];
    snprintf(want, sizeof want, "disk of rank %d: Input/output error (errno 5)",
             r);
    if (w->rank == r)
      lb_err_sys(&e, LB_FAILED, 5, "disk of rank %d", r);
    int rc = lb_err_agree(w, &e, &others);
    all_ok(rc == -LB_FAILED && others == 0 && e.rank == r && e.sys == 5 &&
               !strcmp(e.msg, want),
           "rank %d failed: all know", r);
  }
  struct lb_err e = LB_ERR_INIT;
  if (w->rank >= w->n_ranks / 2)
    lb_err_set(&e, w->rank % 2 ? LB_USAGE : LB_FAILED, "rank %d", w->rank);
  int first = w->n_ranks / 2;
  int rc = lb_err_agree(w, &e, &others);
  all_ok(rc == -(first % 2 ? LB_USAGE : LB_FAILED) && e.rank == first &&
             others == w->n_ranks - first - 1,
         "several failed: the lowest rank's error, and how many more");
}

static void test_shared(const struct lb_world *w)
{
  struct lb_err err = LB_ERR_INIT;
  void *memory, *other;
  int rc =
      lb_world_shared(w, sizeof(int) * (size_t)w->node_ranks, &memory, &err);
  rc |= lb_world_shared(w, 1, &other, &err);
  int *v = memory;
  bool zero = true, there = true;
  for (int i = 0; i < w->node_ranks; i++)
    zero = zero && v[i] == 0;
  all_ok(!rc && zero && (size_t)memory % 64 == 0, "shared memory is zeroed");
  v[w->node_rank] = w->rank + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  int first = w->rank - w->node_rank;
  for (int i = 0; i < w->node_ranks; i++)
    there = there && v[i] == first + i + 1;
  all_ok(there, "and seen by all ranks of the node, and no other");
}

/* All "nodes" of a test have the clocks of one machine. */
static void test_clocks(const struct lb_world *w)
{
  struct lb_clocks c;
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_clocks_begin(&c, w, &err);
  lb_clocks_end(&c, w);
  all_ok(!rc && c.n == (w->n_nodes > 1 ? w->n_nodes : 0),
         "clocks of several nodes");
  all_ok((c.node != NULL) == (w->rank == 0 && c.n), "are known to rank 0");
  bool same = true, named = true;
  for (int i = 0; c.node && i < c.n; i++) {
    const struct lb_clock_offset *o = &c.node[i].begin, *end = &c.node[i].end;
    same = same && fabs(o->offset_s) <= o->uncertainty_s + 1e-6 &&
           fabs(o->monotonic_s) <= o->uncertainty_s + 1e-6 &&
           fabs(end->offset_s) <= end->uncertainty_s + 1e-6;
    named = named && c.node[i].name[0];
  }
  all_ok(same, "and show the same time");
  all_ok(named, "each with a name");
  lb_clocks_free(&c);
}

int main(int argc, char **argv)
{
  struct lb_world w;
  begin_world(&w, &argc, &argv);
  int size, rank = w.rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_topology(&w, size);
  test_accelerators(&w);
  test_reductions(&w);
  test_text(&w);
  test_gather(&w);
  test_collect(&w);
  test_agree(&w);
  test_shared(&w);
  test_clocks(&w);
  lb_world_barrier(&w);
  lb_world_fini(&w);
  return all_done(rank);
}
