/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CRC-32 of two parts from those of each: where most of the bytes repeat,
 * it costs a few look-ups instead of a pass over them. */
#ifndef LOADBANK_CRC32_JOIN_H
#define LOADBANK_CRC32_JOIN_H

#include <stdint.h>

/* For a second part of a fixed length.  Read by any thread. */
struct lb_crc32_join {
  uint32_t table[4][256];
};
void lb_crc32_join_init(struct lb_crc32_join *j, uint64_t second_bytes);

static inline uint32_t lb_crc32_joined(const struct lb_crc32_join *j,
                                       uint32_t first, uint32_t second)
{
  return j->table[0][first & 255] ^ j->table[1][first >> 8 & 255] ^
         j->table[2][first >> 16 & 255] ^ j->table[3][first >> 24] ^ second;
}

#endif
