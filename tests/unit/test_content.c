/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contents: pure, addressable at any byte, incompressible, no block twice. */
#include "lb-config.h"

#include "loadbank/content.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tap.h"

enum { BYTES = 1 << 20, FILES = 16, BLOCK = 512 };

/* The values come from tests/interop/content.py. */
static void known(void)
{
  static const unsigned char want[16] = {0x79, 0xc6, 0x87, 0xee, 0x80, 0x84,
                                         0x13, 0x73, 0xee, 0xe7, 0xe9, 0x3c,
                                         0xe1, 0x7e, 0x69, 0xf4};
  unsigned char got[16] = {0};
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, got, sizeof got);
  ok(!memcmp(got, want, sizeof got), "known bytes of seed 10, train, file 0");
}

static void addressable(const unsigned char *whole)
{
  unsigned char part[200];
  int bad = 0;
  for (uint64_t at = 0; at < 64; at++)
    for (size_t n = 0; n < 40; n++) {
      memset(part, 0xa5, sizeof part);
      lb_content_fill(10, LB_SET_TRAIN, 3, at, part, n);
      bad += memcmp(part, whole + at, n) != 0 || part[n] != 0xa5;
    }
  is_int(bad, 0, "any offset and length gives the same bytes and no more");
  lb_content_fill(10, LB_SET_TRAIN, 3, BYTES - 100, part, 100);
  ok(!memcmp(part, whole + BYTES - 100, 100), "also far from the start");
}

static void distinct_sources(const unsigned char *whole)
{
  unsigned char other[64];
  lb_content_fill(11, LB_SET_TRAIN, 3, 0, other, sizeof other);
  ok(memcmp(other, whole, sizeof other) != 0, "the seed matters");
  lb_content_fill(10, LB_SET_EVAL, 3, 0, other, sizeof other);
  ok(memcmp(other, whole, sizeof other) != 0, "the set matters");
  lb_content_fill(10, LB_SET_TRAIN, 4, 0, other, sizeof other);
  ok(memcmp(other, whole, sizeof other) != 0, "the file matters");
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Blocks that are equal begin with the same word: it is enough that no word
 * at a block's beginning comes twice, whatever the offset of the blocks. */
static void no_block_twice(unsigned char *buf)
{
  size_t per_file = BYTES / BLOCK, n = 0;
  uint64_t *first = malloc(FILES * per_file * 3 * sizeof *first);
  ok(first != NULL, "memory");
  if (!first)
    return;
  for (int file = 0; file < FILES; file++) {
    static const uint64_t shift[] = {0, 163, 1072 % BLOCK};
    for (int k = 0; k < 3; k++) {
      lb_content_fill(10, LB_SET_TRAIN, file, shift[k], buf, BYTES);
      for (size_t b = 0; b < per_file; b++)
        memcpy(&first[n++], buf + b * BLOCK, 8);
    }
  }
  qsort(first, n, sizeof *first, by_value);
  int twice = 0;
  for (size_t i = 1; i < n; i++)
    twice += first[i] == first[i - 1];
  is_int(twice, 0, "no 512-byte block comes twice, at three alignments");
  free(first);
}

static void incompressible(const unsigned char *whole)
{
  uLongf n = compressBound(BYTES);
  unsigned char *out = malloc(n);
  ok(out != NULL, "memory");
  if (!out)
    return;
  compress2(out, &n, whole, BYTES, 9);
  ok((double)BYTES / (double)n < 1.01, "deflate gains nothing");
  free(out);
  long count[256] = {0};
  for (size_t i = 0; i < BYTES; i++)
    count[whole[i]]++;
  double chi2 = 0, each = BYTES / 256.0;
  for (int i = 0; i < 256; i++)
    chi2 += ((double)count[i] - each) * ((double)count[i] - each) / each;
  ok(chi2 > 150 && chi2 < 380, "byte values are uniform (chi2 %.1f)", chi2);
}

int main(void)
{
  unsigned char *whole = malloc(BYTES), *buf = malloc(BYTES);
  if (ok(whole && buf, "memory")) {
    lb_content_fill(10, LB_SET_TRAIN, 3, 0, whole, BYTES);
    known();
    addressable(whole);
    distinct_sources(whole);
    no_block_twice(buf);
    incompressible(whole);
  }
  free(whole);
  free(buf);
  return done();
}
