/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A normal cut symmetrically at (0, 2 mean): its mean is the parent's, its
 * standard deviation is less than the parent's, so that one is solved for.
 *
 * With b = mean/sigma, the cut one's (stdev/mean)^2 is
 *   g(b) = (1 - 2 b phi(b) / (2 Phi(b) - 1)) / b^2,
 * which falls from 1/3 (uniform, b -> 0) to 0. */
#include "lb-config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "dist/dist_impl.h"

/* Below that, g loses digits; and a cut normal this flat is uniform: g is
 * within 1e-5 of 1/3. */
#define FLAT 0.01

static double g(double b)
{
  double inside = 1 - 2 * gsl_cdf_ugaussian_Q(b);
  if (b < FLAT)
    return 1.0 / 3 - 2 * b * b / 45;
  return (1 - 2 * b * gsl_ran_ugaussian_pdf(b) / inside) / (b * b);
}

/* The b > 0 with g(b) = want, by bisection: g falls, and g(b) < 1/b^2. */
static double solve(double want)
{
  double low = 0, high = 1 / sqrt(want);
  for (int i = 0; i < 200; i++) {
    double b = low + (high - low) / 2;
    if (b == low || b == high)
      break;
    if (g(b) > want)
      low = b;
    else
      high = b;
  }
  return low + (high - low) / 2;
}

bool lb_cut_solve(struct lb_cut *c, double mean, double stdev)
{
  double ratio = stdev / mean;
  *c = (struct lb_cut){.mean = mean, .sigma = INFINITY, .tail = 0.5};
  if (ratio >= 1 / sqrt(3))
    return false;
  double b = solve(ratio * ratio);
  if (b > 0) {
    c->sigma = mean / b;
    c->tail = gsl_cdf_ugaussian_Q(b);
  }
  return true;
}

double lb_cut_stdev(const struct lb_cut *c)
{
  return c->mean * sqrt(isfinite(c->sigma) ? g(c->mean / c->sigma) : 1.0 / 3);
}

double lb_cut_quantile(const struct lb_cut *c, double p)
{
  if (!isfinite(c->sigma))
    return 2 * c->mean * p;
  double q = c->tail + p * (1 - 2 * c->tail);
  return c->mean + gsl_cdf_gaussian_Pinv(q, c->sigma);
}
