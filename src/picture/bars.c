/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars beside each other, those of all series for one value of x in a group.
 * The x axis has words, or counts: its values are whole numbers. */
#include "lb-config.h"

#include "picture/frame.h"

static const double filled = 0.75; /* of the room of a group */

static void bar(const struct lb_frame *f, const struct lb_series *s, size_t i,
                double x, double width)
{
  double zero = lb_scale_at(&f->y, f->y.low > 0 ? f->y.low : 0);
  lb_svg_point(f->out, 'M', x, zero);
  lb_buf_puts(f->out, "V");
  lb_svg_number(f->out, lb_scale_at(&f->y, s->y[i]));
  lb_buf_puts(f->out, "h");
  lb_svg_number(f->out, width);
  lb_buf_puts(f->out, "V");
  lb_svg_number(f->out, zero);
  lb_buf_puts(f->out, "Z");
}

static void whiskers(const struct lb_frame *f, const struct lb_series *s,
                     double shift)
{
  lb_buf_puts(f->out, "<path class=\"whisker dark\" d=\"");
  for (size_t i = 0; i < s->n; i++) {
    if (!lb_scale_has(&f->y, s->low[i]) || !lb_scale_has(&f->y, s->high[i]))
      continue;
    lb_svg_point(f->out, 'M', lb_scale_at(&f->x, s->x[i]) + shift,
                 lb_scale_at(&f->y, s->low[i]));
    lb_buf_puts(f->out, "V");
    lb_svg_number(f->out, lb_scale_at(&f->y, s->high[i]));
  }
  lb_buf_puts(f->out, "\"/>\n");
}

static void draw(struct lb_buf *out, const struct lb_picture *p)
{
  struct lb_frame f;
  struct lb_extent x = lb_extent_x(p), y = lb_extent_y(p);
  struct lb_picture ends = *p; /* half a group of room at both ends */
  if (!p->x.n_words) {
    ends.x.fixed = true;
    ends.x.low = (x.low <= x.high ? x.low : 0) - 0.5;
    ends.x.high = (x.low <= x.high ? x.high : 0) + 0.5;
  }
  lb_frame_begin(&f, out, &ends, x, y);
  double group = lb_scale_at(&f.x, 1) - lb_scale_at(&f.x, 0);
  double width = group * filled / (double)p->n_series;
  for (size_t k = 0; k < p->n_series; k++) {
    const struct lb_series *s = &p->series[k];
    double shift = ((double)k + 0.5) * width - group * filled / 2;
    lb_buf_printf(out, "<path class=\"s%zu bar\" d=\"", k + 1);
    for (size_t i = 0; i < s->n; i++)
      if (lb_scale_has(&f.x, s->x[i]) && lb_scale_has(&f.y, s->y[i]))
        bar(&f, s, i, lb_scale_at(&f.x, s->x[i]) + shift - width / 2, width);
    lb_buf_puts(out, "\"/>\n");
    if (s->low && s->high)
      whiskers(&f, s, shift);
  }
  lb_frame_end(&f);
}

const struct lb_picture_kind lb_picture_bars = {"bars", draw};
