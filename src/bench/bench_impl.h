/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run, and its phases in the order in which run.c calls them.
 * Inside src/bench only.  Every phase is collective: it returns the same code,
 * with the same err, on every rank. */
#ifndef BENCH_IMPL_H
#define BENCH_IMPL_H

#include <limits.h>

#include "conductor.h"
#include "loadbank/bench.h"
#include "loadbank/checkpoint.h"
#include "loadbank/clocks.h"
#include "loadbank/config.h"
#include "loadbank/dataset.h"
#include "loadbank/gate.h"
#include "loadbank/manifest.h"
#include "loadbank/placement.h"
#include "loadbank/plan.h"
#include "loadbank/progress.h"
#include "loadbank/report.h"
#include "loadbank/usage.h"
#include "loadbank/world.h"

/* Of the loader's totals, what one set had. */
struct lb_set_totals {
  uint64_t payload_bytes, samples;
  uint64_t samples_seen, sample_bytes_seen;
};

/* storage.drop_caches so far. */
struct lb_cache_drops {
  int64_t times;
  bool by_files; /* the kernel's switch was refused on some host */
};

struct lb_bench_saver; /* checkpoint_impl.h */
struct lb_crew;

enum { LB_CLAIMS = 2 }; /* checkpoint_folder, the burst buffer's */

/* What a rank had used at a moment. */
struct lb_bench_mark {
  uint64_t wall_ns, cpu_ns;
  struct lb_usage conductor;
  struct lb_gate_cost gate;
};

struct lb_bench {
  struct lb_world *world;
  struct lb_workload *w;
  const struct lb_run_options *o;
  struct lb_plan plan;

  struct lb_storage *storage;
  struct lb_iothread io; /* the main thread's */
  struct lb_format_params params;
  struct lb_sizes sizes;
  struct lb_layout layout; /* by the first root: who looks, lists and removes */
  struct lb_layout *mounts;    /* by each of derived.n_roots roots; malloc'ed */
  struct lb_manifest manifest; /* of the configuration */
  char fingerprint[LB_FINGERPRINT_LEN]; /* of the dataset in use; "": none */
  int claim; /* rank 0, while it generates: lb_dataset_claim; else -1 */
  int saves_here[LB_CLAIMS]; /* rank 0, when it saves: claim.c; else -1 */

  struct lb_gate *gate;
  struct lb_clocks clocks;
  struct lb_placement placement; /* rank 0 */
  struct lb_loader *loader;
  struct lb_metrics *metrics;
  struct lb_conductor conductor;

  char *folder;           /* results; malloc'ed on every rank */
  bool folder_everywhere; /* every rank sees it and may write there */
  FILE *log;              /* rank 0 */
  struct lb_progress progress;
  uint64_t start_utc_ns, start_ns; /* the same moment */
  uint64_t train_start_ns;
  int64_t epoch;                /* that runs now, for the progress line */
  int64_t checkpoints;          /* saved so far */
  int64_t loads;                /* read so far */
  struct lb_bench_saver *saver; /* NULL: there are none */
  bool loads_cached;            /* a load may have come from a cache of ours */
  enum lb_stop stop;            /* how it ended */
  int signal;                   /* that stopped it */
  bool limited;                 /* its end has a time limit ... */
  int limit_code;               /* ... and then this exit code */
  struct lb_set_totals totals[LB_N_SETS];
  struct lb_bench_mark begin;   /* of training */
  struct lb_process_usage used; /* at the start of the phase that runs */
  uint64_t phase_ns;            /* its start */
  struct lb_rank_cost cost;
  struct lb_cache_drops drops;
};

/* ---- stop.c: arg is the lb_bench ---- */

/* Stops the job at the next gate with this rank's failure.  From the first
 * time on the end has a time limit. */
void lb_bench_fail(void *arg, struct lb_err *err);
/* What a gate said of stopping; the same limit after a failure elsewhere. */
void lb_bench_stopped(struct lb_bench *b, enum lb_stop stop);
/* All ranks have come to the end: time to write the results. */
void lb_bench_extend_end(struct lb_bench *b);
/* Was a signal caught?  From the first time on the end has a time limit. */
bool lb_bench_stopping(void *arg);
/* For work that lasts, after every piece of it: this rank is not silent; false:
 * the run is to stop, give it up. */
bool lb_bench_look_round(void *arg);

/* ---- open.c: opens the backend, with its shared words ---- */
int lb_bench_open(struct lb_bench *b, struct lb_err *err);
/* Collective.  The same backend as the burst buffer of a model. */
int lb_bench_open_buffer(struct lb_bench *b, struct lb_storage **s,
                         struct lb_err *err);

