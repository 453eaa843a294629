/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distribution of one value. */
#include "lb-config.h"

#include "dist/dist_impl.h"

static int check(const struct lb_dist *d, struct lb_err *err)
{
  return lb_dist_check_param(d, 0, 0, LB_DIST_LARGEST, err);
}

static double sample(const struct lb_dist *d, struct lb_rng *rng)
{
  (void)rng;
  return d->p[0];
}

static double mean(const struct lb_dist *d)
{
  return d->p[0];
}

static double stdev(const struct lb_dist *d)
{
  (void)d;
  return 0;
}

/* lb_dist_constant takes any value, unchecked. */
static double ruled_mean(const struct lb_dist *d)
{
  if (d->p[0] >= 0)
    return d->p[0];
  return d->negative == LB_NEGATIVE_ABS ? -d->p[0] : 0;
}

const struct lb_dist_kind lb_dist_kind_constant = {
    .name = "constant",
    .doc = "Always the mean.",
    .params = {"mean"},
    .check = check,
    .sample = sample,
    .mean = mean,
    .stdev = stdev,
    .ruled_mean = ruled_mean,
};
