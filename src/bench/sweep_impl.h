/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that carry a sweep out share. */
#ifndef LB_BENCH_SWEEP_IMPL_H
#define LB_BENCH_SWEEP_IMPL_H

#include "loadbank/manifest.h"
#include "loadbank/sweep_job.h"
#include "loadbank/sweep_record.h"
#include "loadbank/workload.h"

/* A dataset that several points read. */
struct lb_sweep_dataset {
  char *folder; /* derived.data_folder; malloc'ed */
  char fingerprint[LB_FINGERPRINT_LEN];
  size_t point; /* the first that reads it */
  bool alone;   /* in its folder; else it gets a sub-folder */
  /* While the job runs, the same on all ranks: */
  bool tried;
  char *fault; /* why it could not be made; malloc'ed */
};

struct lb_sweep_point {
  char *fault; /* why it cannot be; malloc'ed; NULL: it can */
  int ranks, accelerators;
  double compute_s;  /* that it asks for: the shortest run */
  ptrdiff_t dataset; /* made before it runs; -1: none is */
  char *data_folder; /* instead of its own, malloc'ed; NULL: its own */
  bool generates;    /* is what it measures: the files are made anew */
};

/* Everything that can be known beforehand.  Pure, the same on every rank. */
struct lb_sweep_plan {
  char workload[256]; /* its name */
  struct lb_sweep_point *point;
  struct lb_sweep_dataset *dataset;
  size_t n_datasets;
};
/* LB_USAGE: no point can be, or the sweep as such cannot. */
int lb_sweep_plan(const struct lb_world *w, const struct lb_sweep_job *job,
                  struct lb_sweep_plan *p, struct lb_err *err);
void lb_sweep_plan_fini(const struct lb_sweep *s, struct lb_sweep_plan *p);

/* Its overrides, in which those of *more come last.  lb_texts_fini *out, after
 * a failure too. */
int lb_sweep_overrides(const struct lb_sweep_job *job,
                       const struct lb_sweep_plan *p, size_t point,
                       const char *const *more, size_t n_more,
                       struct lb_texts *out, struct lb_err *err);

/* A record of it without any run; lb_sweep_record_fini. */
int lb_sweep_new_record(const struct lb_world *w,
                        const struct lb_sweep_job *job,
                        const struct lb_sweep_plan *p,
                        struct lb_sweep_record *r, struct lb_err *err);

/* From the runs that are complete. */
struct lb_sweep_pace lb_sweep_pace_of(const struct lb_sweep_plan *p,
                                      const struct lb_sweep_record *r);
/* How long a run takes, by them. */
double lb_sweep_expected(const struct lb_sweep_plan *p,
                         const struct lb_sweep_record *r,
                         const struct lb_sweep_pace *pace, size_t run);

#endif
