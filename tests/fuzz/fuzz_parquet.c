/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a Parquet file: the first one chooses what is configured. */
#include "lb-config.h"

#include <stdio.h>

#include "fuzz.h"
#include "unit/parquet_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const codecs[] = {"none", "snappy", "gzip", "zstd",
                                       "lz4",  "none",   "none", "gzip"};
  static struct lb_column v[] = {{"a", "int8", 1, true},
                                 {"b", "float32", 2, true},
                                 {"c", "bool", 1, false},
                                 {"d", "uint16", 3, true}};
  if (size == 0)
    return 0;
  struct lb_parquet_options o = {.row_group_size = 2, .read_mode = "default"};
  if (data[0] & 8)
    o.columns = (struct lb_columns){v, 4};
  struct lb_format_params p = fixture_params(5);
  struct lb_file f = {.samples = 5, .path = "file"};
  struct lb_err err = LB_ERR_INIT;
  snprintf(p.compression, sizeof p.compression, "%s", codecs[data[0] & 7]);
  p.options = &o;
  p.request = data[0] & 16 ? 7 : 262144;
  f.sample_bytes = o.columns.n ? lb_parquet_row_bytes(&o, &err) : 33;
  struct rig x = {.bytes = data + 1, .n = size - 1};
  int rc = rig_read(&x, &p, &f, data[0] & 32, &err);
  if ((rc < 0) != (err.code != 0) || (rc < 0 && !err.msg[0]))
    __builtin_trap();
  return 0;
}
