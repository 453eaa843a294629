/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See parquet_layout.h.  The footer's size comes from parquet_meta.c. */
#include "lb-config.h"

#include "format/parquet_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/parquet_codec.h"
#include "format/parquet_meta.h"

/* Pages are counted in 32 bits, with their levels. */
#define ROW_BYTES_MAX (INT32_MAX - PQ_LEVEL_BYTES)

/* ---- columns ---- */

static int column_error(const struct lb_column *c, const char *what,
                        struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "dataset.parquet.columns: '%s': %s", c->name,
                    what);
}

static const struct pq_type *type_of(const struct lb_column *c,
                                     struct lb_err *err)
{
  const struct pq_type *t = pq_type_find(c->dtype);
  if (!t)
    lb_err_set(err, LB_USAGE,
               "dataset.parquet.columns: '%s': dtype '%s' is not supported; "
               "allowed: float16, float32, float64, int8 to int64, uint8 to "
               "uint64, bool",
               c->name, c->dtype);
  return t;
}

int64_t lb_parquet_row_bytes(const struct lb_parquet_options *o,
                             struct lb_err *err)
{
  int64_t sum = 0;
  if (o->columns.n > PQ_MAX_COLUMNS)
    return lb_err_set(err, LB_USAGE,
                      "dataset.parquet.columns: %" PRId64
                      " columns; at most %d are possible",
                      o->columns.n, PQ_MAX_COLUMNS);
  for (int64_t i = 0; i < o->columns.n; i++) {
    const struct lb_column *c = &o->columns.v[i];
    const struct pq_type *t = type_of(c, err);
    if (!t)
      return -err->code;
    if (c->size < 1 || c->size > ROW_BYTES_MAX / 8)
      return column_error(c, "a list of this size does not fit a page", err);
    sum += c->size * t->bytes;
  }
  return sum;
}

static void choose_page_rows(struct pq_column *c)
{
  uint64_t by_bytes = PQ_PAGE_BYTES / pq_stored(c, (uint64_t)c->size);
  uint64_t by_values = PQ_PAGE_VALUES / (uint64_t)c->size;
  uint64_t rows = lb_min_u64(by_bytes, by_values);
  c->page_rows = rows ? (int64_t)rows : 1;
}

static void add_column(struct pq_layout *l, struct pq_column c)
{
  c.before = l->row_bytes;
  choose_page_rows(&c);
  l->row_bytes += (uint64_t)c.size * c.width;
  if (c.read) {
    l->read_bytes += (uint64_t)c.size * c.width;
    l->n_read++;
  }
  l->column[l->n++] = c;
}

static const struct pq_type bytes_type = {
    .dtype = "bytes", .physical = PQ_FIXED, .converted = -1};

int pq_layout_init(struct pq_layout *l, const struct lb_format_params *p,
                   struct lb_err *err)
{
  const struct lb_parquet_options *o = p->options;
  int64_t n = o ? o->columns.n : 0;
  const struct pq_codec *codec = pq_codec_find(p->compression);
  *l = (struct pq_layout){.codec = codec ? codec->id : 0, .has_columns = n > 0};
  if (n && lb_parquet_row_bytes(o, err) < 0)
    return -err->code;
  l->column = calloc((size_t)(n ? n : 1), sizeof *l->column);
  if (!l->column)
    return lb_err_set(err, LB_FAILED, "no memory for %" PRId64 " columns", n);
  for (int64_t i = 0; i < n; i++) {
    const struct lb_column *c = &o->columns.v[i];
    const struct pq_type *t = pq_type_find(c->dtype);
    add_column(l, (struct pq_column){.name = c->name,
                                     .type = t,
                                     .size = c->size,
                                     .width = (uint64_t)t->bytes,
                                     .read = c->read});
  }
  for (int64_t i = 0; i < n && !l->n_read; i++) /* none is: then DLIO, too, */
    l->column[i].read = true;                   /* reads all */
  if (n && !l->n_read) {
    l->n_read = l->n;
    l->read_bytes = l->row_bytes;
  }
  return 0;
}

void pq_layout_fini(struct pq_layout *l)
{
  free(l->column);
  l->column = NULL;
}

/* ---- pages ---- */

int64_t pq_pages(const struct pq_column *c, int64_t rows)
{
  return (rows + c->page_rows - 1) / c->page_rows;
}

