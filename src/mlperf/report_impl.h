/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the report: runs, groups of them, and the rows that they become. */
#ifndef LB_MLPERF_REPORT_IMPL_H
#define LB_MLPERF_REPORT_IMPL_H

#include <jansson.h>

#include "loadbank/mean.h"
#include "loadbank/mlperf_report.h"
#include "loadbank/mlperf_system.h"

/* Runs of training in a row: one to warm up, and those that are averaged.
 * Saves and loads of checkpoints. */
enum { LB_REPORT_WINDOW = 6, LB_REPORT_CHECKPOINTS = 10 };

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
void lb_report_run_fini(struct lb_report_run *run);
bool lb_report_run_usable(const struct lb_report_run *run);
void lb_report_run_problem(struct lb_report_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- report_choice.c: which runs count (pure) ---- */

/* What makes two runs no repetitions of each other: false and "" if nothing. */
bool lb_report_runs_differ(const struct lb_report_run *a,
                           const struct lb_report_run *b,
                           char why[LB_MLPERF_WHY]);
/* Gives every run its role, and those that are left out for no fault of their
 * own a reason. */
void lb_report_choose(struct lb_report_run *run, size_t n, int kind,
                      size_t saves, size_t loads);

/* ---- report_group.c: runs of one thing ---- */

/* What is averaged; the table has key, unit, kind. */
enum lb_report_figure {
  LB_FIGURE_AU,
  LB_FIGURE_SAMPLES,
  LB_FIGURE_READ,
  LB_FIGURE_SAVE_RATE,
  LB_FIGURE_SAVE_SECONDS,
  LB_FIGURE_SAVE_RATE_FIRST,
  LB_FIGURE_SAVE_SECONDS_FIRST,
  LB_FIGURE_LOAD_RATE,
  LB_FIGURE_LOAD_SECONDS,
  LB_FIGURE_LOAD_RATE_FIRST,
  LB_FIGURE_LOAD_SECONDS_FIRST,
  LB_N_FIGURES
};
struct lb_report_figure_row {
  const char *key, *label, *unit;
  int kind;
  bool load, rate, first; /* of checkpoints; first: accelerator 0's time */
};
extern const struct lb_report_figure_row lb_report_figures[LB_N_FIGURES];

struct lb_report_values {
  struct lb_mean mean;
  double min, max, half_width; /* of the interval of 95 %; NAN: unknown */
};

/* The verdict on a group, in the order of the report. */
enum lb_report_state {
  LB_REPORT_INVALID,
  LB_REPORT_CLOSED,
  LB_REPORT_OPEN,
  LB_REPORT_WHATIF
};
extern const char *const lb_report_state_names[];

struct lb_report_group {
  struct lb_mlperf_place place; /* without the stamp */
  char accelerator[LB_MLPERF_NAME];
  char id[32];               /* "Public ID"; "" unless it is a result */
  struct lb_report_run *run; /* owned, in order of time */
  size_t n;
  enum lb_report_state state;
  bool result;                 /* all that the rules ask for is there */
  char verdict[LB_MLPERF_WHY]; /* "", or "not a result: 3 of 6 runs" */
  json_t *note;                /* texts; owned */
  struct lb_report_values value[LB_N_FIGURES];
  int64_t accelerators, hosts; /* of the runs that are taken */
  struct lb_mlperf_scale scale;
  double threshold; /* of AU, %; NAN */
  struct lb_mlperf_system system;
  bool described; /* system is the file's, else nothing is given there */
};
/* From its runs and its description. */
int lb_report_group_sum_up(struct lb_report_group *g, struct lb_err *err);
/* The run that the group's settings are taken from; NULL: none is taken. */
const struct lb_report_run *
lb_report_group_first(const struct lb_report_group *g);
void lb_report_group_note(struct lb_report_group *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void lb_report_group_fini(struct lb_report_group *g);
/* Mean / rack units and / watts; NAN: not described. */
double lb_report_per_unit(const struct lb_report_group *g,
                          enum lb_report_figure f);
double lb_report_per_watt(const struct lb_report_group *g,
                          enum lb_report_figure f);
/* Mean duration of a load and the remap time; NAN: not known. */
double lb_report_recovery(const struct lb_report_group *g);

/* ---- report.c ---- */

struct lb_mlperf_report {
  struct lb_mlperf_tree tree;
  struct lb_report_group *group; /* INVALID first, then by name */
  size_t n;
};

/* ---- report_details.c ---- */

double lb_report_rounded(double v); /* to two decimals, as the benchmark does */
/* The object `loadbank' of a row; a new reference. */
json_t *lb_report_details(const struct lb_report_group *g);

/* ---- report_rows.c ---- */

/* The groups (borrowed) as the text of results.json, of results.csv. */
void lb_report_rows_json(const struct lb_report_group *const *g, size_t n,
                         struct lb_buf *out);
void lb_report_rows_csv(const struct lb_report_group *const *g, size_t n,
                        struct lb_buf *out);
/* Is the text of such a file ours?  Rows of another program are not. */
bool lb_report_is_ours(const char *name, const char *text, size_t len);

#endif
