/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that the ranks of a node share, out of MPI's shared windows.  A rank
 * that is alone on its node gets plain memory. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "world/world_impl.h"

enum { ALIGNMENT = 64 };

static size_t round_up(size_t n)
{
  return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Collective over comm.  The memory is on the first rank's account. */
static int window_new(MPI_Comm comm, size_t bytes, bool first, MPI_Win *win,
                      void **memory)
{
  void *base = NULL;
  MPI_Aint size;
  int unit;
  int rc = MPI_Win_allocate_shared(first ? (MPI_Aint)(bytes + ALIGNMENT) : 0, 1,
                                   MPI_INFO_NULL, comm, &base, win);
  if (rc != MPI_SUCCESS)
    return rc;
  rc = MPI_Win_shared_query(*win, 0, &size, &unit, &base);
  *memory = (void *)round_up((uintptr_t)base);
  return rc;
}

bool lb_shared_works(const struct lb_world *w, MPI_Comm comm)
{
  int rank;
  MPI_Win win = MPI_WIN_NULL;
  void *memory;
  MPI_Comm_rank(comm, &rank);
  uint64_t works =
      !getenv("LB_TEST_NO_SHARED") &&
      window_new(comm, ALIGNMENT, rank == 0, &win, &memory) == MPI_SUCCESS;
  lb_world_min_u64(w, &works, 1);
  if (win != MPI_WIN_NULL)
    MPI_Win_free(&win);
  return works;
}

/* Collective.  So much memory, not zeroed. */
static int piece_open(const struct lb_world *w, size_t room,
                      struct lb_shared_piece *p, void **memory,
                      struct lb_err *err)
{
  if (w->node_ranks == 1) {
    *memory = p->base = aligned_alloc(ALIGNMENT, room);
    if (!p->base)
      lb_err_sys(err, LB_FAILED, ENOMEM, "%zu bytes of memory", room);
  } else if (window_new(w->mpi->node, room, w->node_rank == 0, &p->win,
                        memory) != MPI_SUCCESS) {
    lb_err_set(err, LB_FAILED, "%zu bytes of memory shared by the node's ranks",
               room);
  }
  return -err->code;
}

static void piece_close(struct lb_shared_piece *p)
{
  if (p->win != MPI_WIN_NULL)
    MPI_Win_free(&p->win);
  free(p->base);
}

static struct lb_shared_piece *piece_new(struct lb_world_mpi *m)
{
  size_t n = (size_t)m->n_pieces + 1;
  struct lb_shared_piece *p =
      (struct lb_shared_piece *)realloc(m->pieces, n * sizeof *p);
  if (!p)
    return NULL;
  m->pieces = p;
  p = &m->pieces[m->n_pieces++];
  *p = (struct lb_shared_piece){.win = MPI_WIN_NULL};
  return p;
}

/* Collective.  A piece of its own. */
static int separate(const struct lb_world *w, size_t room, void **memory,
                    struct lb_err *err)
{
  struct lb_shared_piece *p = piece_new(w->mpi);
  if (!p)
    lb_err_sys(err, LB_FAILED, ENOMEM, "shared memory");
  if (lb_err_agree(w, err, NULL))
    return -err->code;
  return piece_open(w, room, p, memory, err);
}

/* Collective.  NULL: it does not fit, on no rank; nodes may ask for different
 * sizes. */
static void *cut(const struct lb_world *w, size_t room)
{
  struct lb_shared_arena *a = &w->mpi->arena;
  uint64_t most = room;
  if (!a->memory)
    return NULL;
  lb_world_max_u64(w, &most, 1);
  if (most > a->room - a->used)
    return NULL;
  a->used += most;
  return a->memory + a->used - most;
}

int lb_world_shared(const struct lb_world *w, size_t bytes, void **memory,
                    struct lb_err *err)
{
  size_t room = round_up(bytes ? bytes : 1);
  *memory = cut(w, room);
  if (!*memory)
    separate(w, room, memory, err);
  if (w->node_rank == 0 && *memory && !lb_err_is_set(err))
    memset(*memory, 0, bytes);
  return lb_err_agree(w, err, NULL);
}

void lb_shared_free_pieces(const struct lb_world *w)
{
  struct lb_world_mpi *m = w->mpi;
  for (int i = m->n_pieces - 1; i >= 0; i--)
    piece_close(&m->pieces[i]);
  free(m->pieces);
  m->pieces = NULL;
  m->n_pieces = 0;
  m->arena.used = m->arena.kept;
}

int lb_shared_arena_new(const struct lb_world *w, size_t bytes,
                        struct lb_err *err)
{
  struct lb_shared_arena *a = &w->mpi->arena;
  void *memory = NULL;
  a->piece.win = MPI_WIN_NULL;
  a->room = round_up(bytes);
  piece_open(w, a->room, &a->piece, &memory, err);
  if (!lb_err_agree(w, err, NULL))
    a->memory = (char *)memory;
  return -err->code;
}

void lb_shared_arena_free(const struct lb_world *w)
{
  if (w->mpi->arena.room)
    piece_close(&w->mpi->arena.piece);
}
