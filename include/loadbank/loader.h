/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loader: makes batches for a rank's accelerators, by readers that each do
 * one sample at a time.  Which reader reads what, how far ahead, and who
 * preprocesses is a row of a table (loader_kind.h); two engines do the reading:
 * a pool of threads for blocking backends, a walk along virtual time for the
 * others.
 *
 * A batch is a token: its bytes go through a buffer and are dropped. */
#ifndef LOADBANK_LOADER_H
#define LOADBANK_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/dataset.h"
#include "loadbank/dist.h"
#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/loader_kind.h"
#include "loadbank/sampler.h"
#include "loadbank/storage.h"
#include "loadbank/verify.h"

/* All borrowed, for the loader's life. */
struct lb_loader_config {
  struct lb_loader_pace pace;
  int k, first; /* this rank's accelerators: [first, first + k) of the job */
  int64_t max_threads;  /* of the pool */
  size_t scratch_bytes; /* of each of its threads ... */
  size_t scratch_used;  /* ... of which requests are expected to use this */
  const struct lb_format *format;
  const struct lb_format_params *params;
  /* params->memory holds for one file at a time: a reader that goes on to
   * another forgets the one before. */
  bool leaves_files;
  /* Of n_layouts, which differ by their roots: accelerator a of the job goes by
   * the one of number a mod n_layouts. */
  const struct lb_layout *layout;
  int n_layouts; /* >= 1 */
  const struct lb_sizes *sizes;
  struct lb_storage *storage;
  const struct lb_dist *preprocess; /* s per sample */
  const struct lb_dist *request;    /* bytes, drawn for each sample; NULL: as
                                     * params say */
  uint32_t longest_request;         /* where a draw is cut */
  uint64_t seed; /* train.seed: preprocess, requests, latencies, which samples
                  * are verified */
  enum lb_verify verify; /* blocking backends only */
};

struct lb_loader;
/* Makes everything: readers, threads and their buffers.  Nothing is left to be
 * made while a clock runs. */
int lb_loader_new(struct lb_loader **l, const struct lb_loader_config *c,
                  struct lb_err *err);
void lb_loader_free(struct lb_loader *l); /* NULL is fine */

/* Memory that the loader itself has for one reader, and its part of what it
 * has for their accelerator. */
uint64_t lb_loader_reader_bytes(const struct lb_loader_pace *pace);

/* One pass over a set: `batches' batches of `batch' samples for each
 * accelerator; accelerator a takes positions [a batches batch, ...) of the
 * sampler's order.  Readers start with nothing open. */
struct lb_loader_pass {
  enum lb_set set;
  enum lb_phase phase;
  int64_t epoch;
  int64_t batch, batches;
  int64_t stride; /* batches of a whole epoch (>= batches); a shuffle buffer
                   * reads on into those behind the pass, as real ones do */
  struct lb_sampler sampler;
};
void lb_loader_begin(struct lb_loader *l, const struct lb_loader_pass *pass);
/* Waits until nothing is under way (batches not begun are dropped) and closes
 * what readers kept open. */
int lb_loader_end(struct lb_loader *l, struct lb_err *err);

/* ---- the conductor's calls; acc is 0 .. k-1 ---- */

/* Asks for batches as far ahead as the pace allows.  `needed': the step needs
 * the next one.  at_ns: since when the accelerator could ask, now or before;
 * virtual storage goes by it, so that a late wake-up costs nothing. */
void lb_loader_ask(struct lb_loader *l, int acc, bool needed, uint64_t at_ns);
/* After the asks: hands them to the pool and wakes it, once for all. */
void lb_loader_flush(struct lb_loader *l, uint64_t now_ns);
/* Takes the accelerator's next batch if it is ready: when it was, ns; or 0:
 * not yet, then lb_loader_next will name the accelerator when it is. */
uint64_t lb_loader_take(struct lb_loader *l, int acc);
/* An accelerator that waited and whose batch is ready now (take it), or -1. */
int lb_loader_next(struct lb_loader *l);
/* Lets virtual storage go on up to now. */
void lb_loader_advance(struct lb_loader *l, uint64_t now_ns);
/* When it has to be let go on again; LB_NEVER for a pool. */
uint64_t lb_loader_deadline(const struct lb_loader *l);
/* Sleeps until a batch that is waited for is ready, a reader failed, or
 * until_ns. */
void lb_loader_wait(struct lb_loader *l, uint64_t until_ns);
/* First failure of a reader so far: 0, or its code with err filled. */
int lb_loader_failed(struct lb_loader *l, struct lb_err *err);

/* ---- evidence ---- */

struct lb_loader_cost {
  uint64_t batches, samples;
  uint64_t payload_bytes;                   /* dataset content read */
  uint64_t samples_seen, sample_bytes_seen; /* sizes met on disk */
  uint64_t threads;                         /* of the pool */
  /* Of its threads, as each booked it at the end of the last pass. */
  uint64_t cpu_ns;
  uint64_t user_ns;     /* of that, outside system calls */
  uint64_t runqueue_ns; /* they were ready but had no core */
  uint64_t lock_ns;     /* they waited for a library's lock */
  uint64_t verify_ns;   /* they compared what they had read; lies in cpu_ns */
  uint64_t verified_samples, verified_bytes; /* payload that was compared */
};
/* Over all passes so far; adds the I/O statistics to stats (may be NULL).  Only
 * when nothing is under way. */
struct lb_loader_cost lb_loader_cost(struct lb_loader *l,
                                     struct lb_iostats *stats);

#endif
