/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a run: what will be read, computed, evaluated and saved, worked
 * out before anything is done.  Pure: no I/O, no MPI, the same on every rank.
 * `plan' prints it, `run' walks it.
 *
 * Epochs and blocks count from 1.  Steps are those of one accelerator; all
 * accelerators make the same number. */
#ifndef LOADBANK_PLAN_H
#define LOADBANK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/iolist.h"
#include "loadbank/loader_kind.h"

struct lb_workload;          /* config.h */
struct lb_checkpoint_model;  /* checkpoint.h */
struct lb_checkpoint_scheme; /* likewise */

/* One set of files: train or eval. */
struct lb_plan_set {
  bool read;    /* the run reads it */
  bool written; /* the run generates it */
  int64_t files, samples_per_file, samples;
  int64_t batch;
  int64_t steps;   /* of a whole epoch: floor(samples / batch / accelerators) */
  int64_t dropped; /* samples at the end of an epoch that no step takes */
  bool known; /* the format is in this build: file_bytes and ops are known */
  bool exact; /* sizes summed file by file; else count x file of mean size */
  uint64_t file_bytes, payload_bytes; /* of all its files */
  uint64_t memory_bytes; /* that read_type memory would keep of them */
  double sample_bytes;   /* mean payload of a sample */
  double read_bytes;     /* read for a sample, mean of an epoch, at most */
  double requests;       /* for a sample; of training, likewise */
  /* Reading one sample of mean size with a fresh reader: requests, bytes. */
  uint64_t ops[LB_N_OPS], op_bytes[LB_N_OPS];
};

/* What the accelerators ask of the storage.  [LB_AT_FULL]: never waiting;
 * [LB_AT_AU]: at the utilisation that metric.au asks for. */
enum lb_plan_at { LB_AT_FULL, LB_AT_AU, LB_N_AT };
struct lb_plan_demand {
  double compute_s;  /* mean of a step; 0: no limit, the rates are 0 */
  double au;         /* metric.au, 0 .. 1 */
  double step_bytes; /* payload of one accelerator's step */
  double accelerator_bytes_per_s[LB_N_AT];
  double job_bytes_per_s[LB_N_AT];
  double job_read_bytes_per_s[LB_N_AT]; /* what requests then ask for */
  /* Longest mean time to read one sample that still holds it with the
   * configured readers, preprocessing taken off; 0: cannot be held. */
  double read_s[LB_N_AT];
};

/* What training can reach on infinitely fast storage, when compute times vary:
 * a step waits for the slowest accelerator. */
struct lb_plan_spread {
  double best_au; /* 0 .. 1 */
  double step_s;  /* mean of a step */
};

struct lb_plan_memory {
  int64_t threads; /* of the pool of a rank, at most; 0 on virtual backends */
  int64_t buffers; /* one a thread, or as many as a ring is deep */
  uint64_t buffer_bytes; /* of one of them: the longest request */
  uint64_t
      readers_bytes;   /* of all readers of a rank: what they note of files */
  uint64_t main_bytes; /* the main thread's buffer: generation */
  int64_t checkpoint_requests; /* through rings; 0: there is none ... */
  uint64_t checkpoint_request; /* ... each of so many bytes */
  uint64_t checkpoint_bytes;   /* threads' buffers to save and load with */
  uint64_t steps_bytes;        /* raw steps on their way to steps.h5 */
  uint64_t rank_bytes;         /* together */
  uint64_t open_files;         /* of a rank at the same time, at most */
  /* What real readers of a rank would keep with read_type memory once each
   * has had every file; here only noted. */
  uint64_t real_bytes;
  /* Samples that they would hold: batches ahead and the shuffle buffer. */
  uint64_t real_ahead_bytes;
};

struct lb_plan_checkpoints {
  int64_t count; /* saved, during training or without */
  int64_t reads; /* then read back */
  const struct lb_checkpoint_scheme *scheme; /* NULL: no checkpoint */
  int64_t files;                             /* of one */
  uint64_t bytes;           /* of one, over all accelerators, no container */
  uint64_t optimizer_bytes; /* of these, the optimizer's state */
  uint64_t read_bytes;      /* of reading one back, over all accelerators */
  uint64_t total_bytes;     /* of all that are saved */
  int writers;              /* accelerators that write any */
  uint64_t least_bytes, most_bytes; /* that an accelerator writes of one */
  int64_t threads; /* of the rank with the most accelerators that have files */
};

