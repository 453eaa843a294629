/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building I/O lists, and what they cost.  Pure: runs nothing. */
#include "lb-config.h"

#include "loadbank/iolist.h"

#include <stdlib.h>
#include <string.h>

/* A list is one stage of one file or batch, far below this. */
enum { MAX_OPERATIONS = 1 << 24, FIRST_OPERATIONS = 16 };

const char *const lb_op_names[LB_N_OPS] = {
#define X(id, name) [LB_OP_##id] = (name),
    LB_OP_LIST(X)
#undef X
};

void lb_iolist_init(struct lb_iolist *l)
{
  *l = (struct lb_iolist){0};
}

void lb_iolist_fini(struct lb_iolist *l)
{
  free(l->v);
  lb_iolist_init(l);
}

/* What is behind the list is zero: clearing it at once is much cheaper than one
 * operation after the other. */
void lb_iolist_clear(struct lb_iolist *l)
{
  if (l->n)
    memset(l->v, 0, l->n * sizeof *l->v);
  l->n = 0;
  l->payload_bytes = 0;
}

static bool grow(struct lb_iolist *l)
{
  size_t cap = l->cap ? 2 * l->cap : FIRST_OPERATIONS;
  if (cap > MAX_OPERATIONS)
    return false;
  struct lb_io *v = realloc(l->v, cap * sizeof *v);
  if (!v)
    return false;
  memset(v + l->n, 0, (cap - l->n) * sizeof *v);
  l->v = v;
  l->cap = cap;
  return true;
}

/* For one more, all zero; NULL: no memory. */
static inline struct lb_io *place(struct lb_iolist *l)
{
  return l->n < l->cap || grow(l) ? &l->v[l->n++] : NULL;
}

struct lb_io *lb_iolist_add(struct lb_iolist *l, struct lb_io io)
{
  struct lb_io *to = place(l);
  if (to)
    *to = io;
  return to;
}

struct lb_io *lb_iolist_open(struct lb_iolist *l, const char *path,
                             unsigned flags)
{
  return lb_iolist_add(
      l, (struct lb_io){.op = LB_OP_OPEN, .path = path, .flags = flags});
}

struct lb_io *lb_iolist_stat(struct lb_iolist *l)
{
  return lb_iolist_add(l, (struct lb_io){.op = LB_OP_STAT});
}

struct lb_io *lb_iolist_read(struct lb_iolist *l, uint64_t offset,
                             uint64_t length, uint32_t request, void *buf)
{
  struct lb_io *io = place(l);
  if (!io)
    return NULL;
  io->op = LB_OP_READ;
  io->offset = offset;
  io->length = length;
  io->request = request;
  io->buf = buf;
  return io;
}

struct lb_io *lb_iolist_write(struct lb_iolist *l, uint64_t offset,
                              uint64_t length, uint32_t request,
                              const void *buf)
{
  /* WRITE only reads from buf; the field is shared with READ. */
  return lb_iolist_add(l, (struct lb_io){.op = LB_OP_WRITE,
                                         .offset = offset,
                                         .length = length,
                                         .request = request,
                                         .buf = (void *)buf});
}

struct lb_io *lb_iolist_close(struct lb_iolist *l)
{
  return lb_iolist_add(l, (struct lb_io){.op = LB_OP_CLOSE});
}

uint64_t lb_io_requests(const struct lb_io *io)
{
  bool cut = io->op == LB_OP_READ || io->op == LB_OP_WRITE;
  if (!cut || !io->request || io->length <= io->request)
    return 1;
  return io->length / io->request + (io->length % io->request != 0);
}

void lb_iolist_cost(const struct lb_iolist *l, uint64_t count[LB_N_OPS],
                    uint64_t bytes[LB_N_OPS])
{
  for (size_t i = 0; i < l->n; i++) {
    const struct lb_io *io = &l->v[i];
    count[io->op] += lb_io_requests(io);
    if (io->op == LB_OP_READ || io->op == LB_OP_WRITE)
      bytes[io->op] += io->length;
  }
}
