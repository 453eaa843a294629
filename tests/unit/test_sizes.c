/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of samples: as asked for on average and in spread, never outside. */
#include "lb-config.h"

#include "loadbank/layout.h"

#include <math.h>

#include "tap.h"

struct measured {
  double mean, stdev;
  int64_t least, most;
};

static struct measured measure(const struct lb_sizes *s, enum lb_set set, int n)
{
  struct measured m = {.least = INT64_MAX};
  double sum2 = 0;
  for (int i = 0; i < n; i++) {
    int64_t x = lb_sizes_sample_bytes(s, set, i);
    m.mean += (double)x / n;
    m.least = x < m.least ? x : m.least;
    m.most = x > m.most ? x : m.most;
  }
  for (int i = 0; i < n; i++) {
    double x = (double)lb_sizes_sample_bytes(s, set, i) - m.mean;
    sum2 += x * x;
  }
  m.stdev = sqrt(sum2 / n);
  return m;
}

static void test_spread(double mean, double stdev, int n, double tolerance)
{
  struct lb_sizes s;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_sizes_init(&s, 10, mean, stdev, &err), 0, "%g +- %g", mean, stdev);
  ok(!s.nearest, "... is possible");
  is_near(s.got_stdev, stdev, 1e-6 * stdev, "... and solved for");
  struct measured m = measure(&s, LB_SET_TRAIN, n);
  is_near(m.mean, mean, mean / 100, "... mean of %d files", n);
  is_near(m.stdev, stdev, tolerance * stdev, "... standard deviation");
  ok(m.least >= 1 && (double)m.most < 2 * mean, "... all in (0, 2 mean)");
}

static void test_exact(void)
{
  struct lb_sizes s;
  struct lb_err err = LB_ERR_INIT;
  lb_sizes_init(&s, 10, 114660.07, 0, &err);
  is_int(lb_sizes_sample_bytes(&s, LB_SET_TRAIN, 3), 114660,
         "without a stdev the mean is rounded down");
  is_near(s.got_stdev, 0, 0, "... and nothing varies");
  lb_sizes_init(&s, 10, 2, 1, &err);
  struct measured m = measure(&s, LB_SET_TRAIN, 1000);
  ok(m.least == 1 && m.most == 3, "a mean of 2 bytes gives 1, 2 and 3");
}

static void test_nearest(void)
{
  struct lb_sizes s;
  struct lb_err err = LB_ERR_INIT;
  lb_sizes_init(&s, 10, 1000, 800, &err);
  ok(s.nearest, "mean/stdev below sqrt 3 is flagged");
  is_near(s.got_stdev, 1000 / sqrt(3), 1e-9, "... with what it gives");
  struct measured m = measure(&s, LB_SET_TRAIN, 4000);
  is_near(m.stdev, 1000 / sqrt(3), 20, "... which is measured");
  is_near(m.mean, 1000, 40, "... the mean is kept");
  ok(m.least >= 1 && m.most < 2000, "... all in (0, 2 mean)");
}

static void test_pure(void)
{
  struct lb_sizes a, b, c;
  struct lb_err err = LB_ERR_INIT;
  lb_sizes_init(&a, 10, 65536, 8192, &err);
  lb_sizes_init(&b, 10, 65536, 8192, &err);
  lb_sizes_init(&c, 11, 65536, 8192, &err);
  int same = 0, other_seed = 0, other_set = 0;
  for (int i = 0; i < 400; i++) {
    int64_t x = lb_sizes_sample_bytes(&a, LB_SET_TRAIN, i);
    same += x == lb_sizes_sample_bytes(&b, LB_SET_TRAIN, i);
    other_seed += x == lb_sizes_sample_bytes(&c, LB_SET_TRAIN, i);
    other_set += x == lb_sizes_sample_bytes(&a, LB_SET_EVAL, i);
  }
  is_int(same, 400, "the same seed gives the same sizes");
  ok(other_seed < 5, "another seed others");
  ok(other_set < 5, "another set others");
}

static void test_unit(void)
{
  struct lb_sizes s;
  struct lb_err err = LB_ERR_INIT;
  lb_sizes_init(&s, 10, 16384, 4096, &err);
  s.unit = 8;
  int whole = 0;
  for (int i = 0; i < 4000; i++)
    whole += lb_sizes_sample_bytes(&s, LB_SET_TRAIN, i) % 8 == 0;
  is_int(whole, 4000, "sizes are whole elements");
  struct measured m = measure(&s, LB_SET_TRAIN, 4000);
  is_near(m.mean, 16384, 164, "... and still have the mean");
  is_near(m.stdev, 4096, 328, "... and the standard deviation");
}

static void test_refused(void)
{
  static const double rows[][2] = {{0, 0},    {-1, 0},         {NAN, 0},
                                   {1e30, 0}, {100, INFINITY}, {100, -1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_sizes s;
    struct lb_err err = LB_ERR_INIT;
    is_int(lb_sizes_init(&s, 1, rows[i][0], rows[i][1], &err), -LB_USAGE,
           "refused: %s", err.msg);
  }
}

/* 10^7 files are what a plan must sum in a blink; here a tenth of it. */
static void test_many(void)
{
  struct lb_sizes s;
  struct lb_err err = LB_ERR_INIT;
  lb_sizes_init(&s, 10, 146600628, 68341808, &err);
  struct measured m = measure(&s, LB_SET_TRAIN, 1000000);
  is_near(m.mean, 146600628, 146600628 * 2e-3, "mean of 10^6 files");
  is_near(m.stdev, 68341808, 68341808 * 3e-3, "stdev of 10^6 files");
}

int main(void)
{
  test_spread(16384, 4096, 4000, 0.08);
  test_spread(146600628, 68341808, 4000, 0.08);
  test_exact();
  test_nearest();
  test_pure();
  test_unit();
  test_refused();
  test_many();
  return done();
}
