/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of a TFRecord file: a line "offset length" a record, as text. */
#ifndef LB_FORMAT_TFRECORD_INDEX_H
#define LB_FORMAT_TFRECORD_INDEX_H

#include "loadbank/format.h"

/* Between two pieces of it; zero at first. */
struct lb_tfr_index {
  int64_t lines; /* that are complete */
  uint64_t number[2];
  int field;   /* 0: the offset, 1: the length is being read ... */
  bool digits; /* ... and has begun */
};

/* The next line that ends in *at .. end; *at moves on.  1: number[] has it; 0:
 * none ends there, the rest is noted; negative: that is no index. */
int lb_tfr_index_next(struct lb_tfr_index *x, const unsigned char **at,
                      const unsigned char *end, const char *path,
                      struct lb_err *err);
/* At the end of the file: a last line without its end.  As above. */
int lb_tfr_index_last(struct lb_tfr_index *x, const char *path,
                      struct lb_err *err);

#endif
