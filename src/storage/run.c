/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks a list over a blocking backend: cuts reads and writes into requests,
 * times and counts each, repeats what was interrupted or done in part, and
 * words the errors.  Takes no lock, copies no byte that the
 * list does not want to keep; memory only for a counter that is used the first
 * time. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/usage.h"
#include "loadbank/virtual.h"
#include "storage/storage_impl.h"

enum { PATH_TEXT = 512 }; /* longest path in messages; cut beyond */

bool lb_run_moves(enum lb_op op)
{
  return op == LB_OP_READ || op == LB_OP_WRITE;
}

bool lb_fd_path(int fd, char *text, size_t size)
{
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, text, size - 1);
  text[n < 0 ? 0 : n] = '\0';
  return n > 0;
}

/* The path of operation i's file: its own, that of the OPEN of its slot
 * earlier in the list or, opened by an earlier list, the kernel's. */
static const char *path_of(const struct lb_run *r, size_t i, char *text)
{
  const struct lb_io *io = &r->l->v[i];
  if (io->path)
    return io->path;
  for (size_t k = io->kept ? 0 : i; k-- > 0;) {
    const struct lb_io *before = &r->l->v[k];
    if (before->op == LB_OP_OPEN && before->slot == io->slot)
      return before->path;
  }
  int fd = lb_io_file(io, r->fd);
  if (fd < 0 || !lb_fd_path(fd, text, PATH_TEXT))
    snprintf(text, PATH_TEXT, "slot %d", io->slot);
  return text;
}

int lb_run_report(const struct lb_run *r, const struct request *q,
                  struct lb_err *err)
{
  const struct lb_io *io = &r->l->v[q->i];
  const char *op = lb_op_names[io->op];
  char text[PATH_TEXT];
  const char *path = path_of(r, q->i, text);
  if (lb_run_moves(io->op) && q->rc >= 0)
    return lb_err_set(err, LB_FAILED,
                      "short %s: %s: offset %" PRIu64 ": wanted %zu, got %zu",
                      op, path, q->offset, q->length, q->got);
  int sys = (int)-q->rc;
  if (lb_run_moves(io->op))
    return lb_err_sys(err, LB_FAILED, sys,
                      "%s: %s: offset %" PRIu64 ": wanted %zu, got %zu", op,
                      path, q->offset, q->length, q->got);
  if (io->op == LB_OP_OPEN && (io->flags & LB_IO_DIRECT) && sys == EINVAL)
    return lb_err_sys(err, LB_FAILED, sys,
                      "%s: %s: O_DIRECT, which its file system may refuse", op,
                      path);
  if (io->path2)
    return lb_err_sys(err, LB_FAILED, sys, "%s: %s to %s", op, path, io->path2);
  return lb_err_sys(err, LB_FAILED, sys, "%s: %s", op, path);
}

/* One call of the backend, for what is left of the request. */
static int64_t attempt(struct lb_run *r, struct request *q)
{
  if (q->align)
    return lb_direct_move(r, q);
  int64_t n = r->tried ? r->first_rc
                       : r->s->backend->perform(r->s->self, &r->l->v[q->i],
                                                r->fd, q->offset + q->got,
                                                q->buf ? q->buf + q->got : NULL,
                                                q->length - q->got);
  r->tried = false;
  q->moved += n > 0 ? (uint64_t)n : 0;
  return n;
}

/* The file is open; what there is to know of it. */
static int64_t opened(struct lb_run *r, const struct lb_io *io)
{
  int *fd = &r->fd[io->slot];
  int rc = lb_direct_note(r->s, *fd, io->flags & LB_IO_DIRECT);
  if (rc < 0) {
    struct lb_io closing = {.op = LB_OP_CLOSE, .slot = io->slot};
    r->s->backend->perform(r->s->self, &closing, r->fd, 0, NULL, 0);
  }
  return rc;
}

/* Makes the request, again for what an interruption or a partial answer left
 * undone, and counts it once. */
