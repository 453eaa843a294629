/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ring.h.  Cutting reads into requests, counting them and repeating what
 * was done in part is as in run.c, whose messages are used; what O_DIRECT needs
 * is direct.c's. */
#include "lb-config.h"

#include "loadbank/ring.h"

#include "storage/storage_impl.h"

#ifdef HAVE_LIBURING

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/clock.h"

/* A request that is under way. */
struct flight {
  struct lb_rtask *task;
  struct request q; /* buf: where its bytes are wanted, or the buffer */
  struct lb_span span;
  char *buffer; /* its own, page-aligned */
  size_t room;  /* its bytes */
  bool whole;   /* the request fits it, with blocks at both ends */
  uint64_t start_ns;
  struct statx stat;
  struct flight *next; /* of those that are free */
};

struct tasks {
  struct lb_rtask *first, *last;
};

struct lb_ring {
  struct io_uring ring;
  struct lb_storage *s;
  struct lb_iothread *io;
  struct flight *flights, *free;
  char *buffers;
  size_t buffer_bytes;
  bool registered, waiting; /* waiting: the wake is being read */
  struct tasks ready, done; /* ready: may ask for more */
  struct lb_rtask *delayed;
  unsigned in_flight;
  int wake;
  uint64_t woken; /* what is read from it */
  struct lb_err failure;
};

/* What the low bits of a completion's data say of the rest. */
enum { OF_FLIGHT, OF_DELAY, OF_WAKE, OF_NOTHING, OF_MASK = 3 };

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

static void push(struct tasks *t, struct lb_rtask *task)
{
  task->next = NULL;
  if (t->first)
    t->last->next = task;
  else
    t->first = task;
  t->last = task;
}

static struct lb_rtask *pop(struct tasks *t)
{
  struct lb_rtask *task = t->first;
  if (task)
    t->first = task->next;
  return task;
}

/* ---- making it ---- */

static size_t buffer_for(uint64_t request)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t n = (size_t)request + 2 * page; /* blocks at both ends */
  return n + (page - n % page) % page;
}

