/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has come of a sweep's runs, and the files that keep it: sweep.json, from
 * which the same sweep goes on, and sweep.csv.  Rank 0. */
#ifndef LOADBANK_SWEEP_RECORD_H
#define LOADBANK_SWEEP_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "loadbank/err.h"
#include "loadbank/summary.h"
#include "loadbank/sweep.h"

enum lb_sweep_status {
  LB_SWEEP_OPEN, /* not made, or cut off */
  LB_SWEEP_COMPLETE,
  LB_SWEEP_FAILED
};

struct lb_sweep_run {
  enum lb_sweep_status status;
  char *reason;  /* of LB_SWEEP_FAILED; malloc'ed */
  int64_t order; /* its place among all that were made, from 1 */
  char start[LB_CLOCK_ISO_LEN];
  double seconds;
  int ranks, accelerators;
  char limited_by[16];
  double *metric; /* complete: of every row of the table of metrics that is no
                   * list; NAN: it has none; malloc'ed */
};

struct lb_sweep_record {
  const struct lb_sweep *sweep; /* borrowed, as all texts */
  const char *workload;
  uint64_t text_hash;       /* of the workload's YAML */
  int ranks, nodes;         /* of the job */
  int64_t accelerators;     /* of points that do not say; 0: one per rank */
  int64_t made;             /* runs so far, repeated ones included */
  struct lb_sweep_run *run; /* of number 0 .. n_runs - 1 */
};
int lb_sweep_record_init(struct lb_sweep_record *r, struct lb_err *err);
void lb_sweep_record_fini(struct lb_sweep_record *r);

/* What a run has brought. */
int lb_sweep_run_complete(struct lb_sweep_run *run, const struct lb_summary *s,
                          struct lb_err *err);
int lb_sweep_run_failed(struct lb_sweep_run *run, const char *reason,
                        struct lb_err *err);
/* As if it had not been made. */
void lb_sweep_run_reset(struct lb_sweep_run *run);

/* Where a run's results are, below the sweep's folder. */
enum { LB_SWEEP_FOLDER = 64 };
void lb_sweep_run_folder(const struct lb_sweep *s, size_t run,
                         char out[LB_SWEEP_FOLDER]);
/* The folder of a sweep that nobody named: the same for the same sweep. */
void lb_sweep_folder(const struct lb_sweep_record *r, struct lb_buf *out);

/* Reads folder/sweep.json, if it is there, into r.  LB_USAGE: it is that of
 * another sweep, and in what it differs. */
int lb_sweep_record_read(struct lb_sweep_record *r, const char *folder,
                         struct lb_err *err);
/* Writes both files anew. */
int lb_sweep_record_write(const struct lb_sweep_record *r, const char *folder,
                          struct lb_err *err);

void lb_sweep_json(const struct lb_sweep_record *r, struct lb_buf *out);
void lb_sweep_csv(const struct lb_sweep_record *r, struct lb_buf *out);
/* For people: a line a point, with means and 95 % intervals. */
void lb_sweep_table(const struct lb_sweep_record *r, struct lb_buf *out);
/* Of one run: "AU 93.21 %, 812.5 samples/s", or why it failed. */
void lb_sweep_line(const struct lb_sweep_run *run, struct lb_buf *out);

#endif
