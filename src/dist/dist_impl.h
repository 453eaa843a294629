/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of the table of distributions share; for src/dist only.
 *
 * To add a distribution: src/dist/NAME.c, its name in LB_DIST_LIST, its line
 * in src/dist/local.mk. */
#ifndef LOADBANK_DIST_IMPL_H
#define LOADBANK_DIST_IMPL_H

#include <gsl/gsl_rng.h>

#include "loadbank/dist.h"

#define LB_DIST_LIST(X) \
  X(constant)           \
  X(normal)             \
  X(uniform)            \
  X(gamma)              \
  X(exponential)        \
  X(poisson)            \
  X(lognormal)          \
  X(empirical)
#define X(n) extern const struct lb_dist_kind lb_dist_kind_##n;
LB_DIST_LIST(X)
#undef X

/* lb_rng_double is at least 2^-53 away from 0 and 1, so a normal draw is less
 * than this many standard deviations away from the mean. */
#define LB_DIST_FARTHEST 8.3

/* No parameter is larger: every draw is then finite. */
#define LB_DIST_LARGEST 1e100

/* Parameter i must lie in [min, max]; NaN does not.  The message names it. */
int lb_dist_check_param(const struct lb_dist *d, int i, double min, double max,
                        struct lb_err *err);

/* GSL's generators on a stream: *g lives as long as the caller's *rng, which
 * it advances.  Nothing is allocated. */
gsl_rng lb_gsl_stream(struct lb_rng *rng);

#endif
