/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes of 64 bits: for fingerprints and identities, not against forgery. */
#ifndef LOADBANK_HASH_H
#define LOADBANK_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- FNV-1a: of few bytes, or to be kept ---- */

#define LB_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what h is the hash of, followed by these bytes. */
static inline uint64_t lb_hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *p = (const unsigned char *)bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  return h;
}

/* ---- of megabytes, for as long as the process lives ---- */

/* What only reaches the upper half comes down. */
static inline uint64_t lb_hash_word(uint64_t h, uint64_t word)
{
  h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

/* Twenty times as fast as the other; machines may differ in what it is. */
static inline uint64_t lb_hash_long(const void *bytes, size_t n)
{
  uint64_t h[4] = {n, n, n, n}, w[4];
  const unsigned char *p = (const unsigned char *)bytes;
  for (; n >= sizeof w; n -= sizeof w, p += sizeof w) {
    memcpy(w, p, sizeof w);
    h[0] = lb_hash_word(h[0], w[0]);
    h[1] = lb_hash_word(h[1], w[1]);
    h[2] = lb_hash_word(h[2], w[2]);
    h[3] = lb_hash_word(h[3], w[3]);
  }
  uint64_t all = LB_HASH_START;
  for (int i = 0; i < 4; i++)
    all = lb_hash_word(all, h[i]);
  return lb_hash(all, p, n);
}

#endif
