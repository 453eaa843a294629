/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a sweep's record share. */
#ifndef LB_REPORT_SWEEP_IMPL_H
#define LB_REPORT_SWEEP_IMPL_H

#include "loadbank/mean.h"
#include "loadbank/metric_table.h"
#include "loadbank/sweep_record.h"

extern const char *const lb_sweep_status_names[]; /* by enum lb_sweep_status */

/* Rows of the table of metrics: all, and whether a run has such a number. */
size_t lb_sweep_n_metrics(void);
/* Did any run bring it? */
bool lb_sweep_has(const struct lb_sweep_record *r, size_t metric);
/* Over the complete runs of a point. */
struct lb_mean lb_sweep_mean(const struct lb_sweep_record *r, size_t point,
                             size_t metric);
/* Runs of a point with that status. */
size_t lb_sweep_n_with(const struct lb_sweep_record *r, size_t point,
                       enum lb_sweep_status status);

#endif
