/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions: the table, known moments and quantiles, the rule for
 * negative values, numbers from a file. */
#include "lb-config.h"

#include "loadbank/dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { N = 200000 };

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* N draws, sorted. */
static double *draws(const struct lb_dist *d)
{
  double *x = malloc(N * sizeof *x);
  struct lb_rng rng = lb_rng_stream(7, LB_RNG_COMPUTE, 0, 0);
  if (!x)
    exit(99);
  for (int i = 0; i < N; i++)
    x[i] = lb_dist_sample(d, &rng);
  qsort(x, N, sizeof *x, ascending);
  return x;
}

static struct lb_dist make(const char *name, double a, double b)
{
  return (struct lb_dist){.kind = lb_dist_find(name), .p = {a, b}};
}

static void test_table(void)
{
  for (size_t i = 0; lb_dist_kinds[i]; i++) {
    const struct lb_dist_kind *k = lb_dist_kinds[i];
    size_t end = strlen(k->doc);
    ok(lb_dist_find(k->name) == k, "%s: the name is its own", k->name);
    ok(end > 0 && k->doc[end - 1] == '.', "%s: doc is a sentence", k->name);
    ok(k->check && k->sample && k->mean && k->stdev, "%s: hooks", k->name);
  }
  ok(!lb_dist_find("normel"), "an unknown name is not found");
}

/* Mean, deviation and three quantiles, known from the definitions. */
struct known {
  const char *name;
  double a, b, mean, stdev, q10, q50, q90;
};

static void test_moments(void)
{
  static const struct known rows[] = {
      {"constant", 3, 0, 3, 0, 3, 3, 3},
      {"normal", 100, 10, 100, 10, 87.1845, 100, 112.8155},
      {"uniform", 2, 4, 3, 0.57735, 2.2, 3, 3.8},
      {"gamma", 2, 3, 6, 4.242641, 1.595435, 5.035041, 11.669161},
      {"gamma", 0.5, 2, 1, 1.414214, 0.015791, 0.454936, 2.705543},
      {"exponential", 5, 0, 5, 5, 0.526803, 3.465736, 11.512925},
      {"poisson", 4, 0, 4, 2, 2, 4, 7},
      {"poisson", 1000, 0, 1000, 31.622777, 960, 1000, 1041},
      {"lognormal", 10, 5, 10, 5, 4.879, 8.944272, 16.396},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    const struct known *k = &rows[r];
    struct lb_dist d = make(k->name, k->a, k->b);
    struct lb_err err = LB_ERR_INIT;
    is_int(d.kind->check(&d, &err), 0, "%s(%g, %g) is possible", k->name, k->a,
           k->b);
    is_near(lb_dist_mean(&d), k->mean, 1e-12 * k->mean, "%s: mean", k->name);
    is_near(d.kind->stdev(&d), k->stdev, 1e-5, "%s: stdev", k->name);
    double *x = draws(&d), sum = 0, sum2 = 0;
    for (int i = 0; i < N; i++)
      sum += x[i];
    for (int i = 0; i < N; i++)
      sum2 += (x[i] - sum / N) * (x[i] - sum / N);
    is_near(sum / N, k->mean, 4 * k->stdev / sqrt(N) + 1e-9, "%s: drawn mean",
            k->name);
    is_near(sqrt(sum2 / N), k->stdev, 0.03 * k->stdev, "%s: drawn stdev",
            k->name);
    double t = 0.02 * k->stdev;
    is_near(x[N / 10], k->q10, t, "%s: quantile 0.1", k->name);
    is_near(x[N / 2], k->q50, t, "%s: quantile 0.5", k->name);
    is_near(x[N / 10 * 9], k->q90, t, "%s: quantile 0.9", k->name);
    ok(x[0] >= 0 && isfinite(x[N - 1]), "%s: finite, from 0 on", k->name);
    free(x);
  }
}

static void test_negative(void)
{
  static const struct {
    const char *name;
    double a, b;
    enum lb_negative negative;
    double mean;
  } rows[] = {
      {"normal", 0.01, 0.01, LB_NEGATIVE_ABS, 0.011666},
      {"normal", 0.01, 0.01, LB_NEGATIVE_CLIP, 0.010833},
      {"normal", 0.01, 0.01, LB_NEGATIVE_REDRAW, 0.012876},
      {"normal", 0, 1, LB_NEGATIVE_ABS, 0.797885},
      {"uniform", -1, 3, LB_NEGATIVE_ABS, 1.25},
      {"uniform", -1, 3, LB_NEGATIVE_CLIP, 1.125},
      {"uniform", -1, 3, LB_NEGATIVE_REDRAW, 1.5},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    struct lb_dist d = make(rows[r].name, rows[r].a, rows[r].b);
    d.negative = rows[r].negative;
    is_near(lb_dist_mean(&d), rows[r].mean, 1e-4 * rows[r].mean,
            "%s(%g, %g) rule %d: mean", d.kind->name, d.p[0], d.p[1],
            (int)d.negative);
    double *x = draws(&d), sum = 0;
    for (int i = 0; i < N; i++)
      sum += x[i];
    is_near(sum / N, rows[r].mean, 0.01 * rows[r].mean, "... drawn mean");
    ok(x[0] >= 0, "... none below 0");
    free(x);
  }
}

