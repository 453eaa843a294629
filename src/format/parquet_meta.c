/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The footer of a Parquet file, written; read it is in parquet_footer.c.  The
 * numbers of fields are those of the format's definition. */
#include "lb-config.h"

#include "format/parquet_meta.h"

enum { REQUIRED = 0, REPEATED = 2 };
enum {
  CONVERTED_LIST = 3,
  LOGICAL_LIST = 3,
  LOGICAL_INT = 10,
  LOGICAL_HALF = 15
};
enum { PLAIN = 0, RLE = 3 };

/* ---- schema ---- */

static void put_logical(struct thrift_out *o, int *last,
                        const struct pq_type *t)
{
  int in_union = 0, in_int = 0;
  if (!t->bits && !t->half)
    return;
  thrift_struct(o, last, 10);
  thrift_struct(o, &in_union, t->half ? LOGICAL_HALF : LOGICAL_INT);
  if (t->bits) {
    thrift_int(o, &in_int, 1, THRIFT_BYTE, t->bits);
    thrift_bool(o, &in_int, 2, t->is_signed);
  }
  thrift_stop(o);
  thrift_stop(o);
}

static void put_leaf(struct thrift_out *o, const struct pq_column *c,
                     const char *name)
{
  int last = 0;
  thrift_int(o, &last, 1, THRIFT_I32, c->type->physical);
  if (c->type->physical == PQ_FIXED)
    thrift_int(o, &last, 2, THRIFT_I32, (int64_t)c->width);
  thrift_int(o, &last, 3, THRIFT_I32, REQUIRED);
  thrift_text(o, &last, 4, name);
  if (c->type->converted >= 0)
    thrift_int(o, &last, 6, THRIFT_I32, c->type->converted);
  put_logical(o, &last, c->type);
  thrift_stop(o);
}

static void put_list(struct thrift_out *o, const struct pq_column *c)
{
  int last = 0, in_union = 0;
  thrift_int(o, &last, 3, THRIFT_I32, REQUIRED);
  thrift_text(o, &last, 4, c->name);
  thrift_int(o, &last, 5, THRIFT_I32, 1);
  thrift_int(o, &last, 6, THRIFT_I32, CONVERTED_LIST);
  thrift_struct(o, &last, 10);
  thrift_struct(o, &in_union, LOGICAL_LIST);
  thrift_stop(o);
  thrift_stop(o);
  thrift_stop(o);
  last = 0;
  thrift_int(o, &last, 3, THRIFT_I32, REPEATED);
  thrift_text(o, &last, 4, "list");
  thrift_int(o, &last, 5, THRIFT_I32, 1);
  thrift_stop(o);
  put_leaf(o, c, "element");
}

static void put_schema(struct thrift_out *o, int *last,
                       const struct pq_layout *l)
{
  int in_root = 0;
  int64_t n = 1;
  for (int64_t i = 0; i < l->n; i++)
    n += l->column[i].size > 1 ? 3 : 1;
  thrift_list(o, last, 2, THRIFT_STRUCT, (uint32_t)n);
  thrift_text(o, &in_root, 4, "schema");
  thrift_int(o, &in_root, 5, THRIFT_I32, l->n);
  thrift_stop(o);
  for (int64_t i = 0; i < l->n; i++)
    if (l->column[i].size > 1)
      put_list(o, &l->column[i]);
    else
      put_leaf(o, &l->column[i], l->column[i].name);
}

/* ---- row groups ---- */

static void put_path(struct thrift_out *o, int *last, const struct pq_column *c)
{
  bool list = c->size > 1;
  thrift_list(o, last, 3, THRIFT_BINARY, list ? 3 : 1);
  thrift_element_text(o, c->name);
  if (list) {
    thrift_element_text(o, "list");
    thrift_element_text(o, "element");
  }
}