struct lb_plan {
  int ranks, accelerators;
  int k; /* accelerators of a rank, at most: of all unless they are no multiple
          * of the ranks */
  struct lb_plan_set set[LB_N_SETS];
  struct lb_plan_demand demand; /* of training */
  struct lb_plan_spread spread; /* likewise */
  struct lb_plan_memory memory;
  struct lb_loader_pace pace; /* of an accelerator */
  bool preprocesses;          /* that takes time */
  bool request_varies;        /* requests are counted by their mean */
  struct lb_plan_checkpoints checkpoints;
  int64_t epochs_asked; /* train.epochs */
  int64_t total_steps;  /* train.total_training_steps; <= 0: no limit */
  int64_t evals;        /* evaluations of the run */
  double full_s;        /* compute of train and eval: the shortest run */
  /* The sizes' standard deviation as asked for and as it can be. */
  double stdev_asked, stdev_got;
  /* The schedule's rules; use the functions below. */
  bool checkpoint, train, eval;
  /* By workflow, whether or not it can be. */
  bool checkpoint_asked, eval_asked, generate_asked;
  int roots;       /* of the storage */
  bool is_virtual; /* the storage: nothing is generated, files count as there */
  int64_t checkpoint_after_epoch, epochs_between_checkpoints;
  int64_t steps_between_checkpoints;
  int64_t eval_after_epoch, epochs_between_evals;
  char refused[400]; /* why `run' would refuse the workload, or empty */
};

/* LB_USAGE unless the accelerators are a multiple of the ranks, as `run' and
 * `plan' want them. */
int lb_plan_check_even(int ranks, int64_t accelerators, struct lb_err *err);

/* LB_USAGE with the numbers when the plan cannot be carried out.
 * accelerators 0: one per rank; else as many as ranks, or more
 * (lb_world_spread). */
int lb_plan_make(const struct lb_workload *w, int ranks, int64_t accelerators,
                 struct lb_plan *p, struct lb_err *err);

/* What the keys say of the model that checkpoints hold. */
void lb_plan_checkpoint_model(const struct lb_workload *w, int accelerators,
                              struct lb_checkpoint_model *out);

/* Calls `each' with every warning about the plan, in order. */
void lb_plan_warnings(const struct lb_plan *p,
                      void (*each)(void *arg, const char *text), void *arg);

/* A pool larger than --max-threads is refused, never narrowed. */
int lb_plan_check_threads(const struct lb_plan *p, int64_t max_threads,
                          struct lb_err *err);

/* Likewise those that write and read checkpoints; sizes can be planned all the
 * same. */
int lb_plan_check_crew(const struct lb_plan *p, int64_t max_threads,
                       struct lb_err *err);

/* Open files of a rank against its limit; `used' are open already. */
int lb_plan_check_files(const struct lb_plan *p, uint64_t used, uint64_t limit,
                        struct lb_err *err);

/* A line as those of a plan: the label in a column of its own; 511 bytes of
 * text. */
void lb_plan_row(struct lb_buf *out, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* For people, and as a JSON object. */
void lb_plan_text(const struct lb_plan *p, const struct lb_workload *w,
                  struct lb_buf *out);
int lb_plan_json(const struct lb_plan *p, const struct lb_workload *w,
                 struct lb_buf *out, struct lb_err *err);

/* ---- the schedule ---- */

/* Epochs that exist: total_training_steps may end the run early. */
int64_t lb_plan_epochs(const struct lb_plan *p);
/* Steps of that epoch; 0 when it does not exist. */
int64_t lb_plan_epoch_steps(const struct lb_plan *p, int64_t epoch);
/* Steps of all epochs. */
int64_t lb_plan_steps(const struct lb_plan *p);
/* Blocks: the steps between two checkpoints.  No block is empty. */
int64_t lb_plan_blocks(const struct lb_plan *p, int64_t epoch);
int64_t lb_plan_block_steps(const struct lb_plan *p, int64_t epoch,
                            int64_t block);
bool lb_plan_checkpoint_after(const struct lb_plan *p, int64_t epoch,
                              int64_t block);
bool lb_plan_eval_after(const struct lb_plan *p, int64_t epoch);
/* How many of them the run has. */
int64_t lb_plan_checkpoint_count(const struct lb_plan *p);
int64_t lb_plan_eval_count(const struct lb_plan *p);
/* Bytes of the dataset that the run reads at all, each counted once: no more
 * than its files, its samples, and the columns that are chosen have. */
uint64_t lb_plan_bytes_met(const struct lb_plan *p);

#endif
