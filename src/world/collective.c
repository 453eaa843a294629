/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collective operations that sleep while they wait: MPI's blocking calls spin,
 * which starves the other ranks where cores are fewer than ranks. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "world/world_impl.h"

enum { TAG_GO = 1, TAG_BYTES };
/* MPI counts are ints. */
#define PIECE_BYTES ((size_t)1 << 30)

void lb_mpi_check(const struct lb_world *w, int rc, const char *call)
{
  if (rc == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n;
  MPI_Error_string(rc, text, &n);
  struct lb_err err = LB_ERR_INIT;
  lb_err_set(&err, LB_FAILED, "%s: %.800s", call, text);
  lb_world_abort(w, &err);
}

/* most: the longest nap, ns. */
static void await(const struct lb_world *w, MPI_Request *request,
                  const char *call, uint64_t most)
{
  const uint64_t least = 2000; /* ns */
  uint64_t begin = lb_clock_ns(), watched = begin, now = begin;
  int done = 0;
  for (;;) {
    lb_mpi_check(w, MPI_Test(request, &done, MPI_STATUS_IGNORE), call);
    if (done)
      return;
    uint64_t nap = (now - begin) / 8;
    lb_clock_sleep_until(now + (nap < least ? least : nap > most ? most : nap));
    now = lb_clock_ns();
    if (now - watched >= LB_NS_PER_S) {
      lb_world_watch(w);
      watched = now;
    }
  }
}

void lb_mpi_await(const struct lb_world *w, MPI_Request *request,
                  const char *call)
{
  await(w, request, call, 5000000);
}

void lb_mpi_await_idly(const struct lb_world *w, MPI_Request *request,
                       const char *call)
{
  await(w, request, call, 50000000);
}

void lb_mpi_barrier(const struct lb_world *w, MPI_Comm comm)
{
  MPI_Request r;
  lb_mpi_check(w, MPI_Ibarrier(comm, &r), "MPI_Ibarrier");
  lb_mpi_await(w, &r, "MPI_Ibarrier");
}

void lb_world_barrier(const struct lb_world *w)
{
  lb_roll_progress(w);
  lb_mpi_barrier(w, w->mpi->job);
  lb_roll_progress(w);
}

void lb_world_bcast(const struct lb_world *w, void *bytes, size_t n)
{
  char *p = (char *)bytes;
  lb_roll_progress(w);
  while (n > 0) {
    size_t piece = n < PIECE_BYTES ? n : PIECE_BYTES;
    MPI_Request r;
    lb_mpi_check(w, MPI_Ibcast(p, (int)piece, MPI_BYTE, 0, w->mpi->job, &r),
                 "MPI_Ibcast");
    lb_mpi_await(w, &r, "MPI_Ibcast");
    p += piece;
    n -= piece;
  }
  lb_roll_progress(w);
}

int lb_world_bcast_text(const struct lb_world *w, char **text, size_t *n,
                        struct lb_err *err)
{
  uint64_t size = w->rank == 0 ? *n : 0;
  char *copy = NULL; /* on the ranks that receive */
  lb_world_bcast(w, &size, sizeof size);
  if (w->rank != 0) {
    copy = (char *)malloc(size + 1);
    if (!copy)
      lb_err_sys(err, LB_FAILED, ENOMEM, "text of %zu bytes", (size_t)size);
  }
  if (lb_err_agree(w, err, NULL)) {
    free(copy);
    return -err->code;
  }
  lb_world_bcast(w, copy ? copy : *text, size);
  if (copy) {
    copy[size] = '\0';
    *text = copy;
    *n = size;
  }
  return 0;
}

static void reduce(const struct lb_world *w, void *v, int n, MPI_Datatype type,
                   MPI_Op op)
{
  MPI_Request r;
  lb_roll_progress(w);
  lb_mpi_check(w, MPI_Iallreduce(MPI_IN_PLACE, v, n, type, op, w->mpi->job, &r),
               "MPI_Iallreduce");
  lb_mpi_await(w, &r, "MPI_Iallreduce");
  lb_roll_progress(w);
}

void lb_world_sum(const struct lb_world *w, double *v, int n)
{
  reduce(w, v, n, MPI_DOUBLE, MPI_SUM);
}

void lb_world_sum_u64(const struct lb_world *w, uint64_t *v, int n)
{
  reduce(w, v, n, MPI_UINT64_T, MPI_SUM);
}

void lb_world_max(const struct lb_world *w, double *v, int n)
{
  reduce(w, v, n, MPI_DOUBLE, MPI_MAX);
}

void lb_world_min(const struct lb_world *w, double *v, int n)
{
  reduce(w, v, n, MPI_DOUBLE, MPI_MIN);
}

/* MPICH 4.0.2 compares unsigned 64-bit integers as signed ones: map their order
 * to that of the signed ones. */
static void reduce_u64(const struct lb_world *w, uint64_t *v, int n, MPI_Op op)
{
  const uint64_t sign = UINT64_C(1) << 63;
  for (int i = 0; i < n; i++)
    v[i] ^= sign;
  reduce(w, v, n, MPI_INT64_T, op);
  for (int i = 0; i < n; i++)
    v[i] ^= sign;
}

void lb_world_max_u64(const struct lb_world *w, uint64_t *v, int n)
{
  reduce_u64(w, v, n, MPI_MAX);
}

void lb_world_min_u64(const struct lb_world *w, uint64_t *v, int n)
{
  reduce_u64(w, v, n, MPI_MIN);
}

static void send_bytes(const struct lb_world *w, const void *bytes, size_t n,
                       int to, int tag)
{
  const char *p = (const char *)bytes;
  do {
    size_t piece = n < PIECE_BYTES ? n : PIECE_BYTES;
    MPI_Request r;
    lb_mpi_check(w,
                 MPI_Isend(p, (int)piece, MPI_BYTE, to, tag, w->mpi->job, &r),
                 "MPI_Isend");
    lb_mpi_await(w, &r, "MPI_Isend");
    p += piece;
    n -= piece;
  } while (n > 0);
}

static void receive_bytes(const struct lb_world *w, void *bytes, size_t n,
                          int from, int tag)
{
  char *p = (char *)bytes;
  do {
    size_t piece = n < PIECE_BYTES ? n : PIECE_BYTES;
    MPI_Request r;
    lb_mpi_check(w,
                 MPI_Irecv(p, (int)piece, MPI_BYTE, from, tag, w->mpi->job, &r),
                 "MPI_Irecv");
    lb_mpi_await(w, &r, "MPI_Irecv");
    p += piece;
    n -= piece;
  } while (n > 0);
}

/* Collective.  The number of bytes of every rank, on rank 0. */
static void gather_sizes(const struct lb_world *w, size_t n, uint64_t *sizes)
{
  uint64_t mine = n;
  MPI_Request r;
  lb_mpi_check(w,
               MPI_Igather(&mine, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, 0,
                           w->mpi->job, &r),
               "MPI_Igather");
  lb_mpi_await(w, &r, "MPI_Igather");
}

/* Rank 0 asks for one rank's bytes when it has room for them, or says that it
 * will not. */
static void say_go(const struct lb_world *w, int to, bool go)
{
  send_bytes(w, &go, sizeof go, to, TAG_GO);
}

static void send_when_asked(const struct lb_world *w, const void *bytes,
                            size_t n)
{
  bool go;
  receive_bytes(w, &go, sizeof go, 0, TAG_GO);
  if (go)
    send_bytes(w, bytes, n, 0, TAG_BYTES);
}

/* Rank 0's part of lb_world_collect. */
static void collect_all(const struct lb_world *w, const void *own,
                        const uint64_t *sizes,
                        int (*take)(void *arg, int rank, const void *bytes,
                                    size_t n, struct lb_err *err),
                        void *arg, struct lb_err *err)
{
  void *buffer = NULL;
  uint64_t room = 0;
  for (int i = 1; i < w->n_ranks; i++)
    if (sizes[i] > room)
      room = sizes[i];
  buffer = malloc(room ? room : 1);
  if (!buffer)
    lb_err_sys(err, LB_FAILED, ENOMEM, "%zu bytes of a rank", (size_t)room);
  if (!lb_err_is_set(err))
    take(arg, 0, own, sizes[0], err);
  for (int i = 1; i < w->n_ranks; i++) {
    bool go = buffer && !lb_err_is_set(err);
    say_go(w, i, go);
    if (!go)
      continue;
    receive_bytes(w, buffer, sizes[i], i, TAG_BYTES);
    take(arg, i, buffer, sizes[i], err);
  }
  free(buffer);
}

int lb_world_collect(const struct lb_world *w, const void *bytes, size_t n,
                     int (*take)(void *arg, int rank, const void *bytes,
                                 size_t n, struct lb_err *err),
                     void *arg, struct lb_err *err)
{
  uint64_t *sizes = NULL; /* on rank 0 */
  if (w->rank == 0 &&
      !(sizes = (uint64_t *)calloc((size_t)w->n_ranks, sizeof *sizes)))
    lb_err_sys(err, LB_FAILED, ENOMEM, "%d sizes", w->n_ranks);
  if (!lb_err_agree(w, err, NULL)) {
    gather_sizes(w, n, sizes);
    if (sizes)
      collect_all(w, bytes, sizes, take, arg, err);
    else
      send_when_asked(w, bytes, n);
  }
  free(sizes);
  return lb_err_agree(w, err, NULL);
}

/* What rank 0 needs to gather bytes of all ranks: MPI wants ints. */
struct gathered {
  char *all;
  uint64_t *sizes;
  int *counts, *starts;
};

static int make_room(struct gathered *g, int n_ranks, struct lb_err *err)
{
  int64_t total = 0;
  g->counts = (int *)calloc((size_t)n_ranks, sizeof *g->counts);
  g->starts = (int *)calloc((size_t)n_ranks, sizeof *g->starts);
  for (int i = 0; g->counts && g->starts && i < n_ranks; i++) {
    if (g->sizes[i] > (uint64_t)(INT_MAX - total))
      return lb_err_set(err, LB_FAILED,
                        "the ranks' facts have more than %d bytes", INT_MAX);
    g->counts[i] = (int)g->sizes[i];
    g->starts[i] = (int)total;
    total += g->counts[i];
  }
  g->all = (char *)malloc((size_t)total + 1);
  if (!g->all || !g->counts || !g->starts)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "%lld bytes of all ranks",
                      (long long)total);
  return 0;
}

