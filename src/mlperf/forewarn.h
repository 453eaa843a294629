/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `validate' will object to, told before a run rather than after it. */
#ifndef LB_MLPERF_FOREWARN_H
#define LB_MLPERF_FOREWARN_H

#include "mlperf/cluster.h"
#include "mlperf/metadata.h"

/* Warnings of what the request cannot know, or may leave out.  hosts: those of
 * the run.  Nothing in whatif, where no rule is asked. */
void lb_forewarn(const struct lb_leaf *l, const struct lb_cluster *hosts);

/* Collective.  LB_USAGE: a run that is to be submitted has too few files for
 * the memory that its hosts have (rule 3.1.2).  Where that is no reason to
 * refuse it, lb_forewarn tells. */
int lb_forewarn_size(const struct lb_world *w,
                     const struct lb_mlperf_args *args,
                     const struct lb_mlperf_config *c, struct lb_err *err);

#endif
