/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cut normal: the parent's sigma against closed forms. */
#include "lb-config.h"

#include "loadbank/dist.h"

#include <math.h>

#include "tap.h"

/* (stdev/mean)^2 of the cut one by Simpson's rule, without GSL. */
static double variance_ratio(double b)
{
  enum { STEPS = 20000 };
  double mass = 0, second = 0;
  for (int i = 0; i <= STEPS; i++) {
    double x = 2.0 * i / STEPS - 1, weight = i % 2 ? 4 : 2;
    if (i == 0 || i == STEPS)
      weight = 1;
    double density = exp(-b * b * x * x / 2) * weight;
    mass += density;
    second += x * x * density;
  }
  return second / mass;
}

static void test_solve(void)
{
  static const double bs[] = {0.005, 0.02, 0.3, 1, 1.5, 2, 3, 5, 10};
  for (size_t i = 0; i < sizeof bs / sizeof bs[0]; i++) {
    struct lb_cut c;
    double stdev = 1000 * sqrt(variance_ratio(bs[i]));
    ok(lb_cut_solve(&c, 1000, stdev), "b = %g is possible", bs[i]);
    is_near(1000 / c.sigma, bs[i], 1e-6 + 1e-7 / bs[i], "... and found");
    is_near(lb_cut_stdev(&c), stdev, 1e-6 * stdev, "... with its stdev");
  }
  struct lb_cut c;
  ok(lb_cut_solve(&c, 1, 0.01), "far from the cuts");
  is_near(c.sigma, 0.01, 1e-12, "... the parent is not cut");
  ok(lb_cut_solve(&c, 146600628, 68341808), "the numbers of unet3d");
  is_near(variance_ratio(146600628 / c.sigma), pow(68341808 / 146600628.0, 2),
          1e-9, "... and the integral agrees");
  is_near(lb_cut_stdev(&c), 68341808, 1, "... has the stdev asked for");
}

static void test_nearest(void)
{
  struct lb_cut c;
  ok(!lb_cut_solve(&c, 100, 60), "more than a uniform one has is impossible");
  is_near(lb_cut_stdev(&c), 100 / sqrt(3), 1e-9, "... uniform is the nearest");
  is_near(lb_cut_quantile(&c, 0.25), 50, 1e-9, "... on (0, 2 mean)");
  ok(!lb_cut_solve(&c, 100, 100 / sqrt(3) * (1 + 1e-12)), "just above");
  ok(lb_cut_solve(&c, 100, 100 / sqrt(3) * (1 - 1e-4)), "just below");
}

static void test_quantile(void)
{
  struct lb_cut c;
  lb_cut_solve(&c, 100, 50);
  is_near(lb_cut_quantile(&c, 0.5), 100, 1e-9, "the median is the mean");
  is_near(lb_cut_quantile(&c, 0x1p-53), 0, 1e-9, "the least is 0");
  is_near(lb_cut_quantile(&c, 1 - 0x1p-53), 200, 1e-9, "the most 2 mean");
  is_near(lb_cut_quantile(&c, 0.1) + lb_cut_quantile(&c, 0.9), 200, 1e-9,
          "it is symmetric");
}

int main(void)
{
  test_solve();
  test_nearest();
  test_quantile();
  return done();
}
