/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's inside, for record.c and reduce.c (and, through the getters
 * of loadbank/metrics_detail.h, for the report). */
#ifndef LB_METRICS_RECORD_H
#define LB_METRICS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/histogram.h"
#include "loadbank/metrics.h"
#include "loadbank/metrics_detail.h"
#include "loadbank/spool.h"
#include "metrics/au.h"

/* Bounds of what grows with epochs, blocks and checkpoints; beyond them the
 * newest are counted only. */
enum {
  LB_MAX_EPOCHS = 1 << 20,
  LB_MAX_DETAILS = 1 << 18, /* blocks x detailed accelerators */
  LB_MAX_CHECKPOINTS = 1 << 20,
  LB_MAX_SHARES = 1 << 22, /* checkpoints x accelerators of the job */
};

/* One epoch of this rank: sums over its accelerators.  Sent as bytes. */
struct lb_epoch_record {
  int64_t set, epoch, steps, blocks, windowless;
  int64_t all_steps; /* sum over accelerators; steps: the most of any */
  int64_t accelerators, with_window, with_rate; /* accelerators */
  double au, nominal, samples_per_s;            /* sums over accelerators */
  double au_min, au_max;
  double seconds; /* blocks, slowest accelerator */
  uint64_t start_utc_ns, duration_ns;
};

/* What an accelerator cost the others.  Sent as bytes. */
struct lb_straggling {
  uint64_t last; /* gates at which it was its node's last */
  uint64_t alone_ns, load_ns, gate_ns;
};

/* A save or load of this rank's accelerators together.  Sent as bytes. */
struct lb_checkpoint_record {
  int64_t load, number, epoch, step;
  uint64_t start_utc_ns;
  uint64_t duration_ns; /* of its slowest accelerator */
  uint64_t first_ns;    /* of its first one */
  uint64_t bytes, size_bytes;
  uint64_t visible_ns, waited_ns, durable_ns; /* of a save */
  int64_t background;                         /* likewise */
  int64_t busy, slowest; /* accelerators that moved bytes; its number, or -1 */
  double sum_s, rate_sum, rate_min, rate_max; /* over those */
  uint64_t part_ns[LB_N_PARTS];               /* of the slowest */
};

struct lb_set_record {
  int64_t steps;                                      /* of all accelerators */
  int64_t per_acc;                                    /* of each */
  double window_s, load_s, gate_s, compute_s, late_s; /* in the windows */
  double last_load_s;                                 /* likewise */
  uint64_t stalled[LB_N_STALLS];        /* steps of all accelerators */
  double held_s;                        /* by how much */
  uint64_t clipped;                     /* blocks whose AU was above 100 */
  struct lb_histogram time[LB_N_TIMES]; /* the last member: pack_set */
};

struct lb_acc {
  struct lb_window window;
  struct lb_au_epoch epoch;
  uint64_t own_end_ns; /* 0: the block's */
  uint64_t epoch_ns;   /* sum of its blocks */
  uint32_t steps[LB_N_SETS];
  struct lb_straggling behind; /* of training */
};

struct lb_metrics {
  struct lb_metrics_config c;
  struct lb_acc *acc;    /* k */
  struct lb_step *rings; /* k x exclude_end */
  struct lb_spool *spool;
  bool in_epoch, in_block;
  enum lb_set set;
  struct lb_epoch_record now;
  int64_t block;
  uint64_t epoch_start_ns, block_start_ns;
  struct lb_epoch_record *epoch;
  size_t n_epochs, cap_epochs;
  struct lb_block_record *blocks;
  struct lb_block_sums *detail; /* n_blocks x c.detail */
  size_t n_blocks, cap_blocks;
  struct lb_checkpoint_record *checkpoint;
  size_t n_checkpoints, cap_checkpoints;
  /* Seconds of each of the k accelerators in each checkpoint, as long as
   * LB_MAX_SHARES lasts; 0: it moved no bytes. */
  float *shares;
  size_t n_shares, cap_shares;
  uint64_t epochs_lost, details_lost, checkpoints_lost;
  struct lb_set_record total[LB_N_SETS];
};

/* Room for one more of *n; false: not to be had, or past max. */
bool lb_record_grow(void **v, size_t n, size_t *cap, size_t max, size_t size);
/* UTC of a moment of CLOCK_MONOTONIC. */
uint64_t lb_record_utc(uint64_t t_ns);

#endif
