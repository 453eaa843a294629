/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of a ring as the kernel takes them. */
#include "lb-config.h"

#ifdef HAVE_LIBURING

#include "storage/ring_impl.h"

#include <fcntl.h>

struct io_uring_sqe *lb_ring_place(struct lb_ring *r)
{
  struct io_uring_sqe *sqe;
  while (!(sqe = io_uring_get_sqe(&r->ring)))
    io_uring_submit(&r->ring);
  return sqe;
}

void lb_ring_mark(struct io_uring_sqe *sqe, const void *data, unsigned kind)
{
  sqe->user_data = (uint64_t)(uintptr_t)data | kind;
}

static void ask_open(struct io_uring_sqe *sqe, struct flight *f,
                     const struct lb_io *io)
{
  (void)f;
  int flags = O_RDONLY | O_CLOEXEC;
  flags |= io->flags & LB_IO_DIRECT ? O_DIRECT : 0;
  flags |= io->flags & LB_IO_DIRECTORY ? O_DIRECTORY : 0;
  io_uring_prep_openat(sqe, AT_FDCWD, io->path, flags, 0);
}

static void ask_stat(struct io_uring_sqe *sqe, struct flight *f,
                     const struct lb_io *io)
{
  if (io->path)
    io_uring_prep_statx(sqe, AT_FDCWD, io->path, 0, STATX_TYPE | STATX_SIZE,
                        &f->stat);
  else
    io_uring_prep_statx(sqe, lb_io_file(io, f->task->fd), "", AT_EMPTY_PATH,
                        STATX_TYPE | STATX_SIZE, &f->stat);
}

static void ask_close(struct io_uring_sqe *sqe, struct flight *f,
                      const struct lb_io *io)
{
  io_uring_prep_close(sqe, lb_io_file(io, f->task->fd));
}

/* What is left of the request.  Bytes of O_DIRECT, and those that nobody wants,
 * go to the flight's own buffer and lie there as they lie in the file; a
 * request that is larger goes through it piece by piece. */
static void ask_read(struct io_uring_sqe *sqe, struct flight *f,
                     const struct lb_io *io)
{
  struct request *q = &f->q;
  size_t left = q->length - q->got;
  int fd = lb_io_file(io, f->task->fd);
  if (!q->align && io->buf) {
    io_uring_prep_read(sqe, fd, q->buf + q->got, (unsigned)left,
                       q->offset + q->got);
    return;
  }
  size_t align = q->align ? q->align : 1, at = 0;
  f->span = lb_direct_widen(q->offset + q->got, left, align);
  if (f->whole)
    at = (size_t)(f->span.offset - (q->offset - q->offset % align));
  if (f->span.length > f->room - at)
    f->span.length = (f->room - at) - (f->room - at) % align;
  io_uring_prep_read(sqe, fd, f->buffer + at, (unsigned)f->span.length,
                     f->span.offset);
}

static void ask_write(struct io_uring_sqe *sqe, struct flight *f,
                      const struct lb_io *io)
{
  const struct request *q = &f->q;
  io_uring_prep_write(sqe, lb_io_file(io, f->task->fd), q->buf + q->got,
                      (unsigned)(q->length - q->got), q->offset + q->got);
}

/* The kinds that a ring does; the others are done at once. */
static void (*const asks[LB_N_OPS])(struct io_uring_sqe *sqe, struct flight *f,
                                    const struct lb_io *io) = {
    [LB_OP_OPEN] = ask_open,   [LB_OP_STAT] = ask_stat,
    [LB_OP_READ] = ask_read,   [LB_OP_WRITE] = ask_write,
    [LB_OP_CLOSE] = ask_close,
};

bool lb_ring_does(enum lb_op op)
{
  return asks[op] != NULL;
}

void lb_ring_ask(struct lb_ring *r, struct flight *f)
{
  const struct lb_io *io = &f->task->list->v[f->q.i];
  struct io_uring_sqe *sqe = lb_ring_place(r);
  asks[io->op](sqe, f, io);
  bool reads = io->op == LB_OP_READ;
  bool own = lb_run_moves(io->op) && (!io->buf || (reads && f->q.align));
  if (own && r->registered) {
    sqe->opcode = reads ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
    sqe->buf_index = (uint16_t)(f - r->flights);
  }
  lb_ring_mark(sqe, f, OF_FLIGHT);
}

#endif
