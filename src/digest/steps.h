/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report needs of the raw steps of training: one pass over steps.h5, an
 * accelerator at a time, whatever their number.  Times in seconds since the
 * start of the run. */
#ifndef LB_DIGEST_STEPS_H
#define LB_DIGEST_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/results.h"

/* Bins of load times, 4 an octave from 1 us up to 2^30 us. */
enum { LB_LOAD_BINS = 120 };

struct lb_step_digest {
  size_t n_steps, n_accelerators; /* 0: nothing is known */
  double *end_s, *step_s; /* of each step: when it ended, how long it was */
  double *load_s;         /* its longest load of any accelerator */
  double *au; /* of each accelerator, %: mean over epochs; NAN: no window */
  double edge_s[LB_LOAD_BINS + 1], bin[LB_LOAD_BINS];
  double under;     /* loads below the first edge */
  uint64_t missing; /* records that were lost */
  /* For each second of the run: */
  size_t n_seconds;
  double *compute_s; /* all accelerators' compute in it */
  double *inside_s;  /* how much of it lay in steps */
};

/* LB_FAILED: steps.h5 cannot be read.  A result without one: n_steps 0. */
int lb_step_digest_read(struct lb_step_digest *d, const struct lb_result *r,
                        struct lb_err *err);
void lb_step_digest_fini(struct lb_step_digest *d);

#endif
