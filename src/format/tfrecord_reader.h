/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader of TFRecord files.  Only for src/format/tfrecord*.c.
 *
 * One that takes the records in order (lb_format_params.in_order) has one file
 * open, from its first record to its last, and reads it in requests into a
 * buffer.  Any other keeps the files open and reads each record by itself, from
 * where the index says. */
#ifndef LB_FORMAT_TFRECORD_READER_H
#define LB_FORMAT_TFRECORD_READER_H

#include <limits.h>

#include "format/format_impl.h"
#include "format/handles.h"
#include "format/tfrecord_index.h"
#include "format/tfrecord_layout.h"

enum { LB_TFR_DATA_SLOT, LB_TFR_INDEX_SLOT };

/* What a stage does. */
enum lb_tfr_step {
  LB_TFR_OPEN,        /* the file */
  LB_TFR_OPEN_INDEX,  /* which may be absent */
  LB_TFR_STAT_INDEX,  /* how long it is */
  LB_TFR_READ_INDEX,  /* a piece of it */
  LB_TFR_CLOSE_INDEX, /* it has said enough */
  LB_TFR_WALK,        /* without it: headers that are not in the buffer */
  LB_TFR_HEAD,        /* in order: a request that the record's header is in */
  LB_TFR_BODY,        /* what is missing of the record */
  LB_TFR_CLOSE,       /* the file */
  LB_TFR_DONE
};

/* How far the search for a record has come: nothing was looked at, the index is
 * open, it is being read, there is none. */
enum lb_tfr_search { LB_TFR_NONE, LB_TFR_OPENED, LB_TFR_READ, LB_TFR_ABSENT };

struct lb_tfr_reader {
  struct lb_handles open; /* not in order, with bytes */
  struct lb_kept kept;    /* not in order, without: what would be open */
  struct lb_handle known; /* not in order: where the file's records are ... */
  bool own_table;         /* ... with a table that is not in `open' */
  enum lb_tfr_step step;

  bool is_open, must_close; /* slot 0 has the file; it has the one before */
  enum lb_set set;
  int64_t file;
  uint64_t size;
  struct lb_tfr_layout made; /* its records, if loadbank made it */

  /* The search. */
  enum lb_tfr_search search;
  bool located; /* not in order: `known' is complete */
  int64_t next; /* in order: record `next' ... */
  uint64_t pos; /* ... begins here */
  struct lb_tfr_index index;
  uint64_t index_size, index_at, index_length;
  int64_t walk;                 /* without an index: record `walk' ... */
  uint64_t walk_at, walk_bytes; /* ... begins here; the last one's bytes */

  /* Bytes [buf_at, buf_at + buf_n) of the file. */
  unsigned char *buf;
  uint64_t buf_at, buf_n;

  /* The record that is read: [at, end) of the file; end 0: not known yet. */
  struct {
    uint64_t at, end;
    uint64_t image; /* bytes of the sample in it */
    size_t head_n;  /* bytes of its header that are here */
    unsigned char head[LB_TFR_HEADER];
    bool body; /* it has been read */
  } rec;
  uint64_t other_data, other_image; /* of a record made by others */

  /* Of a record that is verified: [rec.at, checked) was looked at. */
  uint64_t checked;
  uint32_t crc;
  unsigned char footer[LB_TFR_FOOTER];

  char path[PATH_MAX]; /* of the index */
};

extern const struct lb_sidecar lb_tfr_sidecar;

/* Hooks of struct lb_format. */
int lb_tfr_reader_init(struct lb_reader *r, struct lb_err *err);
void lb_tfr_reader_fini(struct lb_reader *r);
void lb_tfr_reader_reset(struct lb_reader *r);
uint64_t lb_tfr_reader_notes(const struct lb_format_params *p);
bool lb_tfr_keeps_open(const struct lb_format_params *p);
int lb_tfr_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                struct lb_iolist *list, struct lb_err *err);
int lb_tfr_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                 const struct lb_iolist *list, struct lb_err *err);
int lb_tfr_inspect(struct lb_reader *r, const struct lb_sample *s,
                   const struct lb_io *io, uint64_t at, const void *bytes,
                   size_t n, struct lb_err *err);

/* Bytes that the buffer has room for: a request, a page at least. */
uint64_t lb_tfr_room(const struct lb_format_params *p);

/* The length of the data that a header says, of record `number' at `at':
 * refused when the record does not fit into the file. */
int lb_tfr_length(const struct lb_tfr_reader *st, const char *path,
                  int64_t number, uint64_t at, const unsigned char *header,
                  uint64_t *length, struct lb_err *err);
/* Refuses a record that is not as long as the index, or the file, has it. */
int lb_tfr_agrees(const struct lb_tfr_reader *st, const struct lb_sample *s,
                  const unsigned char *header, struct lb_err *err);
/* Refuses a place that has no room for a record. */
int lb_tfr_has_room(const struct lb_tfr_reader *st, const struct lb_file *f,
                    int64_t number, uint64_t at, struct lb_err *err);

/* ---- tfrecord_search.c: where a record is ---- */

bool lb_tfr_is_located(const struct lb_reader *r, const struct lb_sample *s);
/* Goes by what is in the buffer, as far as that goes: only with bytes and
 * without an index. */
void lb_tfr_walk_begin(struct lb_tfr_reader *st, const struct lb_sample *s);
int lb_tfr_walk(struct lb_reader *r, const struct lb_sample *s,
                struct lb_err *err);
/* The next step; LB_TFR_DONE: there is nothing to search. */
enum lb_tfr_step lb_tfr_search_step(const struct lb_reader *r,
                                    const struct lb_sample *s);
/* The list of that step. */
int lb_tfr_search_plan(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_iolist *list, struct lb_err *err);
/* What it has read, or would have. */
int lb_tfr_search_parse(struct lb_reader *r, const struct lb_sample *s,
                        const struct lb_iolist *list, struct lb_err *err);
void lb_tfr_search_assume(struct lb_reader *r, const struct lb_sample *s);

/* ---- tfrecord_verify.c ---- */

/* Where the sample stands in its record, when loadbank made that. */
bool lb_tfr_image_range(const struct lb_tfr_reader *st, uint64_t *at,
                        uint64_t *end);
/* rec.at and rec.end are known, and the record is to be verified. */
void lb_tfr_check_begin(struct lb_tfr_reader *st);
/* n bytes of it, at `at' of the file; those that are not next are skipped.
 * compare: its content, too. */
int lb_tfr_check(struct lb_reader *r, const struct lb_sample *s,
                 const unsigned char *bytes, uint64_t at, uint64_t n,
                 bool compare, struct lb_err *err);

#endif
