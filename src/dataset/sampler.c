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

/* A keyed bijection of [0, 2^bits): the high and the low part of x change in
 * turn by a hash of the other. */
static uint64_t feistel(uint64_t key, int bits, uint64_t x)
{
  int low_bits = bits / 2;
  uint64_t low_mask = ((uint64_t)1 << low_bits) - 1;
  uint64_t high_mask = ((uint64_t)1 << (bits - low_bits)) - 1;
  uint64_t low = x & low_mask, high = x >> low_bits;
  int rounds = bits <= SMALL_BITS ? ROUNDS_SMALL : ROUNDS;
  for (int r = 0; r < rounds; r += 2) {
    key += LB_RNG_GOLDEN;
    high ^= lb_rng_mix(key ^ low) & high_mask;
    key += LB_RNG_GOLDEN;
    low ^= lb_rng_mix(key ^ high) & low_mask;
  }
  return high << low_bits | low;
}

/* Walks along the cycle of the larger bijection until it is back below n:
 * less than two steps on average, since 2^bits < 2n. */
uint64_t lb_permute(uint64_t key, uint64_t n, uint64_t i)
{
  if (n < 2)
    return 0;
  int bits = 64 - __builtin_clzll(n - 1);
  do
    i = feistel(key, bits, i);
  while (i >= n);
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

void lb_sampler_at(const struct lb_sampler *s, uint64_t position, int64_t *file,
                   int64_t *in_file)
{
  uint64_t per_file = s->samples_per_file;
  if (s->sample_shuffle)
    position = lb_permute(s->key, s->n_files * per_file, position);
  uint64_t f = position / per_file;
  *in_file = (int64_t)(position % per_file);
  if (s->file_shuffle && !s->sample_shuffle)
    f = lb_permute(s->key, s->n_files, f);
  *file = (int64_t)(s->first_file + f);
}

int64_t lb_sampler_run(const struct lb_sampler *s, int64_t in_file)
{
  return s->sample_shuffle ? 1 : (int64_t)s->samples_per_file - in_file;
}
