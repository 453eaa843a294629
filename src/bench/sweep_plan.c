/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a sweep's points before any is run: whether they can be,
 * how much they compute, and which datasets they read.
 *
 * A dataset is generated once, before the first point that reads it, by a run
 * of its own.  Where points with the same data_folder need different ones, each
 * gets a sub-folder there, named by its fingerprint. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/hash.h"
#include "loadbank/log.h"
#include "loadbank/point.h"
#include "loadbank/units.h"
#include "sweep_impl.h"

enum { SHORT = 8 }; /* digits of a fingerprint that name a folder */

/* ---- overrides ---- */

static bool is_own(const char *key)
{
  return !strcmp(key, "accelerators") || !strcmp(key, "ranks");
}

static int add_pair(struct lb_texts *out, const char *key, const char *value,
                    struct lb_err *err)
{
  struct lb_buf line;
  lb_buf_init(&line, 1 << 20);
  lb_buf_printf(&line, "%s=%s", key, value);
  int rc = line.failed ? lb_err_set(err, LB_FAILED, "out of memory")
                       : lb_texts_add(out, line.data, line.len, err);
  lb_buf_fini(&line);
  return rc;
}

static int add_folder(struct lb_texts *out, const char *folder,
                      struct lb_err *err)
{
  struct lb_buf quoted;
  lb_buf_init(&quoted, 1 << 16);
  lb_yaml_quote(folder, &quoted);
  int rc = quoted.failed
               ? lb_err_set(err, LB_FAILED, "out of memory")
               : add_pair(out, "dataset.data_folder", quoted.data, err);
  lb_buf_fini(&quoted);
  return rc;
}

int lb_sweep_overrides(const struct lb_sweep_job *job,
                       const struct lb_sweep_plan *p, size_t point,
                       const char *const *more, size_t n_more,
                       struct lb_texts *out, struct lb_err *err)
{
  const struct lb_sweep *s = job->sweep;
  const char *folder = p->point[point].data_folder;
  int rc = 0;
  *out = (struct lb_texts){.n = 0};
  for (size_t i = 0; !rc && i < s->fixed.n; i++)
    rc = lb_texts_add(out, s->fixed.text[i], strlen(s->fixed.text[i]), err);
  for (size_t i = 0; !rc && i < s->n_keys; i++)
    if (!is_own(s->key[i].name))
      rc = add_pair(out, s->key[i].name, lb_sweep_value(s, point, i), err);
  if (!rc && folder)
    rc = add_folder(out, folder, err);
  for (size_t i = 0; !rc && i < n_more; i++)
    rc = lb_texts_add(out, more[i], strlen(more[i]), err);
  return rc;
}

/* ---- one point ---- */

/* Of the point, or the default when it does not say. */
static int read_own(const struct lb_sweep *s, size_t point, const char *key,
                    int64_t otherwise, int64_t *out, struct lb_err *err)
{
  const char *text = lb_sweep_value_of(s, point, key);
  *out = otherwise;
  if (text && (lb_parse_int(text, false, out) || *out < 1 || *out > INT_MAX))
    return lb_err_set(err, LB_USAGE,
                      "%s: '%s' is not a whole number from 1 to %d", key, text,
                      INT_MAX);
  return 0;
}

static int find_ranks(const struct lb_world *w, const struct lb_sweep_job *job,
                      size_t n, struct lb_sweep_point *p, struct lb_err *err)
{
  int64_t ranks, accelerators;
  if (read_own(job->sweep, n, "accelerators", job->accelerators, &accelerators,
               err) ||
      read_own(job->sweep, n, "ranks", 0, &ranks, err))
    return -err->code;
  if (ranks > w->n_ranks)
    return lb_err_set(err, LB_USAGE, "ranks: %lld, the job has %d",
                      (long long)ranks, w->n_ranks);
  if (ranks == 0)
    ranks =
        accelerators ? lb_point_ranks(w->n_ranks, accelerators) : w->n_ranks;
  p->ranks = (int)ranks;
  p->accelerators = (int)(accelerators ? accelerators : ranks);
  return 0;
}

/* Whether it only generates, and else the dataset that it needs. */
static int find_dataset(struct lb_workload *w, struct lb_sweep_dataset *d,
                        bool *generates, struct lb_err *err)
{
  bool reads = w->workflow.train || w->workflow.checkpoint;
  *generates = false;
  if (reads && !w->dataset.keep_files && !w->derived.backend->is_virtual)
    return lb_workload_error(w, "dataset.keep_files", err,
                             "off: the first run would remove what the others "
                             "of a sweep read; loadbank clean removes it");
  if (!w->workflow.generate_data ||
      lb_bench_fingerprint(w, d->fingerprint, err))
    return -err->code;
  if (!d->fingerprint[0])
    return 0;
  *generates = !reads;
  d->folder = strdup(w->derived.data_folder);
  return d->folder ? 0 : lb_err_set(err, LB_FAILED, "out of memory");
}

