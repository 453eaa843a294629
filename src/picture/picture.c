/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of kinds of pictures. */
#include "lb-config.h"

#include "loadbank/picture.h"

const struct lb_picture_kind *const lb_picture_kinds[] = {
    &lb_picture_lines,     &lb_picture_points, &lb_picture_bars,
    &lb_picture_histogram, &lb_picture_heat,   NULL};

void lb_picture_svg(struct lb_buf *out, const struct lb_picture *p)
{
  p->kind->draw(out, p);
}