static int make_request(struct lb_run *r, struct request *q, struct lb_err *err)
{
  struct lb_io *io = &r->l->v[q->i];
  bool moves = lb_run_moves(io->op);
  if (moves)
    q->align = lb_direct_align(r->s, lb_io_file(io, r->fd));
  if (r->s->tell_cache && io->op == LB_OP_READ && !q->align)
    io->cache = LB_CACHE_ASKED;
  uint64_t start = r->last_ns ? r->last_ns : lb_clock_ns();
  do {
    q->rc = attempt(r, q);
    if (moves && q->rc > 0)
      q->got += (size_t)q->rc;
  } while (q->rc == -EINTR || (moves && q->rc > 0 && q->got < q->length));
  uint64_t end = lb_clock_ns(), ns = end - start;
  /* Bytes that are then copied or looked at are no part of the next one. */
  bool used = q->align || r->t->inspect || io->keep[0].length > 0;
  r->last_ns = moves && !used ? end : 0;
  if (q->align)
    lb_direct_deliver(r, q);
  if (io->op == LB_OP_OPEN && q->rc >= 0)
    q->rc = opened(r, io);

  int expected = io->flags & LB_IO_OPTIONAL ? ENOENT : r->expected;
  r->answer = q->rc < 0 && q->rc == -expected ? expected : 0;
  bool failed = (q->rc < 0 && !r->answer) || (moves && !lb_run_complete(io, q));
  const struct lb_done done = {.phase = r->t->phase,
                               .op = io->op,
                               .ns = ns,
                               .end_ns = end,
                               .bytes = moves ? q->moved : 0,
                               .failed = failed,
                               .metadata = r->t->metadata};
  lb_iostats_count(r->t->stats, &done);
  if (io->cache == LB_CACHE_HIT || io->cache == LB_CACHE_MISS)
    lb_iostats_add(r->t->stats, r->t->phase,
                   io->cache == LB_CACHE_HIT ? LB_STAT_HIT : LB_STAT_MISS, ns,
                   q->got, failed);
  return failed ? lb_run_report(r, q, err) : 0;
}

bool lb_run_complete(const struct lb_io *io, const struct request *q)
{
  bool may_end = io->op == LB_OP_READ && (io->flags & LB_IO_OPTIONAL);
  return q->got == q->length || (may_end && q->rc == 0);
}

void lb_run_keep(const struct lb_io *io, uint64_t at, const void *bytes,
                 size_t n)
{
  for (int i = 0; i < 2; i++) {
    uint64_t from = io->keep[i].from, end = from + io->keep[i].length;
    uint64_t first = at > from ? at : from;
    end = end < at + n ? end : at + n;
    if (first < end)
      memcpy((char *)io->keep[i].to + (first - from),
             (const char *)bytes + (first - at), (size_t)(end - first));
  }
}

int lb_run_inspect(struct lb_iothread *t, const struct lb_io *io, uint64_t at,
                   const void *bytes, size_t n, struct lb_err *err)
{
  if (!t->inspect || io->op != LB_OP_READ)
    return 0;
  uint64_t start = lb_clock_ns();
  int rc = t->inspect(t->inspect_arg, io, at, bytes, n, err);
  t->inspect_ns += lb_clock_ns() - start;
  return rc;
}

/* Where the request's bytes go or come from; false: they do not fit. */
static bool place(const struct lb_run *r, const struct lb_io *io, uint64_t at,
                  struct request *q)
{
  if (io->buf) {
    q->buf = (char *)io->buf + at;
    return true;
  }
  q->buf = r->t->scratch;
  return q->length <= r->t->scratch_bytes;
}

static int run_plain(struct lb_run *r, size_t i, struct lb_err *err)
{
  struct lb_io *io = &r->l->v[i];
  io->result = 0;
  if (!lb_run_moves(io->op)) {
    struct request q = {.i = i,
                        .buf = io->buf ? io->buf : r->t->scratch,
                        .length =
                            io->buf ? (size_t)io->length : r->t->scratch_bytes};
    int rc = make_request(r, &q, err);
    io->result = q.rc < 0 ? 0 : q.rc;
    return rc;
  }
  uint64_t at = 0;
  do {
    uint64_t left = io->length - at;
    bool cut = io->request && left > io->request;
    struct request q = {.i = i,
                        .offset = io->offset + at,
                        .length = (size_t)(cut ? io->request : left)};
    if (!place(r, io, at, &q))
      return lb_err_set(err, LB_FAILED,
                        "%s: a request of %zu bytes does not fit the scratch "
                        "buffer of %zu",
                        lb_op_names[io->op], q.length, r->t->scratch_bytes);
    int rc = make_request(r, &q, err);
    io->result += (int64_t)q.got;
    if (!rc) {
      if (io->keep[0].length > 0 || io->keep[1].length > 0)
        lb_run_keep(io, at, q.buf, q.got);
      rc = lb_run_inspect(r->t, io, at, q.buf, q.got, err);
    }
    if (rc || q.got < q.length)
      return rc;
    at += q.length;
  } while (at < io->length);
  return 0;
}

/* Counts the requests of operations i .. end-1, all with the same latency. */
static void count_covered(struct lb_run *r, size_t i, size_t end, uint64_t ns)
{
  uint64_t now = lb_clock_ns();
  for (; i < end; i++) {
    struct lb_io *io = &r->l->v[i];
    uint64_t left = lb_run_moves(io->op) ? io->length : 0;
    io->result = (int64_t)left;
    for (uint64_t n = lb_io_requests(io); n > 0; n--) {
      uint64_t bytes = n > 1 ? io->request : left;
      const struct lb_done done = {.phase = r->t->phase,
                                   .op = io->op,
                                   .ns = ns,
                                   .end_ns = now,
                                   .bytes = bytes};
      lb_iostats_count(r->t->stats, &done);
      left -= bytes;
    }
  }
}

