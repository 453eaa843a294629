/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The random streams of rng.h: splitmix64 over a key and a counter. */
#include "lb-config.h"

#include "loadbank/rng.h"

struct lb_rng lb_rng_stream(uint64_t seed, enum lb_rng_use use, uint64_t a,
                            uint64_t b)
{
  uint64_t key = lb_rng_mix(seed + LB_RNG_GOLDEN);
  key = lb_rng_mix(key + LB_RNG_GOLDEN * (uint64_t)use);
  key = lb_rng_mix(key + LB_RNG_GOLDEN * (a + 1));
  key = lb_rng_mix(key + LB_RNG_GOLDEN * (b + 1));
  return (struct lb_rng){.key = key, .n = 0};
}
