/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of times and sizes.  A value is drawn from a named random
 * stream (rng.h), so a draw is a pure function of its index.  Rows:
 * constant normal uniform gamma exponential poisson lognormal empirical.
 * GSL is used in src/dist only. */
#ifndef LOADBANK_DIST_H
#define LOADBANK_DIST_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"
#include "loadbank/rng.h"

enum { LB_DIST_PARAMS = 3 };

/* What becomes of a draw below 0 (DLIO: abs). */
enum lb_negative { LB_NEGATIVE_ABS, LB_NEGATIVE_CLIP, LB_NEGATIVE_REDRAW };

struct lb_dist;

struct lb_dist_kind {
  const char *name; /* the map's `type' */
  const char *doc;  /* one sentence */
  const char *unavailable;
  const char *params[LB_DIST_PARAMS + 1]; /* names in the map; NULL ends */
  /* Required.  Are the parameters possible? */
  int (*check)(const struct lb_dist *d, struct lb_err *err);
  /* Required.  One draw, before the rule for negative values.  Any thread. */
  double (*sample)(const struct lb_dist *d, struct lb_rng *rng);
  /* Required.  Mean and standard deviation of sample, before the rule for
   * negative values. */
  double (*mean)(const struct lb_dist *d);
  double (*stdev)(const struct lb_dist *d);
  /* Optional: the mean after that rule.  Absent: no draw is below 0. */
  double (*ruled_mean)(const struct lb_dist *d);
};

/* A plain value; the zero value is the constant 0.  `kind' NULL = constant. */
struct lb_dist {
  const struct lb_dist_kind *kind;
  double p[LB_DIST_PARAMS];
  enum lb_negative negative;
  char file[256];       /* empirical: one number a line */
  const double *values; /* empirical: sorted; owned by whoever loaded them */
  size_t n_values;
};

extern const struct lb_dist_kind *const lb_dist_kinds[];   /* NULL at the end */
const struct lb_dist_kind *lb_dist_find(const char *name); /* or NULL */

struct lb_dist lb_dist_constant(double value);

/* A draw with the rule for negative values applied; finite, >= 0. */
double lb_dist_sample(const struct lb_dist *d, struct lb_rng *rng);

/* Mean of what lb_dist_sample gives (closed form, or numeric for a rule that
 * bites). */
double lb_dist_mean(const struct lb_dist *d);

/* Always the same value?  (An empirical one must be loaded.) */
int lb_dist_is_constant(const struct lb_dist *d);

/* Reads d->file (at most 2^20 numbers); frees with lb_dist_unload. */
int lb_dist_load(struct lb_dist *d, struct lb_err *err);
void lb_dist_unload(struct lb_dist *d);

/* ---- a normal cut symmetrically at (0, 2 mean) ---- */

struct lb_cut {
  double mean;
  double sigma; /* of the parent normal; INFINITY: the cut one is uniform */
  double tail;  /* the parent's probability below 0 */
};

/* The cut distribution with this mean and standard deviation (mean > 0,
 * stdev > 0).  False: there is none (mean/stdev <= sqrt 3); *c is then the
 * nearest, the uniform one. */
bool lb_cut_solve(struct lb_cut *c, double mean, double stdev);
double lb_cut_stdev(const struct lb_cut *c);
double lb_cut_quantile(const struct lb_cut *c, double p); /* 0 < p < 1 */

#endif
