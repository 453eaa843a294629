/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines of MLPerf-style commands, for tests. */
#ifndef MLPERF_ARGS_H
#define MLPERF_ARGS_H

#include <stdio.h>
#include <stdlib.h>

#include "loadbank/mlperf.h"
#include "source_tree.h"

/* Those of the source tree. */
static inline void use_builtin_workloads(void)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/workloads", source_dir());
  setenv("LB_WORKLOADDIR", path, 1);
}

/* closed, on one host. */
static inline struct lb_mlperf_args args_of(int kind, const char *model,
                                            int command)
{
  struct lb_mlperf_args a = {.mode = LB_MLPERF_CLOSED,
                             .kind = kind,
                             .command = command,
                             .num_checkpoints_write = 10,
                             .num_checkpoints_read = 10,
                             .scale = {1, 1, 1}};
  snprintf(a.model, sizeof a.model, "%s", model);
  snprintf(a.results_dir, sizeof a.results_dir, "r");
  snprintf(a.systemname, sizeof a.systemname, "s");
  return a;
}

#endif
