/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a .csv file, as pandas writes a table of numbers: a line of
 * column numbers, then a line for each sample, which begins with the sample's
 * number.  Made piece by piece, to be written or to be compared. */
#ifndef LB_CSV_TEXT_H
#define LB_CSV_TEXT_H

#include "format/format_impl.h"

/* Longest piece of text that is not cut: a comma and 20 digits, or more. */
enum { LB_CSV_TOKEN = 32, LB_CSV_CONTENT = 4096 };

struct lb_csv_text {
  const struct lb_format_params *params;
  struct lb_file file;
  int64_t columns;
  int64_t line;   /* the next text is in it: 0 is the header */
  int64_t column; /* likewise; -1: the line's beginning */
  /* Values of one byte, each as text behind its comma. */
  struct {
    char text[7];
    uint8_t n;
  } byte[256];
  unsigned char content[LB_CSV_CONTENT]; /* from content_at of the payload */
  uint64_t content_at, payload;
  size_t used, have; /* bytes of it */
};

/* Can the element type be written?  One sentence if not. */
int lb_csv_text_check(const struct lb_dtype *dtype, struct lb_err *err);
/* The length of a file's text, as it is expected of contents that are evenly
 * distributed, and the longest that they can make. */
int lb_csv_text_sizes(const struct lb_format_params *p, const struct lb_file *f,
                      uint64_t *expected, uint64_t *longest,
                      struct lb_err *err);

/* Of its first line. */
uint64_t lb_csv_text_header(int64_t columns);

int lb_csv_text_begin(struct lb_csv_text *t, const struct lb_format_params *p,
                      const struct lb_file *f, struct lb_err *err);
/* The values that stand in a line's text from a comma on, as the payload has
 * them, until out is full or a value is cut or none; the bytes.  bool: 0, for
 * its words do not have the payload. */
size_t lb_csv_text_parse(const struct lb_dtype *dtype, const char *text,
                         size_t n, void *out, size_t room);
/* The next bytes of the text into out, which has room >= LB_CSV_TOKEN; 0: there
 * are no more. */
size_t lb_csv_text_fill(struct lb_csv_text *t, char *out, size_t room);

#endif
