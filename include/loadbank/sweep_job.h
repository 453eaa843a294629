/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carries a sweep out: all its runs in one job, or what an earlier job has left
 * of them. */
#ifndef LOADBANK_SWEEP_JOB_H
#define LOADBANK_SWEEP_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/bench.h"
#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/sweep.h"
#include "loadbank/world.h"

/* The same on every rank; all borrowed. */
struct lb_sweep_job {
  const struct lb_sweep *sweep; /* counted */
  const char *yaml, *name;      /* the workload, as lb_workload_load takes it */
  size_t yaml_len;
  int64_t accelerators; /* of points that do not say; 0: one per rank */
  const char *folder;   /* "": results/<workload>/sweep-<hash of the sweep> */
  double limit_s;       /* no run begins that would end later; 0: none */
  uint64_t begin_ns;    /* of that time */
  bool force;           /* what an earlier job left is not gone on with */
  struct lb_run_options run; /* as lb_point takes them; output: what *out gets,
                              * and lines are said only with text */
  /* Rank 0: a line about a run that has ended. */
  void (*say)(void *arg, const char *line);
  void *say_arg;
};

/* Collective.  Makes all runs that are open.  0: all are complete.
 * LB_UNFINISHED: some are left to another job.  130, 143: stopped by a signal.
 * Negative: some failed (LB_FAILED), or the job could not go on or begin.
 * *out, on rank 0: the table, sweep.json or sweep.csv of what there is; empty
 * when nothing was begun. */
int lb_sweep_carry_out(struct lb_world *world, const struct lb_sweep_job *job,
                       struct lb_buf *out, struct lb_err *err);

/* Collective.  Only says what would be done: points, datasets, how long. */
int lb_sweep_show(struct lb_world *world, const struct lb_sweep_job *job,
                  struct lb_buf *out, struct lb_err *err);

#endif
