/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the conductor records, step by step, and what becomes of it.  The
 * formulas stand in au.c (pure) and docs/metrics.md.
 *
 * One recorder a rank, written by its main thread.  Memory is bounded: it does
 * not grow with steps (raw steps pass through a small ring to a spool file).
 * What all ranks' recorders add up to: loadbank/summary.h. */
#ifndef LOADBANK_METRICS_H
#define LOADBANK_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/histogram.h"
#include "loadbank/set.h"
#include "loadbank/stall.h"

/* One step of one accelerator, ns. */
struct lb_step {
  uint64_t load_ns;      /* from the gate before (or the block's start) until
                          * its batch was ready */
  uint64_t last_load_ns; /* the same if all of its node waited for it, else 0 */
  uint64_t compute_ns;   /* measured */
  uint64_t requested_ns; /* what was asked for */
  uint64_t gate_ns;      /* from the end of its compute to the release */
  uint64_t lag_ns;       /* how late the conductor noticed the batch; costs
                          * nothing as long as the compute ends in time */
  uint64_t late_ns;      /* how late the client ended the step: the release
                          * (evaluation: the end of the compute) after the
                          * latest deadline; lies in gate (in compute) */
  uint64_t held_ns;      /* a process of the node went on so much too late */
  enum lb_stall stall;   /* and why */
};

/* The times of a step of which distributions are kept. */
enum lb_time {
  LB_TIME_LOAD,
  LB_TIME_COMPUTE,
  LB_TIME_GATE,
  LB_TIME_LAG,
  LB_TIME_LATE,
  LB_N_TIMES
};
extern const char *const lb_time_names[LB_N_TIMES];

/* Sums over one block of one accelerator. */
struct lb_block_sums {
  int64_t steps;                        /* in the block */
  int64_t window;                       /* steps s .. n-1-e; 0: none */
  uint64_t block_ns;                    /* start to end of the block */
  uint64_t all_load_ns, all_compute_ns; /* of all its steps */
  uint64_t excluded_ns; /* load + compute of the steps outside the window */
  uint64_t compute_ns, requested_ns; /* in the window */
  uint64_t load_ns, last_load_ns;    /* in the window */
  uint64_t gate_ns, late_ns;         /* of all steps, for T has them all */
};

/* Pure.  NAN when there is no window (never NaN in a result: null there). */
double lb_au_percent(const struct lb_block_sums *b);
double lb_au_nominal_percent(const struct lb_block_sums *b);
double lb_au_samples_per_s(const struct lb_block_sums *b, int64_t batch);

struct lb_metrics_config {
  int k, first;                       /* this rank's accelerators */
  int accelerators;                   /* of the job; 0: k */
  int64_t exclude_start, exclude_end; /* output.metric.* */
  int64_t batch[LB_N_SETS];
  const char *steps_spool; /* file for raw steps (made new, removed by
                            * lb_metrics_free); NULL: none are kept */
  int detail; /* keeps the blocks of the first `detail' accelerators, for
               * <a>_output.json: lb_report_detail() */
};

struct lb_metrics;
int lb_metrics_new(struct lb_metrics **m, const struct lb_metrics_config *c,
                   struct lb_err *err);
void lb_metrics_free(struct lb_metrics *m);

/* set: TRAIN or EVAL.  epoch, block: from 1.  t_ns: CLOCK_MONOTONIC; the time
 * stamp of now is taken too. */
void lb_metrics_epoch_begin(struct lb_metrics *m, enum lb_set set,
                            int64_t epoch, uint64_t t_ns);
void lb_metrics_epoch_end(struct lb_metrics *m, uint64_t t_ns);
void lb_metrics_block_begin(struct lb_metrics *m, int64_t block, uint64_t t_ns);
/* acc: 0 .. k-1.  No allocation, no lock. */
void lb_metrics_step(struct lb_metrics *m, int acc, const struct lb_step *s);
/* All steps so far of a set, none left out; this rank's accelerators. */
struct lb_so_far {
  double steps;   /* of each */
  double seconds; /* in them */
  double au;      /* %; NAN before the first step */
};
struct lb_so_far lb_metrics_so_far(const struct lb_metrics *m, enum lb_set set);
/* The node's other accelerators waited for this one alone for so long, at the
 * gate of the step just booked. */
void lb_metrics_last(struct lb_metrics *m, int acc, uint64_t alone_ns);
/* Evaluation has no gate: an accelerator's own end, after its last step and
 * before block_end.  Without it the block's end is taken. */
void lb_metrics_eval_end(struct lb_metrics *m, int acc, uint64_t t_ns);
void lb_metrics_block_end(struct lb_metrics *m, uint64_t t_ns);
/* What the time of a save or load goes to. */
enum lb_checkpoint_part {
  LB_PART_DATA,     /* requests that write or read */
  LB_PART_SYNC,     /* fsync of files and folders */
  LB_PART_RENAME,   /* to final names */
  LB_PART_METADATA, /* open, stat, close, mkdir */
  LB_N_PARTS
};
/* One accelerator's share of a save or load. */
struct lb_checkpoint_share {
  uint64_t ns;    /* from the common start to its last byte; 0: it had none */
  uint64_t bytes; /* that it wrote or read */
  uint64_t part_ns[LB_N_PARTS]; /* sums over its threads */
};
struct lb_checkpoint_event {
  bool load, synced; /* synced: checkpoint.rank_sync */
  bool background;   /* of a save: all or a part of it beside training */
  int64_t number, epoch, step;
  uint64_t start_ns; /* the common start */
  uint64_t end_ns;   /* when all were done */
  /* Of a save, on this rank: training stood still, of which waited_ns before
   * the start for the save before; from the start until it was in its place. */
  uint64_t visible_ns, waited_ns, durable_ns;
  uint64_t size_bytes; /* all files, each once, on every rank */
  const struct lb_checkpoint_share *share; /* of this rank's accelerators */
};
/* Every rank reports each save and load. */
void lb_metrics_checkpoint(struct lb_metrics *m,
                           const struct lb_checkpoint_event *e);

#endif