static void put_chunk(struct thrift_out *o, const struct pq_layout *l,
                      int64_t rows, const struct pq_column *c,
                      uint64_t expanded, struct pq_chunk at)
{
  int in_chunk = 0, last = 0;
  thrift_int(o, &in_chunk, 2, THRIFT_I64, 0); /* deprecated, yet required */
  thrift_struct(o, &in_chunk, 3);
  thrift_int(o, &last, 1, THRIFT_I32, c->type->physical);
  thrift_list(o, &last, 2, THRIFT_I32, 2);
  thrift_element_int(o, PLAIN);
  thrift_element_int(o, RLE);
  put_path(o, &last, c);
  thrift_int(o, &last, 4, THRIFT_I32, l->codec);
  thrift_int(o, &last, 5, THRIFT_I64, rows * c->size);
  thrift_int(o, &last, 6, THRIFT_I64, (int64_t)expanded);
  thrift_int(o, &last, 7, THRIFT_I64, (int64_t)at.length);
  thrift_int(o, &last, 9, THRIFT_I64, (int64_t)at.at);
  thrift_stop(o);
  thrift_stop(o);
}

static void put_group(struct thrift_out *o, const struct pq_layout *l,
                      int64_t group, const struct pq_chunk *chunks)
{
  int last = 0, kind = pq_kind(l, group);
  int64_t rows = pq_group_rows(l, group);
  thrift_list(o, &last, 1, THRIFT_STRUCT, (uint32_t)l->n);
  for (int64_t i = 0; i < l->n; i++) {
    const struct pq_column *c = &l->column[i];
    struct pq_chunk planned = {pq_chunk_at(l, group, c), c->length[kind]};
    put_chunk(o, l, rows, c, c->length[kind],
              chunks ? chunks[group * l->n + i] : planned);
  }
  thrift_int(o, &last, 2, THRIFT_I64, (int64_t)l->group_bytes[kind]);
  thrift_int(o, &last, 3, THRIFT_I64, rows);
  thrift_stop(o);
}

static void put_head(struct thrift_out *o, int *last, const struct pq_layout *l)
{
  thrift_int(o, last, 1, THRIFT_I32, 2); /* version */
  put_schema(o, last, l);
  thrift_int(o, last, 3, THRIFT_I64, l->rows);
  thrift_list(o, last, 4, THRIFT_STRUCT, (uint32_t)l->n_groups);
}

static void put_end(struct thrift_out *o, int *last)
{
  thrift_text(o, last, 6, "loadbank");
  thrift_stop(o);
}

void pq_footer_write(struct thrift_out *o, const struct pq_layout *l,
                     const struct pq_chunk *chunks)
{
  int last = 0;
  put_head(o, &last, l);
  for (int64_t g = 0; g < l->n_groups; g++)
    put_group(o, l, g, chunks);
  put_end(o, &last);
}

/* ---- its size ---- */

/* Bytes of the integers at, at + step, ... (n of them): one more for each
 * power of 128 that they reach. */
static uint64_t offsets_bytes(uint64_t at, uint64_t step, uint64_t n)
{
  uint64_t bytes = n;
  for (unsigned bits = 6; bits < 63; bits += 7) {
    uint64_t limit = (uint64_t)1 << bits;
    uint64_t below = at >= limit ? 0 : (limit - at + step - 1) / step;
    if (below >= n)
      break;
    bytes += n - below;
  }
  return bytes;
}

/* Of all groups of that kind; they differ in the offsets of chunks only. */
static uint64_t groups_bytes(const struct pq_layout *l, int64_t first,
                             int64_t n)
{
  struct thrift_out o = {.buf = NULL};
  if (n == 0)
    return 0;
  put_group(&o, l, first, NULL);
  uint64_t bytes = o.total * (uint64_t)n;
  for (int64_t i = 0; i < l->n; i++) {
    uint64_t at = pq_chunk_at(l, first, &l->column[i]);
    bytes -= thrift_int_bytes(at) * (uint64_t)n;
    bytes += offsets_bytes(at, l->group_bytes[PQ_FULL], (uint64_t)n);
  }
  return bytes;
}

uint64_t pq_footer_bytes(const struct pq_layout *l)
{
  struct thrift_out o = {.buf = NULL};
  int last = 0;
  put_head(&o, &last, l);
  put_end(&o, &last);
  return o.total + groups_bytes(l, 0, l->n_groups - 1) +
         groups_bytes(l, l->n_groups - 1, 1);
}
