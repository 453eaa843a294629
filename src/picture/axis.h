/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the values of an axis to places, ticks and their labels. */
#ifndef LB_PICTURE_AXIS_H
#define LB_PICTURE_AXIS_H

#include "loadbank/picture.h"
#include "picture/measure.h"

enum { LB_TICKS = 24 };

struct lb_scale {
  const struct lb_axis *axis;
  double low, high; /* low < high */
  double from, to;  /* where these are in the picture */
  const struct lb_unit *unit;
  double tick[LB_TICKS], step; /* step, in the unit; unused by a log axis */
  int n_ticks;
};

/* The extent of values so far; empty while low > high. */
struct lb_extent {
  double low, high;
};
void lb_extent_add(struct lb_extent *e, const struct lb_axis *a,
                   const double *v, size_t n);

/* The nearest of 1, 2, 5 times a power of ten that is not below `step'. */
double lb_nice_step(double step);
/* About `ticks' of them between the ends, which move outwards to ticks unless
 * the axis is fixed or has words. */
void lb_scale_init(struct lb_scale *s, const struct lb_axis *a,
                   struct lb_extent e, int ticks);
double lb_scale_at(const struct lb_scale *s, double value);
/* False: it has no place on this axis. */
bool lb_scale_has(const struct lb_scale *s, double value);
/* True: labels of ticks have their unit, the axis need not say it. */
bool lb_tick_has_unit(const struct lb_scale *s);
void lb_tick_text(const struct lb_scale *s, double value,
                  char out[LB_MEASURE_LEN]);

#endif
