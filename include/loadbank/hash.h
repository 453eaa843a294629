/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a, 64 bits: for fingerprints and identities, not against forgery. */
#ifndef LOADBANK_HASH_H
#define LOADBANK_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LB_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what h is the hash of, followed by these bytes. */
static inline uint64_t lb_hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *p = (const unsigned char *)bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  return h;
}

#endif
