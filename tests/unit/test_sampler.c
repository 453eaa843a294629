/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of samples: each exactly once, well mixed, no memory. */
#include "lb-config.h"

#include "loadbank/sampler.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "loadbank/rng.h"
#include "tap.h"

/* Is every sample of the epoch met exactly once? */
static bool once(const struct lb_sampler *s)
{
  uint64_t n = s->n_files * s->samples_per_file;
  unsigned char *seen = calloc(n, 1);
  bool good = seen != NULL;
  for (uint64_t i = 0; good && i < n; i++) {
    int64_t file, in_file;
    lb_sampler_at(s, i, &file, &in_file);
    good = file >= 0 && (uint64_t)file < s->n_files && in_file >= 0 &&
           (uint64_t)in_file < s->samples_per_file &&
           !seen[(uint64_t)file * s->samples_per_file + (uint64_t)in_file]++;
  }
  free(seen);
  return good;
}

static void test_once(void)
{
  static const uint64_t rows[][2] = {
      {1, 1},  {2, 1},   {1, 3},   {3, 5},    {64, 1},    {65, 1},
      {63, 4}, {168, 1}, {7, 100}, {1000, 7}, {99991, 1}, {40, 2500}};
  struct lb_rng rng = lb_rng_stream(1, LB_RNG_ORDER, 0, 0);
  for (int flags = 0; flags < 4; flags++) {
    bool by_file = flags & 1, by_sample = flags & 2;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
      struct lb_sampler s = lb_sampler_make(rows[r][0], rows[r][1], by_file,
                                            by_sample, 123, 1, LB_SET_TRAIN);
      ok(once(&s), "files %d, samples %d: %d x %d exactly once", by_file,
         by_sample, (int)rows[r][0], (int)rows[r][1]);
    }
    int good = 0;
    for (int i = 0; i < 60; i++) {
      uint64_t files = 1 + lb_rng_u64(&rng) % 2000;
      uint64_t samples = 1 + lb_rng_u64(&rng) % 50;
      struct lb_sampler s =
          lb_sampler_make(files, samples, by_file, by_sample, lb_rng_u64(&rng),
                          (uint64_t)i, LB_SET_EVAL);
      good += once(&s);
    }
    is_int(good, 60, "files %d, samples %d: any size exactly once", by_file,
           by_sample);
  }
  int good = 0;
  for (uint64_t n = 1; n <= 300; n++) {
    struct lb_sampler s = lb_sampler_make(n, 1, false, true, n, 1, 0);
    good += once(&s);
  }
  is_int(good, 300, "1 to 300 samples exactly once");
}

static void test_index_order(void)
{
  struct lb_sampler s = lb_sampler_make(5, 4, false, false, 1, 1, LB_SET_TRAIN);
  int wrong = 0;
  for (int i = 0; i < 20; i++) {
    int64_t file, in_file;
    lb_sampler_at(&s, (uint64_t)i, &file, &in_file);
    wrong += file != i / 4 || in_file != i % 4;
  }
  is_int(wrong, 0, "no shuffle: index order");
}

static void test_file_order(void)
{
  struct lb_sampler s = lb_sampler_make(50, 4, true, false, 1, 1, LB_SET_TRAIN);
  int wrong = 0, moved = 0;
  for (int i = 0; i < 200; i += 4) {
    int64_t first, file, in_file;
    lb_sampler_at(&s, (uint64_t)i, &first, &in_file);
    moved += first != i / 4;
    for (int j = 0; j < 4; j++) {
      lb_sampler_at(&s, (uint64_t)(i + j), &file, &in_file);
      wrong += file != first || in_file != j;
    }
  }
  is_int(wrong, 0, "files only: samples stay in order within their file");
  ok(moved > 40, "... and files move");
}

