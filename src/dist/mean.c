/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, their intervals, and the test of their ratio. */
#include "lb-config.h"

#include "loadbank/mean.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

struct lb_mean lb_mean_of(const double *values, size_t n)
{
  struct lb_mean m = {.mean = NAN, .stdev = NAN};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i])) {
      sum += values[i];
      m.n++;
    }
  if (m.n == 0)
    return m;
  m.mean = sum / (double)m.n;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i]))
      squares += (values[i] - m.mean) * (values[i] - m.mean);
  if (m.n > 1)
    m.stdev = sqrt(squares / (double)(m.n - 1));
  return m;
}

double lb_student_above(double t, double df)
{
  if (isinf(t))
    return t > 0 ? 0 : 1;
  return gsl_cdf_tdist_Q(t, df);
}

double lb_student_quantile(double p, double df)
{
  return gsl_cdf_tdist_Pinv(p, df);
}

double lb_mean_half_width(const struct lb_mean *m, double confidence)
{
  if (m->n < 2)
    return INFINITY;
  double df = (double)(m->n - 1);
  return lb_student_quantile((1 + confidence) / 2, df) * m->stdev /
         sqrt((double)m->n);
}

/* The variance of b's mean - ratio x a's, and the degrees of freedom with which
 * it is known. */
struct contrast {
  double variance, df;
};

/* Welch and Satterthwaite. */
static struct contrast of_two(const struct lb_mean *a, const struct lb_mean *b,
                              double ratio)
{
  double va = ratio * ratio * a->stdev * a->stdev / (double)a->n;
  double vb = b->stdev * b->stdev / (double)b->n, v = va + vb;
  double below = va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1);
  /* No spread at all: any will do. */
  return (struct contrast){v, below > 0 ? v * v / below : 1};
}

/* Only one of them tells a spread, which is taken to be both's. */
static struct contrast of_one(const struct lb_mean *a, const struct lb_mean *b,
                              double ratio)
{
  const struct lb_mean *known = a->n > 1 ? a : b;
  double v = known->stdev * known->stdev;
  return (struct contrast){
      v * (ratio * ratio / (double)a->n + 1 / (double)b->n),
      (double)(known->n - 1)};
}

double lb_mean_ratio_above(const struct lb_mean *a, const struct lb_mean *b,
                           double ratio)
{
  if (a->n == 0 || b->n == 0 || (a->n == 1 && b->n == 1))
    return 0.5;
  struct contrast c =
      a->n > 1 && b->n > 1 ? of_two(a, b, ratio) : of_one(a, b, ratio);
  double difference = b->mean - ratio * a->mean;
  if (difference == 0)
    return 0.5;
  return lb_student_above(difference / sqrt(c.variance), c.df);
}

/* From the ratio that was found outwards, as far as p stays above (below) what
 * excludes: by bisection, for p falls from the one end to the other. */
static double end_of(const struct lb_mean *a, const struct lb_mean *b,
                     double found, double alpha, bool upper)
{
  double in = found, step = fabs(found) + 1e-300, out = found;
  bool excluded = false;
  for (int i = 0; i < 60 && !excluded; i++) {
    out = upper ? found + step : found - step;
    step *= 2;
    double p = lb_mean_ratio_above(a, b, out);
    excluded = upper ? p > 1 - alpha : p < alpha;
  }
  if (!excluded)
    return upper ? INFINITY : -INFINITY;
  for (int i = 0; i < 100; i++) {
    double middle = in + (out - in) / 2;
    double p = lb_mean_ratio_above(a, b, middle);
    if (upper ? p > 1 - alpha : p < alpha)
      out = middle;
    else
      in = middle;
  }
  return in;
}

void lb_mean_ratio_interval(const struct lb_mean *a, const struct lb_mean *b,
                            double confidence, double ends[2])
{
  double alpha = (1 - confidence) / 2;
  ends[0] = -INFINITY;
  ends[1] = INFINITY;
  if (a->n == 0 || b->n == 0 || !(a->mean > 0))
    return;
  double found = b->mean / a->mean;
  ends[0] = end_of(a, b, found, alpha, false);
  ends[1] = end_of(a, b, found, alpha, true);
}
