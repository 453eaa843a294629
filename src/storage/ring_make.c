/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a ring, its buffers and what wakes it. */
#include "lb-config.h"

#ifdef HAVE_LIBURING

#include "storage/ring_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

const char *lb_ring_unavailable(void)
{
  struct io_uring ring;
  int rc = io_uring_queue_init(2, &ring, 0);
  if (!rc)
    io_uring_queue_exit(&ring);
  return !rc             ? NULL
         : rc == -ENOSYS ? "this kernel has no io_uring"
         : rc == -EPERM  ? "io_uring is not allowed here: the kernel's "
                           "io_uring_disabled or a container's seccomp "
                           "profile forbids it"
         : rc == -ENOMEM ? "io_uring needs more locked memory than ulimit -l "
                           "allows"
                         : "io_uring cannot be set up";
}

static size_t buffer_for(uint64_t request)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t n = (size_t)request + 2 * page; /* blocks at both ends */
  return n + (page - n % page) % page;
}

uint64_t lb_ring_bytes(int64_t depth, uint64_t request)
{
  return (uint64_t)depth * buffer_for(request);
}

/* Submissions and their completions stay with this thread where the kernel can
 * do that: no interruption of it by each. */
static int make_ring(struct lb_ring *r, unsigned entries)
{
  static const unsigned flags[] = {
#ifdef IORING_SETUP_DEFER_TASKRUN
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
#endif
      0};
  int rc = -EINVAL;
  for (size_t i = 0; i < sizeof flags / sizeof *flags && rc == -EINVAL; i++)
    rc = io_uring_queue_init(entries, &r->ring, flags[i]);
  return rc;
}

static int make_buffers(struct lb_ring *r, const struct lb_ring_room *room,
                        struct lb_err *err)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), depth = room->depth, all = 0;
  r->buffer_bytes = buffer_for(room->request);
  r->flights = calloc(depth, sizeof *r->flights);
  if (!__builtin_mul_overflow(depth, r->buffer_bytes, &all))
    r->buffers = aligned_alloc(page, all);
  if (!r->flights || !r->buffers)
    return lb_err_sys(err, LB_FAILED, ENOMEM,
                      "%zu buffers of %zu bytes for io_uring", depth,
                      r->buffer_bytes);
  size_t mapped = buffer_for(room->used);
  if (mapped > r->buffer_bytes)
    mapped = r->buffer_bytes;
  for (size_t i = depth; i-- > 0;) {
    r->flights[i].buffer = r->buffers + i * r->buffer_bytes;
    r->flights[i].room = r->buffer_bytes;
    memset(r->flights[i].buffer, 0, mapped); /* before the clock runs */
    r->flights[i].next = r->free;
    r->free = &r->flights[i];
  }
  return 0;
}

static int register_buffers(struct lb_ring *r, size_t depth, struct lb_err *err)
{
  struct iovec *v = calloc(depth, sizeof *v);
  if (!v)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "buffers for io_uring");
  for (size_t i = 0; i < depth; i++)
    v[i] = (struct iovec){.iov_base = r->flights[i].buffer,
                          .iov_len = r->buffer_bytes};
  int rc = io_uring_register_buffers(&r->ring, v, (unsigned)depth);
  free(v);
  r->registered = !rc;
  if (!rc)
    return 0;
  return lb_err_sys(err, LB_FAILED, -rc,
                    "registered_buffers: %zu of %zu bytes cannot be locked "
                    "(ulimit -l)",
                    depth, r->buffer_bytes);
}

struct lb_ring *lb_ring_new(struct lb_storage *s, struct lb_iothread *io,
                            const struct lb_ring_room *room, struct lb_err *err)
{
  size_t depth = room->depth;
  struct lb_ring *r = calloc(1, sizeof *r);
  if (!r) {
    lb_err_sys(err, LB_FAILED, ENOMEM, "io_uring");
    return NULL;
  }
  r->s = s;
  r->io = io;
  r->failure = (struct lb_err)LB_ERR_INIT;
  r->wake = eventfd(0, EFD_CLOEXEC);
  int rc = r->wake < 0 ? -errno : make_ring(r, (unsigned)depth + 2);
  if (rc < 0) {
    lb_err_sys(err, LB_FAILED, -rc, "io_uring of %zu requests", depth);
    if (r->wake >= 0)
      close(r->wake);
    free(r);
    return NULL;
  }
  if (make_buffers(r, room, err) ||
      (s->ring.registered && register_buffers(r, depth, err))) {
    lb_ring_free(r);
    return NULL;
  }
  return r;
}

void lb_ring_free(struct lb_ring *r)
{
  if (!r)
    return;
  lb_ring_drain(r);
  io_uring_queue_exit(&r->ring);
  close(r->wake);
  free(r->flights);
  free(r->buffers);
  free(r);
}

const struct lb_err *lb_ring_failure(const struct lb_ring *r)
{
  return &r->failure;
}

void lb_ring_wake(struct lb_ring *r)
{
  uint64_t one = 1;
  ssize_t n;
  do
    n = write(r->wake, &one, sizeof one);
  while (n < 0 && errno == EINTR);
}

#endif
