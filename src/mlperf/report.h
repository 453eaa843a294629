/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `loadbank mlperf report': what a results tree adds up to.  Runs that cannot
 * be averaged are named with their reasons, never averaged.  Every figure:
 * docs/metrics.md, "MLPerf-style reports".  Rank-local, one thread. */
#ifndef LB_MLPERF_REPORT_H
#define LB_MLPERF_REPORT_H

#include <stdbool.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/page.h"
#include "mlperf/tree.h"

#define LB_MLPERF_STYLE "MLPerf-style, not an official submission"

/* ---- report_again.c: a training leaf's figures once more ---- */

enum { LB_MLPERF_WHY = 400 };
struct lb_mlperf_again {
  const char *source;      /* "steps.h5", "<a>_output.json"; NULL: see why */
  char why[LB_MLPERF_WHY]; /* source NULL: why there is nothing to go by */
  double au;               /* %, mean over epochs */
  double samples_per_s;
  double seconds;              /* of all blocks; NAN: not known */
  int64_t accelerators, steps; /* 0: not known */
  double au_slack, rate_slack; /* how far a stored value may be off: points,
                                * and a ratio */
};
/* From the raw steps, or without them from the accelerators' own files. */
void lb_mlperf_again(const struct lb_mlperf_leaf *leaf,
                     struct lb_mlperf_again *out);
/* Does the leaf's summary say the same?  True when there is nothing to compare;
 * else why has leaf-relative text with both numbers. */
bool lb_mlperf_again_agrees(const struct lb_mlperf_leaf *leaf,
                            const struct lb_mlperf_again *again,
                            char why[LB_MLPERF_WHY]);

/* ---- report.c ---- */

struct lb_mlperf_report;

/* Reads the tree below `root'.  LB_USAGE: no folder, or no run in it;
 * LB_FAILED: a folder cannot be read, or no memory. */
int lb_mlperf_report_make(const char *root, struct lb_mlperf_report **r,
                          struct lb_err *err);
void lb_mlperf_report_free(struct lb_mlperf_report *r); /* NULL is fine */
/* Rows and page are of this system alone; files are of all.  LB_USAGE: there is
 * no run of it. */
int lb_mlperf_report_only(struct lb_mlperf_report *r, const char *system,
                          struct lb_err *err);

/* results.json and results.csv in the folder of each group and of each
 * organisation, and submission.yaml.  Files that another program wrote are
 * left alone: LB_FAILED at the end, with the first one's name.  A tree that
 * cannot be written to is a warning. */
int lb_mlperf_report_write(const struct lb_mlperf_report *r,
                           struct lb_err *err);

/* The rows, as in results.json and results.csv. */
void lb_mlperf_report_json(const struct lb_mlperf_report *r,
                           struct lb_buf *out);
void lb_mlperf_report_csv(const struct lb_mlperf_report *r, struct lb_buf *out);
/* Tables and pictures: for lb_page_write. */
void lb_mlperf_report_page(const struct lb_mlperf_report *r,
                           struct lb_page *page);

/* ---- report_verb.c ---- */

struct lb_mlperf_call;
/* `loadbank mlperf report [RESULTS]'.  A file of the tree that could not be
 * written is said and is exit status 1; the report is printed all the same. */
int lb_mlperf_report(struct lb_mlperf_call *call, struct lb_err *err);

#endif
