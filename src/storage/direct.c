/* SPDX-License-Identifier: GPL-3.0-or-later */
/* O_DIRECT for requests of any offset and length: a read is widened to whole
 * blocks and goes through the thread's scratch, a write goes past the page
 * cache where its place, length and memory are whole blocks and through it
 * where they are not.  Which files are opened with O_DIRECT is decided by
 * formats and backends. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/storage_impl.h"

enum { USUAL_ALIGN = 4096 }; /* where the kernel does not say */

struct lb_span lb_direct_widen(uint64_t offset, size_t length, size_t align)
{
  struct lb_span s = {.skip = (size_t)(offset % align)};
  s.offset = offset - s.skip;
  s.length = s.skip + length;
  size_t over = s.length % align;
  s.length += over ? align - over : 0;
  return s;
}

size_t lb_direct_useful(const struct lb_span *s, int64_t n, size_t asked)
{
  size_t got = n > (int64_t)s->skip ? (size_t)n - s->skip : 0;
  return got < asked ? got : asked;
}

/* 0: such a file has no direct I/O, whatever open said. */
static size_t alignment_of(int fd)
{
  size_t align = USUAL_ALIGN;
#ifdef HAVE_STRUCT_STATX_STX_DIO_MEM_ALIGN
  struct statx st;
  if (!statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_DIOALIGN, &st) &&
      (st.stx_mask & STATX_DIOALIGN)) {
    align = st.stx_dio_offset_align;
    if (align && align < st.stx_dio_mem_align)
      align = st.stx_dio_mem_align;
    if (st.stx_dio_mem_align > (size_t)sysconf(_SC_PAGESIZE))
      return 0; /* scratch is not aligned so well */
  }
#else
  (void)fd;
#endif
  return align & (align - 1) || align > LB_DIRECT_MAX ? 0 : align;
}

static void note(struct lb_storage *s, int fd, int log2)
{
  atomic_store_explicit(&s->direct[fd], (uint8_t)log2, memory_order_relaxed);
}

int lb_direct_note(struct lb_storage *s, int fd, bool direct)
{
  if (!direct && !s->direct)
    return 0;
  if (!s->direct || fd >= LB_DIRECT_FILES)
    return direct ? -EMFILE : 0;
  note(s, fd, 0);
  if (!direct)
    return 0;
  size_t align = alignment_of(fd);
  if (!align)
    return -EINVAL;
  note(s, fd, __builtin_ctzl(align));
  return 0;
}

static int64_t perform(struct lb_run *r, struct request *q, uint64_t offset,
                       char *buf, size_t length)
{
  return r->s->backend->perform(r->s->self, &r->l->v[q->i], r->fd, offset, buf,
                                length);
}

/* Does the request fit scratch?  Then its bytes lie there as they lie in the
 * file, from the first block on, however many calls it takes. */
static bool fits(const struct lb_run *r, const struct request *q)
{
  return q->length <= r->t->scratch_bytes;
}

static int64_t read_blocks(struct lb_run *r, struct request *q)
{
  size_t asked = q->length - q->got, at = 0;
  struct lb_span s = lb_direct_widen(q->offset + q->got, asked, q->align);
  if (!r->t->scratch)
    return -ENOMEM;
  if (fits(r, q))
    at = (size_t)(s.offset - (q->offset - q->offset % q->align));
  size_t room = r->t->scratch_bytes + LB_SCRATCH_ROOM - at;
  if (s.length > room)
    s.length = room - room % q->align;
  char *to = (char *)r->t->scratch + at;
  int64_t n = perform(r, q, s.offset, to, s.length);
  if (n < 0)
    return n;
  q->moved += (uint64_t)n;
  size_t useful = lb_direct_useful(&s, n, asked);
  if (!fits(r, q))
    memcpy(q->buf + q->got, to + s.skip, useful);
  return (int64_t)useful;
}

/* Through the page cache: the file changes its ways for this one call. */
static int64_t write_cached(struct lb_run *r, struct request *q)
{
  int fd = lb_io_file(&r->l->v[q->i], r->fd), flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0)
    return -errno;
  int64_t n =
      perform(r, q, q->offset + q->got, q->buf + q->got, q->length - q->got);
  return fcntl(fd, F_SETFL, flags) < 0 ? -errno : n;
}

bool lb_direct_is_whole(const struct request *q)
{
  uint64_t bits = (q->offset + q->got) | (q->length - q->got) |
                  (uint64_t)(uintptr_t)(q->buf + q->got);
  return !q->align || bits % q->align == 0;
}

static int64_t write_blocks(struct lb_run *r, struct request *q)
{
  size_t left = q->length - q->got, whole = left - left % q->align;
  char *from = q->buf + q->got;
  uint64_t at = q->offset + q->got;
  if (!whole || at % q->align || (uintptr_t)from % q->align)
    return write_cached(r, q);
  return perform(r, q, at, from, whole);
}

int64_t lb_direct_move(struct lb_run *r, struct request *q)
{
  if (r->l->v[q->i].op == LB_OP_READ)
    return read_blocks(r, q);
  int64_t n = write_blocks(r, q);
  q->moved += n > 0 ? (uint64_t)n : 0;
  return n;
}

void lb_direct_deliver(const struct lb_run *r, struct request *q)
{
  if (r->l->v[q->i].op != LB_OP_READ || !fits(r, q) || !r->t->scratch)
    return;
  char *bytes = (char *)r->t->scratch + q->offset % q->align;
  if (r->l->v[q->i].buf)
    memmove(q->buf, bytes, q->got);
  else
    q->buf = bytes;
}
