/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/tail.h"

#include <sched.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "world/gate_rule.h"
#include "world/world_impl.h"

enum { SLEEPS = 64, SLEEP_NS = 300000 };

/* Collective over comm.  Do its ranks leave a core free, of those that they may
 * run on together?  No, where that is not known (more cores than a cpu_set_t
 * has). */
static bool has_room(const struct lb_world *w, MPI_Comm comm)
{
  cpu_set_t set;
  MPI_Request r;
  int ranks;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  lb_mpi_check(w,
               MPI_Iallreduce(MPI_IN_PLACE, &set, (int)sizeof set, MPI_BYTE,
                              MPI_BOR, comm, &r),
               "MPI_Iallreduce");
  lb_mpi_await(w, &r, "MPI_Iallreduce");
  MPI_Comm_size(comm, &ranks);
  return ranks < CPU_COUNT(&set);
}

static uint64_t measure(void)
{
  uint64_t over[SLEEPS];
  _Atomic uint32_t word = 0;
  for (int i = 0; i < SLEEPS; i++) {
    uint64_t due = lb_clock_ns() + SLEEP_NS;
    lb_futex_wait(&word, 0, due, LB_FUTEX_PROCESS);
    uint64_t now = lb_clock_ns();
    over[i] = now > due ? now - due : 0;
  }
  return lb_gate_tail_ns(over, SLEEPS);
}

uint64_t lb_tail_calibrate(const struct lb_world *w)
{
  uint64_t tail = 0;
  MPI_Request r;
  /* Nodes in namespaces of one kernel share its cores; and cores that other
   * nodes leave free are of no use to one that is bound to its own. */
  bool room = has_room(w, w->mpi->kernel);
  room = has_room(w, w->mpi->node) && room;
  if (room && w->node_rank == 0)
    tail = measure();
  lb_mpi_check(w, MPI_Ibcast(&tail, 1, MPI_UINT64_T, 0, w->mpi->node, &r),
               "MPI_Ibcast");
  lb_mpi_await(w, &r, "MPI_Ibcast");
  return tail;
}