/* Files 7 to 11 of a larger set. */
static void test_part(void)
{
  for (int shuffle = 0; shuffle < 4; shuffle++) {
    struct lb_sampler s =
        lb_sampler_make(5, 4, shuffle & 1, shuffle & 2, 1, 1, LB_SET_TRAIN);
    int seen[5] = {0}, wrong = 0;
    s.first_file = 7;
    for (int i = 0; i < 20; i++) {
      int64_t file, in_file;
      lb_sampler_at(&s, (uint64_t)i, &file, &in_file);
      wrong += file < 7 || file >= 12;
      if (file >= 7 && file < 12)
        seen[file - 7]++;
    }
    for (int f = 0; f < 5; f++)
      wrong += seen[f] != 4;
    is_int(wrong, 0, "shuffle %d: a part is read whole, and nothing else",
           shuffle);
  }
}

/* Positions of n at which two samplers agree. */
static int agree(const struct lb_sampler *a, const struct lb_sampler *b, int n)
{
  int same = 0;
  for (int i = 0; i < n; i++) {
    int64_t fa, fb, ia, ib;
    lb_sampler_at(a, (uint64_t)i, &fa, &ia);
    lb_sampler_at(b, (uint64_t)i, &fb, &ib);
    same += fa == fb && ia == ib;
  }
  return same;
}

static void test_changes(void)
{
  for (int by_sample = 0; by_sample < 2; by_sample++) {
    struct lb_sampler a, b;
    a = lb_sampler_make(1000, 1, true, by_sample, 123, 1, LB_SET_TRAIN);
    b = lb_sampler_make(1000, 1, true, by_sample, 123, 1, LB_SET_TRAIN);
    is_int(agree(&a, &b, 1000), 1000, "the same seed and epoch: same order");
    b = lb_sampler_make(1000, 1, true, by_sample, 123, 2, LB_SET_TRAIN);
    ok(agree(&a, &b, 1000) < 10, "another epoch: another order");
    b = lb_sampler_make(1000, 1, true, by_sample, 124, 1, LB_SET_TRAIN);
    ok(agree(&a, &b, 1000) < 10, "another seed: another order");
    b = lb_sampler_make(1000, 1, true, by_sample, 123, 1, LB_SET_EVAL);
    ok(agree(&a, &b, 1000) < 10, "another set: another order");
  }
}

static double chi_square(const int *count, int cells, double expected)
{
  double sum = 0;
  for (int i = 0; i < cells; i++)
    sum += (count[i] - expected) * (count[i] - expected) / expected;
  return sum;
}

static uint64_t key_of(int i)
{
  return lb_rng_stream((uint64_t)i, LB_RNG_ORDER, 1, 0).key;
}

/* All n! orders of n values are as likely as each other; chi-square of n!-1
 * degrees of freedom stays below its 0.9999 quantile. */
static void test_small_orders(int n, int cells, double limit)
{
  enum { PER_CELL = 200 };
  int count[720] = {0};
  for (int k = 0; k < cells * PER_CELL; k++) {
    int rank = 0;
    uint64_t p[6];
    for (int i = 0; i < n; i++)
      p[i] = lb_permute(key_of(k), (uint64_t)n, (uint64_t)i);
    for (int i = 0; i < n; i++) {
      int less = 0;
      for (int j = i + 1; j < n; j++)
        less += p[j] < p[i];
      rank = rank * (n - i) + less;
    }
    count[rank]++;
  }
  double x = chi_square(count, cells, PER_CELL);
  ok(x < limit, "%d values: %d orders, chi-square %.1f below %.0f", n, cells, x,
     limit);
}

/* Where a position goes, over many keys, and the distance that two neighbours
 * get, over one large permutation; 100 cells each: 0.9999 quantile 161. */
