/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What varying compute times cost: a step of training lasts as long as the
 * slowest of its accelerators.  Estimated from draws of the distribution
 * itself; always the same ones, so that a plan is always the same. */
#include "lb-config.h"

#include "plan_impl.h"

#include <math.h>
#include <stdlib.h>

/* Good to half a point of AU up to some thousand accelerators; beyond, the
 * longest is taken too short. */
enum { DRAWS = 1 << 17, SEED = 1 };

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Mean of the largest of n draws from the sorted v: the i-th smallest is the
 * largest with probability (i/N)^n - ((i-1)/N)^n. */
static double mean_of_largest(const double *v, int n)
{
  double sum = 0, below = 0;
  for (int i = 0; i < DRAWS; i++) {
    double upto = pow((double)(i + 1) / DRAWS, n);
    sum += v[i] * (upto - below);
    below = upto;
  }
  return sum;
}

int lb_plan_spread(const struct lb_dist *compute, int accelerators,
                   struct lb_plan_spread *out, struct lb_err *err)
{
  double mean = lb_dist_mean(compute);
  *out = (struct lb_plan_spread){.best_au = 1, .step_s = mean};
  if (lb_dist_is_constant(compute) || accelerators < 2 || !(mean > 0))
    return 0;
  double *v = malloc(DRAWS * sizeof *v), sum = 0;
  if (!v)
    return lb_err_set(err, LB_FAILED, "no memory for draws of compute times");
  for (int i = 0; i < DRAWS; i++) {
    struct lb_rng rng = lb_rng_stream(SEED, LB_RNG_COMPUTE, 0, (uint64_t)i);
    v[i] = lb_dist_sample(compute, &rng);
    sum += v[i];
  }
  qsort(v, DRAWS, sizeof *v, ascending);
  double largest = mean_of_largest(v, accelerators);
  free(v);
  if (largest > 0 && sum > 0) {
    out->best_au = fmin(sum / DRAWS / largest, 1);
    out->step_s = fmax(mean / out->best_au, mean);
  }
  return 0;
}
