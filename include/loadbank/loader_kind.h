/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of loaders: how many readers an accelerator has, which of them
 * reads what (deal.h), how far ahead, and who preprocesses.  Pure. */
#ifndef LOADBANK_LOADER_KIND_H
#define LOADBANK_LOADER_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/deal.h"

/* What of reader.* decides the pace. */
struct lb_loader_knobs {
  int64_t read_threads, prefetch, computation_threads;
  int64_t shuffle; /* samples of a shuffle buffer; 0: samples stay in order */
  bool iterative;  /* the sampler; else index */
};

/* What an accelerator's readers do and how far ahead. */
struct lb_loader_pace {
  const struct lb_deal *deal;
  int64_t readers;   /* 0: nothing is read, batches are there when asked for */
  int64_t ahead;     /* batches asked for and not yet taken; 0: a batch is asked
                      * for when the step needs it, one at a time */
  int64_t buffer;    /* samples of the shuffle buffer, or 0 */
  int64_t computing; /* threads that preprocess, a batch each; 0: readers do
                      * it, sample by sample */
  bool by_file;      /* a segment of the deal is a file; else a sample */
};

/* How samples are dealt out; words of reader.data_loader_sampler. */
enum lb_sampler_word {
  LB_SAMPLER_DEFAULT, /* as the loader does */
  LB_SAMPLER_INDEX,
  LB_SAMPLER_ITERATIVE,
  LB_SAMPLER_NONE /* likewise */
};

struct lb_loader_kind {
  const char *name; /* reader.data_loader */
  const char *doc;
  enum lb_sampler_word sampler; /* its own: index or iterative */
  /* Required, pure. */
  struct lb_loader_pace (*pace)(const struct lb_loader_knobs *knobs);
};

#define LB_LOADER_LIST(X) \
  X(tensorflow) X(pytorch) X(dali) X(native_dali) X(synthetic) X(none)
#define X(n) extern const struct lb_loader_kind lb_loader_##n;
LB_LOADER_LIST(X)
#undef X
/* In that order, NULL at the end. */
extern const struct lb_loader_kind *const lb_loaders[];
const struct lb_loader_kind *lb_loader_find(const char *name); /* or NULL */

#endif
