/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the report: groups of runs, and the rows that they become. */
#ifndef LB_MLPERF_REPORT_IMPL_H
#define LB_MLPERF_REPORT_IMPL_H

#include <jansson.h>

#include "loadbank/mean.h"
#include "mlperf/report.h"
#include "mlperf/report_run.h"
#include "mlperf/system.h"

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
  struct lb_report_group *group; /* INVALID first, then by name; owned */
  size_t n;
  const struct lb_report_group **shown; /* those that are asked for; owned */
  size_t n_shown;
};

/* ---- report_details.c ---- */

double lb_report_rounded(double v); /* to two decimals, as the benchmark does */
/* New references; null: not above 0. */
json_t *lb_report_count(int64_t n);
json_t *lb_report_watts(const struct lb_report_group *g);
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
