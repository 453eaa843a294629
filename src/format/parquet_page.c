/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of a Parquet file: what elements become, headers, levels, values.
 * Pure; what is where is in parquet_layout.c. */
#include "lb-config.h"

#include "format/parquet_layout.h"

#include <string.h>

#include "format/thrift.h"
#include "loadbank/content.h"

static const struct pq_type types[] = {
    {"float32", PQ_FLOAT, PQ_RAW, 4, 0, -1, false, false},
    {"float64", PQ_DOUBLE, PQ_RAW, 8, 0, -1, false, false},
    {"float16", PQ_FIXED, PQ_RAW, 2, 0, -1, false, true},
    {"int8", PQ_INT32, PQ_FROM_INT8, 1, 8, 15, true, false},
    {"int16", PQ_INT32, PQ_FROM_INT16, 2, 16, 16, true, false},
    {"int32", PQ_INT32, PQ_RAW, 4, 0, -1, true, false},
    {"int64", PQ_INT64, PQ_RAW, 8, 0, -1, true, false},
    {"uint8", PQ_INT32, PQ_FROM_UINT8, 1, 8, 11, false, false},
    {"uint16", PQ_INT32, PQ_FROM_UINT16, 2, 16, 12, false, false},
    {"uint32", PQ_INT32, PQ_RAW, 4, 32, 13, false, false},
    {"uint64", PQ_INT64, PQ_RAW, 8, 64, 14, false, false},
    {"bool", PQ_BOOLEAN, PQ_BITS, 1, 0, -1, false, false},
};

const struct pq_type *pq_type_find(const char *dtype)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].dtype, dtype))
      return &types[i];
  return NULL;
}

uint64_t pq_stored(const struct pq_column *c, uint64_t n)
{
  if (c->type->how == PQ_RAW)
    return n * c->width;
  return c->type->how == PQ_BITS ? (n + 7) / 8 : n * 4;
}

/* ---- levels ---- */

/* A run of n equal levels. */
static size_t put_run(uint64_t n, unsigned char level, unsigned char *out)
{
  size_t bytes = thrift_varint(n << 1, out);
  out[bytes] = level;
  return bytes + 1;
}

/* A new row begins where the repetition level is 0.  Short lists: a bit for
 * each value; long ones: runs. */
enum { LONG_LIST = 64 };

static size_t put_repetition(const struct pq_page *page, unsigned char *out)
{
  uint64_t size = (uint64_t)page->c->size, rows = (uint64_t)page->rows;
  if (size >= LONG_LIST) {
    size_t n = 0;
    for (uint64_t i = 0; i < rows; i++) {
      n += put_run(1, 0, out + n);
      n += put_run(size - 1, 1, out + n);
    }
    return n;
  }
  uint64_t groups = (rows * size + 7) / 8;
  size_t head = thrift_varint(groups << 1 | 1, out);
  memset(out + head, 0xff, groups);
  for (uint64_t v = 0; v < rows * size; v += size)
    out[head + v / 8] &= (unsigned char)~(1u << (v % 8));
  return head + groups;
}

static void put_length(size_t n, unsigned char *out)
{
  for (int i = 0; i < 4; i++)
    out[i] = (unsigned char)(n >> (8 * i));
}

/* Both kinds, each with its length in front. */
static size_t put_levels(const struct pq_page *page, unsigned char *out)
{
  if (page->c->size == 1)
    return 0;
  size_t n = put_repetition(page, out + 4);
  put_length(n, out);
  size_t m =
      put_run((uint64_t)page->rows * (uint64_t)page->c->size, 1, out + 8 + n);
  put_length(m, out + 4 + n);
  return 8 + n + m;
}

void pq_levels(const struct pq_page *page, unsigned char *out)
{
  put_levels(page, out);
}

/* What put_levels will make. */
static uint32_t count_levels(const struct pq_page *page)
{
  unsigned char out[32];
  uint64_t size = (uint64_t)page->c->size, rows = (uint64_t)page->rows;
  if (size == 1)
    return 0;
  uint64_t repetition =
      size >= LONG_LIST
          ? rows * (put_run(1, 0, out) + put_run(size - 1, 1, out))
          : thrift_varint((rows * size + 7) / 8 << 1 | 1, out) +
                (rows * size + 7) / 8;
  return (uint32_t)(8 + repetition + put_run(rows * size, 1, out));
}

