/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat maps: one colour, more of it for more, and the number in each cell that
 * has room for it, so that nothing depends on the eye for shades. */
#include "lb-config.h"

#include <math.h>

#include "picture/frame.h"

static const double faintest = 0.06, strong = 0.55;
/* Of a cell that has room for a number, and from its middle to the text's
 * baseline. */
static const double least_height = 13, half_letter = 4;

static void cell(const struct lb_frame *f, size_t column, size_t row,
                 double value, double share)
{
  double x = lb_scale_at(&f->x, (double)column - 0.5);
  double width = lb_scale_at(&f->x, (double)column + 0.5) - x;
  double y = lb_scale_at(&f->y, (double)row + 0.5);
  double height = lb_scale_at(&f->y, (double)row - 0.5) - y;
  double shade = faintest + share * (1 - faintest);
  char text[LB_MEASURE_LEN];
  lb_measure_text(f->p->value.measure, value, text);
  lb_buf_printf(f->out,
                "<path class=\"heat\" fill-opacity=\"%.2f\" "
                "d=\"M%.1f %.1fh%.1fv%.1fh%.1fZ\"><title>",
                shade, x, y, width, height, -width);
  lb_markup_text(f->out, f->p->x.words[column]);
  lb_buf_puts(f->out, ", ");
  lb_markup_text(f->out, f->p->y.words[row]);
  lb_buf_printf(f->out, ": %s</title></path>", text);
  if (lb_svg_text_width(text) <= width && height >= least_height)
    lb_svg_text(f->out, x + width / 2, y + height / 2 + half_letter, "middle",
                shade > strong ? "in strong" : "in", text, width + 1);
}

static void draw(struct lb_buf *out, const struct lb_picture *p)
{
  struct lb_frame f;
  struct lb_extent e = {INFINITY, -INFINITY};
  const double *v = p->series->y;
  size_t columns = p->x.n_words, n = columns * p->y.n_words;
  lb_frame_begin(&f, out, p, e, e);
  lb_extent_add(&e, &p->value, v, n);
  if (p->value.fixed)
    e = (struct lb_extent){p->value.low, p->value.high};
  for (size_t i = 0; i < n; i++)
    if (isfinite(v[i]))
      cell(&f, i % columns, i / columns, v[i],
           e.high > e.low ? (v[i] - e.low) / (e.high - e.low) : 0.5);
  lb_frame_end(&f);
}

const struct lb_picture_kind lb_picture_heat = {"heatmap", draw};
