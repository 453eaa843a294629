/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a sweep in memory. */
#include "lb-config.h"

#include "loadbank/sweep_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/limit.h"
#include "loadbank/units.h"
#include "report/sweep_impl.h"

const char *const lb_sweep_status_names[] = {[LB_SWEEP_OPEN] = "open",
                                             [LB_SWEEP_COMPLETE] = "complete",
                                             [LB_SWEEP_FAILED] = "failed"};

size_t lb_sweep_n_metrics(void)
{
  size_t n = 0;
  while (lb_metrics_table[n].key)
    n++;
  return n;
}

int lb_sweep_record_init(struct lb_sweep_record *r, struct lb_err *err)
{
  r->run = calloc(r->sweep->n_runs, sizeof *r->run);
  r->made = 0;
  return r->run ? 0 : lb_err_set(err, LB_FAILED, "out of memory");
}

void lb_sweep_run_reset(struct lb_sweep_run *run)
{
  free(run->reason);
  free(run->metric);
  *run = (struct lb_sweep_run){.status = LB_SWEEP_OPEN};
}

void lb_sweep_record_fini(struct lb_sweep_record *r)
{
  for (size_t i = 0; r->run && i < r->sweep->n_runs; i++)
    lb_sweep_run_reset(&r->run[i]);
  free(r->run);
  r->run = NULL;
}

int lb_sweep_run_complete(struct lb_sweep_run *run, const struct lb_summary *s,
                          struct lb_err *err)
{
  size_t n = lb_sweep_n_metrics();
  run->metric = malloc((n + 1) * sizeof *run->metric);
  if (!run->metric)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (size_t i = 0; i < n; i++) {
    const struct lb_metric *row = &lb_metrics_table[i];
    bool is_there = !row->count && lb_metric_present(s, row->group);
    run->metric[i] = is_there ? row->get(s, lb_metric_set(row), 0) : NAN;
  }
  run->status = LB_SWEEP_COMPLETE;
  snprintf(run->limited_by, sizeof run->limited_by, "%s",
           lb_limit_names[s->limit.by]);
  return 0;
}

int lb_sweep_run_failed(struct lb_sweep_run *run, const char *reason,
                        struct lb_err *err)
{
  run->status = LB_SWEEP_FAILED;
  run->reason = strdup(reason);
  return run->reason ? 0 : lb_err_set(err, LB_FAILED, "out of memory");
}

void lb_sweep_run_folder(const struct lb_sweep *s, size_t run,
                         char out[LB_SWEEP_FOLDER])
{
  snprintf(out, LB_SWEEP_FOLDER, "point-%0*zu/run-%0*zu",
           lb_digits((int64_t)s->n_points), lb_sweep_point_of(s, run) + 1,
           lb_digits(s->repeat), lb_sweep_repeat_of(s, run) + 1);
}

bool lb_sweep_has(const struct lb_sweep_record *r, size_t metric)
{
  for (size_t i = 0; i < r->sweep->n_runs; i++)
    if (r->run[i].metric && isfinite(r->run[i].metric[metric]))
      return true;
  return false;
}

static size_t first_run(const struct lb_sweep_record *r, size_t point)
{
  return point * (size_t)r->sweep->repeat;
}

size_t lb_sweep_n_with(const struct lb_sweep_record *r, size_t point,
                       enum lb_sweep_status status)
{
  size_t n = 0;
  for (size_t i = 0; i < (size_t)r->sweep->repeat; i++)
    n += r->run[first_run(r, point) + i].status == status;
  return n;
}

struct lb_mean lb_sweep_mean(const struct lb_sweep_record *r, size_t point,
                             size_t metric)
{
  size_t n = 0, repeats = (size_t)r->sweep->repeat;
  double *v = malloc(repeats * sizeof *v);
  for (size_t i = 0; v && i < repeats; i++) {
    const struct lb_sweep_run *run = &r->run[first_run(r, point) + i];
    if (run->metric)
      v[n++] = run->metric[metric];
  }
  struct lb_mean m = lb_mean_of(v, n);
  free(v);
  return m;
}