struct pq_page pq_page_of(const struct pq_column *c, int64_t rows)
{
  struct pq_page page = {.c = c, .rows = rows};
  page.level_bytes = count_levels(&page);
  page.body_bytes =
      page.level_bytes + pq_stored(c, (uint64_t)rows * (uint64_t)c->size);
  return page;
}

/* ---- header ---- */

enum { DATA_PAGE = 0, PLAIN = 0, RLE = 3 };

size_t pq_page_header(const struct pq_page *page, uint64_t compressed_bytes,
                      unsigned char out[PQ_HEADER_BYTES])
{
  struct thrift_out o = {.buf = out, .cap = PQ_HEADER_BYTES};
  int last = 0, of_data = 0;
  thrift_int(&o, &last, 1, THRIFT_I32, DATA_PAGE);
  thrift_int(&o, &last, 2, THRIFT_I32, (int64_t)page->body_bytes);
  thrift_int(&o, &last, 3, THRIFT_I32, (int64_t)compressed_bytes);
  thrift_struct(&o, &last, 5);
  thrift_int(&o, &of_data, 1, THRIFT_I32, page->rows * page->c->size);
  thrift_int(&o, &of_data, 2, THRIFT_I32, PLAIN);
  thrift_int(&o, &of_data, 3, THRIFT_I32, RLE); /* definition levels */
  thrift_int(&o, &of_data, 4, THRIFT_I32, RLE); /* repetition levels */
  thrift_stop(&o);
  thrift_stop(&o);
  return o.n;
}

/* ---- values ---- */

enum { BLOCK = 4096 }; /* bytes on disk that are converted at a time */

/* Bytes on disk of the payload's n elements, which are little-endian. */
static void convert(enum pq_encoding how, const unsigned char *from, size_t n,
                    unsigned char *to)
{
  if (how == PQ_BITS)
    memset(to, 0, (n + 7) / 8);
  for (size_t i = 0; i < n; i++) {
    size_t bytes = how == PQ_FROM_INT8 || how == PQ_FROM_UINT8 ? 1 : 2;
    if (how == PQ_BITS) {
      to[i / 8] |= (unsigned char)((from[i] & 1u) << (i % 8));
      continue;
    }
    bool negative = (how == PQ_FROM_INT8 || how == PQ_FROM_INT16) &&
                    from[i * bytes + bytes - 1] & 0x80;
    memset(to + 4 * i, negative ? 0xff : 0, 4);
    memcpy(to + 4 * i, from + i * bytes, bytes);
  }
}

/* Block number b of the page's values; the number of its bytes. */
static size_t fill_block(const struct lb_format_params *p,
                         const struct lb_file *f, const struct pq_page *page,
                         uint64_t b, unsigned char *to)
{
  unsigned char payload[8 * BLOCK];
  const struct pq_type *t = page->c->type;
  uint64_t each = t->how == PQ_BITS ? 8 * BLOCK : BLOCK / 4;
  uint64_t all = (uint64_t)page->rows * (uint64_t)page->c->size;
  size_t n = (size_t)lb_min_u64(all - b * each, each);
  uint64_t width = page->c->width;
  lb_content_fill(p->content_seed, f->set, f->index,
                  page->content + b * each * width, payload, n * width);
  convert(t->how, payload, n, to);
  return t->how == PQ_BITS ? (n + 7) / 8 : n * 4;
}

void pq_values(const struct lb_format_params *p, const struct lb_file *f,
               const struct pq_page *page, uint64_t at, void *out, size_t n)
{
  unsigned char block[BLOCK], *to = out;
  if (page->c->type->how == PQ_RAW) {
    lb_content_fill(p->content_seed, f->set, f->index, page->content + at, out,
                    n);
    return;
  }
  while (n > 0) {
    size_t skip = (size_t)(at % BLOCK);
    size_t there = fill_block(p, f, page, at / BLOCK, block);
    size_t part = (size_t)lb_min_u64(there - skip, n);
    memcpy(to, block + skip, part);
    to += part;
    at += part;
    n -= part;
  }
}
