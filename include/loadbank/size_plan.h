/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the points of a sizing are: how many steps each makes, which files it
 * reads.  Pure.  docs/sizing.md has the reasons. */
#ifndef LOADBANK_SIZE_PLAN_H
#define LOADBANK_SIZE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/bench.h"
#include "loadbank/err.h"
#include "loadbank/plan.h"

/* The steps of a point, the same for every number of accelerators. */
struct lb_size_steps {
  int64_t warm_up; /* before the first window */
  int64_t window;  /* of each of LB_WINDOWS */
  int64_t all;     /* that are made */
  int64_t read;    /* batches that the readers of an accelerator need: these and
                    * what they are ahead */
};

struct lb_size_wish {
  double compute_s;   /* mean of a step, above 0 */
  double min_seconds; /* that all windows together are to last at least ... */
  int64_t min_steps;  /* ... and steps in them */
  int64_t warm_up;    /* steps that are not to count, at least */
  int64_t batch;
  struct lb_loader_pace pace;
};
/* LB_USAGE when there would be too many. */
int lb_size_steps_make(const struct lb_size_wish *wish,
                       struct lb_size_steps *out, struct lb_err *err);

/* Files of the training set, and which of them are next. */
struct lb_size_files {
  int64_t files, samples_per_file;
  int64_t batch_reads; /* samples that one accelerator of a point needs */
  int64_t next;
  bool again; /* the first ones are being read a second time */
};

/* That a point of n accelerators needs: at least one for each of them. */
int64_t lb_size_need(const struct lb_size_files *f, int64_t n);
/* The largest number of accelerators for which there are enough; 0: none. */
int64_t lb_size_fits(const struct lb_size_files *f);
/* The next files, for n <= lb_size_fits; from the first one on when not enough
 * are left. */
struct lb_run_part lb_size_take(struct lb_size_files *f, int64_t n);

#endif
