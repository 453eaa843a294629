/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See parquet_verify.h.  Without compression every byte of a chunk is known;
 * with it a page must expand to the body that is known. */
#include "lb-config.h"

#include "format/parquet_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/parquet_codec.h"
#include "format/thrift.h"
#include "loadbank/differs.h"

enum { PIECE = 4096 };

void pq_verify_fini(struct pq_verify *v)
{
  free(v->levels);
  free(v->packed);
  free(v->body);
  *v = (struct pq_verify){0};
}

static int wrong(const struct pq_verify *v, uint64_t at, const char *what,
                 struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED,
                    "%s: byte %" PRIu64 ": column '%s', row group %" PRId64
                    ", page %" PRId64 ": %s (dataset.seed %" PRIu64 ")",
                    v->f->path, v->offset + at, v->page.c->name, v->group,
                    v->number, what, v->p->content_seed);
}

/* got[0..n) of the page's values.  Those of most types are content as it is,
 * so what cannot be traced may be anything. */
static int wrong_values(const struct pq_verify *v, const unsigned char *got,
                        size_t n, struct lb_err *err)
{
  char instead[200], what[300];
  bool traced = lb_differs_traced(v->p, got, n, instead, sizeof instead);
  snprintf(what, sizeof what, "expands to what should not be there%s%s",
           traced ? ": " : "", traced ? instead : "");
  return wrong(v, v->done, what, err);
}

static int no_memory(const struct pq_verify *v, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: no memory to verify a page",
                    v->f->path);
}

/* Page `number' of the chunk is due. */
static void begin_page(struct pq_verify *v)
{
  const struct pq_codec *codec = pq_codec_find(v->p->compression);
  v->in_page = 0;
  v->has_header = false;
  if (v->number == v->n_pages)
    return;
  pq_page_at(v->l, v->group, v->page.c, v->number, &v->page);
  v->header_bytes = pq_page_header(&v->page, v->page.body_bytes, v->header);
  if (!codec->expand)
    pq_levels(&v->page, v->levels);
}

static int begin_chunk(struct pq_verify *v, const struct pq_piece *piece,
                       struct lb_err *err)
{
  v->group = piece->group;
  v->offset = piece->offset;
  v->length = piece->length;
  v->raw = piece->raw;
  v->done = v->have = 0;
  v->number = 0;
  v->n_pages = pq_pages(piece->c, pq_group_rows(v->l, v->group));
  v->page.c = piece->c;
  if (!v->levels)
    v->levels = malloc(PQ_LEVEL_BYTES);
  if (!v->levels)
    return no_memory(v, err);
  begin_page(v);
  v->need = lb_min_u64(PQ_HEADER_BYTES, v->length);
  return 0;
}

/* ---- without compression ---- */

/* What should be at `in_page', at most n bytes of it; the number.  *want is
 * NULL when that is not to be looked at. */
static size_t expect(const struct pq_verify *v, size_t n,
                     unsigned char room[PIECE], const unsigned char **want)
{
  uint64_t at = v->in_page, head = v->header_bytes;
  uint64_t levels = head + v->page.level_bytes;
  uint64_t end = head + v->page.body_bytes;
  uint64_t to = at < head ? head : at < levels ? levels : end;
  n = (size_t)lb_min_u64(n, lb_min_u64(to - at, PIECE));
  *want = at < head ? v->header + at : v->levels + (at - head);
  if (at >= levels && v->raw) {
    *want = NULL;
  } else if (at >= levels) {
    pq_values(v->p, v->f, &v->page, at - levels, room, n);
    *want = room;
  }
  return n;
}

static int plain_bytes(struct pq_verify *v, const unsigned char *bytes,
                       size_t n, struct lb_err *err)
{
  unsigned char room[PIECE];
  const unsigned char *want;
  while (n > 0 && v->number < v->n_pages) {
    size_t part = expect(v, n, room, &want);
    if (want && memcmp(bytes, want, part) != 0) {
      size_t i = 0;
      while (bytes[i] == want[i])
        i++;
      return wrong(v, v->done + i, "not what should be there", err);
    }
    bytes += part;
    n -= part;
    v->done += part;
    v->in_page += part;
    if (v->in_page == v->header_bytes + v->page.body_bytes) {
      v->number++;
      begin_page(v);
    }
  }
  v->done += n;
  return n ? wrong(v, v->done - n, "more than its pages", err) : 0;
}

/* ---- with compression ---- */

static bool grow(unsigned char **buf, size_t *cap, size_t n)
{
  if (n <= *cap)
    return true;
  unsigned char *more = realloc(*buf, n);
  if (!more)
    return false;
  *buf = more;
  *cap = n;
  return true;
}

