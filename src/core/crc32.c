/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32 as zip and gzip have it, by whichever library is faster: zlib's
 * needs three times as long as libdeflate's, and is then as long as making the
 * bytes. */
#include "lb-config.h"

#include "loadbank/crc32.h"

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

uint32_t lb_crc32(uint32_t crc, const void *bytes, size_t n)
{
#ifdef HAVE_LIBDEFLATE
  return libdeflate_crc32(crc, bytes, n);
#else
  return (uint32_t)crc32_z(crc, bytes, n);
#endif
}
