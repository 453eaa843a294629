/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/tail.h"

#include <sched.h>

#include "loadbank/clock.h"
#include "world/futex.h"
#include "world/gate_rule.h"
#include "world/world_impl.h"

enum { SLEEPS = 64, SLEEP_NS = 300000 };

/* Collective.  Cores that the ranks of this node may run on, together; 0:
 * unknown (more of them than a cpu_set_t has). */
static int cores_of_node(const struct lb_world *w)
{
  cpu_set_t set;
  MPI_Request r;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  lb_mpi_check(w,
               MPI_Iallreduce(MPI_IN_PLACE, &set, (int)sizeof set, MPI_BYTE,
                              MPI_BOR, w->mpi->node, &r),
               "MPI_Iallreduce");
  lb_mpi_await(w, &r, "MPI_Iallreduce");
  return CPU_COUNT(&set);
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
  if (w->mpi->machine_ranks < cores_of_node(w) && w->node_rank == 0)
    tail = measure();
  lb_mpi_check(w, MPI_Ibcast(&tail, 1, MPI_UINT64_T, 0, w->mpi->node, &r),
               "MPI_Ibcast");
  lb_mpi_await(w, &r, "MPI_Ibcast");
  return tail;
}
