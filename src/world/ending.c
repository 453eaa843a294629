/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shuts the connections that MPI opened and cannot close by itself.  Those that
 * came from the launcher are left alone: it needs them to hear of the end. */
#include "lb-config.h"

#include "world/ending.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "loadbank/thread.h"

#define PATIENCE_NS (3 * (uint64_t)LB_NS_PER_S)
enum { MOST_FDS = 1 << 16 };

struct ending {
  const struct lb_inherited *inherited;
  _Atomic uint32_t over;
};

void lb_ending_look(struct lb_inherited *fds)
{
  *fds = (struct lb_inherited){.open = {0}};
  for (int i = 0; i < LB_INHERITED_FDS; i++)
    if (fcntl(i, F_GETFD) >= 0)
      fds->open[i / 64] |= UINT64_C(1) << i % 64;
}

static bool is_inherited(const struct lb_inherited *fds, int fd)
{
  return fd < LB_INHERITED_FDS && fds->open[fd / 64] >> fd % 64 & 1;
}

static int socket_option(int fd, int name)
{
  int value;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

static bool is_connection(int fd)
{
  int domain = socket_option(fd, SO_DOMAIN);
  return (domain == AF_INET || domain == AF_INET6) &&
         socket_option(fd, SO_TYPE) == SOCK_STREAM &&
         socket_option(fd, SO_ACCEPTCONN) == 0;
}

static void *shut_later(void *arg)
{
  struct ending *e = (struct ending *)arg;
  uint64_t until = lb_clock_ns() + PATIENCE_NS;
  while (!atomic_load(&e->over) && lb_clock_ns() < until)
    lb_futex_wait(&e->over, 0, until, LB_FUTEX_PROCESS);
  struct rlimit most;
  int n = MOST_FDS;
  if (!getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur < (rlim_t)n)
    n = (int)most.rlim_cur;
  for (int fd = 0; fd < n && !atomic_load(&e->over); fd++)
    if (!is_inherited(e->inherited, fd) && is_connection(fd))
      shutdown(fd, SHUT_RDWR);
  return NULL;
}

void lb_ending_finalize(const struct lb_inherited *fds, bool several_nodes)
{
  struct ending e = {.inherited = fds};
  pthread_t thread;
  bool watched =
      several_nodes && !lb_thread_start(&thread, "lb-ending", shut_later, &e);
  MPI_Finalize();
  if (!watched)
    return;
  atomic_store(&e.over, 1);
  lb_futex_wake(&e.over, LB_FUTEX_PROCESS);
  pthread_join(thread, NULL);
}
