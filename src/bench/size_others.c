/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For how many of other accelerators the measured bandwidth would be enough:
 * those of the built-in workloads that have the same model.  Rank 0. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size_impl.h"

/* More are no number to plan with. */
static const double too_many = 1e9;

double lb_size_capacity(const struct lb_size_result *r, bool *at_least)
{
  int decisive = r->answer.decisive, most = -1;
  *at_least = decisive < 0;
  if (decisive >= 0)
    return lb_size_rate(r, decisive) * r->load.read_bytes;
  for (int i = 0; i < r->search.n_points; i++)
    if (most < 0 || lb_size_rate(r, i) > lb_size_rate(r, most))
      most = i;
  return most < 0 ? 0 : lb_size_rate(r, most) * r->load.read_bytes;
}

struct looking {
  const struct lb_size_result *r;
  const char *const *dirs;
  int n_dirs;
  double capacity;
  bool at_least; /* that much */
  struct lb_size_other *out;
  int n;
};

/* One accelerator's demand, bytes/s that requests read; 0: none that counts. */
static double demand(const struct lb_workload *w)
{
  struct lb_plan plan;
  struct lb_err err = LB_ERR_INIT;
  if (!w->derived.format || lb_plan_make(w, 1, 1, &plan, &err))
    return 0;
  return plan.demand.job_read_bytes_per_s[LB_AT_AU];
}

/* Those that cannot be planned here are passed over. */
static void look(void *arg, const char *name, const char *path,
                 const char *line)
{
  struct looking *l = arg;
  struct lb_workload *w = NULL;
  struct lb_err err = LB_ERR_INIT;
  char *text = NULL, where[PATH_MAX];
  size_t len;
  (void)line, (void)path;
  if (l->n == LB_SIZE_OTHERS || !strcmp(name, l->r->load.workload) ||
      lb_workload_find(name, l->dirs, l->n_dirs, &text, &len, where, &err))
    return;
  if (!lb_workload_load(text, len, where, NULL, 0, &w, &err) &&
      !strcmp(w->model.name, l->r->load.model) &&
      !lb_workload_read_files(w, &err)) {
    double each = demand(w);
    struct lb_size_other *o = &l->out[l->n];
    *o = (struct lb_size_other){.compute_s = lb_dist_mean(w->derived.compute),
                                .au = 100 * w->metric.au};
    snprintf(o->workload, sizeof o->workload, "%s", name);
    if (each > 0)
      o->accelerators = (int64_t)fmin(floor(l->capacity / each), too_many);
    /* That it is enough for at least none says nothing. */
    l->n += each > 0 && (o->accelerators > 0 || !l->at_least);
  }
  lb_workload_free(w);
  free(text);
}

int lb_size_others(const struct lb_size_result *r, const char *const *dirs,
                   int n_dirs, struct lb_size_other out[LB_SIZE_OTHERS])
{
  struct lb_err err = LB_ERR_INIT;
  struct looking l = {.r = r, .dirs = dirs, .n_dirs = n_dirs, .out = out};
  l.capacity = lb_size_capacity(r, &l.at_least);
  if (l.capacity > 0)
    lb_workload_each(dirs, n_dirs, look, &l, &err);
  return l.n;
}
