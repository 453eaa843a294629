/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, and bands behind them.  Of the points that fall into one column of
 * half a unit only the first, the least, the most and the last are drawn: what
 * is seen is the same, and a million points take no more room than a thousand.
 */
#include "lb-config.h"

#include <math.h>

#include "picture/frame.h"

static const double columns_per_unit = 2;

/* The points of one column, in their order. */
struct column {
  double number;
  size_t first, last, least, most;
};

static void put(const struct lb_frame *f, const struct lb_series *s,
                const double *y, size_t i, char command)
{
  lb_svg_point(f->out, command, lb_scale_at(&f->x, s->x[i]),
               lb_scale_at(&f->y, y[i]));
}

static void put_column(const struct lb_frame *f, const struct lb_series *s,
                       const struct column *c, bool begins, bool ends)
{
  size_t a = c->least < c->most ? c->least : c->most;
  size_t b = c->least < c->most ? c->most : c->least;
  put(f, s, s->y, c->first, begins ? 'M' : 'L');
  if (a != c->first)
    put(f, s, s->y, a, 'L');
  if (b != a && b != c->first)
    put(f, s, s->y, b, 'L');
  if (c->last != b && c->last != c->first)
    put(f, s, s->y, c->last, 'L');
  if (begins && ends && c->first == c->last)
    lb_buf_puts(f->out, "h0"); /* a point by itself: its round ends show */
}

static double column_of(const struct lb_frame *f, double x)
{
  return floor(lb_scale_at(&f->x, x) * columns_per_unit);
}

static void line(const struct lb_frame *f, const struct lb_series *s)
{
  struct column c = {.number = NAN};
  bool begins = true, open = false;
  for (size_t i = 0; i < s->n; i++) {
    bool shown = lb_scale_has(&f->x, s->x[i]) && lb_scale_has(&f->y, s->y[i]);
    double number = shown ? column_of(f, s->x[i]) : NAN;
    if (open && number == c.number) {
      c.last = i;
      c.least = s->y[i] < s->y[c.least] ? i : c.least;
      c.most = s->y[i] > s->y[c.most] ? i : c.most;
      continue;
    }
    if (open)
      put_column(f, s, &c, begins, !shown);
    begins = !shown || (begins && !open);
    open = shown;
    c = (struct column){number, i, i, i, i};
  }
  if (open)
    put_column(f, s, &c, begins, true);
}

/* For each column the lowest of the lows and the highest of the highs; one
 * closed shape for each stretch without a gap. */
static void band(const struct lb_frame *f, const struct lb_series *s)
{
  enum { MOST = 1024 };
  double x[MOST], low[MOST], high[MOST], number = NAN;
  int n = 0;
  for (size_t i = 0; i <= s->n; i++) {
    bool shown = i < s->n && lb_scale_has(&f->x, s->x[i]) &&
                 lb_scale_has(&f->y, s->low[i]) &&
                 lb_scale_has(&f->y, s->high[i]);
    double now = shown ? column_of(f, s->x[i]) : NAN;
    if (shown && n > 0 && (now == number || n == MOST)) {
      low[n - 1] = fmin(low[n - 1], s->low[i]);
      high[n - 1] = fmax(high[n - 1], s->high[i]);
    } else if (shown) {
      x[n] = lb_scale_at(&f->x, s->x[i]);
      low[n] = s->low[i];
      high[n++] = s->high[i];
    }
    number = now;
    if (shown || n == 0)
      continue;
    for (int k = 0; k < n; k++)
      lb_svg_point(f->out, k ? 'L' : 'M', x[k], lb_scale_at(&f->y, high[k]));
    for (int k = n - 1; k >= 0; k--)
      lb_svg_point(f->out, 'L', x[k], lb_scale_at(&f->y, low[k]));
    lb_buf_puts(f->out, "Z");
    n = 0;
  }
}

static void draw(struct lb_buf *out, const struct lb_picture *p)
{
  struct lb_frame f;
  lb_frame_begin(&f, out, p, lb_extent_x(p), lb_extent_y(p));
  for (size_t i = 0; i < p->n_series; i++)
    if (p->series[i].low && p->series[i].high) {
      lb_buf_printf(out, "<path class=\"s%zu band\" d=\"", i + 1);
      band(&f, &p->series[i]);
      lb_buf_puts(out, "\"/>\n");
    }
  for (size_t i = 0; i < p->n_series; i++) {
    lb_buf_printf(out, "<path class=\"s%zu line\" d=\"", i + 1);
    line(&f, &p->series[i]);
    lb_buf_puts(out, "\"/>\n");
  }
  lb_frame_end(&f);
}

const struct lb_picture_kind lb_picture_lines = {"lines", draw};