/* Makes the call; ns of it that the storage took. */
static uint64_t time_call(struct lb_run *r, struct lb_io *io, int *rc,
                          struct lb_err *err)
{
  uint64_t user = lb_usage_user_ns(), start = lb_clock_ns();
  r->last_ns = 0;
  io->waited_ns = 0;
  *rc = io->call(io->call_arg, io, r->fd, err);
  uint64_t ns = lb_clock_ns() - start;
  uint64_t own = lb_usage_user_ns() - user + io->waited_ns;
  r->t->waited_ns += io->waited_ns;
  return ns > own ? ns - own : 0;
}

/* A library's call in place of operations i .. end-1. */
static int run_call(struct lb_run *r, size_t i, size_t end, struct lb_err *err)
{
  struct lb_io *io = &r->l->v[i];
  uint64_t requests = lb_io_requests(io);
  for (size_t k = i + 1; k < end; k++)
    requests += lb_io_requests(&r->l->v[k]);
  int rc;
  uint64_t ns = time_call(r, io, &rc, err);
  if (!rc && io->op == LB_OP_OPEN && r->fd[io->slot] >= 0) {
    rc = (int)opened(r, io);
    if (!rc && r->s->backend->adopt)
      r->s->backend->adopt(r->s->self, r->fd[io->slot]);
  }
  if (!rc) {
    count_covered(r, i, end, requests ? ns / requests : 0);
    return 0;
  }
  const struct lb_done done = {.phase = r->t->phase,
                               .op = io->op,
                               .ns = ns,
                               .end_ns = lb_clock_ns(),
                               .failed = true};
  lb_iostats_count(r->t->stats, &done);
  char text[PATH_TEXT];
  return lb_err_sys(err, LB_FAILED, -rc, "%s: %s", lb_op_names[io->op],
                    path_of(r, i, text)); /* unless the call has said it */
}

int lb_run_operation(struct lb_run *r, size_t i, size_t *next,
                     struct lb_err *err)
{
  struct lb_io *io = &r->l->v[i];
  const struct lb_backend *b = r->s->backend;
  *next = i + 1;
  if (i == 0 && !r->tried) /* a list begins */
    r->last_ns = 0;
  if (io->op == LB_OP_OPEN && !(io->flags & LB_IO_DIRECTORY))
    io->flags |= r->s->open_flags;
  if (b->absent[io->op])
    return lb_err_set(err, LB_FAILED, "storage '%s': %s: %s", b->name,
                      lb_op_names[io->op], b->absent[io->op]);
  if (!io->call)
    return run_plain(r, i, err);
  size_t left = r->l->n - *next;
  *next += io->covers < left ? io->covers : left;
  return run_call(r, i, *next, err);
}

/* Lists follow each other from done to done: that the thread woke up late from
 * one makes the next no later. */
static void run_virtual(struct lb_storage *s, struct lb_iolist *l,
                        struct lb_iothread *t)
{
  uint64_t done = lb_virtual_sleep_through(s, l, t, lb_clock_ns() - t->late_ns);
  uint64_t now = lb_clock_ns();
  t->late_ns = now > done ? now - done : 0;
}

int lb_storage_run(struct lb_storage *s, struct lb_iolist *l,
                   int fd[LB_IO_SLOTS], struct lb_iothread *t,
                   struct lb_err *err)
{
  if (s->backend->is_virtual) {
    run_virtual(s, l, t);
    return 0;
  }
  struct lb_run r = {.s = s, .l = l, .fd = fd, .t = t};
  int rc = 0;
  for (size_t i = 0; i < l->n && !rc;) {
    i += lb_run_reads(&r, i);
    if (i < l->n)
      rc = lb_run_operation(&r, i, &i, err);
  }
  return rc;
}

int lb_storage_op(struct lb_storage *s, struct lb_io *io, int fd[LB_IO_SLOTS],
                  struct lb_iothread *t, struct lb_err *err)
{
  struct lb_iolist l = {.v = io, .n = 1, .cap = 1};
  return lb_storage_run(s, &l, fd, t, err);
}

void lb_storage_release(struct lb_storage *s, int fd[LB_IO_SLOTS])
{
  if (s->backend->is_virtual)
    return;
  for (int slot = 0; slot < LB_IO_SLOTS; slot++) {
    struct lb_io io = {.op = LB_OP_CLOSE, .slot = slot};
    if (fd[slot] >= 0)
      s->backend->perform(s->self, &io, fd, 0, NULL, 0);
    fd[slot] = -1;
  }
}

void lb_storage_settle(struct lb_storage *s)
{
  for (; s; s = s->inner)
    if (s->backend->settle)
      s->backend->settle(s->self);
}
