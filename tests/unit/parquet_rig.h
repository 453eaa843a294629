/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a Parquet file that is in memory, as a loader would, and verifies it;
 * for the unit test and the fuzz target. */
#ifndef PARQUET_RIG_H
#define PARQUET_RIG_H

#include "loadbank/format.h"
#include "loadbank/parquet.h"

struct rig {
  const unsigned char *bytes;
  size_t n;
  uint64_t reads, payload; /* out */
  uint64_t compared;       /* out: bytes that were inspected or compared */
};

/* All samples of the file; f->path is for messages. */
int rig_read(struct rig *x, const struct lb_format_params *p,
             const struct lb_file *f, bool verify, struct lb_err *err);

/* By a reader that may have read others before. */
int rig_read_by(struct rig *x, struct lb_reader *r, const struct lb_file *f,
                bool verify, struct lb_err *err);

#endif
