/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start and end of MPI, and the division of accelerators. */
#include "lb-config.h"

#include "loadbank/world.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/log.h"
#include "loadbank/units.h"
#include "world/singleton.h"
#include "world/world_impl.h"

static const char *environment(void *arg, const char *name)
{
  (void)arg;
  return getenv(name);
}

/* Of N processes that are all caught in the trap the first one speaks; most
 * launchers end the others while these wait. */
static int check_singleton(struct lb_err *err)
{
  int rank = 0;
  int rc =
      lb_singleton_check(environment, NULL, lb_world_mpi_version(), &rank, err);
  if (rc && rank > 0)
    lb_clock_sleep_until(lb_clock_ns() + LB_NS_PER_S);
  return rc;
}

bool lb_world_launched(int *rank, int *size)
{
  return lb_singleton_launched(environment, NULL, rank, size);
}

static int start_mpi(int *argc, char ***argv, struct lb_err *err)
{
  int is_on, level;
  MPI_Initialized(&is_on);
  if (is_on)
    return lb_err_set(err, LB_FAILED, "MPI has already been initialised");
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return lb_err_set(err, LB_FAILED, "MPI_Init_thread failed");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (level < MPI_THREAD_FUNNELED)
    return lb_err_set(err, LB_FAILED,
                      "%s does not support threads (MPI_THREAD_FUNNELED)",
                      lb_world_mpi_version());
  return 0;
}

struct lb_world_mpi *lb_world_mpi_new(const struct lb_world *w)
{
  struct lb_world_mpi *m = (struct lb_world_mpi *)calloc(1, sizeof *m);
  if (!m) {
    struct lb_err err = LB_ERR_INIT;
    lb_err_set(&err, LB_FAILED, "out of memory");
    lb_world_abort(w, &err);
  }
  m->job = m->node = m->leaders = m->kernel = MPI_COMM_NULL;
  return m;
}

const struct lb_world *lb_world_root(const struct lb_world *w)
{
  while (w->mpi && w->mpi->parent)
    w = w->mpi->parent;
  return w;
}

int lb_world_init(struct lb_world *w, int *argc, char ***argv,
                  struct lb_err *err)
{
  *w = (struct lb_world){.n_ranks = 1, .n_nodes = 1, .node_ranks = 1};
  struct lb_inherited inherited;
  lb_ending_look(&inherited);
  if (start_mpi(argc, argv, err))
    return -err->code;
  MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w->n_ranks);
  if (w->n_ranks == 1 && check_singleton(err))
    return -err->code;
  w->mpi = lb_world_mpi_new(w);
  w->mpi->inherited = inherited;
  /* The error handler goes along to all communicators made of this one. */
  lb_mpi_check(w, MPI_Comm_dup(MPI_COMM_WORLD, &w->mpi->job), "MPI_Comm_dup");
  lb_topology_kernels(w);
  if (lb_topology_nodes(w, err) || lb_topology_hosts(w, err) ||
      lb_roll_open(w, &w->mpi->roll, err))
    return -err->code;
  return lb_world_accelerators(w, 0, err);
}

static void free_comm(MPI_Comm *comm)
{
  if (*comm != MPI_COMM_NULL)
    MPI_Comm_free(comm);
}

void lb_world_close(struct lb_world *w)
{
  struct lb_world_mpi *m = w->mpi;
  lb_world_close_parts(w);
  /* MPI's own end spins; nobody enters it before all have come. */
  lb_world_barrier(w);
  /* While the others still share memory with this rank, nobody has gone. */
  lb_mpi_barrier(w, m->node);
  struct lb_roll *roll = m->roll;
  if (roll)
    lb_roll_leave(roll, w->node_rank);
  if (m->deadline)
    lb_world_alarm(LB_WORLD_DEADLINE_S);
  lb_deadline_stop(m->deadline);
  m->roll = NULL;
  lb_shared_free_pieces(w);
  lb_shared_arena_free(w);
  free_comm(&m->kernel);
  free_comm(&m->leaders);
  free_comm(&m->node);
  free_comm(&m->job);
  free(m);
  w->mpi = NULL;
}

