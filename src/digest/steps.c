/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over the raw steps of training. */
#include "lb-config.h"

#include "digest/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "loadbank/stamp.h"
#include "loadbank/steps_au.h"

enum { PATH_LEN = 4400, NAME_LEN = 32, MOST_SECONDS = 1 << 23 };
static const double unit_s = LB_STEP_UNIT_NS / 1e9;
static const double first_edge_s = 1e-6;

/* One accelerator's steps. */
struct row {
  uint32_t *load, *compute, *gate;
};

struct pass {
  struct lb_step_digest *d;
  struct lb_steps_file f;
  struct row row;
  double *start_s; /* of each step */
};

static double seconds(uint32_t units)
{
  return units == LB_STEP_MISSING ? 0 : units * unit_s;
}

static bool known(const struct row *row, size_t i)
{
  return row->load[i] != LB_STEP_MISSING &&
         row->compute[i] != LB_STEP_MISSING && row->gate[i] != LB_STEP_MISSING;
}

static int read_row(struct pass *p, int64_t a, struct lb_err *err)
{
  int rc = lb_steps_file_row(&p->f, "load", a, p->row.load, err);
  if (!rc)
    rc = lb_steps_file_row(&p->f, "compute", a, p->row.compute, err);
  if (!rc)
    rc = lb_steps_file_row(&p->f, "gate", a, p->row.gate, err);
  return rc;
}

/* A step lasts from one release of the gate to the next: for all accelerators
 * the same.  What the first has lost the next may know. */
static int measure_steps(struct pass *p, struct lb_err *err)
{
  size_t n = p->d->n_steps, missing = n;
  for (size_t i = 0; i < n; i++)
    p->d->step_s[i] = NAN;
  for (int64_t a = 0; a < p->f.accelerators && missing > 0; a++) {
    if (read_row(p, a, err))
      return -err->code;
    missing = 0;
    for (size_t i = 0; i < n; i++) {
      if (isnan(p->d->step_s[i]) && known(&p->row, i))
        p->d->step_s[i] = seconds(p->row.load[i]) + seconds(p->row.compute[i]) +
                          seconds(p->row.gate[i]);
      missing += isnan(p->d->step_s[i]);
    }
  }
  return 0;
}

/* When blocks began, by accelerator 0's stamps; without them they follow each
 * other. */
static void place_steps(struct pass *p, const struct lb_result *r)
{
  char path[PATH_LEN], epoch[NAME_LEN], block[NAME_LEN];
  double run = lb_stamp_seconds(r->start), at = 0;
  snprintf(path, sizeof path, "%s/0_per_epoch_stats.json", r->path);
  json_t *stats = json_load_file(path, 0, NULL);
  for (size_t k = 0; k < p->f.n_blocks; k++) {
    const struct lb_steps_block *b = &p->f.block[k];
    snprintf(epoch, sizeof epoch, "%lld", (long long)b->epoch);
    snprintf(block, sizeof block, "block%lld", (long long)b->block);
    const json_t *o = json_object_get(json_object_get(stats, epoch), block);
    double start =
        lb_stamp_seconds(json_string_value(json_object_get(o, "start"))) - run;
    if (isfinite(start) && start > at)
      at = start;
    for (int64_t i = b->first; i < b->first + b->steps; i++) {
      double lasts = p->d->step_s[i];
      p->start_s[i] = at;
      at += isnan(lasts) ? 0 : lasts;
      p->d->end_s[i] = at;
    }
  }
  json_decref(stats);
}

static int new_seconds(struct lb_step_digest *d)
{
  double end = d->n_steps ? d->end_s[d->n_steps - 1] : 0;
  d->n_seconds = end < MOST_SECONDS ? (size_t)end + 1 : MOST_SECONDS;
  d->compute_s = calloc(d->n_seconds, sizeof *d->compute_s);
  d->inside_s = calloc(d->n_seconds, sizeof *d->inside_s);
  return d->compute_s && d->inside_s ? 0 : -1;
}

/* Adds the time from .. to to the seconds that it lies in. */
static void spread(double *second, size_t n, double from, double to)
{
  for (size_t k = (size_t)from; k < n && (double)k < to; k++)
    second[k] += fmin(to, (double)k + 1) - fmax(from, (double)k);
}

