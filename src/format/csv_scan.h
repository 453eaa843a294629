/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a .csv file as it is read: its lines and columns are counted and,
 * of a sample that is verified, it is compared with what should be there. */
#ifndef LB_CSV_SCAN_H
#define LB_CSV_SCAN_H

#include "format/csv_text.h"

struct lb_csv_scan {
  const struct lb_format_params *params;
  struct lb_file file;
  uint64_t at;     /* bytes of text so far */
  uint64_t lines;  /* that have ended */
  uint64_t commas; /* of the first one */
  bool indexed;    /* it begins with one: column numbers, lines are numbered */
  char last;       /* byte so far */
  bool compares;
  struct lb_csv_text text;
  char want[LB_CSV_CONTENT];
  size_t want_at, want_n;
};

int lb_csv_scan_begin(struct lb_csv_scan *s, const struct lb_format_params *p,
                      const struct lb_file *f, bool compares,
                      struct lb_err *err);
/* The next bytes; an lb_codec_out: arg is the scan. */
int lb_csv_scan_take(void *arg, const void *bytes, size_t n,
                     struct lb_err *err);
/* All was read.  Lines and columns against what was configured; *sample_bytes:
 * of one sample, as found. */
int lb_csv_scan_end(struct lb_csv_scan *s, uint64_t *sample_bytes,
                    struct lb_err *err);

#endif
