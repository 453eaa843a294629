/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exponential distribution of a scale, which is its mean. */
#include "lb-config.h"

#include <gsl/gsl_cdf.h>

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  return lb_dist_check_param(d, 0, 0, LB_DIST_LARGEST, err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  return gsl_cdf_exponential_Pinv(lb_rng_double(rng), d->p[0]);
}

static double scale(const struct lb_dist *d)
{
  return d->p[0];
}

const struct lb_dist_kind lb_dist_kind_exponential = {
    .name = "exponential",
    .doc = "Exponential, of a scale, which is its mean.",
    .params = {"scale"},
    .check = check,
    .sample = sample,
    .mean = scale,
    .stdev = scale,
};
