/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its configuration to its results. */
#ifndef LOADBANK_BENCH_H
#define LOADBANK_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "loadbank/compute.h"
#include "loadbank/err.h"
#include "loadbank/plan.h"
#include "loadbank/progress.h"
#include "loadbank/report.h"

struct lb_windows;
struct lb_world;
struct lb_workload;

/* The files of the training set that a run reads, [first, first + files), as if
 * there were no others; 0 files: all.  Enough for steps and a few more. */
struct lb_run_part {
  int64_t first, files;
};

/* What the command line says beside the configuration; all borrowed. */
struct lb_run_options {
  const char *const *overrides; /* "key=value" as given */
  int n_overrides;
  const struct lb_plan *plan; /* for these ranks and accelerators */
  const char *command_line;   /* argv joined by spaces */
  bool require_au;            /* exit 3 when metric.au is not met */
  bool allow_mismatch;        /* a dataset of another fingerprint is used */
  bool force;                 /* overwrite results */
  bool regenerate;            /* make the dataset's files again */
  /* What to do about a dataset that is another than the configured, for a
   * command without these flags; NULL: they are advised. */
  const char *mismatch_advice;
  enum lb_progress_mode progress;
  double gate_timeout_s;         /* 0: 10 x the mean step, at least 60 s */
  int64_t max_threads;           /* of a rank's pool */
  enum lb_output output;         /* what stdout gets */
  struct lb_compute_scale scale; /* of training */
  struct lb_run_part part;
  const struct lb_rehearsal *rehearsal; /* every file says so; NULL: none */
  FILE *out; /* what the text goes to; NULL: stdout */
  /* Filled on every rank, and readers read on behind the last step as if more
   * followed, as far as the files last; NULL: neither. */
  struct lb_windows *windows;
};

/* Collective.  The accelerators of w are set.  Returns the exit status: 0,
 * LB_AU_UNMET, 130 or 143 (stopped by SIGINT, SIGTERM) with err empty, or a
 * negative code with err filled, the same on every rank (agreed). */
int lb_bench_run(struct lb_world *world, struct lb_workload *w,
                 const struct lb_run_options *o, struct lb_err *err);
/* Collective.  The same; what was measured stays with the caller, who is to
 * lb_summary_fini it on every rank, after a failure too.  Filled on rank 0. */
int lb_bench_measure(struct lb_world *world, struct lb_workload *w,
                     const struct lb_run_options *o, struct lb_summary *summary,
                     struct lb_err *err);

/* Rank-local.  LB_USAGE: the manifest in the data folder is of a dataset that a
 * run could not use, or, to_generate, that is not the one to be made. */
int lb_bench_dataset_fits(struct lb_workload *w, bool to_generate,
                          struct lb_err *err);

/* From here on SIGTERM and SIGINT are noted. */
void lb_bench_catch_signals(void);
/* Collective.  The exit status of what any rank has caught so far, or 0: the
 * launcher may have told only one. */
int lb_bench_signal(const struct lb_world *w);

/* Names this rank in the message of a set err: "rank 1 of 8 (node n3): ...";
 * usage errors and runs of one rank stay as they are. */
int lb_bench_blame(const struct lb_world *w, struct lb_err *err);
/* Collective.  lb_bench_blame and lb_err_agree; what several ranks met ends
 * in "; 2 more ranks failed". */
int lb_bench_agree(const struct lb_world *w, struct lb_err *err);

#endif
