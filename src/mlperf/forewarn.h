/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `validate' will object to, told before a run rather than after it. */
#ifndef LB_MLPERF_FOREWARN_H
#define LB_MLPERF_FOREWARN_H

#include "mlperf/cluster.h"
#include "mlperf/metadata.h"

/* Warnings of what the request cannot know, or may leave out.  hosts: those of
 * the run.  Nothing in whatif, where no rule is asked. */
void lb_forewarn(const struct lb_leaf *l, const struct lb_cluster *hosts);

#endif
