/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C: the test vectors of RFC 3720, and both ways against the definition,
 * bit by bit, for all lengths around the lanes, and from any alignment. */
#include "lb-config.h"

#include "loadbank/crc32c.h"

#include <string.h>

#include "loadbank/rng.h"
#include "tap.h"

enum { MOST = 20000 };

static uint32_t by_bits(const unsigned char *p, size_t n)
{
  uint32_t c = ~UINT32_C(0);
  for (; n; n--) {
    c ^= *p++;
    for (int bit = 0; bit < 8; bit++)
      c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
  }
  return ~c;
}

static void known(const char *what, const void *bytes, size_t n, uint32_t want)
{
  is_int(lb_crc32c(0, bytes, n), want, "%s", what);
  is_int(lb_crc32c_portable(0, bytes, n), want, "%s, by tables", what);
}

static void test_vectors(void)
{
  unsigned char b[32];
  known("nothing", "", 0, 0);
  known("nine digits", "123456789", 9, 0xe3069283u);
  memset(b, 0, sizeof b);
  known("32 zeros", b, sizeof b, 0x8a9136aau);
  memset(b, 0xff, sizeof b);
  known("32 ones", b, sizeof b, 0x62a8ab43u);
  for (unsigned i = 0; i < sizeof b; i++)
    b[i] = (unsigned char)i;
  known("32 rising", b, sizeof b, 0x46dd794eu);
  for (unsigned i = 0; i < sizeof b; i++)
    b[i] = (unsigned char)(31 - i);
  known("32 falling", b, sizeof b, 0x113fdb5cu);
  is_int(lb_crc32c_masked(0xe3069283u),
         0xe3069283u / 32768 + (0xe3069283u << 17) + 0xa282ead8u,
         "masked: turned by 15 bits, and a constant added");
}

/* Lengths in steps that meet all residues of 8 and both sides of each lane. */
static void test_lengths(void)
{
  static unsigned char bytes[MOST + 8];
  struct lb_rng r = lb_rng_stream(1, LB_RNG_CONTENT, 0, 0);
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)lb_rng_u64(&r);
  int wrong = 0, tried = 0;
  for (size_t n = 0; n <= MOST; n += n < 64 || n % 2048 > 2030 ? 1 : 13) {
    const unsigned char *from = bytes + n % 8;
    uint32_t want = by_bits(from, n);
    wrong += lb_crc32c(0, from, n) != want;
    wrong += lb_crc32c_portable(0, from, n) != want;
    wrong +=
        lb_crc32c(lb_crc32c(0, from, n / 3), from + n / 3, n - n / 3) != want;
    tried++;
  }
  is_int(wrong, 0, "%d lengths, in one piece and in two", tried);
}

int main(void)
{
  test_vectors();
  test_lengths();
  return done();
}
