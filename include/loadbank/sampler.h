/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of an epoch: which sample stands at which position.  Pure. */
#ifndef LOADBANK_SAMPLER_H
#define LOADBANK_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/set.h"

struct lb_sampler {
  uint64_t n_files, samples_per_file;
  bool file_shuffle, sample_shuffle;
  uint64_t key; /* of (seed, epoch, set) */
  uint64_t
      first_file; /* number of the first of n_files; 0, or set afterwards */
};

/* seed_change_epoch false: pass the same epoch, 1, every time.  Index sampler
 * (pytorch, dali): DESIGN: both off: index order; file_shuffle only: files
 * permuted, samples in order within; sample_shuffle or both: a keyed
 * permutation of all samples.  No memory per sample. */
struct lb_sampler lb_sampler_make(uint64_t n_files, uint64_t samples_per_file,
                                  bool file_shuffle, bool sample_shuffle,
                                  uint64_t seed, uint64_t epoch,
                                  enum lb_set set);
/* position < n_files * samples_per_file.  Any thread. */
void lb_sampler_at(const struct lb_sampler *s, uint64_t position, int64_t *file,
                   int64_t *in_file);
/* The same of n <= LB_ORDER_ROW positions that follow each other: in a row each
 * costs a third. */
enum { LB_ORDER_ROW = 16 };
struct lb_order_row {
  uint64_t first; /* position */
  size_t n;
  int64_t file[LB_ORDER_ROW], in_file[LB_ORDER_ROW];
};
void lb_sampler_row(const struct lb_sampler *s, uint64_t position, size_t n,
                    struct lb_order_row *row);
/* How many samples, that one counted, follow each other in their file from
 * sample in_file on. */
int64_t lb_sampler_run(const struct lb_sampler *s, int64_t in_file);
/* Keyed bijection of [0, n); i < n. */
uint64_t lb_permute(uint64_t key, uint64_t n, uint64_t i);

#endif
