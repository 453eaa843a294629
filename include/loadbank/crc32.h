/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32 as zip and gzip have it. */
#ifndef LOADBANK_CRC32_H
#define LOADBANK_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what crc is the checksum of (0: of nothing), followed by
 * these bytes.  Any thread. */
uint32_t lb_crc32(uint32_t crc, const void *bytes, size_t n);

#endif
