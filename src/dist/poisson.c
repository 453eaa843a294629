/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Poisson distribution of a mean: whole numbers. */
#include "lb-config.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  /* GSL counts in an unsigned int. */
  return lb_dist_check_param(d, 0, 0, 1e9, err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  gsl_rng g = lb_gsl_stream(rng);
  return gsl_ran_poisson(&g, d->p[0]);
}

static double mean(const struct lb_dist *d)
{
  return d->p[0];
}

static double stdev(const struct lb_dist *d)
{
  return sqrt(d->p[0]);
}

const struct lb_dist_kind lb_dist_kind_poisson = {
    .name = "poisson",
    .doc = "Poisson, of its mean: whole numbers.",
    .params = {"lam"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
};
