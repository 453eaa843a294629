/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets between the clocks of the nodes.  Node 0 asks each other node in turn
 * for the time, some times; of the answers the one with the shortest round trip
 * says most: the clock was read somewhere within it. */
#include "lb-config.h"

#include "loadbank/clocks.h"

#include <errno.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "world/clock_rule.h"
#include "world/world_impl.h"

enum { PINGS = 16, TAG_PING = 11, TAG_TIME = 12 };
enum { NAME_LEN = sizeof((struct lb_node_clock *)0)->name };

static void send(const struct lb_world *w, void *v, int n, int node, int tag)
{
  MPI_Request r;
  lb_mpi_check(w, MPI_Isend(v, n, MPI_UINT64_T, node, tag, w->mpi->leaders, &r),
               "MPI_Isend");
  lb_mpi_await(w, &r, "MPI_Isend");
}

static void receive(const struct lb_world *w, void *v, int n, int node, int tag)
{
  MPI_Request r;
  lb_mpi_check(w, MPI_Irecv(v, n, MPI_UINT64_T, node, tag, w->mpi->leaders, &r),
               "MPI_Irecv");
  lb_mpi_await(w, &r, "MPI_Irecv");
}

static void answer(const struct lb_world *w)
{
  for (int i = 0; i < PINGS; i++) {
    uint64_t number, now[2];
    receive(w, &number, 1, 0, TAG_PING);
    now[0] = lb_clock_utc_ns();
    now[1] = lb_clock_ns();
    send(w, now, 2, 0, TAG_TIME);
  }
}

static struct lb_clock_offset ask(const struct lb_world *w, int node)
{
  struct lb_ping ping[PINGS];
  for (uint64_t i = 0; i < PINGS; i++) {
    struct lb_ping *p = &ping[i];
    uint64_t now[2];
    p->utc_ns = lb_clock_utc_ns();
    p->sent_ns = lb_clock_ns();
    send(w, &i, 1, node, TAG_PING);
    receive(w, now, 2, node, TAG_TIME);
    p->back_ns = lb_clock_ns();
    p->there_utc_ns = now[0];
    p->there_ns = now[1];
  }
  return lb_clock_offset(ping, PINGS);
}

/* A node after the other: two at once would lengthen each other's way. */
static void measure(struct lb_clocks *c, const struct lb_world *w, bool end)
{
  if (w->node == 0 && w->node_rank == 0) {
    for (int i = 1; i < c->n; i++) {
      struct lb_clock_offset o = ask(w, i);
      *(end ? &c->node[i].end : &c->node[i].begin) = o;
    }
  } else if (w->node_rank == 0) {
    answer(w);
  }
  lb_world_barrier(w);
}

static void gather_names(struct lb_clocks *c, const struct lb_world *w)
{
  MPI_Request r;
  if (w->node_rank != 0)
    return;
  /* Nobody but rank 0 looks at what it gets. */
  MPI_Datatype name, spaced = MPI_CHAR;
  MPI_Type_contiguous(NAME_LEN, MPI_CHAR, &name);
  MPI_Type_create_resized(name, 0, (MPI_Aint)sizeof *c->node, &spaced);
  MPI_Type_commit(&spaced);
  lb_mpi_check(w,
               MPI_Igather(w->node_name, NAME_LEN, MPI_CHAR, c->node, 1, spaced,
                           0, w->mpi->leaders, &r),
               "MPI_Igather");
  lb_mpi_await(w, &r, "MPI_Igather");
  MPI_Type_free(&spaced);
  MPI_Type_free(&name);
}

int lb_clocks_begin(struct lb_clocks *c, const struct lb_world *w,
                    struct lb_err *err)
{
  *c = (struct lb_clocks){.n = 0};
  if (w->n_nodes == 1)
    return 0;
  if (w->rank == 0) {
    size_t n = (size_t)w->n_nodes;
    c->node = (struct lb_node_clock *)calloc(n, sizeof *c->node);
    if (!c->node)
      lb_err_sys(err, LB_FAILED, ENOMEM, "clocks of %zu nodes", n);
  }
  if (lb_err_agree(w, err, NULL))
    return -err->code;
  c->n = w->n_nodes;
  gather_names(c, w);
  measure(c, w, false);
  return 0;
}

void lb_clocks_end(struct lb_clocks *c, const struct lb_world *w)
{
  if (c->n)
    measure(c, w, true);
}

void lb_clocks_free(struct lb_clocks *c)
{
  free(c->node);
  *c = (struct lb_clocks){.n = 0};
}
