/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lognormal distribution.  Its parameters are the mean and the standard
 * deviation of the value itself, not of its logarithm, so that they are in
 * the value's unit, as those of a normal distribution are. */
#include "lb-config.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  int rc = lb_dist_check_param(d, 0, 1e-12, LB_DIST_LARGEST, err);
  /* A ratio of 1000 is a sigma of 3.7; with the mean's bound, no draw
   * overflows. */
  return rc ? rc : lb_dist_check_param(d, 1, 0, 1000 * d->p[0], err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  double ratio = d->p[1] / d->p[0];
  double variance = log1p(ratio * ratio);
  double mu = log(d->p[0]) - variance / 2;
  return exp(mu + gsl_cdf_gaussian_Pinv(lb_rng_double(rng), sqrt(variance)));
}

static double mean(const struct lb_dist *d)
{
  return d->p[0];
}

static double stdev(const struct lb_dist *d)
{
  return d->p[1];
}

const struct lb_dist_kind lb_dist_kind_lognormal = {
    .name = "lognormal",
    .doc = "Lognormal, of the value's own mean and standard deviation.",
    .params = {"mean", "stdev"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
};
