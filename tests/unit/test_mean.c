/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's t against printed tables; means, intervals and ratios against
 * values worked out by hand. */
#include "lb-config.h"

#include "loadbank/mean.h"

#include <math.h>

#include "tap.h"

static void student(void)
{
  /* Tables of the t distribution, 95 % and 97.5 %. */
  is_near(lb_student_quantile(0.975, 1), 12.706, 5e-4, "1 degree");
  is_near(lb_student_quantile(0.975, 9), 2.262, 5e-4, "9 degrees");
  is_near(lb_student_quantile(0.95, 18), 1.734, 5e-4, "18 degrees");
  is_near(lb_student_above(2.262, 9), 0.025, 1e-5, "above");
  is_near(lb_student_above(-2.262, 9), 0.975, 1e-5, "to the other side");
  is_near(lb_student_above(INFINITY, 3), 0, 0, "above everything");
  is_near(lb_student_above(-INFINITY, 3), 1, 0, "above nothing");
}

static void means(void)
{
  const double v[] = {2, NAN, 4, 6}, alone[] = {7};
  struct lb_mean m = lb_mean_of(v, 4), one = lb_mean_of(alone, 1),
                 none = lb_mean_of(v, 0);
  is_int(m.n, 3, "what is no number is left out");
  is_near(m.mean, 4, 1e-12, "mean");
  is_near(m.stdev, 2, 1e-12, "standard deviation of the sample");
  /* t(2) at 97.5 % is 4.3027 */
  is_near(lb_mean_half_width(&m, 0.95), 4.3027 * 2 / sqrt(3), 1e-3,
          "half of the interval");
  ok(one.mean == 7 && isnan(one.stdev), "one value has no spread");
  ok(isinf(lb_mean_half_width(&one, 0.95)), "and says nothing of the mean");
  ok(none.n == 0 && isnan(none.mean), "no value");
}

static void welch(void)
{
  /* Variances 4/3 x ... : with s = 1, 2 and n = 4, 8 the variance of the
   * difference is 1/4 + 4/8 = 3/4, and Satterthwaite's degrees of freedom are
   * (3/4)^2 / ((1/4)^2/3 + (1/2)^2/7) = 9.9474. */
  struct lb_mean a = {4, 10, 1}, b = {8, 12, 2};
  is_near(lb_mean_ratio_above(&a, &b, 1),
          lb_student_above(2 / sqrt(0.75), 9.947368), 1e-7, "Welch");
  is_near(lb_mean_ratio_above(&b, &a, 1),
          1 - lb_student_above(2 / sqrt(0.75), 9.947368), 1e-7,
          "the other way round");
  is_near(lb_mean_ratio_above(&a, &b, 1.2), 0.5, 0, "at the ratio found");
  /* Against 1.1 x a: variance 1.21/4 + 1/2, difference 1. */
  double va = 1.21 / 4, vb = 0.5, v = va + vb;
  is_near(lb_mean_ratio_above(&a, &b, 1.1),
          lb_student_above(1 / sqrt(v), v * v / (va * va / 3 + vb * vb / 7)),
          1e-12, "against another ratio");
}

/* A new value against 9 old ones of mean 10, s 0.3: its prediction interval
 * is 10 +- t(8) 0.3 sqrt(1 + 1/9). */
static void single(void)
{
  struct lb_mean old = {9, 10, 0.3}, one = {1, 9, NAN};
  double t = 1 / (0.3 * sqrt(1 + 1.0 / 9));
  is_near(lb_mean_ratio_above(&old, &one, 1), 1 - lb_student_above(t, 8), 1e-12,
          "a single value against many");
  is_near(lb_mean_ratio_above(&one, &old, 1), lb_student_above(t, 8), 1e-12,
          "and many against it");
  is_near(lb_mean_ratio_above(&one, &one, 2), 0.5, 0,
          "two single values say nothing");
}

static void intervals(void)
{
  /* a is known exactly: the interval is b's own, divided. */
  struct lb_mean a = {5, 10, 0}, b = {5, 20, 1}, vague = {2, 1, 10};
  double ends[2], half = lb_mean_half_width(&b, 0.95) / 10;
  lb_mean_ratio_interval(&a, &b, 0.95, ends);
  is_near(ends[0], 2 - half, 1e-9, "lower end");
  is_near(ends[1], 2 + half, 1e-9, "upper end");
  is_near(lb_mean_ratio_above(&a, &b, ends[0]), 0.025, 1e-9, "the test agrees");
  b.stdev = 0;
  lb_mean_ratio_interval(&a, &b, 0.95, ends);
  ok(ends[0] == 2 && ends[1] == 2, "no spread: exact");
  lb_mean_ratio_interval(&vague, &b, 0.95, ends);
  ok(isinf(ends[1]), "a mean that may be 0 bounds no ratio");
}

int main(void)
{
  student();
  means();
  welch();
  single();
  intervals();
  return done();
}
