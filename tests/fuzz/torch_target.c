/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checker of torch files: a file of three tensors, and bytes that claim to
 * be it. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/torch_load.h"
#include "targets.h"

enum { TENSORS = 3 };

static void tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  (void)arg;
  *out = (struct lb_tensor){.dtype = lb_dtype_find("float32"),
                            .elements = (uint64_t)(2 * t)};
  snprintf(out->name, sizeof out->name, "t%" PRId64, t);
}

static const struct lb_torch_file file = {.count = TENSORS, .tensor = tensor};

bool fuzz_torch_make(const char *path)
{
  uint32_t crc[TENSORS] = {0};
  struct lb_torch_walk w;
  struct lb_torch_segment s;
  size_t size = (size_t)lb_torch_bytes(&file);
  unsigned char *bytes = calloc(1, size);
  lb_torch_begin(&w, &file, crc);
  while (bytes && lb_torch_next(&w, &s))
    if (s.bytes)
      memcpy(bytes + s.offset, s.bytes, s.length);
  bool good = bytes && fixture_spit(path, bytes, size);
  free(bytes);
  return good;
}

/* The parts are looked at whatever the size says; the directory is what is
 * between its place and the end records. */
void fuzz_torch_read(const uint8_t *bytes, size_t n)
{
  struct lb_torch_archive a;
  struct lb_torch_checker c;
  struct lb_err err = LB_ERR_INIT;
  lb_torch_lay_out(&file, 0, 0, &a);
  lb_torch_check_size(&file, n, "x", &err);
  err = (struct lb_err)LB_ERR_INIT;
  if (n < LB_TORCH_TAIL)
    return;
  size_t end = n - LB_TORCH_TAIL;
  lb_torch_check_tail(&c, &a, bytes + end, "x", &err);
  size_t piece = 1 + bytes[end] % 97;
  for (size_t at = (size_t)a.directory; at < end; at += piece) {
    err = (struct lb_err)LB_ERR_INIT;
    if (lb_torch_check_directory(&c, bytes + at,
                                 piece < end - at ? piece : end - at, &err) < 0)
      return;
  }
  lb_torch_check_end(&c, &err);
}
