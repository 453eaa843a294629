/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers as pure functions: a stream is named by (seed, what for,
 * index...), so any rank, plan or check draws the same values in any order.
 * splitmix64 (Steele, Lea, Flood 2014): word n of a stream is
 * mix(key + n * golden). */
#ifndef LOADBANK_RNG_H
#define LOADBANK_RNG_H

#include <stdint.h>

#define LB_RNG_GOLDEN 0x9e3779b97f4a7c15u

/* What a stream is for: two purposes never share numbers. */
enum lb_rng_use {
  LB_RNG_ORDER = 1,  /* order of samples or files */
  LB_RNG_SIZE,       /* sample sizes */
  LB_RNG_CONTENT,    /* bytes of the dataset */
  LB_RNG_COMPUTE,    /* compute times */
  LB_RNG_PREPROCESS, /* of (set, epoch); forked by accelerator, sample */
  LB_RNG_EVAL,
  LB_RNG_LATENCY = 8, /* simulated storage; numbers stay what they were */
  LB_RNG_CHECKPOINT,
  LB_RNG_VERIFY,  /* which sample of a batch; of (set, epoch) */
  LB_RNG_REQUEST, /* of (set, epoch); forked by accelerator, sample */
  LB_RNG_SWEEP,   /* order of the runs of one repeat */
};

struct lb_rng {
  uint64_t key, n;
};

static inline uint64_t lb_rng_mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* The stream of (seed, use, a, b), at its start. */
struct lb_rng lb_rng_stream(uint64_t seed, enum lb_rng_use use, uint64_t a,
                            uint64_t b);

/* Stream `i' of those that belong to this one, at its start. */
static inline struct lb_rng lb_rng_fork(const struct lb_rng *r, uint64_t i)
{
  return (struct lb_rng){.key = lb_rng_mix(r->key + LB_RNG_GOLDEN * (i + 1))};
}

static inline uint64_t lb_rng_u64(struct lb_rng *r)
{
  return lb_rng_mix(r->key + LB_RNG_GOLDEN * ++r->n);
}

/* Uniform in the open interval (0, 1): never 0, so a logarithm is safe. */
static inline double lb_rng_double(struct lb_rng *r)
{
  return ((double)(lb_rng_u64(r) >> 12) + 0.5) * 0x1p-52;
}

#endif
