/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sets of results against each other.  Pure, but for the files that hold
 * configurations, which are read to name what differs.  Tests, formulas and
 * sources: docs/compare.md. */
#ifndef LOADBANK_COMPARE_H
#define LOADBANK_COMPARE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/mean.h"
#include "loadbank/results.h"

/* Of the second against the first.  Up to the tolerance is the same. */
enum lb_verdict {
  LB_VERDICT_UNDECIDED, /* too little is known */
  LB_VERDICT_SAME,      /* shown to differ by no more than the tolerance */
  LB_VERDICT_BETTER,    /* shown to differ by more than that */
  LB_VERDICT_WORSE,
  LB_N_VERDICTS
};
extern const char *const lb_verdict_names[LB_N_VERDICTS];

/* What tells how much a value varies. */
enum lb_basis {
  LB_BASIS_NONE,  /* nothing does */
  LB_BASIS_RUNS,  /* repeated runs of both */
  LB_BASIS_ONE,   /* repeated runs of one: the other's single run is held
                   * against their spread */
  LB_BASIS_PARTS, /* single runs: their own epochs, or checkpoints */
  LB_N_BASES
};
extern const char *const lb_basis_names[LB_N_BASES];

/* The operation that explains most of what became worse. */
struct lb_cause {
  const char *phase;     /* NULL: there is no cause, for nothing is worse */
  const char *operation; /* NULL: no operation of that phase took longer */
  const char *files;     /* "metadata", "data"; NULL: not known */
  double extra_s;        /* what it took more in a run like the first's */
  double share;        /* of that, for all operations that took more; 0 .. 1 */
  double count_ratio;  /* how many times as often, for the same work */
  double latency_s[2]; /* mean, of the first and of the second */
};

struct lb_judgement {
  const struct lb_quantity *quantity;
  bool counts; /* for the verdict on the whole */
  struct lb_mean a, b;
  enum lb_basis basis;
  double ratio, ends[2];    /* b / a, and its 95 % interval; NAN, infinite: not
                             * known */
  double p_worse, p_better; /* one-sided, against the tolerance */
  double p_same;
  double p; /* of the smaller of the first two, for all that count together */
  enum lb_verdict verdict;
  struct lb_cause cause;
};

/* Runs of the same configuration on as many accelerators, ranks and nodes. */
struct lb_group {
  const struct lb_result **run; /* borrowed; at least one */
  size_t n;
};

/* How many of them say that the client was their limit. */
size_t lb_group_client_bound(const struct lb_group *g);

struct lb_difference { /* of two configurations */
  char *key, *a, *b;   /* NULL: has no such key */
};

/* Two groups that are held against each other. */
struct lb_match {
  struct lb_group a, b;
  struct lb_judgement *judgement; /* in the order of lb_quantities */
  size_t n;
  struct lb_difference *differs; /* but for folders of results */
  size_t n_differs;
  enum lb_verdict verdict;
};

struct lb_comparison {
  double tolerance; /* 0.05: 5 % */
  struct lb_match *match;
  size_t n;
  const struct lb_result **alone[2]; /* complete, but nothing in the other set
                                      * is like them */
  size_t n_alone[2];
  enum lb_verdict verdict; /* on all matches */
};

struct lb_compare_options {
  double tolerance;
  bool allow_mismatch; /* other workloads, datasets, numbers of accelerators */
};

/* LB_USAGE: no complete result on a side, no two that can be compared, or they
 * are of different workloads.  out borrows from a and b; lb_comparison_fini is
 * due even when it failed. */
int lb_compare(const struct lb_results *a, const struct lb_results *b,
               const struct lb_compare_options *o, struct lb_comparison *out,
               struct lb_err *err);
void lb_comparison_fini(struct lb_comparison *c);

/* LB_USAGE: none of the set is complete. */
int lb_results_need_complete(const struct lb_results *s, struct lb_err *err);

/* The two sets, as they were named by the user. */
struct lb_compared {
  const char *name[2]; /* the first NULL: the second is a first baseline */
  const struct lb_results *set[2];
  const struct lb_comparison *result;
  const char *kept; /* where the second was kept as a baseline; NULL: it was
                     * not */
};
void lb_comparison_text(const struct lb_compared *c, struct lb_buf *out);
int lb_comparison_json(const struct lb_compared *c, struct lb_buf *out,
                       struct lb_err *err);

/* ---- baselines: folders of results that are kept ---- */

/* The newest below `folder', in path; LB_USAGE: there is none. */
int lb_baseline_newest(const char *folder, char path[PATH_MAX],
                       struct lb_err *err);
/* Copies the complete results of s to a new sub-folder of `folder' (made when
 * absent) that is named by the time; its path in `path'.  It appears when it is
 * whole. */
int lb_baseline_keep(const char *folder, const struct lb_results *s,
                     char path[PATH_MAX], struct lb_err *err);

#endif
