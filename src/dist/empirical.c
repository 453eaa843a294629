/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values from a file, one a line, each as likely as the others: what somebody
 * has measured.  Draws are those values and none between them. */
#include "lb-config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dist/dist_impl.h"

enum { MOST_VALUES = 1 << 20 };

static int check(const struct lb_dist *d, struct lb_err *err)
{
  if (d->file[0] == '\0')
    return lb_err_set(err, LB_USAGE, "empirical: file: no path is given");
  return 0;
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  if (d->n_values == 0)
    return 0;
  size_t i = (size_t)(lb_rng_double(rng) * (double)d->n_values);
  return d->values[i < d->n_values ? i : d->n_values - 1];
}

static double mean_of(const struct lb_dist *d, double (*of)(double x))
{
  double sum = 0;
  for (size_t i = 0; i < d->n_values; i++)
    sum += of(d->values[i]);
  return d->n_values ? sum / (double)d->n_values : 0;
}

static double same(double x)
{
  return x;
}

static double clipped(double x)
{
  return fmax(x, 0);
}

static double counted(double x)
{
  return x >= 0;
}

static double mean(const struct lb_dist *d)
{
  return mean_of(d, same);
}

static double stdev(const struct lb_dist *d)
{
  double m = mean(d), sum = 0;
  if (d->n_values == 0 || d->values[0] == d->values[d->n_values - 1])
    return 0;
  for (size_t i = 0; i < d->n_values; i++)
    sum += (d->values[i] - m) * (d->values[i] - m);
  return sqrt(sum / (double)d->n_values);
}

static double ruled_mean(const struct lb_dist *d)
{
  if (d->negative == LB_NEGATIVE_ABS)
    return mean_of(d, fabs);
  double m = mean_of(d, clipped);
  if (d->negative == LB_NEGATIVE_CLIP || m == 0)
    return m;
  return m / mean_of(d, counted);
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* One line: a finite number, nothing but blanks around it.  1: taken, 0: an
 * empty line or a comment, -1: something else. */
static int read_number(const char *line, double *x)
{
  static const char blanks[] = " \t\r\n";
  line += strspn(line, blanks);
  if (*line == '\0' || *line == '#')
    return 0;
  char *end;
  *x = strtod(line, &end);
  if (end == line || !isfinite(*x) || fabs(*x) > LB_DIST_LARGEST)
    return -1;
  return end[strspn(end, blanks)] == '\0' ? 1 : -1;
}

static int read_values(FILE *f, const char *path, double *values, size_t *n,
                       struct lb_err *err)
{
  char line[256];
  for (int number = 1; fgets(line, sizeof line, f); number++) {
    double x = 0;
    int rc = read_number(line, &x);
    if (rc < 0 || (!strchr(line, '\n') && !feof(f)))
      return lb_err_set(err, LB_USAGE, "%s:%d: '%.*s' is not a finite number",
                        path, number, (int)strcspn(line, "\r\n"), line);
    if (rc == 0)
      continue;
    if (*n == MOST_VALUES)
      return lb_err_set(err, LB_USAGE, "%s:%d: more than %d numbers", path,
                        number, MOST_VALUES);
    values[(*n)++] = x;
  }
  if (ferror(f))
    return lb_err_sys(err, LB_FAILED, errno, "%s: read", path);
  return *n ? 0 : lb_err_set(err, LB_USAGE, "%s: no number in it", path);
}

int lb_dist_load(struct lb_dist *d, struct lb_err *err)
{
  int rc = 0;
  size_t n = 0;
  FILE *f = fopen(d->file, "r");
  double *values = malloc(MOST_VALUES * sizeof *values);
  if (!f) {
    rc = lb_err_sys(err, LB_USAGE, errno, "%s: open", d->file);
    goto out;
  }
  if (!values) {
    rc = lb_err_set(err, LB_FAILED, "%s: no memory for its numbers", d->file);
    goto out;
  }
  rc = read_values(f, d->file, values, &n, err);
  if (rc)
    goto out;
  qsort(values, n, sizeof *values, ascending);
  if (d->negative == LB_NEGATIVE_REDRAW &&
      values[n - n / 100 - 1] < 0) { /* see dist.c */
    rc = lb_err_set(err, LB_USAGE,
                    "%s: less than one number in 100 is not negative: too few "
                    "for negative: redraw",
                    d->file);
    goto out;
  }
  d->values = values; /* pages never touched cost nothing */
  d->n_values = n;
  values = NULL;
out:
  free(values);
  if (f)
    fclose(f);
  return rc;
}

void lb_dist_unload(struct lb_dist *d)
{
  free((void *)d->values);
  d->values = NULL;
  d->n_values = 0;
}

const struct lb_dist_kind lb_dist_kind_empirical = {
    .name = "empirical",
    .doc = "Numbers from a file, one a line, each as likely as the others.",
    .params = {NULL},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
    .ruled_mean = ruled_mean,
};
