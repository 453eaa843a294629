/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LB_METRICS_WARN_H
#define LB_METRICS_WARN_H

#include "loadbank/summary.h"

/* Rank 0: says what a reader of these numbers should know. */
void lb_summary_warn(const struct lb_summary *s, uint64_t epochs_lost);

#endif
