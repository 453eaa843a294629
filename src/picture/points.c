/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single measurements: a point each, whiskers where it is known how far off it
 * may be, joined by a thin line. */
#include "lb-config.h"

#include "picture/frame.h"

static void whisker(const struct lb_frame *f, const struct lb_series *s,
                    size_t i, double x)
{
  if (!s->low || !s->high || !lb_scale_has(&f->y, s->low[i]) ||
      !lb_scale_has(&f->y, s->high[i]))
    return;
  lb_svg_point(f->out, 'M', x, lb_scale_at(&f->y, s->low[i]));
  lb_buf_puts(f->out, "V");
  lb_svg_number(f->out, lb_scale_at(&f->y, s->high[i]));
}

static bool shown(const struct lb_frame *f, const struct lb_series *s, size_t i)
{
  return lb_scale_has(&f->x, s->x[i]) && lb_scale_has(&f->y, s->y[i]);
}

static void one(const struct lb_frame *f, const struct lb_series *s, size_t k)
{
  bool begins = true;
  lb_buf_printf(f->out, "<path class=\"s%zu joined\" d=\"", k);
  for (size_t i = 0; i < s->n; i++)
    if (shown(f, s, i)) {
      lb_svg_point(f->out, begins ? 'M' : 'L', lb_scale_at(&f->x, s->x[i]),
                   lb_scale_at(&f->y, s->y[i]));
      begins = false;
    }
  lb_buf_printf(f->out, "\"/>\n<path class=\"s%zu whisker\" d=\"", k);
  for (size_t i = 0; i < s->n; i++)
    if (shown(f, s, i))
      whisker(f, s, i, lb_scale_at(&f->x, s->x[i]));
  /* round ends make dots of lines without length */
  lb_buf_printf(f->out, "\"/>\n<path class=\"s%zu dots\" d=\"", k);
  for (size_t i = 0; i < s->n; i++)
    if (shown(f, s, i)) {
      lb_svg_point(f->out, 'M', lb_scale_at(&f->x, s->x[i]),
                   lb_scale_at(&f->y, s->y[i]));
      lb_buf_puts(f->out, "h0");
    }
  lb_buf_puts(f->out, "\"/>\n");
}

static void draw(struct lb_buf *out, const struct lb_picture *p)
{
  struct lb_frame f;
  lb_frame_begin(&f, out, p, lb_extent_x(p), lb_extent_y(p));
  for (size_t i = 0; i < p->n_series; i++)
    one(&f, &p->series[i], i + 1);
  lb_frame_end(&f);
}

const struct lb_picture_kind lb_picture_points = {"points", draw};
