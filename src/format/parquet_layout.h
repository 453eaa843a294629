/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where everything is in a Parquet file as this program writes it without
 * compression; pure.  Only for src/format.
 *
 * A file is "PAR1", the row groups, the footer, its length (4 bytes), "PAR1".
 * A row group is a chunk of each column, a chunk is pages, a page is a header
 * and a body: for lists the repetition and definition levels, then the values.
 * The payload of a file is in the same order: the chunks' values, one behind
 * the other. */
#ifndef LB_FORMAT_PARQUET_LAYOUT_H
#define LB_FORMAT_PARQUET_LAYOUT_H

#include "format/format_impl.h"
#include "loadbank/parquet.h"

enum { PQ_MAGIC_BYTES = 4, PQ_TAIL_BYTES = 8 };
/* A page has whole rows; of small ones as many as keep its values within ... */
enum { PQ_PAGE_BYTES = 1 << 20, PQ_PAGE_VALUES = 1 << 18 };
/* With the values of a page limited so, its levels fit in ... */
enum { PQ_LEVEL_BYTES = 40960, PQ_HEADER_BYTES = 64 };
enum { PQ_MAX_COLUMNS = 100000 };

/* Physical types, as numbered by the format. */
enum pq_physical {
  PQ_BOOLEAN,
  PQ_INT32,
  PQ_INT64,
  PQ_INT96,
  PQ_FLOAT,
  PQ_DOUBLE,
  PQ_BYTE_ARRAY,
  PQ_FIXED,
  PQ_N_PHYSICAL
};

/* What an element becomes. */
enum pq_encoding {
  PQ_RAW,       /* as it is */
  PQ_FROM_INT8, /* of 4 bytes */
  PQ_FROM_INT16,
  PQ_FROM_UINT8,
  PQ_FROM_UINT16,
  PQ_BITS /* one bit: the lowest of the payload's byte */
};

struct pq_type {
  const char *dtype;
  enum pq_physical physical;
  enum pq_encoding how;
  int bytes;     /* of the payload */
  int bits;      /* of an integer's annotation; 0: none */
  int converted; /* the older annotation; -1: none */
  bool is_signed;
  bool half; /* annotated as FLOAT16 */
};
const struct pq_type *pq_type_find(const char *dtype); /* or NULL */

struct pq_column {
  const char *name; /* borrowed */
  const struct pq_type *type;
  int64_t size;       /* values of a row; above 1: a list */
  uint64_t width;     /* payload bytes of a value */
  uint64_t before;    /* payload bytes of a row in the columns before it */
  int64_t page_rows;  /* of all pages but the last of a chunk */
  uint64_t at[2];     /* of its chunk, from the row group's start, and ... */
  uint64_t length[2]; /* ... its bytes: of a full row group, of the last */
  bool read;
};
enum { PQ_FULL, PQ_LAST };

struct pq_layout {
  struct pq_column *column;
  int64_t n, n_read;
  bool has_columns;   /* configured; else one of bytes, as long as a sample */
  uint64_t row_bytes; /* of payload */
  uint64_t read_bytes;
  int64_t rows, group_rows, n_groups, last_rows;
  uint64_t group_bytes[2]; /* on disk */
  uint64_t footer_at, footer_bytes, file_bytes;
  int64_t sample_bytes; /* of the file that it is for */
  int codec;            /* the format's number of it */
};

/* The columns, by the options; pq_layout_fini whatever happens. */
int pq_layout_init(struct pq_layout *l, const struct lb_format_params *p,
                   struct lb_err *err);
/* All of the rest, for a file. */
int pq_layout_file(struct pq_layout *l, const struct lb_format_params *p,
                   const struct lb_file *f, struct lb_err *err);
void pq_layout_fini(struct pq_layout *l);

static inline int pq_kind(const struct pq_layout *l, int64_t group)
{
  return group == l->n_groups - 1 ? PQ_LAST : PQ_FULL;
}

static inline int64_t pq_group_rows(const struct pq_layout *l, int64_t group)
{
  return group == l->n_groups - 1 ? l->last_rows : l->group_rows;
}

/* Where group g's chunk of a column is in the file. */
static inline uint64_t pq_chunk_at(const struct pq_layout *l, int64_t group,
                                   const struct pq_column *c)
{
  return PQ_MAGIC_BYTES + (uint64_t)group * l->group_bytes[PQ_FULL] +
         c->at[pq_kind(l, group)];
}

/* Where the values of that chunk are in the payload. */
static inline uint64_t pq_chunk_content(const struct pq_layout *l,
                                        int64_t group,
                                        const struct pq_column *c)
{
  return (uint64_t)(group * l->group_rows) * l->row_bytes +
         (uint64_t)pq_group_rows(l, group) * c->before;
}

/* ---- pages ---- */

struct pq_page {
  const struct pq_column *c;
  int64_t rows;
  uint64_t content; /* of its first value, in the payload */
  uint32_t level_bytes;
  uint64_t body_bytes; /* levels and values */
};

/* Bytes of n values of a column on disk. */
uint64_t pq_stored(const struct pq_column *c, uint64_t n);
struct pq_page pq_page_of(const struct pq_column *c, int64_t rows);
int64_t pq_pages(const struct pq_column *c, int64_t rows);
void pq_page_at(const struct pq_layout *l, int64_t group,
                const struct pq_column *c, int64_t i, struct pq_page *page);
/* Its header; the number of its bytes. */
size_t pq_page_header(const struct pq_page *page, uint64_t compressed_bytes,
                      unsigned char out[PQ_HEADER_BYTES]);
/* The levels in front of the values; level_bytes of them. */
void pq_levels(const struct pq_page *page, unsigned char *out);
/* Bytes [at, at + n) of its values. */
void pq_values(const struct lb_format_params *p, const struct lb_file *f,
               const struct pq_page *page, uint64_t at, void *out, size_t n);

#endif
