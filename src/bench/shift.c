/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checkpoint.recovery_rank_shift: after a failure other machines read a
 * checkpoint than wrote it.  Each rank's accelerators read what those of a rank
 * of another node have written: of that in the same place on the next node,
 * where nodes have as many ranks. */
#include "lb-config.h"

#include <stdlib.h>

#include "checkpoint_impl.h"
#include "loadbank/log.h"

struct place {
  int32_t node, node_rank, first;
};

/* The place of every rank, malloc'ed, on every rank. */
static int places(struct lb_bench *b, struct place **out, struct lb_err *err)
{
  const struct lb_world *w = b->world;
  struct place mine = {w->node, w->node_rank, w->first};
  void *all;
  uint64_t *sizes;
  char *text = NULL;
  size_t len = (size_t)w->n_ranks * sizeof mine;
  if (lb_world_gather(w, &mine, sizeof mine, &all, &sizes, err))
    return -err->code;
  if (w->rank == 0) {
    text = all;
    free(sizes);
  }
  int rc = lb_world_bcast_text(w, &text, &len, err);
  *out = (struct place *)(void *)text;
  return rc;
}

static int by_place(const void *a, const void *b)
{
  const struct place *x = a, *y = b;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return (x->node_rank > y->node_rank) - (x->node_rank < y->node_rank);
}

/* Ranks of the largest node; they stand in order. */
static int most_of(const struct place *p, int n)
{
  int most = 0;
  for (int i = 0, from = 0; i < n; i++) {
    from = p[i].node == p[from].node ? from : i;
    most = i + 1 - from > most ? i + 1 - from : most;
  }
  return most;
}

/* Ranks whose files stay on their node: none, unless one node has more than
 * half of all. */
static int staying(const struct place *p, int n, int shift)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    count += p[i].node == p[(i + shift) % n].node;
  return count;
}

/* Nodes of any sizes: ranks stand in a ring, node by node, and each reads what
 * the one wrote that is as many places on as the largest node has ranks.  So
 * every file is read once. */
int lb_bench_shift(struct lb_bench *b, struct lb_err *err)
{
  const struct lb_world *w = b->world;
  struct place *p = NULL;
  if (!b->w->checkpoint.recovery_rank_shift || b->plan.checkpoints.reads <= 0)
    return 0;
  if (w->n_nodes == 1) {
    if (w->rank == 0)
      lb_warn("checkpoint.recovery_rank_shift: there is only one node; each "
              "accelerator reads its own files");
    return 0;
  }
  int rc = places(b, &p, err), n = w->n_ranks;
  if (rc || !p)
    return rc;
  qsort(p, (size_t)n, sizeof *p, by_place);
  int shift = most_of(p, n), own = staying(p, n, shift);
  if (own && w->rank == 0)
    lb_warn("checkpoint.recovery_rank_shift: a node has %d of %d ranks; %d of "
            "them read%s what their own node wrote",
            shift, n, own, own == 1 ? "s" : "");
  for (int i = 0; i < n; i++)
    for (int a = 0; p[i].first == w->first && a < w->k; a++)
      b->saver->reads_as[a] = p[(i + shift) % n].first + a;
  free(p);
  return 0;
}
