/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means of repeated measurements, how well they are known, and whether two of
 * them differ: Student's t.  Pure.  Formulas and sources: docs/compare.md. */
#ifndef LOADBANK_MEAN_H
#define LOADBANK_MEAN_H

#include <stddef.h>

/* Of n values that are finite. */
struct lb_mean {
  size_t n;
  double mean;  /* NAN: n is 0 */
  double stdev; /* of the sample, n - 1; NAN: n is below 2 */
};

/* Values that are not finite are left out. */
struct lb_mean lb_mean_of(const double *values, size_t n);

/* The mean +- this is the interval in which the true mean lies with so much
 * confidence (0.95, say).  INFINITY: n is below 2. */
double lb_mean_half_width(const struct lb_mean *m, double confidence);

/* P(T > t) of Student's t with df degrees of freedom; df > 0, t may be
 * infinite. */
double lb_student_above(double t, double df);
/* P(T <= quantile) = p; 0 < p < 1. */
double lb_student_quantile(double p, double df);

/* Welch's test of b's mean against ratio times a's: how likely a difference
 * like the one that was found, or one further up, would be if b's true mean was
 * ratio x a's.  Small: b's is above.  Near 1: below.  0.5 when nothing can be
 * said of either.
 * Where one of them has a single value, that of the other's spread holds for
 * both. */
double lb_mean_ratio_above(const struct lb_mean *a, const struct lb_mean *b,
                           double ratio);

/* The ratios that such a test does not exclude, at (1 - confidence) / 2 to each
 * side: Fieller's interval.  Infinite ends: not known that far. */
void lb_mean_ratio_interval(const struct lb_mean *a, const struct lb_mean *b,
                            double confidence, double ends[2]);

#endif
