/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images and page-wise indices of any bytes.  The first byte says which format,
 * whether it is decoded, and which of an index's files the others are. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit/format_fixture.h"

enum { SAMPLES = 5, SAMPLE_BYTES = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(struct fixture *x, const struct lb_format *format,
                 const struct lb_format_params *p, const struct lb_file *f,
                 const char *ending, const uint8_t *data, size_t size)
{
  struct lb_err err = LB_ERR_INIT;
  char path[600];
  if (*ending && fixture_make(format, p, f, &err) < 0)
    return;
  snprintf(path, sizeof path, "%s%s", x->path, ending);
  fixture_spit(path, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct {
    const char *format, *ending;
  } rows[] = {{"jpeg", ""},
              {"png", ""},
              {"mmap_indexed_binary", ".off.idx"},
              {"mmap_indexed_binary", ".sz.idx"}};
  struct fixture x;
  if (size < 1 || !fixture_init(&x))
    return 0;
  int row = data[0] & 3;
  const struct lb_format *format = lb_format_find(rows[row].format);
  struct lb_format_params p = fixture_params(row < 2 ? 1 : SAMPLES);
  struct lb_file f =
      fixture_file(&x, "fuzzed", p.samples_per_file, SAMPLE_BYTES);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  struct cost cost = {.stages = 0};
  p.decode = row < 2 && data[0] & 4;
  if (format->check(&p, &err))
    p.decode = false;
  make(&x, format, &p, &f, rows[row].ending, data + 1, size - 1);
  err = (struct lb_err)LB_ERR_INIT;
  lb_reader_init(&r, format, &p, &err);
  struct lb_sample s = {.file = f};
  for (; !err.code && s.in_file < f.samples; s.in_file++)
    fixture_read(&x, &r, &s, &cost, &err);
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
  fixture_fini(&x);
  if (err.code && !err.msg[0])
    __builtin_trap();
  return 0;
}
