/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the format parquet: dataset.parquet.*. */
#ifndef LOADBANK_PARQUET_H
#define LOADBANK_PARQUET_H

#include "loadbank/dtype.h"
#include "loadbank/err.h"
#include "loadbank/option.h"

struct lb_parquet_options {
  struct lb_columns columns;
  int64_t row_group_size; /* rows */
  char read_mode[32], partition_by[64];
  int64_t generation_batch_size;
  bool use_s3dlio_gen;
};

/* Payload bytes of a row; 0: no columns are configured; negative: they cannot
 * be (err says why). */
int64_t lb_parquet_row_bytes(const struct lb_parquet_options *o,
                             struct lb_err *err);

#endif
