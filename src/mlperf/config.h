/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration that flags and parameters make of a workload, whether the
 * rules allow it, and how much data it needs.  Pure but for the finding of a
 * workload's file.  docs/mlperf.md, "Sizing and parameters". */
#ifndef LB_MLPERF_CONFIG_H
#define LB_MLPERF_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "mlperf/datasize.h"
#include "mlperf/params.h"
#include "mlperf/workload.h"

/* Accelerators' payload of one checkpoint. */
struct lb_mlperf_checkpoint_size {
  uint64_t total_bytes, optimizer_bytes; /* the second is part of it */
  uint64_t most_bytes, least_bytes;      /* of one accelerator */
  int64_t files;
};

/* ---- config.c: flags and parameters to a configuration ---- */

struct lb_mlperf_config {
  const struct lb_mlperf_workload *row;
  /* What lb_workload_load takes; owned. */
  char *text;
  size_t len;
  char path[PATH_MAX]; /* for messages */
  const char **override;
  int n_overrides; /* the tool's first, then --params, then the rehearsal's;
                    * texts are owned */

  /* Nested: the template as it is written, with its own spelling of keys, and
   * all overrides on top.  Owned, as are those below. */
  json_t *parameters;
  json_t *template_parameters; /* without overrides: `yaml_params' */
  /* Flat, dotted keys: --params and what the official tool sets as well. */
  json_t *override_parameters;
  /* Likewise: keys that only this tool sets (storage.drop_caches ...) and those
   * of a rehearsal.  In parameters, not in override_parameters. */
  json_t *own_parameters;

  struct lb_mlperf_findings findings;
  char hash[LB_MLPERF_HASH]; /* of parameters */
  json_t *hash_keys;

  int64_t accelerators, hosts; /* hosts: at least 1 */
  /* Training, when memory and accelerators are known: has_datasize. */
  bool has_datasize;
  struct lb_mlperf_need need;
  struct lb_mlperf_datasize datasize;
  int64_t files; /* dataset.num_files_train */
  /* Training: payload of the whole dataset of `files'. */
  uint64_t dataset_bytes;
  /* Checkpointing. */
  struct lb_mlperf_checkpoint_size checkpoint;
  int64_t checkpoints_write, checkpoints_read;
  /* Where the data go: an absolute folder, or below the current one. */
  char folder[PATH_MAX];
};

/* Reads the workload's file: rank 0.  *text is malloc'ed. */
int lb_mlperf_config_find(const struct lb_mlperf_args *args, char **text,
                          size_t *len, char path[PATH_MAX], struct lb_err *err);
/* Pure: the same on every rank.  LB_USAGE: no such workload in this mode, or a
 * value that the loader refuses (its text).  What the rules say is in findings,
 * no error. */
int lb_mlperf_config_load(const struct lb_mlperf_args *args, const char *text,
                          size_t len, const char *path,
                          struct lb_mlperf_config *c, struct lb_err *err);
/* Both, for a process alone. */
int lb_mlperf_config_make(const struct lb_mlperf_args *args,
                          struct lb_mlperf_config *c, struct lb_err *err);
void lb_mlperf_config_fini(struct lb_mlperf_config *c); /* zeroed is fine */

/* May it run?  LB_USAGE with the rule of the worst finding, when the mode's
 * division does not allow it: CLOSED in `closed', not INVALID in `open'
 * (unless --allow-invalid-params), anything in `whatif'. */
int lb_mlperf_config_check(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_config *c,
                           struct lb_err *err);

/* ---- config_text.c ---- */

/* Workload, division, class, findings, overrides, and the merged parameters:
 * for configview and --dry-run. */
void lb_mlperf_config_text(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_config *c,
                           struct lb_buf *out);

/* ---- datasize_text.c: what `datasize' says ---- */

/* What decides, both terms, GiB, and the command to type next. */
void lb_mlperf_datasize_text(const struct lb_mlperf_args *args,
                             const struct lb_mlperf_config *c,
                             struct lb_buf *out);
/* For the leaf's metadata: `parameters' with dataset.{num_files_train,
 * num_subfolders_train,total_disk_bytes}.  A new reference. */
json_t *lb_mlperf_datasize_parameters(const struct lb_mlperf_config *c);

/* ---- rehearsal.c ---- */

/* What was shrunk: the --scale of a checkpoint is one of its bytes.  For all
 * that is written and said. */
struct lb_mlperf_scale lb_mlperf_scale_of(const struct lb_mlperf_args *args);
/* {"files": F, "bytes": F, "time": F}; null when it is none. */
json_t *lb_mlperf_rehearsal_json(const struct lb_mlperf_scale *s);
/* One line without its end, for logs and notes; "" when it is none. */
void lb_mlperf_rehearsal_text(const struct lb_mlperf_scale *s, char *buf,
                              size_t size);

#endif
