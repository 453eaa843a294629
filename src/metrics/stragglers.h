/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few accelerators, ranks and nodes that others waited for most.  Inside
 * this module. */
#ifndef LB_METRICS_STRAGGLERS_H
#define LB_METRICS_STRAGGLERS_H

#include "loadbank/summary.h"

/* Keeps s if it belongs to the worst. */
void lb_stragglers_try(struct lb_stragglers *to, const struct lb_straggler *s);
/* Into a sum of the level above, whose numbers stay. */
void lb_straggler_add(struct lb_straggler *to, const struct lb_straggler *s);

#endif
