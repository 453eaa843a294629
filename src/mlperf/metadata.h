/* SPDX-License-Identifier: GPL-3.0-or-later */
/* KIND_STAMP_metadata.json of a leaf: written when it begins, status
 * "running", and when it ends.  A run that was killed is told by that. */
#ifndef LB_MLPERF_METADATA_H
#define LB_MLPERF_METADATA_H

#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "mlperf/config.h"
#include "mlperf/place.h"

/* All borrowed. */
struct lb_leaf {
  const struct lb_mlperf_args *args;
  const struct lb_mlperf_config *config;
  const char *command_line;
  struct lb_mlperf_scale scale; /* as it is told */
  struct lb_mlperf_place place;
  char path[PATH_MAX];
  uint64_t begin_utc_ns; /* of this leaf's work, before the gates */
  int ranks;             /* 0: none, sizes only */
};

/* "training_datagen", the names of a leaf's files begin so. */
enum { LB_LEAF_STEM = 64, LB_LEAF_FILE = 128 };
void lb_leaf_stem(const struct lb_leaf *l, char out[LB_LEAF_STEM]);
/* "training_20261130_120000_metadata.json", for what = "metadata". */
void lb_leaf_file(const struct lb_leaf *l, const char *what,
                  char out[LB_LEAF_FILE]);

/* What is known at the beginning; the caller's reference. */
json_t *lb_metadata_new(const struct lb_leaf *l);
/* How it went: "complete", "failed", "interrupted"; reason NULL: none.
 * seconds: of the run; NAN: there was none. */
void lb_metadata_end(json_t *o, const char *status, const char *reason,
                     double seconds);
/* From the summary.json of the leaf, if there is one: metrics, what was done
 * about caches. */
void lb_metadata_take_summary(json_t *o, const struct lb_leaf *l);
/* Replaces the one that is there. */
int lb_metadata_write(const struct lb_leaf *l, json_t *o, struct lb_err *err);

#endif
