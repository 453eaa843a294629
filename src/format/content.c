/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a dataset: 64-bit word n of a file is mix(key + n * gamma), in
 * little-endian order, with key and the odd gamma drawn for (seed, set, file).
 *
 * mix is a bijection.  So the words of one file are all different, and two
 * files could only share two words in a row if their gammas were equal (one
 * chance in 2^63 for a pair), whatever the alignment. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <endian.h>
#include <string.h>

#include "loadbank/rng.h"

struct source {
  uint64_t key, gamma;
};

static struct source source_of(uint64_t seed, enum lb_set set, int64_t file)
{
  struct lb_rng r =
      lb_rng_stream(seed, LB_RNG_CONTENT, (uint64_t)set, (uint64_t)file);
  struct source s = {.key = r.key};
  s.gamma = lb_rng_u64(&r) | 1;
  /* A gamma with long runs of equal bits mixes less well. */
  if (__builtin_popcountll(s.gamma ^ (s.gamma >> 1)) < 24)
    s.gamma ^= 0xaaaaaaaaaaaaaaaau;
  return s;
}

static inline uint64_t word(struct source s, uint64_t n)
{
  return htole64(lb_rng_mix(s.key + n * s.gamma));
}

/* Bytes [skip, skip + n) of one word. */
static void fill_part(struct source s, uint64_t at, unsigned skip,
                      unsigned char *to, size_t n)
{
  uint64_t w = word(s, at);
  memcpy(to, (const char *)&w + skip, n);
}

void lb_content_fill(uint64_t seed, enum lb_set set, int64_t file,
                     uint64_t offset, void *out, size_t n)
{
  struct source s = source_of(seed, set, file);
  unsigned char *to = out;
  uint64_t at = offset / 8;
  unsigned skip = (unsigned)(offset % 8);
  if (skip) {
    size_t part = n < 8 - skip ? n : 8 - skip;
    fill_part(s, at++, skip, to, part);
    to += part;
    n -= part;
  }
  uint64_t x = s.key + at * s.gamma;
  for (; n >= 8; n -= 8, to += 8, at++, x += s.gamma) {
    uint64_t w = htole64(lb_rng_mix(x));
    memcpy(to, &w, 8);
  }
  if (n)
    fill_part(s, at, 0, to, n);
}
