/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See crc32_join.h.  A checksum is a polynomial over GF(2), its highest power
 * in the lowest bit; n bytes behind what it is of multiply it by x^8n, modulo
 * the polynomial of CRC-32.  That is linear: a table for each byte of it. */
#include "lb-config.h"

#include "loadbank/crc32_join.h"

static const uint32_t one = 1u << 31, x8 = 1u << 23, polynomial = 0xedb88320u;

static uint32_t multiply(uint32_t a, uint32_t b)
{
  uint32_t product = 0;
  for (uint32_t bit = one; bit; bit >>= 1) {
    if (a & bit)
      product ^= b;
    b = b & 1 ? b >> 1 ^ polynomial : b >> 1;
  }
  return product;
}

void lb_crc32_join_init(struct lb_crc32_join *j, uint64_t second_bytes)
{
  uint32_t power = one, square = x8;
  for (uint64_t n = second_bytes; n; n >>= 1) {
    if (n & 1)
      power = multiply(power, square);
    square = multiply(square, square);
  }
  for (int byte = 0; byte < 4; byte++)
    for (uint32_t v = 0; v < 256; v++)
      j->table[byte][v] = multiply(v << 8 * byte, power);
}