static void test_refused(void)
{
  static const struct {
    const char *name;
    double a, b;
    const char *says;
  } rows[] = {
      {"constant", -1, 0, "constant: mean: -1"},
      {"constant", NAN, 0, "constant: mean: nan"},
      {"normal", 1, -1, "normal: stdev: -1"},
      {"normal", -1, 1, "normal: mean: -1"},
      {"uniform", 3, 2, "uniform: min 3 is above max 2"},
      {"uniform", -3, -2, "uniform: max: -2"},
      {"gamma", 0, 1, "gamma: shape: 0"},
      {"gamma", 1, INFINITY, "gamma: scale: inf"},
      {"exponential", -2, 0, "exponential: scale: -2"},
      {"poisson", 1e10, 0, "poisson: lam: 10000000000"},
      {"lognormal", 0, 1, "lognormal: mean: 0"},
      {"empirical", 0, 0, "empirical: file:"},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    struct lb_dist d = make(rows[r].name, rows[r].a, rows[r].b);
    struct lb_err err = LB_ERR_INIT;
    is_int(d.kind->check(&d, &err), -LB_USAGE, "%s(%g, %g) is refused",
           d.kind->name, d.p[0], d.p[1]);
    ok(strstr(err.msg, rows[r].says) == err.msg, "... says: %s", err.msg);
  }
  struct lb_dist d = make("uniform", -1000, 1);
  struct lb_err err = LB_ERR_INIT;
  is_int(d.kind->check(&d, &err), 0, "uniform(-1000, 1) mirrored is possible");
  d.negative = LB_NEGATIVE_REDRAW;
  is_int(d.kind->check(&d, &err), -LB_USAGE, "... but not redrawn");
}

static void test_constants(void)
{
  struct lb_dist zero = {0}, three = lb_dist_constant(3);
  struct lb_rng rng = lb_rng_stream(1, LB_RNG_COMPUTE, 0, 0);
  is_near(lb_dist_sample(&zero, &rng), 0, 0, "the zero value is 0");
  is_near(lb_dist_mean(&zero), 0, 0, "... on average too");
  is_near(lb_dist_sample(&three, &rng), 3, 0, "a constant");
  is_int(rng.n, 0, "... takes nothing from the stream");
  struct lb_dist flat = make("normal", 2, 0), normal = make("normal", 2, 1);
  ok(lb_dist_is_constant(&zero) && lb_dist_is_constant(&three) &&
         lb_dist_is_constant(&flat),
     "constants are known as such");
  ok(!lb_dist_is_constant(&normal), "... and a normal one is none");
}

static void test_pure(void)
{
  for (size_t i = 0; lb_dist_kinds[i]; i++) {
    struct lb_dist d = {.kind = lb_dist_kinds[i], .p = {2, 3}};
    struct lb_rng a = lb_rng_stream(1, LB_RNG_COMPUTE, 5, 6), b = a;
    double x = lb_dist_sample(&d, &a);
    ok(x == lb_dist_sample(&d, &b) && a.n == b.n,
       "%s: the same stream gives the same draw", d.kind->name);
  }
}

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  if (f) {
    fputs(text, f);
    fclose(f);
  }
}

static void test_empirical(void)
{
  struct lb_dist d = {.kind = lb_dist_find("empirical")};
  struct lb_err err = LB_ERR_INIT;
  snprintf(d.file, sizeof d.file, "%s/times", tap_tmpdir());
  is_int(lb_dist_load(&d, &err), -LB_USAGE, "no file: %s", err.msg);
  write_file(d.file, "# seconds\n0.5\n\n -1 \n2e0\r\n0.5");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_dist_load(&d, &err), 0, "a file is loaded %s", err.msg);
  is_int(d.n_values, 4, "... with its numbers");
  ok(d.n_values == 4 && d.values[0] == -1 && d.values[3] == 2, "... sorted");
  is_near(lb_dist_mean(&d), 1, 1e-12, "mean of the mirrored values");
  d.negative = LB_NEGATIVE_CLIP;
  is_near(lb_dist_mean(&d), 0.75, 1e-12, "... clipped");
  d.negative = LB_NEGATIVE_REDRAW;
  is_near(lb_dist_mean(&d), 1, 1e-12, "... redrawn");
  double *x = draws(&d);
  ok(x[0] == 0.5 && x[N - 1] == 2, "only values of the file are drawn");
  ok(x[N * 64 / 100] == 0.5 && x[N * 69 / 100] == 2, "... as often as there");
  free(x);
  ok(!lb_dist_is_constant(&d), "it is not constant");
  lb_dist_unload(&d);
  ok(!d.values && d.n_values == 0, "unloaded");
  static const char *const bad[] = {"1\n2x\n", "1\nnan\n", "inf\n",
                                    "",        "#\n",      "1 2\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file(d.file, bad[i]);
    err = (struct lb_err)LB_ERR_INIT;
    is_int(lb_dist_load(&d, &err), -LB_USAGE, "refused: %s", err.msg);
  }
  ok(strstr(err.msg, ":1: '1 2'") != NULL, "... with line and text");
}

int main(void)
{
  test_table();
  test_moments();
  test_negative();
  test_refused();
  test_constants();
  test_pure();
  test_empirical();
  return done();
}
