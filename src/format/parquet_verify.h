/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares what was read of a row group with what should be there, as it
 * comes in; memory for a page at most.  Only for src/format. */
#ifndef LB_FORMAT_PARQUET_VERIFY_H
#define LB_FORMAT_PARQUET_VERIFY_H

#include "format/parquet_layout.h"

/* Zeroed at first. */
struct pq_verify {
  const struct pq_layout *l;
  const struct lb_format_params *p;
  const struct lb_file *f;
  int64_t group, n_pages, number; /* of pages of the chunk; the one due */
  uint64_t offset;                /* of the chunk, in the file */
  uint64_t done;                  /* bytes of it that have been seen */
  uint64_t length;
  struct pq_page page;
  unsigned char header[PQ_HEADER_BYTES];
  size_t header_bytes;
  uint64_t in_page;      /* without compression: seen of header and body */
  unsigned char *levels; /* of the page */
  /* With it: a page's header and body, as far as they have come, and the body
   * again, expanded. */
  unsigned char *packed, *body;
  size_t packed_cap, body_cap;
  uint64_t have, need;
  bool has_header, raw;
};
void pq_verify_fini(struct pq_verify *v);

/* Bytes of a chunk: n of them, from `at' on, in order.  The chunk is that of
 * column c in the group, `length' bytes at `offset' of the file. */
struct pq_piece {
  const struct pq_column *c;
  int64_t group;
  uint64_t offset, length, at;
  const void *bytes;
  size_t n;
  bool raw; /* whoever reads compares the values: they need no second look */
};
int pq_verify_piece(struct pq_verify *v, const struct pq_layout *l,
                    const struct lb_format_params *p, const struct lb_file *f,
                    const struct pq_piece *piece, struct lb_err *err);

#endif
