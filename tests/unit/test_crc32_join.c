/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checksum joined of two parts is that of the whole. */
#include "lb-config.h"

#include "loadbank/crc32_join.h"

#include <stdint.h>

#include "loadbank/crc32.h"
#include "tap.h"

enum { BYTES = 10000 };

int main(void)
{
  static unsigned char bytes[BYTES];
  static const int lengths[] = {0, 1, 2, 255, 4080, 4096, 9999, BYTES};
  for (int i = 0; i < BYTES; i++)
    bytes[i] = (unsigned char)(i * 131 + i / 7);
  is_int(lb_crc32(0, "123456789", 9), 0xcbf43926, "the known checksum");
  for (int i = 0; i < 8; i++) {
    struct lb_crc32_join j;
    int first = BYTES - lengths[i];
    lb_crc32_join_init(&j, (uint64_t)lengths[i]);
    is_int(lb_crc32_joined(&j, lb_crc32(0, bytes, (size_t)first),
                           lb_crc32(0, bytes + first, (size_t)lengths[i])),
           lb_crc32(0, bytes, BYTES), "%d bytes behind %d", lengths[i], first);
  }
  struct lb_crc32_join far;
  lb_crc32_join_init(&far, UINT64_C(4800000000));
  is_int(lb_crc32_joined(&far, 0, 0xf2f1abbf), 0xf2f1abbf,
         "behind nothing stands the second part alone");
  return done();
}
