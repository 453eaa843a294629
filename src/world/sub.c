/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some of a world's ranks as a world of their own, while the others sleep.
 * What takes MPI long is kept: communicators, and memory that pieces are cut
 * from. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "loadbank/units.h"
#include "world/world_impl.h"

/* Enough for gates and clocks; names of a dataset's files may take more. */
enum { ARENA_BYTES = 1 << 20 };

/* Collective.  How many ranks of w come before this one, when the first rank of
 * each node comes first, then the second of each ... */
static int turn_of(const struct lb_world *w, struct lb_err *err)
{
  uint64_t turn = 0;
  uint64_t *ranks = (uint64_t *)calloc((size_t)w->n_nodes, sizeof *ranks);
  if (!ranks)
    lb_err_sys(err, LB_FAILED, ENOMEM, "sizes of %d nodes", w->n_nodes);
  if (!lb_err_agree(w, err, NULL) && ranks) {
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

static MPI_Comm split(const struct lb_world *w, MPI_Comm of, bool is_in)
{
  MPI_Comm out;
  lb_mpi_check(w, MPI_Comm_split(of, is_in ? 0 : MPI_UNDEFINED, w->rank, &out),
               "MPI_Comm_split");
  return out;
}

/* Collective over the ranks of the part, whose communicators are there. */
static int fill(const struct lb_world *w, struct lb_world *part,
                struct lb_err *err)
{
  MPI_Comm_rank(part->mpi->job, &part->rank);
  MPI_Comm_size(part->mpi->job, &part->n_ranks);
  lb_topology_number(part);
  /* The same on all nodes, so that a piece fits on all or none. */
  size_t room = ARENA_BYTES + sizeof(struct lb_roll_entry) * (size_t)w->n_ranks;
  if (!lb_topology_hosts(part, err) && !lb_shared_arena_new(part, room, err) &&
      !lb_roll_open(part, &part->mpi->roll, err))
    part->mpi->arena.kept = part->mpi->arena.used;
  return -err->code;
}

/* Collective. */
static int make_part(const struct lb_world *w, struct lb_world_part *p,
                     struct lb_err *err)
{
  bool is_in = turn_of(w, err) < p->ranks;
  if (lb_err_is_set(err))
    return -err->code;
  struct lb_world_mpi *m = lb_world_mpi_new(w);
  m->parent = w;
  m->job = split(w, w->mpi->job, is_in);
  m->node = split(w, w->mpi->node, is_in);
  m->kernel = split(w, w->mpi->kernel, is_in);
  if (is_in) {
    p->world = *w;
    p->world.mpi = m;
    fill(w, &p->world, err);
  } else {
    free(m);
  }
  if (lb_err_agree(w, err, NULL) && is_in)
    lb_world_close(&p->world);
  return -err->code;
}

/* Collective.  Of so many ranks, made when there is none yet. */
static struct lb_world_part *part_of(const struct lb_world *w, int ranks,
                                     struct lb_err *err)
{
  struct lb_world_part *p = w->mpi->parts;
  while (p && p->ranks != ranks)
    p = p->next;
  if (p)
    return p;
  p = (struct lb_world_part *)calloc(1, sizeof *p);
  if (!p)
    lb_err_sys(err, LB_FAILED, ENOMEM, "a world of %d ranks", ranks);
  if (lb_err_agree(w, err, NULL) || !p) {
    free(p);
    return NULL;
  }
  p->ranks = ranks;
  if (make_part(w, p, err)) {
    free(p);
    return NULL;
  }
  p->next = w->mpi->parts;
  w->mpi->parts = p;
  return p;
}

int lb_world_sub(const struct lb_world *w, int ranks, struct lb_world *sub,
                 struct lb_err *err)
{
  *sub = (struct lb_world){.n_ranks = 0};
  if (ranks < 1 || ranks > w->n_ranks)
    return lb_err_set(err, LB_USAGE,
                      "%d rank%s: outside 1..%d, as many as there are", ranks,
                      lb_plural(ranks), w->n_ranks);
  struct lb_world_part *p = part_of(w, ranks, err);
  if (!p)
    return -err->code;
  *sub = p->world;
  return sub->n_ranks ? lb_world_accelerators(sub, 0, err) : 0;
}

void lb_world_sub_fini(const struct lb_world *w, struct lb_world *sub)
{
  MPI_Request r;
  if (sub->n_ranks) {
    struct lb_world_mpi *m = sub->mpi;
    lb_world_barrier(sub); /* nobody uses its memory, or is late */
    lb_deadline_stop(m->deadline);
    m->deadline = NULL;
    alarm(0); /* should its limit have become one */
    lb_shared_free_pieces(sub);
  }
  lb_mpi_check(w, MPI_Ibarrier(w->mpi->job, &r), "MPI_Ibarrier");
  if (sub->n_ranks)
    lb_mpi_await(w, &r, "MPI_Ibarrier");
  else
    lb_mpi_await_idly(w, &r, "MPI_Ibarrier");
  *sub = (struct lb_world){.n_ranks = 0};
}

void lb_world_close_parts(const struct lb_world *w)
{
  struct lb_world_part *p = w->mpi->parts;
  while (p) {
    struct lb_world_part *next = p->next;
    if (p->world.n_ranks)
      lb_world_close(&p->world);
    free(p);
    p = next;
  }
  w->mpi->parts = NULL;
}
