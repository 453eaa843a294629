/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units that fit the size of a number. */
#ifndef LB_PICTURE_MEASURE_H
#define LB_PICTURE_MEASURE_H

#include "loadbank/picture.h"

struct lb_unit {
  const char *name; /* with a space before it where one belongs */
  double factor;    /* one of it, in the quantity's own unit */
};

/* The largest unit that is not above `value', else the smallest. */
const struct lb_unit *lb_unit_for(enum lb_measure q, double value);
/* The number alone, with as many decimals as `step' has. */
void lb_number_text(double value, double step, char out[LB_MEASURE_LEN]);

#endif
