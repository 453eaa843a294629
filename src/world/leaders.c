/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/leaders.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "world/world_impl.h"

enum { TAG_WAITING = 3, NAME_LEN = sizeof((struct lb_world *)0)->node_name };

#define BEAT_NS ((uint64_t)LB_NS_PER_S)
/* How much later than the first leader the others give up: it knows who is
 * missing, unless it is itself what is missing. */
#define GRACE_NS (5 * (uint64_t)LB_NS_PER_S)
#define LEAVE_NS (60 * (uint64_t)LB_NS_PER_S)

struct lb_leaders {
  const struct lb_world *w;
  MPI_Comm comm;
  char (*names)[NAME_LEN]; /* of all nodes */
  bool *waiting;           /* nodes that have said so; first leader only */

  uint64_t number; /* of the round; the same on all leaders */
  bool open;
  int own[LB_VOTE_INTS], all[LB_VOTE_INTS];
  MPI_Request round;
  uint64_t opened_ns, ended_ns;

  bool told;     /* this round the first leader that we wait */
  uint64_t tell; /* the number told, while the message is on its way */
  MPI_Request telling;
};

struct lb_leaders *lb_leaders_new(const struct lb_world *w)
{
  size_t n = (size_t)w->n_nodes;
  MPI_Request r;
  struct lb_leaders *l = (struct lb_leaders *)calloc(1, sizeof *l);
  if (l) {
    l->names = (char(*)[NAME_LEN])calloc(n, sizeof *l->names);
    l->waiting = (bool *)calloc(n, sizeof *l->waiting);
  }
  if (!l || !l->names || !l->waiting) {
    struct lb_err err = LB_ERR_INIT;
    lb_err_sys(&err, LB_FAILED, ENOMEM, "names of %zu nodes", n);
    lb_world_abort(w, &err); /* the other leaders are in the calls below */
  }
  l->w = w;
  l->round = l->telling = MPI_REQUEST_NULL;
  lb_mpi_check(w, MPI_Comm_dup(w->mpi->leaders, &l->comm), "MPI_Comm_dup");
  lb_mpi_check(w,
               MPI_Iallgather(w->node_name, NAME_LEN, MPI_CHAR, l->names,
                              NAME_LEN, MPI_CHAR, l->comm, &r),
               "MPI_Iallgather");
  lb_mpi_await(w, &r, "MPI_Iallgather");
  l->ended_ns = lb_clock_ns();
  return l;
}

static void open_round(struct lb_leaders *l, const struct lb_vote *own,
                       uint64_t now)
{
  lb_vote_encode(own, l->own);
  lb_mpi_check(l->w,
               MPI_Iallreduce(l->own, l->all, LB_VOTE_INTS, MPI_INT, MPI_MIN,
                              l->comm, &l->round),
               "MPI_Iallreduce");
  l->open = true;
  l->told = false;
  l->opened_ns = now;
  l->number++;
}

/* Half-way to the time-out: the first leader is told who waits, so that it can
 * name who does not. */
static void tell_first(struct lb_leaders *l)
{
  int sent = 0;
  l->told = true;
  lb_mpi_check(l->w, MPI_Test(&l->telling, &sent, MPI_STATUS_IGNORE),
               "MPI_Test");
  if (!sent)
    return; /* an earlier one has not even been taken */
  l->tell = l->number;
  lb_mpi_check(l->w,
               MPI_Isend(&l->tell, 1, MPI_UINT64_T, 0, TAG_WAITING, l->comm,
                         &l->telling),
               "MPI_Isend");
}

/* First leader.  Takes what the others have told; marks those that wait in
 * this round. */
