/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recorder knows block by block of its own rank, for the files of
 * single accelerators and for steps.h5.  Rank-local. */
#ifndef LOADBANK_METRICS_DETAIL_H
#define LOADBANK_METRICS_DETAIL_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/metrics.h"
#include "loadbank/spool.h"

struct lb_block_record {
  enum lb_set set;
  int64_t epoch, block; /* from 1 */
  int64_t steps;        /* of each accelerator */
  int64_t first_step;   /* of this set, over all epochs, from 0 */
  uint64_t start_utc_ns, duration_ns;
};
/* Borrowed; *n of them, in order. */
const struct lb_block_record *lb_metrics_blocks(const struct lb_metrics *m,
                                                size_t *n);
/* Block number i of accelerator acc < config.detail. */
const struct lb_block_sums *lb_metrics_block(const struct lb_metrics *m,
                                             size_t i, int acc);
const struct lb_metrics_config *lb_metrics_config(const struct lb_metrics *m);

/* An epoch, or a checkpoint, as this rank saw it. */
struct lb_span {
  enum lb_span_kind {
    LB_SPAN_TRAIN,
    LB_SPAN_EVAL,
    LB_SPAN_SAVE,
    LB_SPAN_LOAD
  } kind;
  int64_t epoch, number;
  uint64_t start_utc_ns, duration_ns, bytes;
};
size_t lb_metrics_n_epochs(const struct lb_metrics *m);
struct lb_span lb_metrics_epoch(const struct lb_metrics *m, size_t i);
size_t lb_metrics_n_checkpoints(const struct lb_metrics *m);
struct lb_span lb_metrics_checkpoint_span(const struct lb_metrics *m, size_t i);

/* NULL when raw steps are not kept. */
struct lb_spool *lb_metrics_spool(struct lb_metrics *m);
/* Steps of each accelerator in all epochs of that set. */
int64_t lb_metrics_steps(const struct lb_metrics *m, enum lb_set set);

#endif
