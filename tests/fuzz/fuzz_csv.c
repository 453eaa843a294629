/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a .csv, plain or compressed: the first one chooses. */
#include "lb-config.h"

#include <stdio.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const kinds[] = {"none", "gzip", "zip", "bz2", "xz"};
  if (size == 0)
    return 0;
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = {.samples = 2, .sample_bytes = 8};
  snprintf(p.compression, sizeof p.compression, "%s", kinds[data[0] / 2 % 5]);
  if (data[0] & 64)
    p.request = 7;
  if (data[0] & 128)
    p.dtype = lb_dtype_find("int32");
  fuzz_read(&lb_format_csv, &p, &f, data + 1, size - 1, data[0] & 1);
  return 0;
}
