/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C: with the processor's instruction where it has one (x86-64), else by
 * eight tables, eight bytes at a time.
 *
 * The instruction has a latency of three cycles and could begin one in each.
 * So long runs are cut into three lanes; the checksum of what stands before n
 * other bytes is multiplied by x^(8 n) modulo the polynomial, as if n zeros
 * followed, and added to theirs. */
#include "lb-config.h"

#include "loadbank/crc32c.h"

#include <endian.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_CRC32_INSTRUCTION 1
#include <immintrin.h>
#endif

static inline uint64_t load(const unsigned char *p)
{
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return le64toh(word);
}

/* ---- by tables ---- */

/* A checksum is linear: the entry of a byte is the sum of those of its bits. */
#define BIT(n, bit, x) (((n) >> (bit)&1) * (uint32_t)(x))
#define ENTRY(n, a, b, c, d, e, f, g, h)                                      \
  (BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d) ^ BIT(n, 4, e) ^ \
   BIT(n, 5, f) ^ BIT(n, 6, g) ^ BIT(n, 7, h))
#define ENTRIES4(n, ...)                              \
  ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), \
      ENTRY((n) + 2, __VA_ARGS__), ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES16(n, ...)                                   \
  ENTRIES4(n, __VA_ARGS__), ENTRIES4((n) + 4, __VA_ARGS__), \
      ENTRIES4((n) + 8, __VA_ARGS__), ENTRIES4((n) + 12, __VA_ARGS__)
#define ENTRIES64(n, ...)                                      \
  ENTRIES16(n, __VA_ARGS__), ENTRIES16((n) + 16, __VA_ARGS__), \
      ENTRIES16((n) + 32, __VA_ARGS__), ENTRIES16((n) + 48, __VA_ARGS__)
#define TABLE(...)                                               \
  {                                                              \
    ENTRIES64(0, __VA_ARGS__), ENTRIES64(64, __VA_ARGS__),       \
        ENTRIES64(128, __VA_ARGS__), ENTRIES64(192, __VA_ARGS__) \
  }

/* [k]: of a byte that k zeros follow; here, of its bits. */
static const uint32_t table[8][256] = {
    TABLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f,
          0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    TABLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181,
          0x7f8be302, 0xff17c604, 0xfbc3faf9),
    TABLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a,
          0xe144fb14, 0xc76580d9, 0x8b277743),
    TABLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d,
          0xd725148b, 0xaba65fe7, 0x52a0c93f),
    TABLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3,
          0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    TABLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e,
          0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    TABLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6,
          0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    TABLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4,
          0x0d006599, 0x1a00cb32, 0x34019664),
};

uint32_t lb_crc32c_portable(uint32_t crc, const void *bytes, size_t n)
{
  const unsigned char *p = bytes;
  uint32_t c = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t w = load(p) ^ c;
    c = 0;
    for (int k = 0; k < 8; k++)
      c ^= table[7 - k][w >> 8 * k & 255];
  }
  for (; n; n--, p++)
    c = c >> 8 ^ table[0][(c ^ *p) & 255];
  return ~c;
}

/* ---- by the instruction ---- */

#ifdef HAVE_CRC32_INSTRUCTION

enum { LANE = 2048 };

/* x^(8 LANE - 33) modulo the polynomial, bits reversed: 33 less, for the
 * product is one bit short and the reduction adds 32. */
#define LANE_SHIFT 0xa51b6135

#define WITH_CRC32 __attribute__((target("sse4.2,pclmul")))

/* c, as if LANE zeros followed. */
WITH_CRC32 static uint64_t pass_lane(uint64_t c)
{
  __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)c),
                                         _mm_cvtsi64_si128(LANE_SHIFT), 0);
  return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

WITH_CRC32 static uint32_t by_instruction(uint32_t crc, const unsigned char *p,
                                          size_t n)
{
  uint64_t c = ~crc;
  for (; n >= (size_t)3 * LANE; n -= (size_t)3 * LANE, p += (size_t)3 * LANE) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < LANE; i += 8) {
      c = _mm_crc32_u64(c, load(p + i));
      second = _mm_crc32_u64(second, load(p + LANE + i));
      third = _mm_crc32_u64(third, load(p + (size_t)2 * LANE + i));
    }
    c = pass_lane(pass_lane(c) ^ second) ^ third;
  }
  for (; n >= 8; n -= 8, p += 8)
    c = _mm_crc32_u64(c, load(p));
  for (; n; n--, p++)
    c = _mm_crc32_u8((uint32_t)c, *p);
  return ~(uint32_t)c;
}

uint32_t lb_crc32c(uint32_t crc, const void *bytes, size_t n)
{
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
    return by_instruction(crc, bytes, n);
  return lb_crc32c_portable(crc, bytes, n);
}

#else

uint32_t lb_crc32c(uint32_t crc, const void *bytes, size_t n)
{
  return lb_crc32c_portable(crc, bytes, n);
}

#endif
