/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gamma distribution of a shape and a scale.  Drawn by rejection, not
 * through the inverse of its distribution function: GSL finds that by
 * iteration, which takes microseconds and may fail for a small shape. */
#include "lb-config.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  int rc = lb_dist_check_param(d, 0, 1e-3, 1e9, err);
  return rc ? rc : lb_dist_check_param(d, 1, 0, LB_DIST_LARGEST, err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  gsl_rng g = lb_gsl_stream(rng);
  return gsl_ran_gamma(&g, d->p[0], d->p[1]);
}

static double mean(const struct lb_dist *d)
{
  return d->p[0] * d->p[1];
}

static double stdev(const struct lb_dist *d)
{
  return sqrt(d->p[0]) * d->p[1];
}

const struct lb_dist_kind lb_dist_kind_gamma = {
    .name = "gamma",
    .doc = "Gamma, of a shape and a scale: its mean is shape x scale.",
    .params = {"shape", "scale"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
};
