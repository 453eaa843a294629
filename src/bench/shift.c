/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checkpoint.recovery_rank_shift: after a failure other machines read a
 * checkpoint than wrote it.  Each rank's accelerators read what those of the
 * rank with the same place on the next node have written. */
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

/* Ranks of that node. */
static int ranks_of(const struct place *p, int n, int node)
{
  int count = 0;
  for (int r = 0; r < n; r++)
    count += p[r].node == node;
  return count;
}

/* The first accelerator of the rank that stands there. */
static int first_of(const struct place *p, int n, int node, int node_rank)
{
  for (int r = 0; r < n; r++)
    if (p[r].node == node && p[r].node_rank == node_rank)
      return p[r].first;
  return 0;
}

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
  int rc = places(b, &p, err);
  if (rc || !p)
    return rc;
  int node = (w->node + 1) % w->n_nodes;
  int there = ranks_of(p, w->n_ranks, node);
  /* A node without ranks there is none. */
  int first = first_of(p, w->n_ranks, node, there ? w->node_rank % there : 0);
  for (int a = 0; a < w->k; a++)
    b->saver->reads_as[a] = first + a;
  free(p);
  return 0;
}
