/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear histogram: the exponent chooses the octave, the next four bits
 * the step in it.  It does not know what its values mean. */
#include "lb-config.h"

#include "loadbank/histogram.h"

#include <math.h>
#include <string.h>

enum { STEPS = LB_HISTOGRAM_STEPS };

/* Middle of the integers that fall into the bucket. */
static double middle_of(unsigned bucket)
{
  if (bucket < STEPS)
    return bucket;
  unsigned octave = bucket / STEPS - 1;
  uint64_t width = (uint64_t)1 << octave;
  uint64_t low = width * (STEPS + bucket % STEPS);
  return (double)low + (double)(width - 1) / 2;
}

void lb_histogram_init(struct lb_histogram *h)
{
  memset(h, 0, sizeof *h);
  h->min = UINT64_MAX;
}

void lb_histogram_merge(struct lb_histogram *into, const struct lb_histogram *h)
{
  into->count += h->count;
  into->min = h->min < into->min ? h->min : into->min;
  into->max = h->max > into->max ? h->max : into->max;
  into->sum += h->sum;
  for (int i = 0; i < LB_HISTOGRAM_BUCKETS; i++)
    into->bucket[i] += h->bucket[i];
}

double lb_histogram_quantile(const struct lb_histogram *h, double q)
{
  if (!h->count)
    return 0;
  double rank = ceil(q * (double)h->count);
  double below = 0, value = (double)h->max;
  for (unsigned i = 0; i < LB_HISTOGRAM_BUCKETS; i++) {
    below += (double)h->bucket[i];
    if (h->bucket[i] && below >= rank) {
      value = middle_of(i);
      break;
    }
  }
  return fmin(fmax(value, (double)h->min), (double)h->max);
}

double lb_histogram_mean(const struct lb_histogram *h)
{
  return h->count ? h->sum / (double)h->count : 0;
}
