/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the loader share: a loader over any storage, and `tape', a
 * format that notes which reader read which sample as its how-manieth. */
#ifndef LOADER_RIG_H
#define LOADER_RIG_H

#include <stdatomic.h>

#include "loadbank/clock.h"
#include "loadbank/loader.h"
#include "loadbank/simulated.h"

struct tape_entry {
  _Atomic int times;
  _Atomic(const void *) reader;
  _Atomic int64_t nth; /* of that reader, from 0 */
};

struct tape {
  int64_t samples_per_file;
  struct tape_entry *entry; /* of each sample of the set */
  int64_t n;
  _Atomic int64_t begun;
  int64_t fail_file;     /* its samples cannot be read; -1: none */
  uint64_t sample_bytes; /* 0: no I/O at all */
  int64_t readers;       /* made so far */
};

enum { RIG_SEED = 10 };

struct rig {
  struct lb_storage *storage;
  struct lb_simulated server; /* options of `simulated' */
  struct lb_layout layout;
  struct lb_sizes sizes;
  struct lb_format_params params;
  struct lb_dist preprocess;
  const struct lb_loader_kind *kind; /* pytorch, unless rig_loader says */
  struct lb_loader_config c;
  struct lb_loader *loader;
  struct lb_loader_pass pass;
  struct tape tape;
};

/* A rig with `files' files of `samples' samples in the format `tape', or in
 * the named one; opened over the backend.  Then the test may change c and
 * preprocess, and calls rig_start. */
void rig_init(struct rig *r, const char *backend, const char *format,
              int64_t files, int64_t samples);
void rig_set(struct rig *r, int k, int64_t read_threads, int64_t prefetch);
/* Another loader instead of pytorch. */
void rig_loader(struct rig *r, const char *loader, int k,
                const struct lb_loader_knobs *knobs);
void rig_start(struct rig *r);
/* Writes the files (local_fs). */
void rig_make(struct rig *r);
/* Begins a pass in which the accelerators share the whole set. */
void rig_begin(struct rig *r, int64_t batch, bool file_shuffle,
               bool sample_shuffle);
void rig_end(struct rig *r);
void rig_fini(struct rig *r);

/* Drives the loader as the conductor does until every accelerator has its n
 * next batches (at most 60 s); how many were had, or negative: accelerators
 * were named that did not wait.  ready (may be NULL): [acc * n + i] when. */
int64_t rig_take(struct rig *r, int64_t n, uint64_t *ready);

/* Requests of an operation of training so far, failed ones, too; errors (may be
 * NULL): how many failed. */
uint64_t rig_count(const struct rig *r, enum lb_op op, uint64_t *errors);

/* The tape against the deal (test_deal.c) and the order of the sampler: each
 * sample that the pass needs was read once, by the reader that it was dealt to,
 * in its order, and no other.  Number of samples that were not. */
int64_t rig_wrong(const struct rig *r);

#endif
