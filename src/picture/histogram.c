/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts between edges, as one stepped shape. */
#include "lb-config.h"

#include "picture/frame.h"

static void draw(struct lb_buf *out, const struct lb_picture *p)
{
  struct lb_frame f;
  lb_frame_begin(&f, out, p, lb_extent_x(p), lb_extent_y(p));
  double zero = lb_scale_at(&f.y, f.y.low);
  for (size_t k = 0; k < p->n_series; k++) {
    const struct lb_series *s = &p->series[k];
    lb_buf_printf(out, "<path class=\"s%zu bar\" d=\"", k + 1);
    for (size_t i = 0; i < s->n; i++) {
      if (!lb_scale_has(&f.y, s->y[i]) || s->y[i] <= f.y.low)
        continue;
      lb_svg_point(out, 'M', lb_scale_at(&f.x, s->x[i]), zero);
      lb_buf_puts(out, "V");
      lb_svg_number(out, lb_scale_at(&f.y, s->y[i]));
      lb_buf_puts(out, "H");
      lb_svg_number(out, lb_scale_at(&f.x, s->x[i + 1]));
      lb_buf_puts(out, "V");
      lb_svg_number(out, zero);
      lb_buf_puts(out, "Z");
    }
    lb_buf_puts(out, "\"/>\n");
  }
  lb_frame_end(&f);
}

const struct lb_picture_kind lb_picture_histogram = {"histogram", draw};
