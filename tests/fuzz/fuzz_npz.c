/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a .npz: zip archive, array header, deflated member. */
#include "lb-config.h"

#include <stdio.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = {.samples = 2, .sample_bytes = 64};
  if (data[0] & 2)
    snprintf(p.compression, sizeof p.compression, "zip");
  if (data[0] & 4)
    p.request = 11;
  fuzz_read(&lb_format_npz, &p, &f, data + 1, size - 1, data[0] & 1);
  return 0;
}