static void count_load(struct lb_step_digest *d, double load_s)
{
  if (load_s < first_edge_s) {
    d->under++;
    return;
  }
  double bin = floor(log2(load_s / first_edge_s) * 4);
  d->bin[bin < LB_LOAD_BINS ? (size_t)bin : LB_LOAD_BINS - 1]++;
}

static void take_steps(struct pass *p)
{
  struct lb_step_digest *d = p->d;
  for (size_t i = 0; i < d->n_steps; i++) {
    if (!known(&p->row, i)) {
      d->missing++;
      continue;
    }
    double load = seconds(p->row.load[i]), compute = seconds(p->row.compute[i]);
    double from = p->start_s[i] + load;
    d->load_s[i] = fmax(d->load_s[i], load);
    count_load(d, load);
    spread(d->compute_s, d->n_seconds, from, from + compute);
  }
}

static int allocate(struct pass *p)
{
  struct lb_step_digest *d = p->d;
  size_t n = d->n_steps;
  p->row.load = malloc(n * sizeof *p->row.load);
  p->row.compute = malloc(n * sizeof *p->row.compute);
  p->row.gate = malloc(n * sizeof *p->row.gate);
  p->start_s = calloc(n, sizeof *p->start_s);
  d->end_s = calloc(n, sizeof *d->end_s);
  d->step_s = calloc(n, sizeof *d->step_s);
  d->load_s = calloc(n, sizeof *d->load_s);
  d->au = calloc(d->n_accelerators, sizeof *d->au);
  return p->row.load && p->row.compute && p->row.gate && p->start_s &&
                 d->end_s && d->step_s && d->load_s && d->au
             ? 0
             : -1;
}

static int no_memory(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory for the steps");
}

static int work(struct pass *p, const struct lb_result *r, struct lb_err *err)
{
  struct lb_step_digest *d = p->d;
  d->n_steps = (size_t)p->f.steps;
  d->n_accelerators = (size_t)p->f.accelerators;
  for (int i = 0; i <= LB_LOAD_BINS; i++)
    d->edge_s[i] = first_edge_s * exp2(i / 4.0);
  if (d->n_steps == 0 || d->n_accelerators == 0)
    return 0;
  if (allocate(p))
    return no_memory(err);
  if (measure_steps(p, err))
    return -err->code;
  place_steps(p, r);
  if (new_seconds(d))
    return no_memory(err);
  for (size_t i = 0; i < d->n_steps; i++)
    spread(d->inside_s, d->n_seconds, p->start_s[i], d->end_s[i]);
  for (int64_t a = 0; a < p->f.accelerators; a++) {
    if (read_row(p, a, err))
      return -err->code;
    take_steps(p);
    const struct lb_steps_row row = {p->row.load, p->row.compute, p->row.gate};
    d->au[a] = lb_steps_row_au(&p->f, &row, 1).au;
  }
  return 0;
}

int lb_step_digest_read(struct lb_step_digest *d, const struct lb_result *r,
                        struct lb_err *err)
{
  struct pass p = {.d = d};
  char path[PATH_LEN];
  const char *name = lb_result_text(r, "loadbank.steps_file");
  *d = (struct lb_step_digest){.n_steps = 0};
  if (!name)
    return 0;
  snprintf(path, sizeof path, "%s/steps.h5", r->path);
  int rc = lb_steps_file_open(&p.f, path, LB_SET_TRAIN, err);
  if (!rc)
    rc = work(&p, r, err);
  lb_steps_file_close(&p.f);
  free(p.row.load);
  free(p.row.compute);
  free(p.row.gate);
  free(p.start_s);
  if (rc || d->n_steps == 0 || d->n_accelerators == 0)
    lb_step_digest_fini(d);
  return rc;
}

void lb_step_digest_fini(struct lb_step_digest *d)
{
  free(d->end_s);
  free(d->step_s);
  free(d->load_s);
  free(d->au);
  free(d->compute_s);
  free(d->inside_s);
  *d = (struct lb_step_digest){.n_steps = 0};
}