/* ---- backend.c ---- */

enum { LB_NOTE_MAX = 256 };
/* Collective.  Do the file systems of the sets take O_DIRECT, if it is asked
 * for?  One rank a host looks. */
int lb_bench_check_direct(struct lb_bench *b, struct lb_err *err);
/* Does this folder?  Makes a file in it, for a moment. */
int lb_bench_check_direct_write(struct lb_bench *b, const char *folder,
                                struct lb_err *err);
/* What the backend does not do here, and who reads past O_DIRECT; or "". */
void lb_bench_storage_notes(const struct lb_bench *b, char *lacks, char *direct,
                            size_t size);
/* Rank 0 says these. */
void lb_bench_say_storage(const struct lb_bench *b);

/* ---- place.c ---- */

/* Collective.  Where the ranks run, of a run whose results are kept; warns of
 * what is wrong with it. */
int lb_bench_place(struct lb_bench *b, struct lb_err *err);
/* Rank 0, at the end: were steps late, where threads share processors? */
void lb_bench_warn_crowded(const struct lb_bench *b,
                           const struct lb_summary *s);

/* ---- caches.c ---- */

/* Collective, outside of all timed intervals. */
int lb_bench_drop_caches(struct lb_bench *b, struct lb_err *err);
/* Likewise, but only of all that a host has cached, where the kernel lets us;
 * else b->drops.by_files. */
void lb_bench_drop_hosts(struct lb_bench *b);
/* Rank-local.  One file's pages, unless they are mapped; dirty ones are written
 * back first if `dirty', else they stay.  0 or errno. */
int lb_bench_drop_file(const char *path, bool dirty);
/* What was done, and how often. */
void lb_bench_say_drops(const struct lb_bench *b, char *text, size_t size);

/* ---- train.c ---- */

/* All epochs with their checkpoints and evaluations.  A signal is not an
 * error: b->stop says so. */
int lb_bench_train(struct lb_bench *b, struct lb_err *err);

/* The recorder. */
int lb_bench_make_metrics(struct lb_bench *b, struct lb_err *err);

/* ---- claim.c ---- */

/* Is the burst buffer in the folder of checkpoints, or the reverse, wherever
 * symbolic links lead?  Rank 0 looks; nothing is written. */
int lb_bench_check_apart(struct lb_bench *b, struct lb_err *err);
/* From now on no other run saves into the folder of checkpoints, if this one
 * does. */
int lb_bench_claim_checkpoints(struct lb_bench *b, struct lb_err *err);
void lb_bench_release_checkpoints(struct lb_bench *b); /* rank-local */

/* ---- save.c ---- */

/* Saves one checkpoint and meets; *end_ns: the stamp of that gate. */
int lb_bench_save(struct lb_bench *b, int64_t epoch, int64_t step,
                  uint64_t *end_ns, struct lb_err *err);

/* ---- saver.c ---- */

/* Once, before the first save or load. */
int lb_bench_saver_new(struct lb_bench *b, struct lb_err *err);
void lb_bench_saver_free(struct lb_bench *b); /* rank-local */

/* ---- checkpoints.c ---- */

/* Without training: saves, then loads. */
int lb_bench_checkpoints(struct lb_bench *b, struct lb_err *err);

/* ---- results.c ---- */

/* The folder, the log file, who speaks. */
int lb_bench_open_results(struct lb_bench *b, struct lb_err *err);
/* Adds everything up and writes it. */
int lb_bench_write_results(struct lb_bench *b, struct lb_summary *summary,
                           const struct lb_err *why, struct lb_err *err);

/* ---- cost.c ---- */

/* What runs from now on, for the accounts of operations and of CPU time; the
 * phase before. */
enum lb_phase lb_bench_enter(struct lb_bench *b, enum lb_phase phase);

/* Around training; _end fills b->cost. */
void lb_bench_cost_begin(struct lb_bench *b);
void lb_bench_cost_end(struct lb_bench *b);
void lb_bench_cost_total(struct lb_bench *b);

/* ---- progress.c: the line on stderr; nothing on ranks other than 0 ---- */

/* The conductor's tick, in training and evaluation. */
void lb_bench_progress_step(void *arg, uint64_t step);
/* A checkpoint that is saved, drained or loaded (`phase': "save" ...), by the
 * crew; NULL: it is about to begin. */
void lb_bench_progress_checkpoint(struct lb_bench *b, const char *phase,
                                  const struct lb_crew *crew);
/* Nothing is done until then. */
void lb_bench_progress_wait(struct lb_bench *b, uint64_t until_ns);

#endif
