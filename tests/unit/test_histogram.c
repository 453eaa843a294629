/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histogram against sorted data: exact where it says so, else 1/32. */
#include "lb-config.h"

#include "loadbank/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/rng.h"
#include "tap.h"

enum { N = 20000 };

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void small_values_are_exact(void)
{
  struct lb_histogram h;
  lb_histogram_init(&h);
  is_near(lb_histogram_quantile(&h, 0.5), 0, 0, "empty: quantile is 0");
  is_near(lb_histogram_mean(&h), 0, 0, "empty: mean is 0");
  ok(h.min == UINT64_MAX && h.max == 0, "empty: min and max");
  for (uint64_t v = 0; v < 32; v++)
    lb_histogram_add(&h, v);
  bool exact = true;
  for (int v = 0; v < 32; v++)
    exact &= lb_histogram_quantile(&h, (v + 1) / 32.0) == v;
  ok(exact, "values below 32 have a bucket each");
  is_near(lb_histogram_quantile(&h, 0), 0, 0, "quantile 0 is the minimum");
  is_near(lb_histogram_mean(&h), 15.5, 0, "mean");
  is_int(h.count, 32, "count");
}

static void large_values_are_held(void)
{
  struct lb_histogram h;
  lb_histogram_init(&h);
  lb_histogram_add(&h, UINT64_MAX - 1);
  is_int(h.bucket[LB_HISTOGRAM_BUCKETS - 1], 1,
         "beyond 2^44 the last bucket counts");
  is_near(lb_histogram_quantile(&h, 0.5), (double)(UINT64_MAX - 1), 0,
          "one value is its own median, however large");
  lb_histogram_init(&h);
  lb_histogram_add(&h, ((uint64_t)1 << 44) - 1);
  lb_histogram_add(&h, (uint64_t)1 << 43);
  is_int(h.bucket[LB_HISTOGRAM_BUCKETS - 1], 1, "the last regular bucket");
  is_int(h.bucket[LB_HISTOGRAM_BUCKETS - 16], 1, "first of the last octave");
}

/* Log-uniform over nine decades, so that all octaves are used. */
static void quantiles_match_sorted_data(void)
{
  static uint64_t v[N];
  struct lb_histogram h;
  lb_histogram_init(&h);
  struct lb_rng rng = lb_rng_stream(1, LB_RNG_SIZE, 0, 0);
  double sum = 0;
  for (int i = 0; i < N; i++) {
    v[i] = (uint64_t)pow(10, 9 * lb_rng_double(&rng));
    sum += (double)v[i];
    lb_histogram_add(&h, v[i]);
  }
  qsort(v, N, sizeof *v, by_value);
  double worst = 0;
  for (int i = 1; i <= 1000; i++) {
    double q = i / 1000.0;
    double want = (double)v[(int)ceil(q * N) - 1];
    double off = fabs(lb_histogram_quantile(&h, q) - want) / fmax(want, 1);
    worst = fmax(worst, off);
  }
  ok(worst <= 1.0 / 32, "quantiles are within 1/32 of sorted data: %g", worst);
  ok(worst > 0, "and the data is not exact by chance");
  is_near(lb_histogram_quantile(&h, 1), (double)v[N - 1], (double)v[N - 1] / 32,
          "quantile 1 is near the maximum");
  is_int(h.min, v[0], "min is exact");
  is_int(h.max, v[N - 1], "max is exact");
  is_near(lb_histogram_mean(&h), sum / N, 1e-6 * sum / N, "mean is exact");
}

static void merge_is_union(void)
{
  struct lb_histogram whole, part[2], empty;
  lb_histogram_init(&whole);
  lb_histogram_init(&part[0]);
  lb_histogram_init(&part[1]);
  lb_histogram_init(&empty);
  struct lb_rng rng = lb_rng_stream(2, LB_RNG_SIZE, 0, 0);
  for (int i = 0; i < N; i++) {
    uint64_t value = lb_rng_u64(&rng) >> (lb_rng_u64(&rng) % 64);
    value >>= 12; /* sums stay exact in a double */
    lb_histogram_add(&whole, value);
    lb_histogram_add(&part[i % 3 == 0], value);
  }
  lb_histogram_merge(&part[0], &part[1]);
  lb_histogram_merge(&part[0], &empty);
  ok(!memcmp(whole.bucket, part[0].bucket, sizeof whole.bucket),
     "merged buckets are those of all values");
  ok(whole.count == part[0].count && whole.min == part[0].min &&
         whole.max == part[0].max,
     "count, min and max, too; an empty one changes nothing");
  is_near(part[0].sum, whole.sum, 1e-9 * whole.sum, "sum");
}

int main(void)
{
  small_values_are_exact();
  large_values_are_held();
  quantiles_match_sorted_data();
  merge_is_union();
  return done();
}
