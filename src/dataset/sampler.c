/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of an epoch's samples as a function of the position: nothing is
 * stored, so 10^9 samples cost what 10 do. */
#include "lb-config.h"

#include "loadbank/sampler.h"

#include "loadbank/rng.h"

/* Even numbers.  With a full hash as the round function a few are enough for
 * large halves; halves of a few bits need more until every order of, say, 6
 * values is as likely as the others. */
enum { ROUNDS = 8, ROUNDS_SMALL = 24, SMALL_BITS = 8 };

/* A keyed bijection of [0, 2^bits) of each x: its high and its low part change
 * in turn by a hash of the other.  A round is a chain of a dozen steps, each of
 * which waits for the one before: of several x the processor does one's steps
 * beside those of the others. */
static void feistel(uint64_t key, int bits, uint64_t *x, size_t n)
{
  uint64_t low[LB_ORDER_ROW], high[LB_ORDER_ROW];
  int low_bits = bits / 2;
  uint64_t low_mask = ((uint64_t)1 << low_bits) - 1;
  uint64_t high_mask = ((uint64_t)1 << (bits - low_bits)) - 1;
  for (size_t i = 0; i < n; i++) {
    low[i] = x[i] & low_mask;
    high[i] = x[i] >> low_bits;
  }
  int rounds = bits <= SMALL_BITS ? ROUNDS_SMALL : ROUNDS;
  for (int r = 0; r < rounds; r += 2) {
    key += LB_RNG_GOLDEN;
    for (size_t i = 0; i < n; i++)
      high[i] ^= lb_rng_mix(key ^ low[i]) & high_mask;
    key += LB_RNG_GOLDEN;
    for (size_t i = 0; i < n; i++)
      low[i] ^= lb_rng_mix(key ^ high[i]) & low_mask;
  }
  for (size_t i = 0; i < n; i++)
    x[i] = high[i] << low_bits | low[i];
}

/* Walks along the cycle of the larger bijection until it is back below n:
 * less than two steps on average, since 2^bits < 2n. */
static void permute(uint64_t key, uint64_t n, uint64_t *x, size_t count)
{
  if (n < 2) /* they are all 0 */
    return;
  int bits = 64 - __builtin_clzll(n - 1);
  feistel(key, bits, x, count);
  for (size_t i = 0; i < count; i++)
    while (x[i] >= n)
      feistel(key, bits, &x[i], 1);
}

uint64_t lb_permute(uint64_t key, uint64_t n, uint64_t i)
{
  permute(key, n, &i, 1);
  return i;
}

struct lb_sampler lb_sampler_make(uint64_t n_files, uint64_t samples_per_file,
                                  bool file_shuffle, bool sample_shuffle,
                                  uint64_t seed, uint64_t epoch,
                                  enum lb_set set)
{
  return (struct lb_sampler){
      .n_files = n_files,
      .samples_per_file = samples_per_file,
      .file_shuffle = file_shuffle,
      .sample_shuffle = sample_shuffle,
      .key = lb_rng_stream(seed, LB_RNG_ORDER, epoch, set).key,
  };
}

/* Positions of an order in which samples stay in their files: one division and
 * one permutation for all that are of the same one. */
static void by_files(const struct lb_sampler *s, struct lb_order_row *row)
{
  uint64_t per_file = s->samples_per_file;
  uint64_t f = row->first / per_file, k = row->first % per_file, at = 0;
  for (size_t i = 0; i < row->n; i++, k++) {
    if (k == per_file) {
      f++;
      k = 0;
    }
    if (i == 0 || k == 0)
      at = s->file_shuffle ? lb_permute(s->key, s->n_files, f) : f;
    row->file[i] = (int64_t)(s->first_file + at);
    row->in_file[i] = (int64_t)k;
  }
}

static void by_samples(const struct lb_sampler *s, struct lb_order_row *row)
{
  uint64_t per_file = s->samples_per_file, sample[LB_ORDER_ROW];
  for (size_t i = 0; i < row->n; i++)
    sample[i] = row->first + i;
  permute(s->key, s->n_files * per_file, sample, row->n);
  for (size_t i = 0; i < row->n; i++) {
    row->file[i] = (int64_t)(s->first_file + sample[i] / per_file);
    row->in_file[i] = (int64_t)(sample[i] % per_file);
  }
}

void lb_sampler_row(const struct lb_sampler *s, uint64_t position, size_t n,
                    struct lb_order_row *row)
{
  row->first = position;
  row->n = n;
  (s->sample_shuffle ? by_samples : by_files)(s, row);
}

void lb_sampler_at(const struct lb_sampler *s, uint64_t position, int64_t *file,
                   int64_t *in_file)
{
  struct lb_order_row row;
  lb_sampler_row(s, position, 1, &row);
  *file = row.file[0];
  *in_file = row.in_file[0];
}

int64_t lb_sampler_run(const struct lb_sampler *s, int64_t in_file)
{
  return s->sample_shuffle ? 1 : (int64_t)s->samples_per_file - in_file;
}
