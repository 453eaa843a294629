/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorders of all ranks add up to, on rank 0.  NAN stands for "no
 * such value" here and becomes null in a result. */
#ifndef LOADBANK_SUMMARY_H
#define LOADBANK_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/histogram.h"
#include "loadbank/iostats.h"
#include "loadbank/limit.h"
#include "loadbank/metrics.h"
#include "loadbank/usage.h"
#include "loadbank/world.h"

/* What a phase cost the client; sums over ranks, wall: the most of any. */
struct lb_phase_cost {
  struct lb_process_usage used;
  uint64_t wall_ns;
};

/* What a rank knows beside its steps; zeroes where unknown. */
struct lb_rank_cost {
  const struct lb_iostats *io; /* of all its threads, merged; NULL is fine */
  uint64_t payload_bytes[LB_N_SETS]; /* dataset content read ... */
  uint64_t samples_read[LB_N_SETS];  /* ... in so many samples, those included
                                      * that no step took */
  /* Over training and evaluation: */
  uint64_t wall_ns, cpu_ns; /* duration; CPU time of the whole process */
  uint64_t reader_cpu_ns;   /* readers' CPU time outside I/O calls */
  uint64_t reader_delay_ns; /* readers' run-queue delay (schedstat) */
  uint64_t reader_lock_ns;  /* readers' wait for a library's lock */
  uint64_t verify_ns;       /* readers' time for verifying, waits included */
  uint64_t verified_samples, verified_bytes;
  uint64_t preprocess_ns; /* emulated preprocessing, all readers */
  uint64_t conductor_cpu_ns, conductor_delay_ns; /* the main thread's */
  uint64_t gates, gate_kept, gate_late_ns, gate_others_ns, gate_spin_ns;
  uint64_t gate_skew_ns; /* the same on all nodes, but for the last steps */
  uint64_t gate_tail_ns; /* all these as lb_gate_cost; tail: the most */
  struct lb_phase_cost phase[LB_N_PHASES];
  uint64_t max_rss_bytes;
  /* Generation, this rank's share: */
  uint64_t generated_files, generated_bytes, generate_ns;
};

struct lb_epoch_summary {
  int64_t epoch;              /* from 1 */
  int64_t steps;              /* of each accelerator */
  int64_t blocks, windowless; /* windowless: blocks without a metric window */
  int accelerators;           /* that took part */
  double au, nominal_au;      /* %, mean over accelerators */
  double au_min, au_max;      /* the accelerators' own */
  double samples_per_s;       /* sum over accelerators */
  double wall_samples_per_s;  /* all samples / the slowest one's seconds */
  double seconds;             /* sum of blocks, slowest accelerator */
  uint64_t start_utc_ns, end_utc_ns; /* of the lowest rank */
};

struct lb_set_summary {
  struct lb_epoch_summary *epoch; /* in order; owned */
  size_t n_epochs;
  int64_t steps, samples;                            /* of all accelerators */
  double au, au_stdev, nominal_au, nominal_au_stdev; /* over epochs */
  double samples_per_s, samples_per_s_stdev;
  double window_s; /* sum of T over accelerators, and in those windows: */
  double load_s, gate_s, compute_s, late_s;
  double last_load_s; /* load of those that their node's gates waited for */
  uint64_t stalled[LB_N_STALLS];        /* steps that were held up, by cause */
  double held_s;                        /* by how much, all of them */
  uint64_t clipped;                     /* blocks whose AU came out above 100 */
  struct lb_histogram time[LB_N_TIMES]; /* all steps, pooled */
};

/* A save or load, over all accelerators that moved bytes; NAN: none did, or it
 * is not known. */
struct lb_checkpoint_summary {
  bool load;
  bool background; /* a save of which all or a part went on beside training */
  int64_t number, epoch, step;
  uint64_t start_utc_ns;
  uint64_t size_bytes;  /* all files, each once */
  uint64_t bytes;       /* written or read by all */
  double seconds;       /* of the slowest accelerator */
  double first_seconds; /* accelerator 0's own */
  double mean_seconds, p99_seconds;
  /* Of a save, the most of any rank: training stood still, of which it waited
   * for the save before; from the start until it was in its place. */
  double visible_seconds, waited_seconds, durable_seconds;
  double rate_min, rate_mean, rate_max; /* bytes/s of an accelerator */
  int64_t busy;                         /* accelerators that moved bytes */
  int straggler, rank, node;            /* the slowest; -1: none */
  double part_s[LB_N_PARTS];            /* the slowest one's time */
};

/* What the others waited for, in training: an accelerator, a rank's or a
 * node's together. */
struct lb_straggler {
  int accelerator, rank, node; /* accelerator, rank: -1 above that level */
  uint64_t last;               /* gates at which it was its node's last */
  double alone_s; /* the node waited for its last accelerator only */
  double load_s, gate_s;
  double others_s; /* nodes: waited for other nodes; the least is the last */
};
enum lb_level {
  LB_LEVEL_ACCELERATOR,
  LB_LEVEL_RANK,
  LB_LEVEL_NODE,
  LB_N_LEVELS
};
extern const char *const lb_level_names[LB_N_LEVELS]; /* plural */
enum { LB_STRAGGLERS = 8 };                           /* kept of each level */
struct lb_stragglers {
  int n;
  struct lb_straggler worst[LB_STRAGGLERS]; /* by alone_s, longest first */
};

struct lb_summary {
  int accelerators, n_ranks, n_nodes, n_hosts;
  struct lb_set_summary set[LB_N_SETS];
  struct lb_checkpoint_summary *checkpoint; /* in order; owned */
  size_t n_checkpoints;
  struct lb_rank_cost cost; /* sums over ranks (wall, generate and rss: max);
                             * io is NULL */
  struct lb_iostats io;     /* sums over ranks; owned */
  uint64_t steps_lost;      /* raw steps that did not fit into the ring */
  uint64_t details_lost, checkpoints_lost; /* past the recorder's bounds */
  int64_t batch[LB_N_SETS];
  double record_bytes; /* nominal sample; set by the caller */
  struct lb_stragglers stragglers[LB_N_LEVELS];
  struct lb_limit limit; /* of training, or of evaluation without it */
};

/* Collective.  m may be NULL (nothing was trained), the same on all ranks.
 * Fills *s on rank 0 (lb_summary_fini it everywhere) and warns there about
 * what a reader of the numbers should know.  record_bytes: the nominal size
 * of a sample, for DLIO's MB per second. */
int lb_metrics_reduce(struct lb_metrics *m, const struct lb_world *w,
                      const struct lb_rank_cost *cost, double record_bytes,
                      struct lb_summary *s, struct lb_err *err);
void lb_summary_fini(struct lb_summary *s); /* a zeroed one is fine */

/* Mean AU over epochs >= 100 x threshold; false when there is none. */
bool lb_summary_meets(const struct lb_summary *s, enum lb_set set,
                      double threshold);

#endif
