/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ring.h.  Cutting reads into requests, counting them and repeating what
 * was done in part is as in run.c, whose messages are used; what O_DIRECT needs
 * is direct.c's. */
#include "lb-config.h"

#ifdef HAVE_LIBURING

#include "storage/ring_impl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"

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

/* Bytes of an answer to a read or write. */
static void take_bytes(struct flight *f, const struct lb_io *io, int64_t n)
{
  struct request *q = &f->q;
  q->moved += (uint64_t)n;
  if (!q->align || io->op == LB_OP_WRITE) {
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

/* What the list wants of the bytes of a request is kept, and whoever wants to
 * look at them does. */
static void show(struct lb_ring *r, struct flight *f, const struct lb_io *io)
{
  struct lb_rtask *task = f->task;
  const struct request *q = &f->q;
  struct lb_err err = LB_ERR_INIT;
  const char *bytes = io->buf    ? q->buf
                      : q->align ? f->buffer + q->offset % q->align
                                 : f->buffer;
  uint64_t at = q->offset - io->offset;
  lb_run_keep(io, at, bytes, q->got);
  if (!task->inspect)
    return;
  r->io->inspect = task->inspect;
  r->io->inspect_arg = task->inspect_arg;
  if (lb_run_inspect(r->io, io, at, bytes, q->got, &err))
    set_failure(r, task, &err);
  r->io->inspect = NULL;
}

/* Counts the request and gives its place back; the operation goes on behind it
 * (after_operation). */
static void land(struct lb_ring *r, struct flight *f, uint64_t now_ns)
{
  struct lb_rtask *task = f->task;
  struct lb_io *io = &task->list->v[f->q.i];
  bool moves = lb_run_moves(io->op);
  bool failed = f->q.rc < 0 || (moves && !lb_run_complete(io, &f->q));
  if (answers(io, f->q.rc)) {
    f->q.rc = 0;
    failed = false;
  }
  const struct lb_done done = {.phase = task->phase,
                               .op = io->op,
                               .ns = now_ns - f->start_ns,
                               .end_ns = now_ns,
                               .bytes = f->q.moved,
                               .failed = failed,
                               .metadata = r->io->metadata};
  lb_iostats_count(r->io->stats, &done);
  if (failed) {
    struct lb_err err = LB_ERR_INIT;
    struct lb_run run = run_of(r, task);
    lb_run_report(&run, &f->q, &err);
    set_failure(r, task, &err);
  } else {
    io->result = moves ? io->result + (int64_t)f->q.got : f->q.rc;
    if (io->op == LB_OP_READ)
      show(r, f, io);
  }
  f->next = r->free;
  r->free = f;
  r->in_flight--;
  task->in_flight--;
}

/* What is left of a write that O_DIRECT does not take. */
static void write_now(struct lb_ring *r, struct flight *f)
{
  struct lb_run run = run_of(r, f->task);
  struct request *q = &f->q;
  do {
    q->rc = lb_direct_move(&run, q);
    q->got += q->rc > 0 ? (size_t)q->rc : 0;
  } while (q->rc == -EINTR || (q->rc > 0 && q->got < q->length));
}

/* Asks the ring for what is left of it; true: it was done at once. */
static bool go_off(struct lb_ring *r, struct flight *f)
{
  bool writes = f->task->list->v[f->q.i].op == LB_OP_WRITE;
  if (!writes || lb_direct_is_whole(&f->q)) {
    lb_ring_ask(r, f);
    return false;
  }
  write_now(r, f);
  return true;
}

static void arrive(struct lb_ring *r, struct flight *f, int64_t n,
                   uint64_t now_ns)
{
  struct lb_rtask *task = f->task;
  const struct lb_io *io = &task->list->v[f->q.i];
  bool moves = lb_run_moves(io->op);
  bool again = (n == -EINTR || n == -EAGAIN) && io->op != LB_OP_CLOSE;
  f->q.rc = moves || again ? n : settle(r, f, n);
  if (moves && n > 0)
    take_bytes(f, io, n);
  again = again || (moves && n > 0 && f->q.got < f->q.length);
  if (again && !go_off(r, f))
    return;
  land(r, f, again ? lb_clock_ns() : now_ns);
  after_operation(r, task);
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
  else if (!lb_ring_does(io->op) ||
           (io->op == LB_OP_OPEN && (io->flags & makes)) ||
           (io->op == LB_OP_OPEN && lb_io_file(io, task->fd) >= 0) ||
           (io->op == LB_OP_CLOSE && lb_io_file(io, task->fd) < 0))
    do_now(r, task);
  else
    return true;
  return false;
}

/* The next request of the task's operation, for bytes in the buffer or in its
 * own. */
static struct request next_request(const struct lb_ring *r,
                                   const struct lb_rtask *task, char *buffer)
{
  const struct lb_io *io = &task->list->v[task->op];
  bool moves = lb_run_moves(io->op);
  uint64_t left = moves ? io->length - task->at : 0;
  bool cut = io->request && left > io->request;
  return (struct request){
      .i = task->op,
      .offset = io->offset + task->at,
      .length = (size_t)(cut ? io->request : left),
      .align = moves ? lb_direct_align(r->s, lb_io_file(io, task->fd)) : 0,
      .buf = io->buf ? (char *)io->buf + task->at : buffer};
}

/* It goes into the flight. */
static void set_request(struct lb_ring *r, struct lb_rtask *task,
                        struct flight *f)
{
  struct lb_io *io = &task->list->v[task->op];
  f->task = task;
  f->q = next_request(r, task, f->buffer);
  f->whole = f->q.length + 2 * f->q.align <= f->room;
  if (task->at == 0)
    io->result = 0;
  task->at += f->q.length;
  if (!lb_run_moves(io->op) || task->at == io->length) {
    task->op++;
    task->at = 0;
  }
}

/* Does it have to wait for those of the operation that are under way?  One that
 * changes the file's ways would change theirs. */
static bool next_waits(const struct lb_ring *r, const struct lb_rtask *task)
{
  struct request q;
  if (task->in_order && task->inspect)
    return true;
  if (task->list->v[task->op].op != LB_OP_WRITE)
    return false;
  q = next_request(r, task, r->buffers);
  return !lb_direct_is_whole(&q);
}

/* The bytes of a write that has none; what they cost is no time of it, and they
 * do not wait for those of the next. */
static void make_bytes(struct lb_ring *r, struct flight *f)
{
  struct lb_rtask *task = f->task;
  const struct lb_io *io = &task->list->v[f->q.i];
  io_uring_submit(&r->ring);
  task->fill(task->fill_arg, io, f->q.offset - io->offset, f->q.buf,
             f->q.length);
}

/* One request of the task goes off. */
static void launch(struct lb_ring *r, struct lb_rtask *task)
{
  struct flight *f = r->free;
  set_request(r, task, f);
  struct lb_io *io = &task->list->v[f->q.i];
  bool fills = io->op == LB_OP_WRITE && !io->buf;
  bool fits = fills ? f->q.length <= f->room : io->op != LB_OP_READ || f->whole;
  if (!io->buf && !fits) {
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
  if (fills)
    make_bytes(r, f);
  f->start_ns = lb_clock_ns();
  if (go_off(r, f))
    land(r, f, lb_clock_ns());
  if (io->op == LB_OP_CLOSE)
    task->fd[io->slot] = -1; /* Linux gives the number back in any case */
}

/* The task asks for one more request, then it stands behind the others as long
 * as it may ask for more: those of the same READ or WRITE. */
static void turn(struct lb_ring *r, struct lb_rtask *task)
{
  size_t op = task->op;
  if (!task->failed && op < task->list->n && (task->at || begin(r, task)))
    launch(r, task);
  if (!task->failed && task->at && !(task->in_flight && next_waits(r, task)))
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
  struct io_uring_sqe *sqe = lb_ring_place(r);
  io_uring_prep_timeout(sqe, (struct __kernel_timespec *)&task->until, 0,
                        IORING_TIMEOUT_ABS);
  lb_ring_mark(sqe, task, OF_DELAY);
}

void lb_ring_go(struct lb_ring *r, bool wait)
{
  pump(r);
  if (!r->waiting) {
    struct io_uring_sqe *sqe = lb_ring_place(r);
    io_uring_prep_read(sqe, r->wake, &r->woken, sizeof r->woken, 0);
    lb_ring_mark(sqe, NULL, OF_WAKE);
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
    struct io_uring_sqe *sqe = lb_ring_place(r);
    io_uring_prep_timeout_remove(sqe, (uint64_t)(uintptr_t)task | OF_DELAY, 0);
    lb_ring_mark(sqe, NULL, OF_NOTHING);
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

#endif
