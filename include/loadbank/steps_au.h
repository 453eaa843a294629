/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Utilisation and throughput of training once more, from the raw steps in
 * steps.h5, by the definitions of docs/metrics.md. */
#ifndef LOADBANK_STEPS_AU_H
#define LOADBANK_STEPS_AU_H

#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/metrics.h"
#include "loadbank/steps_file.h"

/* One accelerator's steps, in units of 100 ns; borrowed. */
struct lb_steps_row {
  const uint32_t *load, *compute, *gate;
};

/* Of one accelerator, or of the job. */
struct lb_steps_au {
  int64_t accelerators, steps; /* steps of each */
  int64_t lost;         /* records of a step that are missing or not exact */
  double au;            /* %, mean over epochs; NAN: no window */
  double samples_per_s; /* mean over epochs; NAN: no window */
  double seconds;       /* of all blocks, the longest of any accelerator */
};

/* Pure.  Sums of one block; lost times count as 0. */
struct lb_block_sums lb_steps_block_sums(const struct lb_steps_file *f,
                                         const struct lb_steps_row *row,
                                         const struct lb_steps_block *b);
/* Pure.  batch: samples of a step. */
struct lb_steps_au lb_steps_row_au(const struct lb_steps_file *f,
                                   const struct lb_steps_row *row,
                                   int64_t batch);
/* The job: AU is the mean over accelerators, samples/s their sum.  LB_FAILED:
 * the file cannot be read, or this build has no HDF5. */
int lb_steps_au(const char *path, int64_t batch, struct lb_steps_au *out,
                struct lb_err *err);

#endif