static void hear_waiting(struct lb_leaders *l)
{
  int there = 1;
  while (there) {
    MPI_Status st;
    uint64_t number;
    lb_mpi_check(l->w,
                 MPI_Iprobe(MPI_ANY_SOURCE, TAG_WAITING, l->comm, &there, &st),
                 "MPI_Iprobe");
    if (!there)
      return;
    lb_mpi_check(l->w,
                 MPI_Recv(&number, 1, MPI_UINT64_T, st.MPI_SOURCE, TAG_WAITING,
                          l->comm, MPI_STATUS_IGNORE),
                 "MPI_Recv");
    l->waiting[st.MPI_SOURCE] = number == l->number;
  }
}

static _Noreturn void give_up(struct lb_leaders *l, uint64_t open_ns)
{
  struct lb_buf names;
  struct lb_err err = LB_ERR_INIT;
  lb_buf_init(&names, 500);
  if (l->w->node == 0) {
    hear_waiting(l);
    for (int i = 1; i < l->w->n_nodes; i++)
      if (!l->waiting[i])
        lb_buf_printf(&names, " %s", l->names[i]);
  } else {
    lb_buf_printf(&names, " %s", l->names[0]);
  }
  lb_err_set(&err, LB_FAILED, "no sign of life for %.0f s from node:%s",
             (double)open_ns / LB_NS_PER_S, names.data ? names.data : " ?");
  lb_world_abort(l->w, &err);
}

bool lb_leaders_round(struct lb_leaders *l, const struct lb_vote *own,
                      uint64_t timeout_ns, uint64_t now_ns, struct lb_vote *all)
{
  int done = 0;
  if (!l->open) {
    if (!own->ready && now_ns - l->ended_ns < BEAT_NS)
      return false;
    open_round(l, own, now_ns);
  }
  lb_mpi_check(l->w, MPI_Test(&l->round, &done, MPI_STATUS_IGNORE),
               "MPI_Iallreduce");
  if (done) {
    l->open = false;
    l->ended_ns = now_ns;
    *all = lb_vote_decode(l->all);
    return true;
  }
  uint64_t open_ns = now_ns - l->opened_ns;
  bool first = l->w->node == 0;
  if (open_ns > timeout_ns / 2 && !first && !l->told)
    tell_first(l);
  if (open_ns > timeout_ns && (first || open_ns - timeout_ns > GRACE_NS))
    give_up(l, open_ns);
  return false;
}

uint64_t lb_leaders_next_ns(const struct lb_leaders *l, bool ready,
                            uint64_t now_ns)
{
  if (l->open)
    return now_ns + lb_gate_nap_ns(ready, now_ns - l->opened_ns);
  return ready ? now_ns : l->ended_ns + BEAT_NS;
}

void lb_leaders_share(struct lb_leaders *l, int node, struct lb_err *reason)
{
  MPI_Request r;
  lb_mpi_check(
      l->w,
      MPI_Ibcast(reason, (int)sizeof *reason, MPI_BYTE, node, l->comm, &r),
      "MPI_Ibcast");
  lb_mpi_await(l->w, &r, "MPI_Ibcast");
}

/* Some may have a round open in which the others took no part: rounds go on
 * until all are ready to leave. */
static void finish_rounds(struct lb_leaders *l)
{
  const struct lb_vote leave = {.ready = true, .reason = INT_MAX};
  struct lb_vote all = {.ready = false};
  for (;;) {
    uint64_t now = lb_clock_ns();
    if (lb_leaders_round(l, &leave, LEAVE_NS, now, &all) && all.ready)
      return;
    lb_clock_sleep_until(lb_leaders_next_ns(l, true, now));
  }
}

void lb_leaders_free(struct lb_leaders *l)
{
  if (!l)
    return;
  finish_rounds(l);
  /* What was told, and then did not matter, must still be taken. */
  if (l->w->node != 0)
    lb_mpi_await(l->w, &l->telling, "MPI_Isend");
  lb_mpi_barrier(l->w, l->comm);
  if (l->w->node == 0)
    hear_waiting(l);
  MPI_Comm_free(&l->comm);
  free(l->names);
  free(l->waiting);
  free(l);
}
