/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run among several of a job: a point of a sweep, a sizing, a calibration.
 * What goes wrong in it is its result, not the job's end. */
#ifndef LOADBANK_POINT_H
#define LOADBANK_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/bench.h"
#include "loadbank/err.h"
#include "loadbank/plan.h"
#include "loadbank/summary.h"
#include "loadbank/world.h"

/* The same on every rank; all borrowed. */
struct lb_point {
  const char *yaml, *name; /* what lb_workload_load takes */
  size_t yaml_len;
  const char *const *overrides; /* "key=value"; a later one wins */
  int n_overrides;
  int ranks;            /* that take part (lb_world_sub); 0: all */
  int64_t accelerators; /* as many as these, or more; 0: one per rank */
  const char *folder;   /* for results; NULL: as the workload says */
  bool aloud;           /* what it says on stderr is said there */
  /* Plan, overrides and output are not looked at: those are the point's, and
   * stdout gets nothing; run.out the text, unless it is NULL. */
  struct lb_run_options run;
};

struct lb_point_result {
  /* The same on every rank.  What such a run exits with: 0, LB_FAILED,
   * LB_USAGE (it cannot be; nothing was written), LB_AU_UNMET, 130, 143. */
  int code;
  char reason[sizeof((struct lb_err *)0)->msg]; /* of LB_FAILED, LB_USAGE */
  double seconds; /* from beginning to end, preparation and results included */
  /* On the ranks that took part, unless code is LB_USAGE. */
  struct lb_plan plan;
  struct lb_summary summary; /* filled on rank 0 */
};

/* Pure.  How many of so many ranks can host that many accelerators, each at
 * least one. */
int lb_point_ranks(int ranks, int64_t accelerators);

/* Collective.  Carries out the point in a world of its own; the other ranks
 * sleep.  Nothing is said on stderr (its log file has the warnings), unless
 * aloud, but for what ends the job: a rank that dies, or that is stuck after a
 * failure. 0: out says how it went; lb_point_result_fini is due then. 130, 143:
 * SIGINT, SIGTERM has come, out says whether the point was done by then (before
 * its beginning: code is that of the signal too); from then on the job's end
 * has a time limit.  (One that only a rank got that takes no part is seen when
 * the point is over.)  Negative: the job cannot go on. */
int lb_point_run(struct lb_world *job, const struct lb_point *p,
                 struct lb_point_result *out, struct lb_err *err);
void lb_point_result_fini(struct lb_point_result *r); /* a zeroed one is fine */

#endif
