/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots: pure functions from numbers to SVG.  Nothing is read, written or
 * allocated but the text.
 *
 * Colours are the page's: strokes and fills have classes (s1 ... s6, axis,
 * grid, mark, heat), so that light, dark and print are one style sheet.  A
 * picture is LB_PICTURE_WIDTH wide in units of a pixel of a phone, and so large
 * that its text can be read there. */
#ifndef LOADBANK_PICTURE_H
#define LOADBANK_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/buf.h"

enum { LB_PICTURE_WIDTH = 400, LB_PICTURE_SERIES = 6 };

/* What the numbers of an axis are: its labels have the unit that fits their
 * size. */
enum lb_measure {
  LB_PLAIN, /* 12000 is written 12k */
  LB_COUNT, /* the same, ticks at whole numbers only */
  LB_PERCENT,
  LB_SECONDS,     /* us, ms, s, min, h */
  LB_BYTES,       /* KiB ... */
  LB_BYTES_PER_S, /* KiB/s ... */
  LB_N_MEASURES
};

struct lb_axis {
  const char *label;
  enum lb_measure measure;
  bool log;       /* positive values only; others are left out */
  bool from_zero; /* the axis begins at 0 */
  bool fixed;     /* it spans low .. high whatever the values are */
  double low, high;
  const char *const *words; /* instead of numbers: value i is words[i] */
  size_t n_words;
};

/* n points; y may be NAN, there the line has a gap.  low and high, optional:
 * how far the value may be off (whiskers), or the range that it stands for
 * (a band, below a line).  x of lines does not fall. */
struct lb_series {
  const char *name; /* in the legend; NULL: no legend for it */
  const double *x, *y, *low, *high;
  size_t n;
};

/* A straight line across: a threshold, a percentile. */
struct lb_mark {
  bool upright; /* at x = at; else at y = at */
  double at;
  const char *name;
};

struct lb_picture;
/* How a picture is drawn: rows of a table. */
struct lb_picture_kind {
  const char *name;
  void (*draw)(struct lb_buf *out, const struct lb_picture *p);
};
/* A line for each series. */
extern const struct lb_picture_kind lb_picture_lines;
/* A point for each value, joined if there is more than one. */
extern const struct lb_picture_kind lb_picture_points;
/* A bar for each value of each series; x.words or x itself name them. */
extern const struct lb_picture_kind lb_picture_bars;
/* Bars without gaps: series->x are n + 1 edges, y n heights. */
extern const struct lb_picture_kind lb_picture_histogram;
/* Cells: y.n_words rows of x.n_words values in series->y (row after row; NAN:
 * none), coloured from the least to the most, of what `value' says. */
extern const struct lb_picture_kind lb_picture_heat;
extern const struct lb_picture_kind *const lb_picture_kinds[]; /* NULL ends */

struct lb_picture {
  const struct lb_picture_kind *kind;
  const char *id;    /* of the SVG element */
  const char *title; /* read aloud, and shown by the page */
  struct lb_axis x, y;
  struct lb_axis value; /* heat maps */
  const struct lb_series *series;
  size_t n_series; /* LB_PICTURE_SERIES at most */
  const struct lb_mark *marks;
  size_t n_marks;
};

/* One <svg> element. */
void lb_picture_svg(struct lb_buf *out, const struct lb_picture *p);

/* Text as it may stand in HTML, XML and their attributes; what is not UTF-8 or
 * no character of XML becomes U+FFFD. */
void lb_markup_text(struct lb_buf *out, const char *text);

/* Characters of UTF-8, not bytes. */
size_t lb_letters(const char *text);

/* "12.5 ms": with three digits, in the unit that fits. */
enum { LB_MEASURE_LEN = 32 };
void lb_measure_text(enum lb_measure q, double value, char out[LB_MEASURE_LEN]);

#endif
