/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workloads of MLPerf-style submissions: which there are, on what, in which
 * division, and the hash that tells them apart.  Pure. */
#ifndef LB_MLPERF_WORKLOAD_H
#define LB_MLPERF_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/mlperf.h"

/* ---- workloads.c: what can be run ---- */

enum { LB_MLPERF_HASH = 17 }; /* 16 hex digits and the end */

struct lb_mlperf_workload {
  int kind;                /* enum lb_mlperf_kind */
  const char *model;       /* as typed: "unet3d", "llama3-8b" */
  const char *accelerator; /* "b200"; NULL: checkpointing, any */
  const char *workload;    /* workloads/<this>.yaml: "unet3d_b200" */
  unsigned modes;          /* bits: 1u << enum lb_mlperf_mode */
  /* The core-config hash of the workload as it is written. */
  char hash[LB_MLPERF_HASH];
  bool is_class; /* the hash is one that a CLOSED run may have */
  /* Checkpointing, else 0: accelerators that CLOSED asks for, and TP x PP, of
   * which OPEN takes any multiple. */
  int64_t processes, group;
  /* The published sizes, GiB: of the checkpoint ("105 GB"), and those that
   * the official tool's datasize adds up. */
  double published_gib, model_gib, optimizer_gib;
};
extern const struct lb_mlperf_workload lb_mlperf_workloads[];
extern const size_t lb_mlperf_n_workloads;

/* Accelerator: "" or NULL: the model's first row (datagen, checkpointing).
 * LB_USAGE with what there is; when the mode does not allow it, with what it
 * allows. */
int lb_mlperf_workload_find(int mode, int kind, const char *model,
                            const char *accelerator,
                            const struct lb_mlperf_workload **row,
                            struct lb_err *err);

bool lb_mlperf_is_workload(int mode, int kind, const char *model);

/* GiB of an accelerator's memory, as rule 4.3.4 counts it; 0: unknown name. */
double lb_mlperf_accelerator_gib(const char *accelerator);

/* For messages, with ", " between: models of a mode, accelerators. */
enum { LB_MLPERF_LIST = 256 };
void lb_mlperf_model_names(int mode, int kind, char out[LB_MLPERF_LIST]);
void lb_mlperf_accelerator_names(char out[LB_MLPERF_LIST]);

/* ---- core_hash.c: the hash that says which benchmark a run was ---- */

/* Of the merged tree: 16 hex digits, and the dotted keys that it covers in
 * order (a new reference; NULL: not wanted).  "unknown" and no keys when the
 * tree has none of them, or in a build without nettle. */
void lb_mlperf_core_hash(int kind, const json_t *parameters,
                         char out[LB_MLPERF_HASH], json_t **keys);
/* "unet3d_b200", or NULL: of no class. */
const char *lb_mlperf_class(const char *hash);
/* Names of algorithm and list, for provenance.json. */
#define LB_MLPERF_HASH_ALGORITHM "core-config-v1"
const char *lb_mlperf_hash_allowlist(int kind); /* "training@1" */

#endif
