/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histogram of durations: log-linear, 16 steps an octave (a value is known to
 * 1/32 of itself), fixed size, mergeable.  One writer; no locks. */
#ifndef LOADBANK_HISTOGRAM_H
#define LOADBANK_HISTOGRAM_H

#include <stdint.h>

/* Values 0..15 exactly, then 16 buckets for each power of two up to 2^44 ns
 * (almost five hours); larger ones count in the last bucket. */
enum {
  LB_HISTOGRAM_STEP_BITS = 4,
  LB_HISTOGRAM_STEPS = 1 << LB_HISTOGRAM_STEP_BITS, /* an octave */
  LB_HISTOGRAM_BUCKETS = 41 * LB_HISTOGRAM_STEPS
};

struct lb_histogram {
  uint64_t count;
  uint64_t min, max; /* exact; min is UINT64_MAX while empty */
  double sum;        /* exact enough for a mean */
  uint64_t bucket[LB_HISTOGRAM_BUCKETS];
};

static inline unsigned lb_histogram_bucket(uint64_t value)
{
  enum { STEPS = LB_HISTOGRAM_STEPS };
  if (value < STEPS)
    return (unsigned)value;
  unsigned octave =
      63 - (unsigned)__builtin_clzll(value) - LB_HISTOGRAM_STEP_BITS;
  unsigned b = STEPS * (octave + 1) + ((value >> octave) & (STEPS - 1));
  return b < LB_HISTOGRAM_BUCKETS ? b : LB_HISTOGRAM_BUCKETS - 1;
}

static inline void lb_histogram_add(struct lb_histogram *h, uint64_t value)
{
  h->count++;
  h->min = value < h->min ? value : h->min;
  h->max = value > h->max ? value : h->max;
  h->sum += (double)value;
  h->bucket[lb_histogram_bucket(value)]++;
}

void lb_histogram_init(struct lb_histogram *h);
void lb_histogram_merge(struct lb_histogram *into,
                        const struct lb_histogram *h);

/* The value below which a fraction q (0..1) of the values lies: middle of the
 * bucket of rank ceil(q count), held inside [min, max]; 0 when empty. */
double lb_histogram_quantile(const struct lb_histogram *h, double q);
double lb_histogram_mean(const struct lb_histogram *h); /* 0 when empty */

#endif