static void gather_bytes(const struct lb_world *w, const void *bytes, size_t n,
                         const struct gathered *g)
{
  MPI_Request r;
  lb_mpi_check(w,
               MPI_Igatherv(bytes, (int)n, MPI_BYTE, g->all, g->counts,
                            g->starts, MPI_BYTE, 0, w->mpi->job, &r),
               "MPI_Igatherv");
  lb_mpi_await(w, &r, "MPI_Igatherv");
}

int lb_world_gather(const struct lb_world *w, const void *bytes, size_t n,
                    void **all, uint64_t **sizes, struct lb_err *err)
{
  struct gathered g = {0};
  *all = NULL;
  *sizes = NULL;
  if (w->rank == 0 &&
      !(g.sizes = (uint64_t *)calloc((size_t)w->n_ranks, sizeof *g.sizes)))
    lb_err_sys(err, LB_FAILED, ENOMEM, "%d sizes", w->n_ranks);
  int rc = lb_err_agree(w, err, NULL);
  if (!rc) {
    gather_sizes(w, n, g.sizes);
    if (w->rank == 0)
      make_room(&g, w->n_ranks, err);
    rc = lb_err_agree(w, err, NULL);
  }
  if (!rc)
    gather_bytes(w, bytes, n, &g);
  if (!rc && w->rank == 0) {
    *all = g.all;
    *sizes = g.sizes;
  } else {
    free(g.all);
    free(g.sizes);
  }
  free(g.counts);
  free(g.starts);
  return rc;
}