void pq_page_at(const struct pq_layout *l, int64_t group,
                const struct pq_column *c, int64_t i, struct pq_page *page)
{
  int64_t rows = pq_group_rows(l, group), first = i * c->page_rows;
  int64_t here = rows - first < c->page_rows ? rows - first : c->page_rows;
  *page = pq_page_of(c, here);
  page->content =
      pq_chunk_content(l, group, c) + (uint64_t)(first * c->size) * c->width;
}

static uint64_t page_bytes(const struct pq_column *c, int64_t rows)
{
  unsigned char header[PQ_HEADER_BYTES];
  struct pq_page page = pq_page_of(c, rows);
  return pq_page_header(&page, page.body_bytes, header) + page.body_bytes;
}

static uint64_t chunk_bytes(const struct pq_column *c, int64_t rows)
{
  int64_t full = pq_pages(c, rows) - 1;
  uint64_t last = page_bytes(c, rows - full * c->page_rows);
  return last + (full ? (uint64_t)full * page_bytes(c, c->page_rows) : 0);
}

/* ---- a file ---- */

/* Without columns a row is a string of bytes, as long as a sample. */
static int one_column(struct pq_layout *l, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  if (lb_sample_dims(p, f, dims, &n, err) < 0)
    return -err->code;
  if (f->sample_bytes > ROW_BYTES_MAX)
    return lb_err_set(err, LB_USAGE,
                      "a sample of %" PRId64
                      " bytes: a value of a Parquet file has at most %d",
                      f->sample_bytes, ROW_BYTES_MAX);
  l->n = l->n_read = 0;
  l->row_bytes = l->read_bytes = 0;
  add_column(l, (struct pq_column){.name = "data",
                                   .type = &bytes_type,
                                   .size = 1,
                                   .width = (uint64_t)f->sample_bytes,
                                   .read = true});
  return 0;
}

static int check_columns(const struct pq_layout *l, const struct lb_file *f,
                         struct lb_err *err)
{
  if (l->row_bytes == (uint64_t)f->sample_bytes)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "dataset.parquet.columns: a row has %" PRIu64
                    " bytes, and a sample was planned with %" PRId64,
                    l->row_bytes, f->sample_bytes);
}

static void place_groups(struct pq_layout *l)
{
  int64_t rows[2] = {l->group_rows, l->last_rows};
  for (int kind = 0; kind < 2; kind++) {
    l->group_bytes[kind] = 0;
    for (int64_t i = 0; i < l->n; i++) {
      struct pq_column *c = &l->column[i];
      c->at[kind] = l->group_bytes[kind];
      c->length[kind] = chunk_bytes(c, rows[kind]);
      l->group_bytes[kind] += c->length[kind];
    }
  }
}

int pq_layout_file(struct pq_layout *l, const struct lb_format_params *p,
                   const struct lb_file *f, struct lb_err *err)
{
  const struct lb_parquet_options *o = p->options;
  uint64_t payload;
  if (l->rows == f->samples && l->sample_bytes == f->sample_bytes)
    return 0;
  if ((l->has_columns ? check_columns(l, f, err) : one_column(l, p, f, err)) <
          0 ||
      lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  int64_t group = o && o->row_group_size > 0 ? o->row_group_size : 1024;
  l->group_rows = group < f->samples ? group : f->samples;
  l->n_groups = (f->samples + l->group_rows - 1) / l->group_rows;
  l->last_rows = f->samples - (l->n_groups - 1) * l->group_rows;
  if (payload > (uint64_t)INT64_MAX / 16 || l->n_groups > INT32_MAX)
    return lb_err_set(err, LB_USAGE,
                      "a file of %" PRId64 " row groups and %" PRIu64
                      " bytes is too large for Parquet",
                      l->n_groups, payload);
  place_groups(l);
  l->rows = f->samples;
  l->sample_bytes = f->sample_bytes;
  l->footer_at = PQ_MAGIC_BYTES +
                 (uint64_t)(l->n_groups - 1) * l->group_bytes[PQ_FULL] +
                 l->group_bytes[PQ_LAST];
  l->footer_bytes = pq_footer_bytes(l);
  l->file_bytes = l->footer_at + l->footer_bytes + PQ_TAIL_BYTES;
  if (l->footer_bytes <= UINT32_MAX)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "a footer of %" PRIu64 " bytes is too large for Parquet "
                    "(dataset.parquet.row_group_size)",
                    l->footer_bytes);
}
