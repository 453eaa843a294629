/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See shard_copy.h: one request at a time, each read and then written. */
#include "lb-config.h"

#include <inttypes.h>

#include "loadbank/clock.h"
#include "loadbank/newfile.h"
#include "loadbank/shard_copy.h"

uint64_t lb_throttle_take(struct lb_throttle *p, uint64_t now_ns, size_t n)
{
  uint64_t old = atomic_load(&p->free_ns), new;
  if (!(p->ns_per_byte > 0))
    return now_ns;
  do
    new =
        (old > now_ns ? old : now_ns) + (uint64_t)((double)n * p->ns_per_byte);
  while (!atomic_compare_exchange_weak(&p->free_ns, &old, new));
  return new;
}

/* Sleeps until then on the thread's own time line.  false: the run stops. */
static bool sleep_until(const struct lb_shard_copy *c, uint64_t until_ns)
{
  const uint64_t look_ns = LB_NS_PER_S / 10;
  bool is_virtual = c->to->backend->is_virtual;
  uint64_t now = lb_clock_ns(), late = is_virtual ? c->io->late_ns : 0;
  if (now - late >= until_ns)
    return true;
  while (now < until_ns) {
    if (!c->tick(c->tick_arg))
      return false;
    lb_clock_sleep_until(until_ns - now > look_ns ? now + look_ns : until_ns);
    now = lb_clock_ns();
  }
  if (is_virtual)
    c->io->late_ns = now - until_ns;
  return true;
}

static int copy_piece(const struct lb_shard_copy *c, struct lb_newfile *f,
                      int fd[LB_IO_SLOTS], uint64_t at, size_t n,
                      struct lb_err *err)
{
  void *buf = c->io->scratch;
  bool is_virtual = c->to->backend->is_virtual;
  struct lb_io read = {.op = LB_OP_READ, .offset = at, .length = n, .buf = buf};
  uint64_t start = lb_clock_ns() - (is_virtual ? c->io->late_ns : 0);
  uint64_t paced = lb_throttle_take(c->throttle, start, n);
  int rc = lb_storage_op(c->from, &read, fd, c->io, err);
  if (!rc)
    rc = lb_newfile_write(f, at, buf, n, err);
  if (!rc && !sleep_until(c, paced))
    rc = lb_err_give_up(err, f->temporary);
  return rc;
}

static int copy_all(const struct lb_shard_copy *c, struct lb_newfile *f,
                    int fd[LB_IO_SLOTS], struct lb_err *err)
{
  struct lb_io stat = {.op = LB_OP_STAT};
  int rc = lb_storage_op(c->from, &stat, fd, c->io, err);
  if (!rc && !c->from->backend->is_virtual && (uint64_t)stat.result != c->bytes)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: has %" PRId64 " bytes, %" PRIu64 " were written",
                    c->source, stat.result, c->bytes);
  for (uint64_t at = 0, n; !rc && at < c->bytes; at += n) {
    n = c->bytes - at < c->request ? c->bytes - at : c->request;
    rc = copy_piece(c, f, fd, at, n, err);
  }
  return rc;
}

int lb_shard_copy(const struct lb_shard_copy *c, struct lb_err *err)
{
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  struct lb_io open = {.op = LB_OP_OPEN, .path = c->source};
  struct lb_io close = {.op = LB_OP_CLOSE};
  struct lb_newfile f = {.storage = c->to,
                         .io = c->io,
                         .path = c->final,
                         .temporary = c->temporary,
                         .sync = c->sync,
                         .tick = c->tick,
                         .tick_arg = c->tick_arg};
  int rc = lb_storage_op(c->from, &open, fd, c->io, err);
  if (!rc)
    rc = lb_newfile_begin(&f, err);
  if (!rc)
    rc = lb_newfile_end(&f, copy_all(c, &f, fd, err), err);
  if (!rc)
    rc = lb_storage_op(c->from, &close, fd, c->io, err);
  lb_storage_release(c->from, fd);
  return rc;
}
