/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pictures have around their data: the SVG element, legend, axes,
 * grid and marks. */
#ifndef LB_PICTURE_FRAME_H
#define LB_PICTURE_FRAME_H

#include "picture/axis.h"

struct lb_frame {
  struct lb_buf *out;
  const struct lb_picture *p;
  struct lb_scale x, y;
  double left, right, top, bottom; /* of the field of data */
};

/* Scales from the extents of the data; draws what lies under them. */
void lb_frame_begin(struct lb_frame *f, struct lb_buf *out,
                    const struct lb_picture *p, struct lb_extent x,
                    struct lb_extent y);
/* Marks, and the end of the element. */
void lb_frame_end(struct lb_frame *f);

/* The extents of all values, their ranges and marks included. */
struct lb_extent lb_extent_x(const struct lb_picture *p);
struct lb_extent lb_extent_y(const struct lb_picture *p);

/* A number with one decimal at most, and a space before it that a path may
 * need. */
void lb_svg_number(struct lb_buf *out, double v);
void lb_svg_point(struct lb_buf *out, char command, double x, double y);
/* anchor: "start", "middle" or "end".  No more than `most' wide; what is
 * longer ends in "...". */
void lb_svg_text(struct lb_buf *out, double x, double y, const char *anchor,
                 const char *class, const char *text, double most);
double lb_svg_text_width(const char *text);

#endif
