/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results, read back.  A result is a folder with a summary.json and the other
 * files of a run; a set is a folder that holds results at any depth below it.
 *
 * Reading never fails because a result is bad: what is cut off, of another
 * program or version, interrupted or failed is in the list, with its state and
 * a reason, for whoever averages to leave out.  Plain files, no MPI; one thread
 * at a time. */
#ifndef LOADBANK_RESULTS_H
#define LOADBANK_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

struct json_t; /* jansson's */

enum lb_result_state {
  /* What the run says of itself. */
  LB_RESULT_COMPLETE,
  LB_RESULT_INTERRUPTED,
  LB_RESULT_FAILED,
  /* What is found. */
  LB_RESULT_MISSING, /* files of a run, but no summary.json */
  LB_RESULT_BROKEN,  /* a file is missing, cut off or says what cannot be */
  LB_RESULT_FOREIGN, /* another program's, or keys of another meaning */
  LB_N_RESULT_STATES
};
extern const char *const lb_result_state_names[LB_N_RESULT_STATES];

/* One (phase, operation); NAN: not known.  Times in seconds. */
struct lb_result_op {
  const char *phase, *operation; /* names, as in summary.json */
  double count, errors, bytes;
  double mean_s, min_s, max_s, p50_s, p90_s, p95_s, p99_s, p999_s;
};

struct lb_result {
  char *path;       /* of its folder; owned */
  const char *name; /* within path: what stands below the folder that was
                     * named; "." when it was named itself */
  enum lb_result_state state;
  char *reason; /* owned; NULL when complete */
  /* Owned; NULL: MISSING, or it cannot be parsed.  What follows is part of it,
   * NULL or 0 where it does not say. */
  struct json_t *summary;
  const char *version; /* loadbank's */
  const char *workload, *model, *storage_type, *start;
  const char *fingerprint; /* of the dataset; NULL: it has no files */
  const char *config_hash;
  int64_t accelerators, ranks, nodes;
  struct lb_result_op *op; /* owned; in the order of the phases */
  size_t n_ops;
  uint64_t device, inode; /* of the folder */
};

struct lb_results {
  struct lb_result *result; /* sorted by path; each folder once */
  size_t n;
};

/* Adds what `path' holds: a result's folder, its summary.json, or a set.
 * Folders whose names start with a dot, and links below it, are not entered.
 * LB_USAGE: there is no such path, or no result in it; LB_FAILED: a folder
 * cannot be read, or no memory. */
int lb_results_read(struct lb_results *s, const char *path, struct lb_err *err);
void lb_results_fini(struct lb_results *s); /* a zeroed one is fine */

/* Values of summary.json by their path in docs/metrics.md, such as
 * "metric.train_au_mean_percentage" or "loadbank.steps.train.load.p99_seconds".
 * A result that is not complete may have them, too. */
double lb_result_number(const struct lb_result *r, const char *path); /* NAN */
const char *lb_result_text(const struct lb_result *r, const char *path);
/* The length of a list (0: there is none), and as many of its values as there
 * is room for, null as NAN.  out may be NULL. */
size_t lb_result_list(const struct lb_result *r, const char *path, double *out,
                      size_t room);
const struct lb_result_op *lb_result_find_op(const struct lb_result *r,
                                             const char *phase,
                                             const char *operation);

/* ---- what results are compared by ---- */

/* One number of a result of which more, or less, is better. */
struct lb_quantity {
  const char *path; /* in summary.json */
  const char *label, *unit;
  bool higher; /* is better */
  bool counts; /* for the verdict on the whole: what a job feels.  Others only
                * show where it comes from. */
  const char *parts; /* the list (epochs, checkpoints) that it is the mean of;
                      * NULL: there is none */
  const char *phase; /* whose operations explain it */
  const char *work;  /* how much of that was done: a number, or a list, of
                      * which the length */
};
extern const struct lb_quantity lb_quantities[]; /* path NULL at the end */

#endif