/* What the workload says with the overrides of the point. */
static int look_at(const struct lb_world *w, const struct lb_sweep_job *job,
                   struct lb_sweep_plan *p, size_t n,
                   struct lb_sweep_dataset *d, struct lb_err *err)
{
  struct lb_sweep_point *point = &p->point[n];
  struct lb_texts lines = {.n = 0};
  struct lb_workload *workload = NULL;
  struct lb_plan plan;
  if (!lb_sweep_overrides(job, p, n, NULL, 0, &lines, err) &&
      !lb_workload_load(job->yaml, job->yaml_len, job->name,
                        (const char *const *)lines.text, (int)lines.n,
                        &workload, err) &&
      !lb_workload_read_files(workload, err) &&
      !lb_workload_check_run(workload, err) &&
      !find_ranks(w, job, n, point, err) &&
      !lb_plan_make(workload, point->ranks, point->accelerators, &plan, err) &&
      !find_dataset(workload, d, &point->generates, err)) {
    point->compute_s = plan.full_s;
    if (!p->workload[0])
      snprintf(p->workload, sizeof p->workload, "%s", workload->name);
    /* For a sub-folder of it, as the workload writes it. */
    point->data_folder = strdup(workload->dataset.data_folder);
    if (!point->data_folder)
      lb_err_set(err, LB_FAILED, "out of memory");
  }
  lb_workload_free(workload);
  lb_texts_fini(&lines);
  return -err->code;
}

/* ---- their datasets ---- */

/* Takes d->folder.  The index of it among those that there are. */
static ptrdiff_t take_dataset(struct lb_sweep_plan *p,
                              struct lb_sweep_dataset *d, struct lb_err *err)
{
  for (size_t i = 0; i < p->n_datasets; i++)
    if (!strcmp(p->dataset[i].folder, d->folder) &&
        !strcmp(p->dataset[i].fingerprint, d->fingerprint)) {
      free(d->folder);
      return (ptrdiff_t)i;
    }
  struct lb_sweep_dataset *more =
      realloc(p->dataset, (p->n_datasets + 1) * sizeof *more);
  if (!more) {
    free(d->folder);
    lb_err_set(err, LB_FAILED, "out of memory");
    return -1;
  }
  p->dataset = more;
  more[p->n_datasets] = *d;
  return (ptrdiff_t)p->n_datasets++;
}

static void find_neighbours(struct lb_sweep_plan *p)
{
  for (size_t i = 0; i < p->n_datasets; i++) {
    p->dataset[i].alone = true;
    for (size_t j = 0; j < p->n_datasets; j++)
      if (j != i && !strcmp(p->dataset[i].folder, p->dataset[j].folder))
        p->dataset[i].alone = false;
  }
}

/* The folder that a point is told; NULL: its own.  What is generated over and
 * over never touches what others may have there. */
static int choose_folder(const struct lb_sweep_plan *p,
                         struct lb_sweep_point *point, struct lb_err *err)
{
  const struct lb_sweep_dataset *d =
      point->dataset < 0 ? NULL : &p->dataset[point->dataset];
  char *own = point->data_folder;
  point->data_folder = NULL;
  if (own && d && (!d->alone || point->generates)) {
    size_t size = strlen(own) + SHORT + 2;
    point->data_folder = malloc(size);
    if (point->data_folder)
      snprintf(point->data_folder, size, "%s/%.*s", own, SHORT, d->fingerprint);
    else
      lb_err_set(err, LB_FAILED, "out of memory");
  }
  free(own);
  return -err->code;
}

/* ---- all of them ---- */

static int add_point(const struct lb_world *w, const struct lb_sweep_job *job,
                     struct lb_sweep_plan *p, size_t n, struct lb_err *err)
{
  struct lb_sweep_point *point = &p->point[n];
  struct lb_sweep_dataset d = {.point = n};
  struct lb_err why = LB_ERR_INIT;
  point->dataset = -1;
  if (!look_at(w, job, p, n, &d, &why)) {
    if (d.folder)
      point->dataset = take_dataset(p, &d, err);
    return -err->code;
  }
  free(d.folder);
  if (why.code != LB_USAGE)
    *err = why;
  else if (!(point->fault = strdup(why.msg)))
    lb_err_set(err, LB_FAILED, "out of memory");
  return -err->code;
}

int lb_sweep_plan(const struct lb_world *w, const struct lb_sweep_job *job,
                  struct lb_sweep_plan *p, struct lb_err *err)
{
  size_t n = job->sweep->n_points, possible = 0;
  int rc = 0;
  *p = (struct lb_sweep_plan){.point = calloc(n, sizeof *p->point)};
  if (!p->point)
    return lb_err_set(err, LB_FAILED, "out of memory");
  lb_log_quiet(true); /* each run's own log has its warnings */
  for (size_t i = 0; !rc && i < n; i++) {
    rc = add_point(w, job, p, i, err);
    possible += !p->point[i].fault;
  }
  lb_log_quiet(false);
  if (!rc && !possible)
    rc = lb_err_set(err, LB_USAGE, "%s%s", n > 1 ? "no point can be: " : "",
                    p->point[0].fault);
  find_neighbours(p);
  for (size_t i = 0; !rc && i < n; i++)
    rc = choose_folder(p, &p->point[i], err);
  return rc;
}

void lb_sweep_plan_fini(const struct lb_sweep *s, struct lb_sweep_plan *p)
{
  for (size_t i = 0; p->point && i < s->n_points; i++) {
    free(p->point[i].fault);
    free(p->point[i].data_folder);
  }
  for (size_t i = 0; i < p->n_datasets; i++) {
    free(p->dataset[i].folder);
    free(p->dataset[i].fault);
  }
  free(p->point);
  free(p->dataset);
}

int lb_sweep_new_record(const struct lb_world *w,
                        const struct lb_sweep_job *job,
                        const struct lb_sweep_plan *p,
                        struct lb_sweep_record *r, struct lb_err *err)
{
  *r = (struct lb_sweep_record){
      .sweep = job->sweep,
      .workload = p->workload,
      .text_hash = lb_hash(LB_HASH_START, job->yaml, job->yaml_len),
      .ranks = w->n_ranks,
      .nodes = w->n_nodes,
      .accelerators = job->accelerators};
  return lb_sweep_record_init(r, err);
}