static void test_uniform(void)
{
  enum { KEYS = 100000, CELLS = 100, LARGE = 1000000 };
  static const uint64_t sizes[] = {100, 1000, 65536, 1000000007};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    uint64_t n = sizes[s];
    int at[CELLS] = {0}, step[CELLS] = {0};
    for (int k = 0; k < KEYS; k++) {
      uint64_t p = lb_permute(key_of(k), n, n / 3);
      uint64_t q = lb_permute(key_of(k), n, n / 3 + 1);
      at[p * CELLS / n]++;
      step[(q + n - p) % n * CELLS / n]++;
    }
    double x = chi_square(at, CELLS, (double)KEYS / CELLS);
    ok(x < 161, "place among %d: chi-square %.1f", (int)n, x);
    if (n > 1000) { /* a step of 0 does not exist, which few steps show */
      x = chi_square(step, CELLS, (double)KEYS / CELLS);
      ok(x < 161, "step among %d: chi-square %.1f", (int)n, x);
    }
  }
  int step[CELLS] = {0};
  uint64_t last = lb_permute(key_of(1), LARGE, 0);
  for (int i = 1; i <= KEYS; i++) {
    uint64_t p = lb_permute(key_of(1), LARGE, (uint64_t)i);
    step[(p + LARGE - last) % LARGE * CELLS / LARGE]++;
    last = p;
  }
  double x = chi_square(step, CELLS, (double)KEYS / CELLS);
  ok(x < 161, "steps within one order: chi-square %.1f", x);
}

static void test_large(void)
{
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  uint64_t n = 1000000000000u;
  struct lb_sampler s = lb_sampler_make(n / 10, 10, true, true, 1, 1, 0);
  double sum = 0;
  int outside = 0;
  enum { DRAWS = 200000 };
  for (uint64_t i = 0; i < DRAWS; i++) {
    int64_t file, in_file;
    lb_sampler_at(&s, i * (n / DRAWS), &file, &in_file);
    outside +=
        file < 0 || (uint64_t)file >= n / 10 || in_file < 0 || in_file >= 10;
    sum += 10 * (double)file / (double)n;
  }
  getrusage(RUSAGE_SELF, &after);
  is_int(outside, 0, "10^12 samples: all inside");
  is_near(sum / DRAWS, 0.5, 0.004, "... spread over all files");
  ok(after.ru_maxrss - before.ru_maxrss < 1024, "... and no memory");
  int bad = 0;
  for (uint64_t i = 0; i < 1000; i++)
    bad += lb_permute(i, UINT64_MAX, UINT64_MAX - 1 - i) == UINT64_MAX;
  is_int(bad, 0, "64 bits work");
}

/* Results name a seed, and an order is what it was: worked out by the same
 * rules in another language. */
static void test_known(void)
{
  static const struct {
    uint64_t key, n, i, is;
  } rows[] = {
      {1, 10, 3, 9},
      {2, 1000, 999, 459},
      {3, 524288, 12345, 89199},
      {4, 1000000000000u, 7, 168224804941u},
      {5, 9223372036854775809u, 4611686018427387904u, 6252729245242492289u},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    is_int((int64_t)lb_permute(rows[r].key, rows[r].n, rows[r].i),
           (int64_t)rows[r].is, "%" PRIu64 " of %" PRIu64, rows[r].i,
           rows[r].n);
}

/* Rows of every length that begin anywhere have what single positions have. */
static void test_rows(void)
{
  enum { FILES = 37, SAMPLES = 5, ALL = FILES * SAMPLES };
  for (int flags = 0; flags < 4; flags++) {
    struct lb_sampler s = lb_sampler_make(FILES, SAMPLES, flags & 1, flags & 2,
                                          9, 2, LB_SET_TRAIN);
    int wrong = 0;
    s.first_file = 3;
    for (uint64_t at = 0; at < ALL; at++) {
      struct lb_order_row row;
      size_t n = 1 + at % LB_ORDER_ROW;
      n = n < ALL - at ? n : ALL - at;
      lb_sampler_row(&s, at, n, &row);
      wrong += row.first != at || row.n != n;
      for (size_t i = 0; i < n; i++) {
        int64_t file, in_file;
        lb_sampler_at(&s, at + i, &file, &in_file);
        wrong += row.file[i] != file || row.in_file[i] != in_file;
      }
    }
    is_int(wrong, 0, "files %d, samples %d: rows", flags & 1, flags >> 1);
  }
}

int main(void)
{
  test_large();
  test_known();
  test_rows();
  test_once();
  test_index_order();
  test_file_order();
  test_part();
  test_changes();
  test_small_orders(3, 6, 26);
  test_small_orders(4, 24, 59);
  test_small_orders(5, 120, 186);
  test_small_orders(6, 720, 870);
  test_uniform();
  return done();
}
