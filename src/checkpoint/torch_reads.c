/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of torch.load: what PyTorch's archive reader asks for, through a
 * buffered file of Python.  Such a file keeps what it read until a request
 * leaves it, fills its buffer for small requests and passes large ones on;
 * once all of the buffer was taken, a step back asks the file again. */
#include "lb-config.h"

#include "checkpoint/torch_zip.h"
#include "loadbank/torch_load.h"

/* What is asked for, in order.  A MEMBER is two requests: its header, as long
 * as it is without name and padding, and its data. */
enum ask {
  ASK_MAGIC,      /* is it a zip archive? */
  ASK_SIGN,       /* of a release before the first */
  ASK_SEARCH,     /* for the end record, in the last 4 KiB */
  ASK_END_RECORD, /* then each record by itself */
  ASK_LOCATOR,
  ASK_END64,
  ASK_DIRECTORY,
  ASK_IDENTITY,
  ASK_VERSION,
  ASK_BYTE_ORDER,
  ASK_PICKLE,
  ASK_TENSORS, /* in the order of the pickle */
  N_STEPS
};

/* Bytes of the archive's last records, and of the search for the last one. */
enum { END_RECORD = 22, LOCATOR = 20, END64 = 56, SEARCH = 4096 };

struct request {
  uint64_t at, n; /* n 0: none */
};

static void begin_archive(struct lb_torch_reads *r)
{
  r->step = ASK_MAGIC;
  r->half = 0;
  r->k = 0;
  r->member_at = 0;
  if (r->index < lb_torch_archives(r->file))
    lb_torch_lay_out(r->file, r->index, r->archive.at + r->archive.bytes,
                     &r->archive);
}

void lb_torch_reads_begin(struct lb_torch_reads *r,
                          const struct lb_torch_file *f, uint64_t buffer)
{
  *r = (struct lb_torch_reads){
      .file = f, .buffer = buffer, .size = lb_torch_bytes(f)};
  begin_archive(r);
}

/* The member with this number: tensors' are found by going on from the last. */
static void find_member(struct lb_torch_reads *r, int64_t k,
                        struct lb_torch_member *m)
{
  const struct lb_torch_archive *a = &r->archive;
  int64_t from =
      k >= LB_TORCH_BEFORE && k < LB_TORCH_BEFORE + a->tensors && r->member_at
          ? k
          : 0;
  uint64_t at = from ? r->member_at : 0;
  do {
    lb_torch_member(a, from, at, m);
    at = m->end;
  } while (from++ < k);
}

static struct request of_member(struct lb_torch_reads *r, int64_t k)
{
  struct lb_torch_member m;
  find_member(r, k, &m);
  struct request q = {m.at, LB_TORCH_LOCAL};
  if (r->half)
    q = (struct request){m.at + m.header, m.size};
  if (!m.size)
    q.n = 0;
  r->half = !r->half;
  if (!r->half && r->step == ASK_TENSORS) {
    r->member_at = m.end;
    r->k++;
  }
  return q;
}

static bool is_skipped(const struct lb_torch_reads *r)
{
  if (r->old && (r->step == ASK_IDENTITY || r->step == ASK_BYTE_ORDER))
    return true;
  return r->step == ASK_TENSORS && r->k == r->archive.tensors;
}

/* What the step asks for, from the archive's first byte on; goes on. */
static struct request ask(struct lb_torch_reads *r)
{
  const struct lb_torch_archive *a = &r->archive;
  const int64_t last = a->members - 1;
  const int64_t members[N_STEPS] = {
      [ASK_IDENTITY] = last,
      [ASK_VERSION] = last - 1,
      [ASK_BYTE_ORDER] = LB_TORCH_BEFORE - 1,
      [ASK_PICKLE] = 0,
      [ASK_TENSORS] = LB_TORCH_BEFORE + r->k,
  };
  const uint64_t tail = a->bytes < SEARCH ? a->bytes : SEARCH;
  const struct request fixed[] = {
      [ASK_MAGIC] = {0, 4},
      [ASK_SIGN] = {0, 8},
      [ASK_SEARCH] = {a->bytes - tail, tail},
      [ASK_END_RECORD] = {a->bytes - END_RECORD, END_RECORD},
      [ASK_LOCATOR] = {a->bytes - END_RECORD - LOCATOR, LOCATOR},
      [ASK_END64] = {a->bytes - LB_TORCH_TAIL, END64},
      [ASK_DIRECTORY] = {a->directory, a->directory_bytes},
  };
  if (is_skipped(r)) {
    r->step++;
    return (struct request){0, 0};
  }
  int step = r->step;
  struct request q =
      step < ASK_IDENTITY ? fixed[step] : of_member(r, members[step]);
  if (!r->half && step != ASK_TENSORS)
    r->step++;
  return q;
}

/* Through the buffer: 1 when the file is read. */
static bool through(struct lb_torch_reads *r, struct request q,
                    uint64_t *offset, uint64_t *length)
{
  uint64_t at = r->archive.at + q.at, n = q.n;
  if (r->pos == r->to || at < r->from || at > r->to)
    r->from = r->to = at;
  r->pos = at;
  uint64_t have = r->to - at < n ? r->to - at : n;
  r->pos += have;
  n -= have;
  if (!n)
    return false;
  *offset = r->pos;
  *length = n;
  r->from = r->to = r->pos + n;
  if (n <= r->buffer) {
    uint64_t left = r->size - *offset;
    *length = left < r->buffer ? left : r->buffer;
    r->from = *offset;
    r->to = *offset + *length;
  }
  r->pos = *offset + n;
  return true;
}

bool lb_torch_reads_next(struct lb_torch_reads *r, uint64_t *offset,
                         uint64_t *length)
{
  while (r->index < lb_torch_archives(r->file)) {
    int step = r->step;
    if (step == N_STEPS) {
      r->index++;
      begin_archive(r);
      continue;
    }
    if (step == ASK_SIGN) /* its size was asked for: what was read is dropped */
      r->from = r->to = r->pos = 0;
    struct request q = ask(r);
    if (q.n && through(r, q, offset, length))
      return true;
  }
  return false;
}
