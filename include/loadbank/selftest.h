/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instrument tests itself: runs over a model of storage whose results are
 * known beforehand, through the same code as any run. */
#ifndef LOADBANK_SELFTEST_H
#define LOADBANK_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/bench.h"
#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/summary.h"
#include "loadbank/workload.h"
#include "loadbank/world.h"

/* One case for a number of accelerators. */
struct lb_trial {
  const struct lb_selftest_case *what;
  int accelerators;
  int node_accelerators; /* of the node with the most of them */
  /* As loaded and planned; NULL before. */
  const struct lb_workload *workload;
  const struct lb_plan *plan;
};

struct lb_selftest_case {
  const char *name, *doc; /* doc: one sentence */
  const char *unit;       /* of the figure */
  double tolerance;       /* of the figure ... */
  bool relative;          /* ... or a part of what is expected */
  int64_t steps, batch;   /* of each accelerator */
  int64_t bandwidth;      /* of reads, for each accelerator; 0: infinite */
  const char *overrides[8];
  /* Optional: further overrides, one a line. */
  void (*set)(const struct lb_trial *t, struct lb_buf *lines);
  struct lb_compute_scale scale;
  /* Required, pure: the closed form; and the figure out of a result. */
  double (*expect)(const struct lb_trial *t);
  double (*measure)(const struct lb_trial *t, const struct lb_summary *s);
};

extern const struct lb_selftest_case lb_selftest_cases[]; /* name NULL ends */
const struct lb_selftest_case *lb_selftest_find(const char *name); /* or NULL */
extern const char lb_selftest_yaml[]; /* the workload that all cases change */

/* The i-th number of accelerators that `ranks' ranks try (1, 4 and 32, rounded
 * up to a multiple of the ranks); 0: no more. */
int lb_selftest_accelerators(int ranks, int i);

struct lb_selftest_result {
  double expected, measured, tolerance; /* tolerance: of this figure */
  bool good;
  int tries;
  /* Part of the time in which main threads were ready but had no processor. */
  double busy;
};

/* Collective.  Runs the trial; again, up to three times, when it was off and
 * others had the processors meanwhile.  folder: for results, which are removed
 * again; rank 0's counts.  0, the status of a run that a signal stopped, or
 * negative with err filled; *out is the same on all ranks. */
int lb_selftest_try(struct lb_world *world, const struct lb_selftest_case *what,
                    int accelerators, const char *folder,
                    struct lb_selftest_result *out, struct lb_err *err);

#endif
