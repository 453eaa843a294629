/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli), as TFRecord files have it. */
#ifndef LOADBANK_CRC32C_H
#define LOADBANK_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what crc is the checksum of (0: of nothing), followed by
 * these bytes.  Any thread. */
uint32_t lb_crc32c(uint32_t crc, const void *bytes, size_t n);
/* The same without the processor's instruction. */
uint32_t lb_crc32c_portable(uint32_t crc, const void *bytes, size_t n);

/* TFRecord masks a checksum, so that the checksum of data that hold checksums
 * is none of a kind that hides errors. */
static inline uint32_t lb_crc32c_masked(uint32_t crc)
{
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

#endif
