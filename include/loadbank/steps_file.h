/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads steps.h5, as steps_h5.c writes it.  Nothing in the file is trusted:
 * shapes and blocks that cannot be are errors. */
#ifndef LOADBANK_STEPS_FILE_H
#define LOADBANK_STEPS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/set.h"
#include "loadbank/spool.h"

struct lb_steps_block {
  int64_t epoch, block; /* from 1 */
  int64_t first, steps; /* of the set, over all epochs */
};

/* One set of it. */
struct lb_steps_file {
  int64_t accelerators, steps;  /* rows and columns */
  struct lb_steps_block *block; /* owned; in order, none overlaps another */
  size_t n_blocks;
  int64_t exclude_start, exclude_end;
  int64_t lost;
  struct lb_steps_open *open; /* owned */
};

/* LB_FAILED: it cannot be read, or this build has no HDF5.  A file without
 * steps of that set has steps 0. */
int lb_steps_file_open(struct lb_steps_file *f, const char *path,
                       enum lb_set set, struct lb_err *err);
void lb_steps_file_close(struct lb_steps_file *f); /* a zeroed one is fine */

/* All steps of one accelerator: row number 0 <= row < accelerators. */
int lb_steps_file_row(struct lb_steps_file *f, const char *column, int64_t row,
                      uint32_t *out, struct lb_err *err);

#endif
