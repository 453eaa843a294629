/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the report: a leaf as a run, and which runs count. */
#ifndef LB_MLPERF_REPORT_RUN_H
#define LB_MLPERF_REPORT_RUN_H

#include <jansson.h>

#include "mlperf/report.h"

/* ---- report_run.c: one leaf ---- */

enum lb_report_role { LB_RUN_LEFT_OUT, LB_RUN_WARM_UP, LB_RUN_TAKEN };
extern const char *const lb_report_role_names[];

/* One save or load. */
struct lb_report_op {
  bool load;
  double seconds;       /* of the slowest accelerator */
  double first_seconds; /* of accelerator 0, as DLIO; NAN: not known */
  double bytes;         /* all files, each once */
};

struct lb_report_run {
  const struct lb_mlperf_leaf *leaf; /* borrowed */
  enum lb_report_role role;
  json_t *problem; /* texts; owned.  None: the run may be averaged */
  /* "" and 0: not known. */
  char accelerator[LB_MLPERF_NAME], version[LB_MLPERF_NAME];
  int64_t accelerators, hosts;
  int verdict; /* enum lb_mlperf_verdict; 0: the metadata do not say */
  struct lb_mlperf_scale scale;
  const json_t *parameters; /* of the metadata; borrowed */
  double start_s, end_s;    /* since 1970; NAN: no stamp */
  /* Training; NAN: not known. */
  double au, threshold, samples_per_s, gib_per_s;
  struct lb_mlperf_again again;
  /* Checkpointing. */
  struct lb_report_op *op; /* owned */
  size_t n_ops, n_saves, n_loads;
};
/* LB_FAILED: no memory. */
int lb_report_run_read(const struct lb_mlperf_leaf *leaf,
                       struct lb_report_run *run, struct lb_err *err);
/* The whole number at a path; 0: none above that. */
int64_t lb_report_count_at(const json_t *v, const char *path);
void lb_report_run_fini(struct lb_report_run *run);
bool lb_report_run_usable(const struct lb_report_run *run);
void lb_report_run_problem(struct lb_report_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- report_choice.c: which runs count (pure) ---- */

/* Gives every run its role, and those that are left out for no fault of their
 * own a reason. */
void lb_report_choose(struct lb_report_run *run, size_t n, int kind,
                      size_t saves, size_t loads);

#endif
