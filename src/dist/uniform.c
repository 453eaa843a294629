/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uniform distribution between two values. */
#include "lb-config.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "dist/dist_impl.h"

/* Of redrawn values at least one in this many must not be negative. */
enum { MOST_REDRAWN = 100 };

static int check(const struct lb_dist *d, struct lb_err *err)
{
  double min = d->p[0], max = d->p[1];
  int rc = lb_dist_check_param(d, 0, -LB_DIST_LARGEST, LB_DIST_LARGEST, err);
  if (rc)
    return rc;
  rc = lb_dist_check_param(d, 1, 0, LB_DIST_LARGEST, err);
  if (rc)
    return rc;
  if (min > max)
    return lb_err_set(err, LB_USAGE, "uniform: min %.15g is above max %.15g",
                      min, max);
  if (d->negative == LB_NEGATIVE_REDRAW && min < 0 &&
      max * MOST_REDRAWN < max - min)
    return lb_err_set(err, LB_USAGE,
                      "uniform: less than one draw in %d between min %.15g and "
                      "max %.15g is not negative: too few for negative: redraw",
                      MOST_REDRAWN, min, max);
  return 0;
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  return gsl_cdf_flat_Pinv(lb_rng_double(rng), d->p[0], d->p[1]);
}

static double mean(const struct lb_dist *d)
{
  return d->p[0] / 2 + d->p[1] / 2;
}

static double stdev(const struct lb_dist *d)
{
  return (d->p[1] - d->p[0]) / sqrt(12);
}

static double ruled_mean(const struct lb_dist *d)
{
  double min = d->p[0], max = d->p[1];
  if (min >= 0)
    return mean(d);
  if (d->negative == LB_NEGATIVE_REDRAW)
    return max / 2;
  double clipped = max * (max / (max - min)) / 2;
  return d->negative == LB_NEGATIVE_CLIP
             ? clipped
             : clipped + min * (min / (max - min)) / 2;
}

const struct lb_dist_kind lb_dist_kind_uniform = {
    .name = "uniform",
    .doc = "Uniform between a minimum and a maximum.",
    .params = {"min", "max"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
    .ruled_mean = ruled_mean,
};