void lb_world_fini(struct lb_world *w)
{
  struct lb_inherited inherited = {.open = {0}};
  bool several_nodes = w->n_nodes > 1;
  int is_on;
  MPI_Initialized(&is_on);
  if (w->mpi) {
    inherited = w->mpi->inherited;
    lb_world_close(w);
  }
  if (is_on)
    lb_ending_finalize(&inherited, several_nodes);
  alarm(0);
}

int lb_world_accelerators(struct lb_world *w, int64_t n, struct lb_err *err)
{
  if (n == 0)
    n = w->n_ranks;
  if (n < 0 || n > INT_MAX || n % w->n_ranks)
    return lb_err_set(
        err, LB_USAGE,
        "--accelerators %lld: must be a multiple of the %d rank%s, "
        "up to %d",
        (long long)n, w->n_ranks, lb_plural(w->n_ranks),
        INT_MAX / w->n_ranks * w->n_ranks);
  w->accelerators = (int)n;
  w->k = (int)(n / w->n_ranks);
  w->first = w->rank * w->k;
  w->node_accelerators = w->node_ranks * w->k;
  return 0;
}

int lb_world_spread(struct lb_world *w, int64_t n, struct lb_err *err)
{
  MPI_Request r;
  if (n < w->n_ranks || n > INT_MAX)
    return lb_err_set(err, LB_USAGE,
                      "%lld accelerator%s: outside %d, as many as ranks, to %d",
                      (long long)n, lb_plural(n), w->n_ranks, INT_MAX);
  w->accelerators = (int)n;
  w->first = lb_first_accelerator(w->accelerators, w->n_ranks, w->rank);
  w->k =
      lb_first_accelerator(w->accelerators, w->n_ranks, w->rank + 1) - w->first;
  w->node_accelerators = w->k;
  lb_mpi_check(w,
               MPI_Iallreduce(MPI_IN_PLACE, &w->node_accelerators, 1, MPI_INT,
                              MPI_SUM, w->mpi->node, &r),
               "MPI_Iallreduce");
  lb_mpi_await(w, &r, "MPI_Iallreduce");
  return 0;
}

void lb_world_alarm(unsigned seconds)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  signal(SIGALRM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  alarm(seconds);
}

void lb_world_cry(const struct lb_world *w, const char *text)
{
  char line[4500];
  w = lb_world_root(w);
  int n = w->n_ranks > 1
              ? snprintf(line, sizeof line, "loadbank: rank %d of %d: %s\n",
                         w->rank, w->n_ranks, text)
              : snprintf(line, sizeof line, "loadbank: %s\n", text);
  /* One write, so that lines of several ranks do not mix. */
  if (n > 0)
    lb_log_cry(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void lb_world_abort(const struct lb_world *w, const struct lb_err *err)
{
  int code = err->code ? err->code : LB_FAILED;
  w = lb_world_root(w);
  struct lb_roll *roll = w->mpi ? w->mpi->roll : NULL;
  /* The first of a node to speak names the cause; that it has then gone is what
   * the others would say. */
  if (!roll || !atomic_exchange(&roll->told, 1))
    lb_world_cry(w, err->msg);
  lb_world_alarm(5); /* should MPI_Abort hang */
  /* A launcher forwards stderr when it comes round to it, and drops what is
   * left when it is told to abort. */
  lb_clock_sleep_until(lb_clock_ns() + LB_NS_PER_S / 4);
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

const char *lb_world_mpi_version(void)
{
  static char text[128];
  char full[MPI_MAX_LIBRARY_VERSION_STRING];
  int n;
  if (text[0] || MPI_Get_library_version(full, &n) != MPI_SUCCESS)
    return text;
  /* "MPICH Version:\t4.0.2\n...", "Open MPI v4.1.4, package: ..." */
  char name[32], version[64];
  full[strcspn(full, ",\n")] = '\0';
  if (sscanf(full, "%31s Version: %63s", name, version) == 2)
    snprintf(text, sizeof text, "%s %s", name, version);
  else
    snprintf(text, sizeof text, "%.100s", full);
  return text;
}
