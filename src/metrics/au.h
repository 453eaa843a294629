/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formulas of accelerator utilisation, inside this module: the metric
 * window of a block, and the mean of an epoch.  Pure. */
#ifndef LB_METRICS_AU_H
#define LB_METRICS_AU_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/metrics.h"

/* The window of a block while its length is not known yet: a step leaves the
 * ring of the last exclude_end steps only when another pushes it out, and is
 * inside the window from then on. */
struct lb_window {
  int64_t exclude_start, exclude_end;
  struct lb_step *ring; /* exclude_end steps; borrowed */
  int64_t held;         /* steps in the ring */
  int64_t next;         /* where the next one goes */
  struct lb_block_sums sums;
};
void lb_window_begin(struct lb_window *w);
void lb_window_step(struct lb_window *w, const struct lb_step *s);
void lb_window_end(struct lb_window *w, uint64_t block_ns);

/* T of a block, ns; 0 when there is no window or nothing is left of it. */
uint64_t lb_au_window_ns(const struct lb_block_sums *b);

/* Evaluation's: all steps over the whole block; NAN when it took no time. */
double lb_au_all_samples_per_s(const struct lb_block_sums *b, int64_t batch);

/* Mean over the blocks of an epoch, weighted by their steps: AU over those
 * that have a window, samples per second over those that have such a rate. */
struct lb_au_epoch {
  int64_t blocks, windowless;
  double au_weight, rate_weight;
  double au, nominal, rate; /* sums of weight x value */
};
void lb_au_epoch_add(struct lb_au_epoch *e, const struct lb_block_sums *b,
                     double samples_per_s);
/* NAN without such a block. */
double lb_au_epoch_au(const struct lb_au_epoch *e);
double lb_au_epoch_nominal(const struct lb_au_epoch *e);
double lb_au_epoch_rate(const struct lb_au_epoch *e);

/* Mean and population standard deviation of the finite ones among n values;
 * both NAN when there is none. */
void lb_mean_stdev(const double *v, size_t n, double *mean, double *stdev);

#endif
