/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader of Parquet files; the functions are hooks of struct lb_format.
 * Only for src/format. */
#ifndef LB_FORMAT_PARQUET_READ_H
#define LB_FORMAT_PARQUET_READ_H

#include "format/handles.h"
#include "format/parquet_meta.h"
#include "format/parquet_verify.h"

/* What a stage does. */
enum pq_step { PQ_OPEN, PQ_TAIL, PQ_FOOTER, PQ_CHUNKS, PQ_DONE };

/* A footer that was found to be as planned, and what it was held against. */
struct pq_known {
  int64_t rows, sample_bytes;
  uint64_t file_bytes, footer_bytes, hash;
};

struct pq_reader {
  struct lb_handles open; /* with bytes */
  struct lb_kept kept;    /* without: what would be open */
  struct pq_layout layout;
  struct pq_scan scan;
  struct pq_known known; /* the last one; of any file */
  enum pq_step step;
  uint64_t file_bytes, tail_bytes;
  uint64_t footer_bytes; /* without the tail */
  unsigned char *buf;    /* of the end of a file */
  size_t cap;
  struct pq_table *table; /* of the file; NULL: as planned */
  bool own_table;         /* ... and it is not yet in `open' */
  uint64_t tables_bytes;
  int64_t group, first, end; /* that is read: its rows are first .. end-1 */
  struct pq_verify verify;
};

int pq_reader_init(struct lb_reader *r, struct lb_err *err);
void pq_reader_fini(struct lb_reader *r);
void pq_reader_reset(struct lb_reader *r);
uint64_t pq_reader_notes(const struct lb_format_params *p);
bool pq_keeps_open(const struct lb_format_params *p);
int pq_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
            struct lb_iolist *list, struct lb_err *err);
int pq_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
             const struct lb_iolist *list, struct lb_err *err);
int pq_inspect(struct lb_reader *r, const struct lb_sample *s,
               const struct lb_io *io, uint64_t at, const void *bytes, size_t n,
               struct lb_err *err);

#endif