/* The header is there: what it claims must fit what the page may hold. */
static int take_header(struct pq_verify *v, const struct pq_codec *codec,
                       struct lb_err *err)
{
  struct thrift_in in = {.p = v->packed, .end = v->packed + v->have};
  enum { TYPE = 1, EXPANDED = 2, COMPRESSED = 3 };
  int64_t value[THRIFT_WANT_MAX] = {
      [TYPE] = -1, [EXPANDED] = -1, [COMPRESSED] = -1};
  thrift_get_ints(&in, THRIFT_STRUCT,
                  1U << TYPE | 1U << EXPANDED | 1U << COMPRESSED, value);
  if (in.bad || value[TYPE] != 0)
    return wrong(v, v->done, "no header of a data page", err);
  int64_t expanded = value[EXPANDED], compressed = value[COMPRESSED];
  if (expanded < 0 || (uint64_t)expanded != v->page.body_bytes)
    return lb_err_set(err, LB_FAILED,
                      "%s: byte %" PRIu64
                      ": column '%s': a page claims to expand to %" PRId64
                      " bytes, and its values have %" PRIu64,
                      v->f->path, v->offset + v->done, v->page.c->name,
                      expanded, v->page.body_bytes);
  v->header_bytes = (size_t)(in.p - v->packed);
  if (compressed < 0 ||
      (uint64_t)compressed > codec->bound((size_t)v->page.body_bytes) ||
      (uint64_t)compressed > v->length - v->done - v->header_bytes)
    return wrong(v, v->done, "its size cannot be", err);
  unsigned char made[PQ_HEADER_BYTES];
  size_t n = pq_page_header(&v->page, (uint64_t)compressed, made);
  if (n != v->header_bytes || memcmp(v->packed, made, n) != 0)
    return wrong(v, v->done, "not the header that should be there", err);
  v->need = v->header_bytes + (uint64_t)compressed;
  v->has_header = true;
  return 0;
}

/* The page is there: expands and compares it. */
static int take_page(struct pq_verify *v, const struct pq_codec *codec,
                     struct lb_err *err)
{
  size_t n = (size_t)v->page.body_bytes;
  if (!grow(&v->body, &v->body_cap, n))
    return no_memory(v, err);
  if (!codec->expand(v->packed + v->header_bytes,
                     (size_t)v->need - v->header_bytes, v->body, n))
    return wrong(v, v->done, "does not expand to what it should", err);
  pq_levels(&v->page, v->levels);
  if (memcmp(v->body, v->levels, v->page.level_bytes) != 0)
    return wrong(v, v->done, "expands to what should not be there", err);
  unsigned char room[PIECE];
  for (size_t at = v->page.level_bytes; at < n;) {
    size_t part = (size_t)lb_min_u64(n - at, PIECE);
    pq_values(v->p, v->f, &v->page, at - v->page.level_bytes, room, part);
    if (memcmp(v->body + at, room, part) != 0)
      return wrong_values(v, v->body + at, n - at, err);
    at += part;
  }
  v->have -= v->need;
  memmove(v->packed, v->packed + v->need, (size_t)v->have);
  v->done += v->need;
  v->number++;
  begin_page(v);
  v->need = lb_min_u64(PQ_HEADER_BYTES, v->length - v->done);
  return 0;
}

static int packed_bytes(struct pq_verify *v, const unsigned char *bytes,
                        size_t n, struct lb_err *err)
{
  const struct pq_codec *codec = pq_codec_find(v->p->compression);
  while (v->number < v->n_pages) {
    if (v->have < v->need) {
      size_t part = (size_t)lb_min_u64(n, v->need - v->have);
      if (!grow(&v->packed, &v->packed_cap, (size_t)v->need))
        return no_memory(v, err);
      memcpy(v->packed + v->have, bytes, part);
      v->have += part;
      bytes += part;
      n -= part;
    }
    if (v->have < v->need)
      return 0;
    if ((v->has_header ? take_page(v, codec, err) : take_header(v, codec, err)))
      return -err->code;
  }
  return n || v->have ? wrong(v, v->done, "more than its pages", err) : 0;
}

int pq_verify_piece(struct pq_verify *v, const struct pq_layout *l,
                    const struct lb_format_params *p, const struct lb_file *f,
                    const struct pq_piece *piece, struct lb_err *err)
{
  v->l = l;
  v->p = p;
  v->f = f;
  if (piece->at == 0 && begin_chunk(v, piece, err) < 0)
    return -err->code;
  if ((l->codec ? packed_bytes : plain_bytes)(v, piece->bytes, piece->n, err) <
      0)
    return -err->code;
  if (piece->at + piece->n < piece->length || v->number == v->n_pages)
    return 0;
  return wrong(v, v->done, "its chunk ends too early", err);
}
