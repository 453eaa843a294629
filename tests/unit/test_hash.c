/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash of long pieces: every bit counts, wherever it stands. */
#include "lb-config.h"

#include "loadbank/hash.h"

#include "tap.h"

enum { BYTES = 200 };

static void every_bit_counts(void)
{
  unsigned char bytes[BYTES] = {0};
  int missed = 0, again = 0;
  for (size_t n = 1; n <= BYTES; n++)
    for (size_t bit = 0; bit < 8 * n; bit++) {
      uint64_t before = lb_hash_long(bytes, n);
      bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      missed += lb_hash_long(bytes, n) == before;
      bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      again += lb_hash_long(bytes, n) == before;
    }
  is_int(missed, 0, "a bit changes the hash");
  is_int(again, 4 * BYTES * (BYTES + 1), "the same bytes have the same");
}

/* The top bits of words that are multiplied are where differences get lost. */
static void pairs_of_bits_count(void)
{
  unsigned char bytes[BYTES] = {0};
  uint64_t zero = lb_hash_long(bytes, BYTES);
  int missed = 0;
  for (size_t a = 0; a < BYTES; a++)
    for (size_t b = 0; b < a; b++) {
      bytes[a] = bytes[b] = 0x80;
      missed += lb_hash_long(bytes, BYTES) == zero;
      bytes[a] = bytes[b] = 0;
    }
  is_int(missed, 0, "two bits change the hash");
}

static void lengths_count(void)
{
  unsigned char bytes[BYTES] = {0};
  int same = 0;
  for (size_t a = 0; a <= BYTES; a++)
    for (size_t b = 0; b < a; b++)
      same += lb_hash_long(bytes, a) == lb_hash_long(bytes, b);
  is_int(same, 0, "zeros of different lengths have different hashes");
}

int main(void)
{
  every_bit_counts();
  pairs_of_bits_count();
  lengths_count();
  return done();
}
