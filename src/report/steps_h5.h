/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps.h5: raw steps as datasets (lb_step_column_names), [accelerator][step],
 * uint32 in units of 100 ns; those of evaluation in the group `eval'. */
#ifndef LB_REPORT_STEPS_H5_H
#define LB_REPORT_STEPS_H5_H

#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/metrics.h"

/* What one rank has; sent as bytes. */
struct lb_steps_rank {
  int32_t node, node_rank, k, first;
  int64_t steps[LB_N_SETS]; /* of each accelerator */
  uint64_t lost;
};

struct lb_steps_job {
  const char *folder;
  const struct lb_steps_rank *rank; /* n_ranks */
  int n_ranks, n_nodes, accelerators;
  int64_t steps[LB_N_SETS]; /* the most of any rank */
  uint64_t lost;
};

/* NULL, or why this build has none. */
const char *lb_steps_h5_unavailable(void);
/* The spools of a node's ranks to one file: steps.h5, or steps-node<i>.h5 when
 * there are several nodes.  m: for the list of blocks. */
int lb_steps_h5_node(const struct lb_steps_job *job, int node,
                     const struct lb_metrics *m, struct lb_err *err);
/* steps.h5 as a view of all nodes' files. */
int lb_steps_h5_join(const struct lb_steps_job *job, const struct lb_metrics *m,
                     struct lb_err *err);

#endif
