/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of metrics: one row a number of the results.  Text, JSON, CSV and
 * docs/metrics.md share it. */
#ifndef LOADBANK_METRIC_TABLE_H
#define LOADBANK_METRIC_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/set.h"
#include "loadbank/summary.h"

enum lb_metric_group {
  LB_METRIC_TRAIN,
  LB_METRIC_EVAL,
  LB_METRIC_SAVE,
  LB_METRIC_BACKGROUND, /* saves, or parts of them, beside training */
  LB_METRIC_LOAD,
  LB_METRIC_CHECKPOINT, /* either of the two */
  LB_METRIC_VERIFY,     /* something was verified */
  LB_METRIC_CACHE,      /* reads were told apart by the page cache */
  LB_METRIC_CLIENT
};
struct lb_metric {
  const char *key, *unit, *doc;
  enum lb_metric_group group; /* absent from results when that did not run */
  bool dlio;                  /* in `metric'; else in `loadbank' */
  /* Value number i of a list, or i 0 of a single one; NAN: none. */
  double (*get)(const struct lb_summary *s, enum lb_set set, size_t i);
  /* NULL for a single value. */
  size_t (*count)(const struct lb_summary *s, enum lb_set set);
  bool whole; /* counts something: has no fraction */
  /* Its line in the metric block, in the order of the table; NULL: none. */
  const char *label;
  /* For that line, optional: the deviation that belongs to the value. */
  double (*stdev)(const struct lb_summary *s, enum lb_set set, size_t i);
};
extern const struct lb_metric lb_metrics_table[]; /* key NULL at the end */
/* Did that part run? */
bool lb_metric_present(const struct lb_summary *s, enum lb_metric_group g);
enum lb_set lb_metric_set(const struct lb_metric *metric);

#endif
