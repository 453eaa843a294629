/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See record_fixture.h. */
#include "lb-config.h"

#include "record_fixture.h"

struct lb_manifest fixture_manifest(void)
{
  return (struct lb_manifest){
      .format = "npz",
      .seed = UINT64_MAX,
      .n_files = {168, 8},
      .n_folders = {4, 1},
      .samples_per_file = 1,
      .record_bytes = 146600628.07,
      .record_stdev = 68341808.1,
      .dtype = "uint8",
      .n_dims = 2,
      .dims = {224, 3},
      .compression = "gzip",
      .compression_level = 4,
      .file_prefix = "img \"quoted\" \\",
      .extra = "chunk_size=65536;",
  };
}

struct lb_mark fixture_mark(int64_t number)
{
  struct lb_mark m = {.complete = true,
                      .scheme = lb_checkpoint_find("dlio"),
                      .container = "raw",
                      .model = {.accelerators = 3,
                                .model_bytes = 5000,
                                .layers = 2,
                                .hidden = 8192,
                                .ffn = 100,
                                .vocab = 1000,
                                .heads = 32,
                                .kv_heads = 8,
                                .weights = lb_model_dtype_find("fp16"),
                                .optimizer = lb_model_dtype_find("fp32"),
                                .layer_parameters = {.n = 2, .v = {17, 4}},
                                .tensor = 1,
                                .pipeline = 1,
                                .data = -1,
                                .all_ranks = true},
                      .seed = UINT64_MAX - 5,
                      .number = number,
                      .epoch = 1,
                      .step = number,
                      .bytes = 15000,
                      .utc_ns = 1000 + (uint64_t)number};
  return m;
}
