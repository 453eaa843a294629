/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Payload bytes of a file's samples, a pure function of (seed, set, file).
 * All samples of one file have one size. */
#include "lb-config.h"

#include "loadbank/layout.h"

#include <math.h>

#include "loadbank/rng.h"

/* So that twice the mean, the largest size, fits in 63 bits. */
#define LARGEST_MEAN 0x1p61

int lb_sizes_init(struct lb_sizes *s, uint64_t seed, double mean, double stdev,
                  struct lb_err *err)
{
  if (!(mean >= 1 && mean <= LARGEST_MEAN))
    return lb_err_set(err, LB_USAGE,
                      "a sample of %.15g bytes is outside 1..%.15g", mean,
                      LARGEST_MEAN);
  if (!(stdev >= 0 && isfinite(stdev)))
    return lb_err_set(err, LB_USAGE,
                      "a sample's standard deviation of %.15g bytes is not a "
                      "finite number from 0 on",
                      stdev);
  *s = (struct lb_sizes){
      .seed = seed, .mean = mean, .stdev = stdev, .unit = 1, .least = 1};
  if (stdev > 0) {
    s->nearest = !lb_cut_solve(&s->cut, mean, stdev);
    s->got_stdev = lb_cut_stdev(&s->cut);
  }
  return 0;
}

int64_t lb_sizes_sample_bytes(const struct lb_sizes *s, enum lb_set set,
                              int64_t file)
{
  if (s->stdev == 0)
    return (int64_t)s->mean;
  struct lb_rng rng =
      lb_rng_stream(s->seed, LB_RNG_SIZE, (uint64_t)set, (uint64_t)file);
  double unit = (double)s->unit;
  double x = lb_cut_quantile(&s->cut, lb_rng_double(&rng)) / unit;
  double most = ceil(2 * s->mean / unit) - 1;
  double least = ceil((double)s->least / unit);
  return s->unit * (int64_t)fmax(fmin(rint(x), most), least);
}
