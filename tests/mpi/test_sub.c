/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of the ranks as a world of its own, on any number of ranks. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/gate.h"
#include "mpitap.h"

#define MS UINT64_C(1000000)

static int ranks_per_node(const struct lb_world *w)
{
  const char *parts = getenv("LB_TEST_RANKS_PER_NODE");
  return getenv("LB_TEST_NO_SHARED") ? 1
         : parts                     ? (int)strtol(parts, NULL, 10)
                                     : w->n_ranks;
}

/* Whether the rank is among the first n, the first of every node first. */
static bool expected_in(const struct lb_world *w, int rank, int n)
{
  int per = ranks_per_node(w), before = 0;
  for (int r = 0; r < w->n_ranks; r++)
    before += r % per < rank % per || (r % per == rank % per && r < rank);
  return before < n;
}

static void test_place(const struct lb_world *w, const struct lb_world *part,
                       int n)
{
  int rank = 0, nodes = 0, on_node = 0, first = w->rank - w->node_rank;
  bool in = expected_in(w, w->rank, n);
  for (int r = 0; r < w->n_ranks; r++) {
    bool r_in = expected_in(w, r, n);
    rank += r_in && r < w->rank;
    nodes += r_in && r % ranks_per_node(w) == 0;
    on_node += r_in && r >= first && r < first + w->node_ranks;
  }
  all_ok(part->n_ranks == (in ? n : 0), "%d ranks, those that should", n);
  all_ok(!in || (part->rank == rank && part->node == w->node &&
                 part->node_rank == w->node_rank),
         "%d ranks: they keep their order", n);
  all_ok(!in || (part->n_nodes == nodes && part->node_ranks == on_node),
         "%d ranks: spread over the nodes", n);
  all_ok(!in || (part->n_hosts == 1 && part->host_rank == rank &&
                 part->host_ranks == n && part->host_first == (rank == 0)),
         "%d ranks: of one host", n);
  all_ok(!in || !strcmp(part->node_name, w->node_name),
         "%d ranks: on nodes of the same names", n);
}

/* What a world does, among themselves only. */
static void test_use(struct lb_world *part, int n)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_gate *g = NULL;
  void *memory = NULL;
  uint64_t sum = 1, turn = 0;
  bool in = part->n_ranks > 0, good = true;
  if (in) {
    good = !lb_world_accelerators(part, 3 * (int64_t)n, &err) &&
           part->first == 3 * part->rank && part->accelerators == 3 * n;
    lb_world_sum_u64(part, &sum, 1);
    good = good && sum == (uint64_t)n;
    good = good && !lb_world_shared(part, 64, &memory, &err);
    for (int i = 0; good && i < 64; i++)
      good = ((char *)memory)[i] == 0;
    good = good && !lb_gate_new(&g, part, 60000 * MS, &err);
    for (int i = 0; good && i < 3; i++)
      turn += lb_gate_meet(g).stop == LB_STOP_NONE;
    good = good && turn == 3;
    if (memory)
      memset(memory, 1, 64); /* the next one is zeroed all the same */
    lb_gate_free(g);
  }
  all_ok(good, "%d ranks: accelerators, sums, memory and a gate", n);
}

/* Accelerators that are no multiple of the ranks. */
static void test_spread(struct lb_world *part, int n)
{
  struct lb_err err = LB_ERR_INIT, few = LB_ERR_INIT;
  bool in = part->n_ranks > 0, good = true;
  for (int all = n; in && all < 3 * n; all++) {
    good = good && !lb_world_spread(part, all, &err);
    uint64_t sum = (uint64_t)part->k, first = (uint64_t)part->first;
    uint64_t on_nodes =
        part->node_rank == 0 ? (uint64_t)part->node_accelerators : 0;
    uint64_t most = sum, least = sum;
    lb_world_sum_u64(part, &on_nodes, 1);
    lb_world_max_u64(part, &most, 1);
    lb_world_min_u64(part, &least, 1);
    lb_world_max_u64(part, &first, 1);
    lb_world_sum_u64(part, &sum, 1);
    good = good && sum == (uint64_t)all && on_nodes == sum &&
           most - least == (all % n > 0) && least == (uint64_t)(all / n) &&
           first == sum - least && (part->rank || part->first == 0);
  }
  good = good && (!in || lb_world_spread(part, n - 1, &few) == -LB_USAGE);
  all_ok(good, "%d ranks: any number of accelerators", n);
}

static void test_refused(const struct lb_world *w)
{
  struct lb_world part;
  struct lb_err none = LB_ERR_INIT, many = LB_ERR_INIT;
  int rc = lb_world_sub(w, 0, &part, &none);
  all_ok(rc == -LB_USAGE && part.n_ranks == 0, "no rank: refused");
  rc = lb_world_sub(w, w->n_ranks + 1, &part, &many);
  all_ok(rc == -LB_USAGE && strstr(many.msg, "outside 1.."),
         "more than there are: refused");
}

/* The others sleep; and a limit ends with the part that it was for. */
static void test_sleep(const struct lb_world *w)
{
  enum { LIMIT_MS = 400, PART_MS = 300 };
  struct lb_world part;
  struct lb_err err = LB_ERR_INIT;
  if (lb_world_sub(w, 1, &part, &err))
    return;
  uint64_t cpu = lb_clock_thread_cpu_ns();
  if (part.n_ranks) {
    lb_world_deadline(&part, LIMIT_MS / 1e3, 1, NULL);
    lb_clock_sleep_until(lb_clock_ns() + PART_MS * MS);
  }
  bool in = part.n_ranks > 0;
  lb_world_sub_fini(w, &part);
  cpu = lb_clock_thread_cpu_ns() - cpu;
  lb_clock_sleep_until(lb_clock_ns() + LIMIT_MS * MS);
  all_ok(true, "its limit goes with it");
  if (!in)
    printf("# rank %d: %.3f ms of CPU time in %d ms\n", w->rank,
           (double)cpu / 1e6, PART_MS);
  all_ok(in || cpu < PART_MS * MS / 20, "the others use no CPU time");
}

int main(int argc, char **argv)
{
  struct lb_world w;
  struct lb_err err = LB_ERR_INIT;
  begin_world(&w, &argc, &argv);
  int rank = w.rank;
  for (int n = w.n_ranks; n >= 1; n--) {
    struct lb_world part;
    int rc = lb_world_sub(&w, n, &part, &err);
    all_ok(!rc, "%d of %d ranks", n, w.n_ranks);
    test_place(&w, &part, n);
    test_use(&part, n);
    test_spread(&part, n);
    lb_world_sub_fini(&w, &part);
    all_ok(part.n_ranks == 0, "%d ranks: over", n);
  }
  test_refused(&w);
  test_sleep(&w);
  lb_world_fini(&w);
  return all_done(rank);
}
