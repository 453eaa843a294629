/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The overrides that make a run of a workload: those of the tool, the
 * submitter's, the rehearsal's. */
#ifndef LB_MLPERF_OVERRIDES_H
#define LB_MLPERF_OVERRIDES_H

#include "loadbank/workload.h"
#include "mlperf/config.h"

enum { LB_OVERRIDES = 24 };

/* "key=value", owned. */
struct lb_overrides {
  char *v[LB_OVERRIDES];
  int n;
  bool failed; /* no memory */
};
void lb_overrides_add(struct lb_overrides *o, const char *key, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));
void lb_overrides_fini(struct lb_overrides *o);

/* Is the key among --params? */
bool lb_overrides_given(const struct lb_mlperf_args *args, const char *key);

/* What the official tool sets as well, as far as it needs no look at the
 * workload; what only this one sets. */
void lb_overrides_of_tool(const struct lb_mlperf_args *args,
                          struct lb_overrides *official,
                          struct lb_overrides *own);
/* The number of files, unless it is given. */
void lb_overrides_of_files(const struct lb_mlperf_args *args, int64_t files,
                           struct lb_overrides *official);

/* ---- datasize.c ---- */

/* Pure.  Of so many files the part that scale.files leaves, but enough for some
 * steps of all accelerators. */
int64_t lb_rehearsal_files(const struct lb_mlperf_need *in, int64_t full);

/* ---- rehearsal.c ---- */

/* What shrinks the workload.  LB_USAGE: it cannot be shrunk so. */
int lb_overrides_of_rehearsal(const struct lb_mlperf_args *args,
                              const struct lb_workload *w, int64_t accelerators,
                              struct lb_overrides *out, struct lb_err *err);

/* Can the format make records as short as the rehearsal's?  w: the workload as
 * it will run.  LB_USAGE: no, with what is possible. */
int lb_rehearsal_check(const struct lb_mlperf_args *args,
                       const struct lb_workload *w, struct lb_err *err);

/* ---- checkpoint_size.c ---- */

/* LB_USAGE: so many accelerators cannot write it. */
int lb_mlperf_checkpoint_size(const struct lb_workload *w, int64_t accelerators,
                              struct lb_mlperf_checkpoint_size *out,
                              struct lb_err *err);

#endif
