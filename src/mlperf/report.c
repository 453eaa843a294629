/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a results tree to groups of runs, in the order of the report. */
#include "lb-config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "mlperf/report_impl.h"

/* ---- the description of the system ---- */

static const struct lb_mlperf_system none = {.multi_host = -1,
                                             .simultaneous_write = -1,
                                             .simultaneous_read = -1,
                                             .remap_seconds = -1,
                                             .rack_units = -1,
                                             .watts = NAN};

static int describe(struct lb_report_group *g, const char *root,
                    struct lb_err *err)
{
  struct lb_mlperf_flaws flaws = {0};
  struct lb_err own = LB_ERR_INIT;
  char folder[PATH_MAX], path[2 * PATH_MAX + LB_MLPERF_NAME + 8];
  if (lb_mlperf_systems_path(&g->place, folder, err))
    return -err->code;
  snprintf(path, sizeof path, "%s/%s/%s.yaml", root, folder, g->place.system);
  int rc = lb_mlperf_system_read(path, &g->system, &flaws, &own);
  g->described = !rc;
  if (rc)
    g->system = none;
  if (rc && own.sys == ENOENT)
    lb_report_group_note(g, "no %s/%s.yaml: nothing per rack unit or watt",
                         folder, g->place.system);
  else if (rc)
    lb_report_group_note(g, "%s", own.msg);
  else if (flaws.n)
    lb_report_group_note(g,
                         "the system's description has %zu flaws, the first "
                         "is %.600s",
                         flaws.n, flaws.flaw[0].text);
  lb_mlperf_flaws_fini(&flaws);
  return 0;
}

/* ---- runs to groups ---- */

static int no_memory(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory for the report");
}

static struct lb_report_group *new_group(struct lb_mlperf_report *r,
                                         const struct lb_mlperf_place *place,
                                         const char *accelerator)
{
  struct lb_report_group *more = realloc(r->group, (r->n + 1) * sizeof *more);
  if (!more)
    return NULL;
  r->group = more;
  struct lb_report_group *g = &more[r->n];
  *g = (struct lb_report_group){
      .place = *place, .note = json_array(), .system = none};
  if (!g->note)
    return NULL;
  *g->place.stamp = '\0';
  snprintf(g->accelerator, sizeof g->accelerator, "%s", accelerator);
  r->n++;
  return g;
}

/* The group of this accelerator among those from `first' on.  A leaf that does
 * not say whose it is goes with those before it. */
static struct lb_report_group *find_group(struct lb_mlperf_report *r,
                                          size_t first,
                                          const struct lb_report_run *run)
{
  for (size_t i = r->n; i-- > first;) {
    struct lb_report_group *g = &r->group[i];
    if (!*run->accelerator || !strcmp(g->accelerator, run->accelerator))
      return g;
    if (!*g->accelerator) {
      memcpy(g->accelerator, run->accelerator, sizeof g->accelerator);
      return g;
    }
  }
  return NULL;
}

/* Takes the run, also when it fails. */
static int add_run(struct lb_mlperf_report *r, size_t first,
                   struct lb_report_run *run, struct lb_err *err)
{
  struct lb_report_group *g = find_group(r, first, run);
  if (!g)
    g = new_group(r, &run->leaf->place, run->accelerator);
  struct lb_report_run *more =
      g ? realloc(g->run, (g->n + 1) * sizeof *more) : NULL;
  if (!more) {
    lb_report_run_fini(run);
    return no_memory(err);
  }
  g->run = more;
  g->run[g->n++] = *run;
  return 0;
}

/* Leaves that differ in nothing but the stamp; the metadata tell accelerators
 * apart. */
static int add_leaves(struct lb_mlperf_report *r, size_t begin, size_t end,
                      struct lb_err *err)
{
  size_t first = r->n;
  for (size_t i = begin; i < end; i++) {
    struct lb_report_run run;
    int rc = lb_report_run_read(&r->tree.leaf[i], &run, err);
    if (rc)
      lb_report_run_fini(&run);
    else
      rc = add_run(r, first, &run, err);
    if (rc)
      return rc;
  }
  for (size_t i = first; i < r->n; i++)
    if (describe(&r->group[i], r->tree.root, err) ||
        lb_report_group_sum_up(&r->group[i], err))
      return -err->code;
  return 0;
}

/* INVALID first, else by name. */
static int in_order(const void *a, const void *b)
{
  const struct lb_report_group *x = a, *y = b;
  const char *p = x->run[0].leaf->name, *q = y->run[0].leaf->name;
  if (x->state != y->state)
    return x->state < y->state ? -1 : 1;
  int by_name = strcmp(p, q);
  return by_name ? by_name : strcmp(x->accelerator, y->accelerator);
}

static int make_groups(struct lb_mlperf_report *r, struct lb_err *err)
{
  int rc = 0;
  for (size_t i = 0, end; i < r->tree.n && !rc; i = end) {
    end = lb_mlperf_group_end(&r->tree, i);
    if (r->tree.leaf[i].place.command == LB_MLPERF_RUN)
      rc = add_leaves(r, i, end, err);
  }
  if (!rc && r->n == 0)
    rc = lb_err_set(err, LB_USAGE,
                    "%s: no run in it; a run is in "
                    "MODE/ORG/results/SYSTEM/training/MODEL/run/STAMP or "
                    "MODE/ORG/results/SYSTEM/checkpointing/MODEL/STAMP",
                    r->tree.root);
  if (rc)
    return rc;
  qsort(r->group, r->n, sizeof *r->group, in_order);
  r->shown = calloc(r->n + 1, sizeof(struct lb_report_group *));
  if (!r->shown)
    return no_memory(err);
  for (size_t i = 0; i < r->n; i++)
    r->shown[r->n_shown++] = &r->group[i];
  return 0;
}

int lb_mlperf_report_make(const char *root, struct lb_mlperf_report **out,
                          struct lb_err *err)
{
  struct lb_mlperf_report *r = calloc(1, sizeof *r);
  *out = NULL;
  if (!r)
    return no_memory(err);
  int rc = lb_mlperf_tree_read(root, &r->tree, err);
  if (!rc)
    rc = make_groups(r, err);
  if (rc)
    lb_mlperf_report_free(r);
  else
    *out = r;
  return rc;
}

void lb_mlperf_report_free(struct lb_mlperf_report *r)
{
  if (!r)
    return;
  for (size_t i = 0; i < r->n; i++)
    lb_report_group_fini(&r->group[i]);
  free(r->group);
  free(r->shown);
  lb_mlperf_tree_fini(&r->tree);
  free(r);
}

int lb_mlperf_report_only(struct lb_mlperf_report *r, const char *system,
                          struct lb_err *err)
{
  size_t n = 0;
  for (size_t i = 0; i < r->n; i++)
    if (!strcmp(r->group[i].place.system, system))
      r->shown[n++] = &r->group[i];
  r->n_shown = n;
  return n ? 0
           : lb_err_set(err, LB_USAGE,
                        "mlperf report: --systemname %s: no run of it in %s; "
                        "there is one of %s",
                        system, r->tree.root, r->group[0].place.system);
}
