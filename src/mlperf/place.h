/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things are in a results tree:
 *
 *   RESULTS/mlperf-results.yaml                                the sentinel
 *   RESULTS/MODE/ORG/results/SYSTEM/training/MODEL/COMMAND/STAMP/      a leaf
 *   RESULTS/MODE/ORG/results/SYSTEM/checkpointing/MODEL/STAMP/         a leaf
 *   RESULTS/MODE/ORG/systems/SYSTEM.{yaml,pdf}
 *   RESULTS/code-images/code-XXXXXXXX/
 *
 * The root handed to `validate' is RESULTS. */
#ifndef LB_MLPERF_PLACE_H
#define LB_MLPERF_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <time.h>

#include "loadbank/mlperf.h"

enum { LB_MLPERF_STAMP = 16 }; /* "YYYYMMDD_HHMMSS" and the end */
#define LB_MLPERF_SENTINEL "mlperf-results.yaml"
/* In a leaf. */
#define LB_MLPERF_PROVENANCE_NAME "provenance.json"
#define LB_MLPERF_SEPARATION_NAME "fs_separation.json"
#define LB_MLPERF_SUMMARY_NAME "summary.json"
#define LB_MLPERF_DLIO_CONFIG "dlio_config"

/* Organisations, systems, models: [A-Za-z0-9._-]+, not beginning with a dot. */
#define LB_MLPERF_NAME_OF "letters, digits, '_', '-' and, not first, '.'"
bool lb_mlperf_is_name(const char *name);
bool lb_mlperf_is_stamp(const char *name); /* digits, and a time that can be */
time_t lb_mlperf_stamp_time(const char *stamp); /* s since 1970; of a stamp */

struct lb_mlperf_place {
  int mode, kind, command;
  char org[LB_MLPERF_NAME], system[LB_MLPERF_NAME], model[LB_MLPERF_NAME];
  char stamp[LB_MLPERF_STAMP];
};

/* Pure.  "MODE/ORG/results/SYSTEM/..." below the results folder, without the
 * stamp (group) and with it (leaf); "MODE/ORG/systems".  LB_USAGE: too long. */
int lb_mlperf_group_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                         struct lb_err *err);
int lb_mlperf_leaf_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                        struct lb_err *err);
int lb_mlperf_systems_path(const struct lb_mlperf_place *p, char out[PATH_MAX],
                           struct lb_err *err);
/* Pure.  The inverse: is `path' (below the results folder) a leaf's?  A
 * configview is none. */
bool lb_mlperf_leaf_parse(const char *path, struct lb_mlperf_place *out);

#endif
