/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves and loads on their way from the recorders to the summary.  Inside this
 * module. */
#ifndef LB_METRICS_CHECKPOINTS_H
#define LB_METRICS_CHECKPOINTS_H

#include "loadbank/buf.h"
#include "loadbank/summary.h"
#include "metrics/pack.h"
#include "metrics/record.h"

/* Rank 0, while it takes rank after rank. */
struct lb_checkpoint_sums {
  float *shares; /* [checkpoint][accelerator of the job]; 0: moved nothing */
  size_t n;      /* checkpoints that have them, on all ranks so far */
  size_t n_accelerators;
};

void lb_checkpoints_pack(struct lb_buf *b, const struct lb_metrics *m);
/* n records of a rank that hosts k accelerators from `first' on. */
struct lb_checkpoint_source {
  int rank, node;
  int64_t first, k;
  size_t n;
};
/* -1: no memory. */
int lb_checkpoints_take(struct lb_checkpoint_sums *t, struct lb_summary *s,
                        struct lb_unpack *u,
                        const struct lb_checkpoint_source *from);
void lb_checkpoints_finish(struct lb_checkpoint_sums *t, struct lb_summary *s);

#endif
