/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a summary to files and text.
 *
 *   lb_results_folder     rank 0, at the start: the folder, never one in use
 *   lb_metrics_new        with steps_spool = lb_report_spool(folder, rank) and
 *                         detail = lb_report_detail(world, per_accelerator)
 *   ... run; lb_progress_tick(rank 0) ...
 *   lb_metrics_reduce     collective
 *   fill struct lb_report; lb_report_write     collective */
#ifndef LOADBANK_REPORT_H
#define LOADBANK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "loadbank/clocks.h"
#include "loadbank/err.h"
#include "loadbank/metrics.h"
#include "loadbank/pace.h"
#include "loadbank/placement.h"
#include "loadbank/summary.h"
#include "loadbank/workload.h"
#include "loadbank/world.h"

enum { LB_REPORT_SCHEMA = 1, LB_REPORT_ALL_UP_TO = 64 };

/* What stdout gets: the metric block, summary.json, or metrics.csv. */
enum lb_output {
  LB_OUTPUT_TEXT,
  LB_OUTPUT_JSON,
  LB_OUTPUT_CSV,
  LB_OUTPUT_NONE /* for who measures by a run; no word of --format */
};

enum lb_status { LB_STATUS_COMPLETE, LB_STATUS_INTERRUPTED, LB_STATUS_FAILED };

struct lb_pair {
  const char *name, *value;
};

/* By what the load of a rehearsal is smaller than the real one, each 0..1. */
struct lb_rehearsal {
  double files, bytes, time;
};

/* A mount of the storage, where there are several. */
struct lb_report_root {
  const char *path; /* of the dataset below it */
  int accelerators; /* of the job, that go through it */
};

/* Everything in a result that is not a metric.  Filled on every rank with the
 * same values (what only rank 0 needs is marked so and may be NULL or 0
 * elsewhere).  All pointers are borrowed; NULL text: unknown, null in JSON. */
struct lb_report {
  const char *folder;       /* exists; the same on every rank */
  enum lb_steps_word steps; /* output.steps */
  const char *no_steps;     /* why the recorder had no spool; NULL: it had */
  bool per_accelerator;     /* output.per_accelerator */
  const struct lb_report_root *roots;
  size_t n_roots;             /* 0: there is one, that of data_folder */
  const struct lb_pace *pace; /* of this rank's requests; NULL: unknown */
  uint64_t start_ns;          /* of the run, by this rank's CLOCK_MONOTONIC */
  /* ---- rank 0 only from here on ---- */
  enum lb_status status;
  const char *reason; /* why not complete: signal or error text */
  uint64_t start_utc_ns, end_utc_ns;
  const char *workload; /* its name */
  const char *model, *framework, *format, *data_loader, *storage_type;
  const char *command; /* command line, one string */
  /* The plan. */
  int64_t files[LB_N_SETS], samples_per_file, epochs;
  int64_t batch[LB_N_SETS];
  int64_t steps_planned[LB_N_SETS]; /* per epoch and accelerator */
  uint64_t dataset_bytes;   /* of the sets that are read, else written */
  uint64_t cacheable_bytes; /* of these, that are: potential_caching */
  int read_threads;         /* per accelerator */
  double au_threshold;      /* metric.au, 0..1 */
  uint64_t train_seed, dataset_seed;
  const char *fingerprint; /* of the dataset */
  const char *config_hash;
  /* For file-system facts; NULL: none is touched (a virtual storage). */
  const char *data_folder, *checkpoint_folder;
  bool gate_shared;                     /* lb_gate_cost().shared */
  const struct lb_clocks *clocks;       /* NULL is fine */
  const struct lb_placement *placement; /* likewise */
  const struct lb_pair *versions;       /* "loadbank", "mpi", "hdf5" ... */
  size_t n_versions;
  bool direct;                          /* the dataset is read with O_DIRECT */
  const struct lb_rehearsal *rehearsal; /* NULL: none */
  const struct lb_pair *notes;          /* free facts: "scope", "sampler" ... */
  size_t n_notes;
  /* <folder>/<hydra_subdir>/{config,hydra,overrides}.yaml; subdir NULL: none */
  const char *hydra_subdir;
  const char *config_yaml, *hydra_yaml, *overrides_yaml;
  enum lb_output output; /* CSV: metrics.csv is written too */
  FILE *out;             /* where that is printed; NULL: nowhere */
  FILE *log;             /* dlio.log: gets the text at its end; NULL: none */
};

/* Collective.  Writes summary.json, the per-accelerator files, steps.h5,
 * .hydra and the text.  s: rank 0's.  m may be NULL.  A file that cannot be
 * written is an error; all that can be are written first. */
int lb_report_write(const struct lb_world *w, struct lb_metrics *m,
                    const struct lb_report *r, const struct lb_summary *s,
                    struct lb_err *err);

/* ---- pieces, each of use alone ---- */

/* Rank 0: makes `folder', or results/<workload>/<UTC stamp> when that is NULL
 * or empty.  One that holds a summary.json is refused; a stamp that is in use
 * gets a suffix.  out is malloc'ed. */
int lb_results_folder(char **out, const char *folder, const char *workload,
                      uint64_t utc_ns, struct lb_err *err);
/* Of a path to a folder, the length of the leading part that is there ... */
size_t lb_results_existing(const char *path);
/* ... and removes the folders beyond it, as far as they are empty. */
void lb_results_prune(const char *path, size_t existing);
/* Removes what an earlier run left in `folder', and nothing else; no error
 * when there is nothing. */
int lb_results_clear(const char *folder, struct lb_err *err);
void lb_report_spool(char *out, size_t size, const char *folder, int rank);
int lb_report_detail(const struct lb_world *w, bool per_accelerator);

/* The metric block. */
void lb_report_text(FILE *out, bool colour, const struct lb_report *r,
                    const struct lb_summary *s);
/* key,unit,index,value */
int lb_report_csv(FILE *out, const struct lb_summary *s);

#endif
