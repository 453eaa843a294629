/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the dataset the one that a command of training needs?  Asked before there
 * is a leaf: one that failed is an error of the whole tree. */
#ifndef LB_MLPERF_DATASET_THERE_H
#define LB_MLPERF_DATASET_THERE_H

#include "loadbank/mlperf.h"
#include "loadbank/workload.h"
#include "mlperf/place.h"

/* What to do about data that are another dataset's. */
extern const char lb_mlperf_other_data[];

/* Rank-local.  place: of the leaf to be made; w: of the run.  LB_USAGE: what is
 * on disk will not do, or `datagen' was not told a number of files and would
 * make fewer than `datasize' has asked for. */
int lb_mlperf_dataset_there(const struct lb_mlperf_args *args,
                            const struct lb_mlperf_place *place,
                            struct lb_workload *w, struct lb_err *err);

#endif
