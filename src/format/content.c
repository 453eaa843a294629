/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a dataset: 64-bit word n of a file is mix(key + n * gamma), in
 * little-endian order, with key and the odd gamma drawn for (seed, set, file).
 *
 * mix is a bijection.  So the words of one file are all different, and two
 * files could only share two words in a row if their gammas were equal (one
 * chance in 2^63 for a pair), whatever the alignment. */
#include "lb-config.h"

#include "loadbank/content.h"

#include <endian.h>
#include <stdbool.h>
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

/* ---- eight words at a time ---- */

#if defined(__x86_64__) && defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
typedef uint64_t words __attribute__((vector_size(64)));

/* mix(x), mix(x + gamma) ..., as many eights of them as have room in n bytes;
 * those bytes.  Each caller's processor has its own way to multiply. */
INLINE size_t fill_words(uint64_t x, uint64_t gamma, unsigned char *to,
                         size_t n)
{
  words v = (words){0, 1, 2, 3, 4, 5, 6, 7} * gamma + x;
  size_t done = 0;
  for (; n - done >= sizeof v; done += sizeof v) {
    words w = LB_RNG_MIX_1(v);
    w = LB_RNG_MIX_2(w);
    w = LB_RNG_MIX_3(w);
    memcpy(to + done, &w, sizeof w);
    v += 8 * gamma;
  }
  return done;
}

__attribute__((target("avx512f,avx512dq"))) static size_t
fill_by_avx512(uint64_t x, uint64_t gamma, unsigned char *to, size_t n)
{
  return fill_words(x, gamma, to, n);
}

__attribute__((target("avx2"))) static size_t
fill_by_avx2(uint64_t x, uint64_t gamma, unsigned char *to, size_t n)
{
  return fill_words(x, gamma, to, n);
}

/* 0: one by one is faster. */
static size_t fill_eights(uint64_t x, uint64_t gamma, unsigned char *to,
                          size_t n)
{
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return fill_by_avx512(x, gamma, to, n);
  return __builtin_cpu_supports("avx2") ? fill_by_avx2(x, gamma, to, n) : 0;
}
#else
static size_t fill_eights(uint64_t x, uint64_t gamma, unsigned char *to,
                          size_t n)
{
  (void)x, (void)gamma, (void)to, (void)n;
  return 0;
}
#endif

/* ---- any bytes ---- */

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
  size_t eights = fill_eights(s.key + at * s.gamma, s.gamma, to, n);
  to += eights;
  n -= eights;
  at += eights / 8;
  uint64_t x = s.key + at * s.gamma;
  for (; n >= 8; n -= 8, to += 8, at++, x += s.gamma) {
    uint64_t w = htole64(lb_rng_mix(x));
    memcpy(to, &w, 8);
  }
  if (n)
    fill_part(s, at, 0, to, n);
}

/* ---- the way back ---- */

/* The x with a x = 1 (mod 2^64); a is odd.  Each round doubles the bits that
 * are right, and 3 are at the start. */
static uint64_t inverse(uint64_t a)
{
  uint64_t x = a;
  for (int i = 0; i < 5; i++)
    x *= 2 - a * x;
  return x;
}

/* The x with lb_rng_mix(x) = y. */
static uint64_t unmix(uint64_t y)
{
  y ^= y >> 31 ^ y >> 62;
  y *= inverse(0x94d049bb133111ebu);
  y ^= y >> 27 ^ y >> 54;
  y *= inverse(0xbf58476d1ce4e5b9u);
  return y ^ y >> 30 ^ y >> 60;
}

/* Whose is the word mix(x) of a file with this gamma? */
static bool find_file(uint64_t seed, const int64_t n_files[LB_N_SETS],
                      uint64_t gamma, uint64_t x, struct lb_content_trace *t)
{
  for (int set = 0; set < LB_N_SETS; set++)
    for (int64_t i = 0; i < n_files[set]; i++) {
      struct source s = source_of(seed, set, i);
      if (s.gamma != gamma)
        continue;
      t->set = set;
      t->file = i;
      t->offset = (x - s.key) * inverse(gamma) * 8;
      return true;
    }
  return false;
}

/* Words of one file are mix(x), mix(x + gamma), mix(x + 2 gamma) ...: three
 * that follow each other so by chance are one in 2^64. */
struct lb_content_trace lb_content_trace(uint64_t seed,
                                         const int64_t n_files[LB_N_SETS],
                                         const void *bytes, size_t n)
{
  struct lb_content_trace t = {.kind = LB_CONTENT_STRANGE};
  const char *from = bytes;
  size_t zeros = 0;
  while (zeros < n && !from[zeros])
    zeros++;
  if (n && zeros == n)
    t.kind = LB_CONTENT_ZEROS;
  for (size_t skip = 0; t.kind == LB_CONTENT_STRANGE && skip < 8; skip++) {
    uint64_t w[3];
    if (n < skip + sizeof w)
      break;
    memcpy(w, from + skip, sizeof w);
    for (int i = 0; i < 3; i++)
      w[i] = unmix(le64toh(w[i]));
    uint64_t gamma = w[1] - w[0];
    if (gamma != w[2] - w[1] || !(gamma & 1))
      continue;
    bool found = find_file(seed, n_files, gamma, w[0], &t);
    t.kind = found ? LB_CONTENT_MISPLACED : LB_CONTENT_OTHER;
    t.offset -= skip;
  }
  return t;
}
