/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Parquet file's footer: FileMetaData, written and read.  Only for
 * src/format. */
#ifndef LB_FORMAT_PARQUET_META_H
#define LB_FORMAT_PARQUET_META_H

#include "format/parquet_layout.h"
#include "format/thrift.h"

/* ---- written ---- */

struct pq_chunk { /* where compression has put it */
  uint64_t at, length;
};
/* chunks: of group g and column i at [g x n + i]; NULL: as planned. */
void pq_footer_write(struct thrift_out *o, const struct pq_layout *l,
                     const struct pq_chunk *chunks);
/* The size of what is written as planned; a closed form. */
uint64_t pq_footer_bytes(const struct pq_layout *l);

/* ---- read ---- */

/* What a reader has to know of a file.  As planned: no table.  Else, of each
 * group: the number of its first row, and where the chunks are to be read. */
struct pq_table {
  int64_t n_groups, n_chunks; /* chunks of a group */
  uint64_t bytes;             /* of the whole table, this included */
  uint64_t sample_bytes;      /* mean */
  uint64_t word[];
};
/* [0]: first row; [1 + 2 i], [2 + 2 i]: offset and length of chunk i. */
static inline const uint64_t *pq_table_group(const struct pq_table *t,
                                             int64_t group)
{
  return t->word + (uint64_t)group * (1 + 2 * (uint64_t)t->n_chunks);
}

struct pq_leaf;
/* Buffers of a reader, reused from file to file. */
struct pq_scan {
  struct pq_leaf *leaf;
  size_t cap;
};
void pq_scan_fini(struct pq_scan *scan);

/* Parses the n bytes of a footer.  data_bytes: what lies before it.  *table is
 * NULL when the file is as planned, else malloc'ed. */
int pq_footer_parse(struct pq_scan *scan, const struct pq_layout *l,
                    const struct lb_file *f, const unsigned char *bytes,
                    size_t n, uint64_t data_bytes, struct pq_table **table,
                    struct lb_err *err);

#endif
