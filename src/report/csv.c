/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of metrics as CSV: a line a value; an unknown one is empty. */
#include "lb-config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "loadbank/metric_table.h"
#include "loadbank/report.h"

static void line(FILE *out, const struct lb_metric *row, size_t i, double v)
{
  fprintf(out, "%s,%s,", row->key, row->unit);
  if (row->count)
    fprintf(out, "%zu", i + 1);
  if (isfinite(v))
    fprintf(out, ",%.17g\n", v);
  else
    fputs(",\n", out);
}

int lb_report_csv(FILE *out, const struct lb_summary *s)
{
  fputs("key,unit,index,value\n", out);
  for (const struct lb_metric *row = lb_metrics_table; row->key; row++) {
    if (!lb_metric_present(s, row->group))
      continue;
    enum lb_set set = lb_metric_set(row);
    size_t n = row->count ? row->count(s, set) : 1;
    for (size_t i = 0; i < n; i++)
      line(out, row, i, row->get(s, set, i));
  }
  return ferror(out) ? -EIO : 0;
}
