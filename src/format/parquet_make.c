/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a Parquet file.  Without compression all sizes are known before, and
 * everything streams through the sink's scratch.  With it a page at a time is
 * in memory, and where each chunk came to lie, for the footer. */
#include "lb-config.h"

#include "format/parquet_make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/parquet_codec.h"

/* The file from its start to its end, through a window. */
struct stream {
  struct thrift_out o; /* first; its buffer is the sink's scratch */
  struct lb_sink *sink;
  uint64_t at; /* of the window, in the file */
  const struct lb_format_params *p;
  const struct lb_file *f;
  const struct pq_layout *l;
  const struct pq_codec *codec;
  unsigned char *page, *packed; /* with compression: a page, before and after */
  size_t page_cap, packed_cap;
  struct pq_chunk *chunks;
  struct lb_err *err;
};

static void flush(struct thrift_out *o)
{
  struct stream *s = (struct stream *)o;
  if (o->n && !s->err->code)
    s->sink->write(s->sink, s->at, o->buf, o->n, s->err);
  s->at += o->n;
  o->n = 0;
}

static uint64_t position(const struct stream *s)
{
  return s->at + s->o.n;
}

static int write_values(struct stream *s, const struct pq_page *page)
{
  uint64_t bytes = page->body_bytes - page->level_bytes;
  for (uint64_t done = 0; done < bytes && !s->err->code;) {
    size_t n = (size_t)lb_min_u64(s->o.cap - s->o.n, bytes - done);
    pq_values(s->p, s->f, page, done, s->o.buf + s->o.n, n);
    s->o.n += n;
    done += n;
    if (s->o.n == s->o.cap)
      flush(&s->o);
  }
  return -s->err->code;
}

static int write_page(struct stream *s, const struct pq_page *page)
{
  unsigned char header[PQ_HEADER_BYTES], levels[PQ_LEVEL_BYTES];
  thrift_raw(&s->o, header, pq_page_header(page, page->body_bytes, header));
  pq_levels(page, levels);
  thrift_raw(&s->o, levels, page->level_bytes);
  return write_values(s, page);
}

/* Room for a page before and after compression. */
static int make_room(struct stream *s, uint64_t body)
{
  size_t bound = s->codec->bound((size_t)body);
  if (body > s->page_cap) {
    free(s->page);
    s->page = malloc((size_t)body);
    s->page_cap = s->page ? (size_t)body : 0;
  }
  if (bound > s->packed_cap) {
    free(s->packed);
    s->packed = malloc(bound);
    s->packed_cap = s->packed ? bound : 0;
  }
  if (s->page && s->packed && bound <= INT32_MAX)
    return 0;
  return lb_err_set(s->err, LB_FAILED,
                    "%s: a page of %" PRIu64 " bytes cannot be compressed",
                    s->f->path, body);
}

static int write_packed_page(struct stream *s, const struct pq_page *page)
{
  unsigned char header[PQ_HEADER_BYTES];
  if (make_room(s, page->body_bytes) < 0)
    return -s->err->code;
  pq_levels(page, s->page);
  pq_values(s->p, s->f, page, 0, s->page + page->level_bytes,
            (size_t)(page->body_bytes - page->level_bytes));
  size_t n = s->codec->pack(s->p->compression_level, s->page,
                            (size_t)page->body_bytes, s->packed, s->packed_cap);
  if (!n)
    return lb_err_set(s->err, LB_FAILED, "%s: %s failed", s->f->path,
                      s->codec->name);
  thrift_raw(&s->o, header, pq_page_header(page, n, header));
  thrift_raw(&s->o, s->packed, n);
  return -s->err->code;
}

static int write_chunk(struct stream *s, int64_t group,
                       const struct pq_column *c)
{
  int64_t n = pq_pages(c, pq_group_rows(s->l, group));
  uint64_t at = position(s);
  int rc = 0;
  for (int64_t i = 0; i < n && !rc; i++) {
    struct pq_page page;
    pq_page_at(s->l, group, c, i, &page);
    rc = s->chunks ? write_packed_page(s, &page) : write_page(s, &page);
  }
  if (s->chunks)
    s->chunks[group * s->l->n + (c - s->l->column)] =
        (struct pq_chunk){at, position(s) - at};
  return rc;
}

static int write_footer(struct stream *s)
{
  uint64_t at = position(s);
  pq_footer_write(&s->o, s->l, s->chunks);
  uint64_t n = position(s) - at;
  unsigned char tail[PQ_TAIL_BYTES] = {0, 0, 0, 0, 'P', 'A', 'R', '1'};
  for (int i = 0; i < 4; i++)
    tail[i] = (unsigned char)(n >> (8 * i));
  thrift_raw(&s->o, tail, sizeof tail);
  flush(&s->o);
  if (n > UINT32_MAX)
    return lb_err_set(s->err, LB_FAILED, "%s: its footer is too large",
                      s->f->path);
  return -s->err->code;
}

static int write_all(struct stream *s)
{
  thrift_raw(&s->o, "PAR1", PQ_MAGIC_BYTES);
  for (int64_t g = 0; g < s->l->n_groups; g++)
    for (int64_t i = 0; i < s->l->n; i++)
      if (write_chunk(s, g, &s->l->column[i]) < 0)
        return -s->err->code;
  return write_footer(s);
}

int pq_make(const struct lb_format_params *p, const struct lb_file *f,
            struct lb_sink *sink, struct lb_err *err)
{
  struct pq_layout l;
  struct stream s = {
      .o = {.buf = sink->scratch, .cap = sink->scratch_bytes, .flush = flush},
      .sink = sink,
      .p = p,
      .f = f,
      .l = &l,
      .codec = pq_codec_find(p->compression),
      .err = err};
  int rc = pq_layout_init(&l, p, err);
  rc = rc ? rc : pq_layout_file(&l, p, f, err);
  if (!rc && s.codec->pack) {
    s.chunks = calloc((size_t)(l.n_groups * l.n), sizeof *s.chunks);
    if (!s.chunks)
      rc = lb_err_set(err, LB_FAILED, "no memory for a footer");
  }
  rc = rc ? rc : write_all(&s);
  free(s.chunks);
  free(s.page);
  free(s.packed);
  pq_layout_fini(&l);
  return rc;
}
