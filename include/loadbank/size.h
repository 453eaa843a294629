/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing: how many accelerators a storage can feed, from several runs in one
 * job (point.h).  What is asked and answered: docs/sizing.md. */
#ifndef LOADBANK_SIZE_H
#define LOADBANK_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/bench.h"
#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/limit.h"
#include "loadbank/size_plan.h"
#include "loadbank/size_search.h"
#include "loadbank/windows.h"

/* In the folder of results. */
#define LB_SIZE_RESULT "size.json"

struct lb_size_result;

/* The same on every rank, but for tell; all borrowed. */
struct lb_size_ask {
  const char *yaml, *name; /* what lb_workload_load takes */
  size_t yaml_len;
  const char *const *overrides;
  int n_overrides;
  int64_t max;        /* accelerators */
  double au;          /* %; 0: 100 x metric.au */
  double min_seconds; /* of the windows of a point ... */
  int64_t min_steps;  /* ... and their steps */
  int max_repeats;
  double time_limit_s; /* from the beginning; 0: none */
  bool dry; /* only checks and plans: no folder is made and nothing runs */
  struct lb_run_options run; /* as in struct lb_point */
  /* Rank 0, after each run: keeps what is known by then, so that another job
   * can go on from it. */
  int (*keep)(void *arg, const struct lb_size_result *r, struct lb_err *err);
  /* Collective, when all was checked and runs begin: makes the folder for
   * results, in which each run gets its own; NULL with err set.  hash: of what
   * the sizing is, on rank 0. */
  const char *(*open)(void *arg, uint64_t hash, struct lb_err *err);
  void *arg;
};

/* A run that came to its end: what it measured. */
struct lb_size_run {
  int64_t n; /* accelerators */
  int ranks;
  int64_t first_file; /* of those that it read */
  bool reused;        /* some of them had been read before */
  enum lb_limit_by limit;
  /* Of its windows; compute of all accelerators. */
  uint64_t ns[LB_WINDOWS], late_ns[LB_WINDOWS], compute_ns[LB_WINDOWS];
  double read_bytes; /* by requests; rank 0 */
  double seconds;    /* from its beginning to its end */
};

/* What is known of a point beside its utilisation; over all its runs. */
struct lb_size_measured {
  int ranks, runs;
  bool reused;      /* a run read files that had been read before */
  double samples;   /* in windows ... */
  double window_s;  /* ... whose lengths add up to this */
  double compute_s; /* of an accelerator in them, mean */
  double late_s;    /* by how much the client ended steps late in them */
  enum lb_limit_by limit;
  int first_run; /* number of its first run's folder */
};

enum lb_size_end {
  LB_SIZE_COMPLETE,
  LB_SIZE_TIME,        /* no time was left for the next run */
  LB_SIZE_INTERRUPTED, /* SIGINT, SIGTERM */
  LB_SIZE_FAILED,      /* a run did */
  LB_SIZE_OPEN,        /* it goes on, or its job was killed */
  LB_SIZE_DRY,         /* nothing was to run */
  LB_N_SIZE_ENDS
};
extern const char *const lb_size_end_names[LB_N_SIZE_ENDS];

/* What one accelerator asks for, and of what. */
struct lb_size_load {
  char workload[256], model[256], storage[64], folder[4096];
  double compute_s, batch;
  double sample_bytes, read_bytes; /* of a sample: payload; all that is read */
  bool is_virtual;
};

/* The same on every rank, unless said otherwise. */
struct lb_size_result {
  struct lb_size_load load;
  struct lb_size_steps steps;
  struct lb_size_files files;
  struct lb_size_search search;
  struct lb_size_measured at[LB_SIZE_POINTS]; /* as the search's points */
  struct lb_size_answer answer;
  enum lb_size_end end;
  char reason[sizeof((struct lb_err *)0)->msg]; /* of LB_SIZE_FAILED */
  char *sizing;   /* rank 0: as size_identity gives it */
  int64_t wished; /* max, where the files are enough for fewer only; or 0 */
  struct lb_size_run *run; /* of all points, as they were made */
  int runs;
  int earlier_runs;      /* of these, by jobs before this one */
  double read_bytes;     /* by all of them; rank 0 */
  int64_t reused_runs;   /* that read files again, caches having been dropped */
  uint64_t memory_bytes; /* of all hosts */
  int hosts, ranks;
  double seconds; /* of all jobs */
};
/* Has the folder an answer that no job is to go on with? */
bool lb_size_is_answered(const char *folder);
void lb_size_result_fini(struct lb_size_result *r);

/* Would the point, which does not meet the utilisation, meet it if the client
 * had ended no step late, or was the client the limit anyway? */
bool lb_size_blames_client(const struct lb_size_result *r, int point);
/* Of a point: samples/s, over its windows; 0: none. */
double lb_size_rate(const struct lb_size_result *r, int point);
/* The point of so many accelerators, or -1. */
int lb_size_find(const struct lb_size_result *r, int64_t n);
/* Collective.  Goes on from what an earlier job left in the folder.  0, or the
 * exit status of a signal, r being what there is by then; or negative: a run
 * failed, with the reason of that, r being what there was before.
 * lb_size_result_fini in any case. */
int lb_size_run(struct lb_world *w, const struct lb_size_ask *a,
                struct lb_size_result *r, struct lb_err *err);

/* ---- other accelerators ---- */

/* A built-in workload of the same model, and how many of its accelerators the
 * measured bandwidth is enough for.  An estimate. */
struct lb_size_other {
  char workload[256];
  double compute_s, au; /* %, that it asks for */
  int64_t accelerators;
};
enum { LB_SIZE_OTHERS = 32 };
/* Bytes/s that the storage was seen to give; *at_least: it may have more. */
double lb_size_capacity(const struct lb_size_result *r, bool *at_least);
/* Rank 0; reads files.  dirs: as of lb_workload_find.  How many there are. */
int lb_size_others(const struct lb_size_result *r, const char *const *dirs,
                   int n_dirs, struct lb_size_other out[LB_SIZE_OTHERS]);

/* ---- saying it: text for people, and size.json ---- */

void lb_size_text(const struct lb_size_result *r,
                  const struct lb_size_other *others, int n_others,
                  struct lb_buf *out);
int lb_size_json(const struct lb_size_result *r,
                 const struct lb_size_other *others, int n_others,
                 struct lb_buf *out, struct lb_err *err);
/* AU against accelerators, of at least one point. */
void lb_size_plot(const struct lb_size_search *s, struct lb_buf *out);

#endif
