/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `datasize', `datagen' and `run' do once they are allowed to, and leave
 * in the results tree.  docs/mlperf.md, "Running". */
#ifndef LB_MLPERF_RUN_H
#define LB_MLPERF_RUN_H

#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "loadbank/world.h"
#include "mlperf/config.h"

struct lb_mlperf_call;

/* Collective.  datagen and run of both kinds: for each of args->loops the
 * gates, a leaf, the run, the metadata; the first that fails is the last.  args
 * and c are the same on every rank, as is org, of the sentinel.  command_line:
 * argv joined by blanks.
 * The exit status: 0, 130 or 143, or a negative code with err filled. */
int lb_mlperf_carry_out(struct lb_world *w, const struct lb_mlperf_args *args,
                        const struct lb_mlperf_config *c, const char *org,
                        const char *command_line, struct lb_err *err);

/* Without MPI: the leaf of training's `datasize', which has metadata and
 * nothing of a run.  path: of the leaf. */
int lb_mlperf_datasize_leaf(const struct lb_mlperf_args *args,
                            const struct lb_mlperf_config *c, const char *org,
                            const char *command_line, char path[PATH_MAX],
                            struct lb_err *err);

/* Rows of the table of sub-commands. */
int lb_mlperf_verb_datasize(struct lb_mlperf_call *call, struct lb_err *err);
/* Collective; datagen too. */
int lb_mlperf_verb_run(struct lb_mlperf_call *call, struct lb_err *err);

#endif