uint64_t lb_ring_bytes(const struct lb_ring_shape *shape, uint64_t request)
{
  return (uint64_t)shape->depth * buffer_for(request);
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

static int make_buffers(struct lb_ring *r, size_t depth, size_t used,
                        struct lb_err *err)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = 0;
  r->buffer_bytes = buffer_for(r->io->scratch_bytes);
  r->flights = calloc(depth, sizeof *r->flights);
  if (!__builtin_mul_overflow(depth, r->buffer_bytes, &all))
    r->buffers = aligned_alloc(page, all);
  if (!r->flights || !r->buffers)
    return lb_err_sys(err, LB_FAILED, ENOMEM,
                      "%zu buffers of %zu bytes for io_uring", depth,
                      r->buffer_bytes);
  size_t mapped = buffer_for(used);
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
                            size_t used, struct lb_err *err)
{
  size_t depth = (size_t)s->ring.depth;
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
  if (make_buffers(r, depth, used, err) ||
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

/* ---- asking the kernel ---- */

/* A place in the submission queue: when it is full, what is there goes off. */
static struct io_uring_sqe *place(struct lb_ring *r)
{
  struct io_uring_sqe *sqe;
  while (!(sqe = io_uring_get_sqe(&r->ring)))
    io_uring_submit(&r->ring);
  return sqe;
}

/* Behind the preparation, which clears it in older versions of the library. */
static void mark(struct io_uring_sqe *sqe, const void *data, unsigned kind)
{
  sqe->user_data = (uint64_t)(uintptr_t)data | kind;
}

static int file_of(const struct lb_rtask *task, const struct lb_io *io)
{
  bool has = io->slot >= 0 && io->slot < LB_IO_SLOTS;
  return has ? task->fd[io->slot] : -1;
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
    io_uring_prep_statx(sqe, file_of(f->task, io), "", AT_EMPTY_PATH,
                        STATX_TYPE | STATX_SIZE, &f->stat);
}

static void ask_close(struct io_uring_sqe *sqe, struct flight *f,
                      const struct lb_io *io)
{
  io_uring_prep_close(sqe, file_of(f->task, io));
}

/* What is left of the request.  Bytes of O_DIRECT, and those that nobody wants,
 * go to the flight's own buffer and lie there as they lie in the file; a
 * request that is larger goes through it piece by piece. */
static void ask_read(struct io_uring_sqe *sqe, struct flight *f,
                     const struct lb_io *io)
{
  struct request *q = &f->q;
  size_t left = q->length - q->got;
  int fd = file_of(f->task, io);
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

/* The kinds that a ring does; the others are done at once. */
static void (*const asks[LB_N_OPS])(struct io_uring_sqe *sqe, struct flight *f,
                                    const struct lb_io *io) = {
    [LB_OP_OPEN] = ask_open,
    [LB_OP_STAT] = ask_stat,
    [LB_OP_READ] = ask_read,
    [LB_OP_CLOSE] = ask_close,
};

static void ask(struct lb_ring *r, struct flight *f)
{
  const struct lb_io *io = &f->task->list->v[f->q.i];
  struct io_uring_sqe *sqe = place(r);
  asks[io->op](sqe, f, io);
  bool own = io->op == LB_OP_READ && (f->q.align || !io->buf);
  if (own && r->registered) {
    sqe->opcode = IORING_OP_READ_FIXED;
    sqe->buf_index = (uint16_t)(f - r->flights);
  }
  mark(sqe, f, OF_FLIGHT);
}

/* ---- the ends of requests, operations, lists ---- */

static void set_failure(struct lb_ring *r, struct lb_rtask *task,
                        const struct lb_err *err)
{
  task->failed = true;
  if (!lb_err_is_set(&r->failure))
    r->failure = *err;
}

static struct lb_run run_of(struct lb_ring *r, struct lb_rtask *task)
{
  r->io->phase = task->phase;
  return (struct lb_run){
      .s = r->s, .l = task->list, .fd = task->fd, .t = r->io};
}

static void finish(struct lb_ring *r, struct lb_rtask *task)
{
  push(&r->done, task);
}

static void make_ready(struct lb_ring *r, struct lb_rtask *task)
{
  if (task->queued)
    return;
  task->queued = true;
  push(&r->ready, task);
}

/* All of the operation was asked for and has ended, or the list has failed. */
static void after_operation(struct lb_ring *r, struct lb_rtask *task)
{
  if (task->in_flight || task->queued)
    return;
  if (task->failed || task->op >= task->list->n)
    finish(r, task);
  else
    make_ready(r, task);
}

/* What an answer means for what is open.  The result, or -errno. */
static int64_t settle(struct lb_ring *r, struct flight *f, int64_t n)
{
  const struct lb_io *io = &f->task->list->v[f->q.i];
  if (n < 0)
    return io->op == LB_OP_CLOSE && n == -EINTR ? 0 : n;
  if (io->op == LB_OP_STAT)
    return io->flags & LB_IO_DIRECTORY && !S_ISDIR(f->stat.stx_mode)
               ? -ENOTDIR
               : (int64_t)f->stat.stx_size;
  if (io->op != LB_OP_OPEN)
    return n;
  int rc = lb_direct_note(r->s, (int)n, io->flags & LB_IO_DIRECT);
  if (rc < 0)
    close((int)n);
  else
    f->task->fd[io->slot] = (int)n;
  return rc;
}

/* Bytes of an answer to a read. */
static void take_bytes(struct flight *f, const struct lb_io *io, int64_t n)
{
  struct request *q = &f->q;
  q->moved += (uint64_t)n;
  if (!q->align) {
    q->got += (size_t)n;
    return;
  }
  size_t useful = lb_direct_useful(&f->span, n, q->length - q->got);
  if (!f->whole)
    memcpy(q->buf + q->got, f->buffer + f->span.skip, useful);
  q->got += useful;
  if (f->whole && io->buf && q->got == q->length)
    memcpy(q->buf, f->buffer + q->offset % q->align, q->got);
}

/* That there is no such file may be an answer. */
static bool answers(const struct lb_io *io, int64_t rc)
{
  return rc == -ENOENT && (io->flags & LB_IO_OPTIONAL);
}

/* Whoever wants to look at the bytes of a request does. */
static void inspect(struct lb_ring *r, struct flight *f, const struct lb_io *io)
{
  struct lb_rtask *task = f->task;
  const struct request *q = &f->q;
  struct lb_err err = LB_ERR_INIT;
  const char *bytes = io->buf    ? q->buf
                      : q->align ? f->buffer + q->offset % q->align
                                 : f->buffer;
  r->io->inspect = task->inspect;
  r->io->inspect_arg = task->inspect_arg;
  if (lb_run_inspect(r->io, io, q->offset - io->offset, bytes, q->length, &err))
    set_failure(r, task, &err);
  r->io->inspect = NULL;
}

/* Counts the request and gives its place back. */
static void land(struct lb_ring *r, struct flight *f, uint64_t now_ns)
{
  struct lb_rtask *task = f->task;
  struct lb_io *io = &task->list->v[f->q.i];
  bool reads = io->op == LB_OP_READ;
  bool failed = f->q.rc < 0 || (reads && f->q.got < f->q.length);
  if (answers(io, f->q.rc)) {
    f->q.rc = 0;
    failed = false;
  }
  lb_iostats_add(r->io->stats, task->phase, io->op, now_ns - f->start_ns,
                 f->q.moved, failed);
  if (failed) {
    struct lb_err err = LB_ERR_INIT;
    struct lb_run run = run_of(r, task);
    lb_run_report(&run, &f->q, &err);
    set_failure(r, task, &err);
  } else {
    io->result = reads ? io->result + (int64_t)f->q.got : f->q.rc;
    if (task->inspect && reads)
      inspect(r, f, io);
  }
  f->next = r->free;
  r->free = f;
  r->in_flight--;
  task->in_flight--;
  after_operation(r, task);
}

static void arrive(struct lb_ring *r, struct flight *f, int64_t n,
                   uint64_t now_ns)
{
  const struct lb_io *io = &f->task->list->v[f->q.i];
  bool again = (n == -EINTR || n == -EAGAIN) && io->op != LB_OP_CLOSE;
  f->q.rc = io->op == LB_OP_READ ? n : again ? n : settle(r, f, n);
  if (io->op == LB_OP_READ && n > 0)
    take_bytes(f, io, n);
  if (again || (io->op == LB_OP_READ && n > 0 && f->q.got < f->q.length))
    ask(r, f);
  else
    land(r, f, now_ns);
}

/* ---- going on ---- */

/* A failure that no request has met. */
static void refuse(struct lb_ring *r, struct lb_rtask *task, const char *why)
{
  struct lb_err err = LB_ERR_INIT;
  lb_err_set(&err, LB_FAILED, "storage '%s': %s: %s", r->s->backend->name,
             lb_op_names[task->list->v[task->op].op], why);
  set_failure(r, task, &err);
}

/* Operations that are no matter for a ring. */
static void do_now(struct lb_ring *r, struct lb_rtask *task)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_run run = run_of(r, task);
  size_t next;
  if (lb_run_operation(&run, task->op, &next, &err))
    set_failure(r, task, &err);
  task->op++;
}

/* Can it be asked of the ring?  Else it was done, or refused. */
static bool begin(struct lb_ring *r, struct lb_rtask *task)
{
  struct lb_io *io = &task->list->v[task->op];
  const unsigned makes = LB_IO_WRITE | LB_IO_CREATE | LB_IO_TRUNCATE;
  if (io->call)
    refuse(r, task, "a library's call would hold up all other readers");
  else if (!asks[io->op] || (io->op == LB_OP_OPEN && (io->flags & makes)) ||
           (io->op == LB_OP_OPEN && file_of(task, io) >= 0) ||
           (io->op == LB_OP_CLOSE && file_of(task, io) < 0))
    do_now(r, task);
  else
    return true;
  return false;
}

/* The next request of the task's operation into the flight. */
static void set_request(struct lb_ring *r, struct lb_rtask *task,
                        struct flight *f)
{
  struct lb_io *io = &task->list->v[task->op];
  bool reads = io->op == LB_OP_READ;
  uint64_t left = reads ? io->length - task->at : 0;
  bool cut = io->request && left > io->request;
  f->task = task;
  f->q = (struct request){.i = task->op,
                          .offset = io->offset + task->at,
                          .length = (size_t)(cut ? io->request : left)};
  f->q.align = reads ? lb_direct_align(r->s, file_of(task, io)) : 0;
  f->q.buf = io->buf ? (char *)io->buf + task->at : f->buffer;
  f->whole = f->q.length + 2 * f->q.align <= f->room;
  if (task->at == 0)
    io->result = 0;
  task->at += f->q.length;
  if (!cut) {
    task->op++;
    task->at = 0;
  }
}

/* One request of the task goes off. */
static void launch(struct lb_ring *r, struct lb_rtask *task)
{
  struct flight *f = r->free;
  set_request(r, task, f);
  struct lb_io *io = &task->list->v[f->q.i];
  if (io->op == LB_OP_READ && !io->buf && !f->whole) {
    struct lb_err err = LB_ERR_INIT;
    lb_err_set(&err, LB_FAILED,
               "%s: a request of %zu bytes does not fit the buffer of %zu",
               lb_op_names[io->op], f->q.length, f->room);
    set_failure(r, task, &err);
    return;
  }
  if (io->op == LB_OP_OPEN && !(io->flags & LB_IO_DIRECTORY))
    io->flags |= r->s->open_flags;
  r->free = f->next;
  r->in_flight++;
  task->in_flight++;
  f->start_ns = lb_clock_ns();
  ask(r, f);
  if (io->op == LB_OP_CLOSE)
    task->fd[io->slot] = -1; /* Linux gives the number back in any case */
}

/* The task asks for one more request, then it stands behind the others as long
 * as it may ask for more: those of the same READ. */
static void turn(struct lb_ring *r, struct lb_rtask *task)
{
  size_t op = task->op;
  if (!task->failed && op < task->list->n && (task->at || begin(r, task)))
    launch(r, task);
  bool waits = task->in_order && task->inspect && task->in_flight;
  if (!task->failed && task->at && !waits)
    make_ready(r, task);
  else
    after_operation(r, task);
}

static void pump(struct lb_ring *r)
{
  while (r->ready.first && r->free) {
    struct lb_rtask *task = pop(&r->ready);
    task->queued = false;
    turn(r, task);
  }
}

static void end_delay(struct lb_rtask *task)
{
  *task->link = task->later;
  if (task->later)
    task->later->link = task->link;
}

static void take(struct lb_ring *r, const struct io_uring_cqe *cqe,
                 uint64_t now_ns)
{
  void *data = (void *)(uintptr_t)(cqe->user_data & ~(uint64_t)OF_MASK);
  unsigned kind = (unsigned)(cqe->user_data & OF_MASK);
  if (kind == OF_FLIGHT) {
    arrive(r, data, cqe->res, now_ns);
  } else if (kind == OF_WAKE) {
    r->waiting = false;
  } else if (kind == OF_DELAY) {
    end_delay(data);
    finish(r, data);
  }
}

/* Sends off what was asked for, waits for an end if need be, takes all. */
static void turn_over(struct lb_ring *r, bool wait)
{
  io_uring_submit_and_wait(&r->ring, wait ? 1 : 0);
  struct io_uring_cqe *cqe;
  unsigned head, n = 0;
  uint64_t now_ns = lb_clock_ns();
  io_uring_for_each_cqe(&r->ring, head, cqe)
  {
    take(r, cqe, now_ns);
    n++;
  }
  io_uring_cq_advance(&r->ring, n);
}

void lb_ring_submit(struct lb_ring *r, struct lb_rtask *task)
{
  task->op = 0;
  task->at = 0;
  task->in_flight = 0;
  task->queued = task->failed = false;
  if (task->list->n)
    make_ready(r, task);
  else
    finish(r, task);
}

void lb_ring_delay(struct lb_ring *r, struct lb_rtask *task, uint64_t t_ns)
{
  task->failed = false;
  task->until.s = (int64_t)(t_ns / LB_NS_PER_S);
  task->until.ns = (int64_t)(t_ns % LB_NS_PER_S);
  task->later = r->delayed;
  task->link = &r->delayed;
  if (task->later)
    task->later->link = &task->later;
  r->delayed = task;
  struct io_uring_sqe *sqe = place(r);
  io_uring_prep_timeout(sqe, (struct __kernel_timespec *)&task->until, 0,
                        IORING_TIMEOUT_ABS);
  mark(sqe, task, OF_DELAY);
}

void lb_ring_go(struct lb_ring *r, bool wait)
{
  pump(r);
  if (!r->waiting) {
    struct io_uring_sqe *sqe = place(r);
    io_uring_prep_read(sqe, r->wake, &r->woken, sizeof r->woken, 0);
    mark(sqe, NULL, OF_WAKE);
    r->waiting = true;
  }
  turn_over(r, wait && !r->done.first);
}

struct lb_rtask *lb_ring_reap(struct lb_ring *r)
{
  return pop(&r->done);
}

static void forget(struct tasks *t)
{
  struct lb_rtask *task;
  while ((task = pop(t)))
    task->queued = false;
}

/* Delays and the wait for a wake end at once. */
static void cancel_waits(struct lb_ring *r)
{
  for (struct lb_rtask *task = r->delayed; task; task = task->later) {
    struct io_uring_sqe *sqe = place(r);
    io_uring_prep_timeout_remove(sqe, (uint64_t)(uintptr_t)task | OF_DELAY, 0);
    mark(sqe, NULL, OF_NOTHING);
  }
  if (r->waiting)
    lb_ring_wake(r);
}

void lb_ring_drain(struct lb_ring *r)
{
  forget(&r->ready);
  cancel_waits(r);
  while (r->in_flight || r->delayed || r->waiting) {
    turn_over(r, true);
    forget(&r->ready);
  }
  forget(&r->done);
}

#else

static const char *const absent =
    "not in this build: configure found no liburing";

const char *lb_ring_unavailable(void)
{
  return absent;
}

struct lb_ring *lb_ring_new(struct lb_storage *s, struct lb_iothread *io,
                            size_t used, struct lb_err *err)
{
  (void)io, (void)used;
  lb_err_set(err, LB_FAILED, "storage '%s': %s", s->backend->name, absent);
  return NULL;
}

void lb_ring_free(struct lb_ring *r)
{
  (void)r;
}

uint64_t lb_ring_bytes(const struct lb_ring_shape *shape, uint64_t request)
{
  (void)shape, (void)request;
  return 0;
}

void lb_ring_submit(struct lb_ring *r, struct lb_rtask *task)
{
  (void)r, (void)task;
}

void lb_ring_delay(struct lb_ring *r, struct lb_rtask *task, uint64_t t_ns)
{
  (void)r, (void)task, (void)t_ns;
}

void lb_ring_go(struct lb_ring *r, bool wait)
{
  (void)r, (void)wait;
}

struct lb_rtask *lb_ring_reap(struct lb_ring *r)
{
  (void)r;
  return NULL;
}

void lb_ring_drain(struct lb_ring *r)
{
  (void)r;
}

const struct lb_err *lb_ring_failure(const struct lb_ring *r)
{
  (void)r;
  return NULL;
}

void lb_ring_wake(struct lb_ring *r)
{
  (void)r;
}

#endif
