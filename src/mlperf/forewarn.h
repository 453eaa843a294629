/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `validate' will object to, told before a run rather than after it. */
#ifndef LB_MLPERF_FOREWARN_H
#define LB_MLPERF_FOREWARN_H

#include "mlperf/cluster.h"
#include "mlperf/metadata.h"

/* Both on rank 0, with the hosts of the run, and nothing in whatif, where no
 * rule is asked. */

/* Before there is a leaf.  LB_USAGE: a run that is to be submitted has too few
 * files for the memory that its hosts have (rule 3.1.2).  Where that is no
 * reason to refuse it, lb_forewarn tells. */
int lb_forewarn_size(const struct lb_leaf *l, const struct lb_cluster *hosts,
                     struct lb_err *err);

/* Warnings of what the request cannot know, or may leave out. */
void lb_forewarn(const struct lb_leaf *l, const struct lb_cluster *hosts);

#endif
