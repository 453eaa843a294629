/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The normal distribution of a mean and a standard deviation. */
#include "lb-config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  int rc = lb_dist_check_param(d, 0, 0, LB_DIST_LARGEST, err);
  return rc ? rc : lb_dist_check_param(d, 1, 0, LB_DIST_LARGEST, err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  return d->p[0] + gsl_cdf_gaussian_Pinv(lb_rng_double(rng), d->p[1]);
}

static double mean(const struct lb_dist *d)
{
  return d->p[0];
}

static double stdev(const struct lb_dist *d)
{
  return d->p[1];
}

/* With the integral of the positive part, E[max(X, 0)] = m P(X > 0) + s phi,
 * the mirrored mean is twice that less m, the redrawn one that / P(X > 0). */
static double ruled_mean(const struct lb_dist *d)
{
  double m = d->p[0], s = d->p[1];
  if (s == 0)
    return m;
  double positive = gsl_cdf_ugaussian_P(m / s);
  double clipped = m * positive + s * gsl_ran_ugaussian_pdf(m / s);
  if (d->negative == LB_NEGATIVE_CLIP)
    return clipped;
  return d->negative == LB_NEGATIVE_ABS ? 2 * clipped - m : clipped / positive;
}

const struct lb_dist_kind lb_dist_kind_normal = {
    .name = "normal",
    .doc = "Normal, of a mean and a standard deviation.",
    .params = {"mean", "stdev"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
    .ruled_mean = ruled_mean,
};
