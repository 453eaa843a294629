/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an MLPerf-style command is about: the workloads that there are, the
 * configuration that flags and parameters make of one, whether the rules allow
 * it, and how much data it needs.  Pure but for the finding of a workload's
 * file.  docs/mlperf.md, "Sizing and parameters". */
#ifndef LOADBANK_MLPERF_CONFIG_H
#define LOADBANK_MLPERF_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/buf.h"
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

/* GiB of an accelerator's memory, as rule 4.3.4 counts it; 0: unknown name. */
double lb_mlperf_accelerator_gib(const char *accelerator);

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

/* ---- params.c: what may be set in which division ---- */

enum lb_mlperf_verdict {
  LB_MLPERF_TOOL, /* only of a key: set by the tool itself, never counts */
  LB_MLPERF_IS_CLOSED,
  LB_MLPERF_IS_OPEN,
  LB_MLPERF_IS_INVALID, /* the worst finding wins */
  LB_MLPERF_N_VERDICTS
};
/* "tool", "closed", "open", "invalid" */
extern const char *const lb_mlperf_verdict_names[LB_MLPERF_N_VERDICTS];

/* Of a dotted key that is overridden, without a look at its value. */
int lb_mlperf_param(int kind, const char *key);

/* What speaks against CLOSED: a finding is never about what is fine. */
struct lb_mlperf_finding {
  const char *rule; /* "3.6.2" */
  int verdict;      /* LB_MLPERF_IS_OPEN or _INVALID */
  char key[128];
  char message[640]; /* what, and what is allowed; without rule and key */
};
enum { LB_MLPERF_FINDINGS = 64 };

struct lb_mlperf_findings {
  int verdict; /* _IS_CLOSED .. _IS_INVALID; 0 until there is one: closed */
  int n;       /* up to LB_MLPERF_FINDINGS are kept, the verdict counts all */
  struct lb_mlperf_finding f[LB_MLPERF_FINDINGS];
};

/* Adds one. */
void lb_mlperf_find(struct lb_mlperf_findings *out, int verdict,
                    const char *rule, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Pure, for validate as well: adds what is found.  override: flat, dotted
 * keys. */
void lb_mlperf_check_params(int kind, const char *model, const json_t *override,
                            struct lb_mlperf_findings *out);
/* accelerators: --num-processes; hosts: 0: not known; type NULL or "": not
 * known. */
void lb_mlperf_check_checkpoint(const struct lb_mlperf_workload *row,
                                int64_t accelerators, int64_t hosts,
                                const char *type, int64_t writes, int64_t reads,
                                struct lb_mlperf_findings *out);

/* ---- datasize.c: how much data (MLPerf's rules 3.1.x) ---- */

struct lb_mlperf_need {
  int64_t samples_per_file, record_bytes, batch_size, accelerators, hosts;
  uint64_t host_memory_bytes; /* of each host */
  struct lb_mlperf_scale scale;
};
struct lb_mlperf_datasize {
  uint64_t memory_bytes;      /* of all hosts */
  uint64_t file_bytes;        /* payload; shrunk by scale.bytes */
  int64_t files_memory;       /* >= 5 x memory, rounded up; full scale */
  int64_t files_steps;        /* >= 500 steps of all accelerators, likewise */
  int64_t full_files;         /* the larger of the two */
  int64_t files;              /* the bound: the same, or the rehearsal's */
  uint64_t total_bytes;       /* files x file_bytes */
  int64_t advised_subfolders; /* <= 10000 files in each; 0: flat will do */
};
/* Exact: rounds up, never through a double.  LB_USAGE: more than 2^63. */
int lb_mlperf_datasize(const struct lb_mlperf_need *in,
                       struct lb_mlperf_datasize *out, struct lb_err *err);
/* GiB (a fraction is fine) to bytes, rounded up; 0: not a number above 0, or
 * more than 2^63. */
uint64_t lb_mlperf_gib_bytes(double gib);

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

/* {"files": F, "bytes": F, "time": F}; NULL when it is none. */
json_t *lb_mlperf_rehearsal_json(const struct lb_mlperf_scale *s);
/* One line without its end, for logs and notes; "" when it is none. */
void lb_mlperf_rehearsal_text(const struct lb_mlperf_scale *s, char *buf,
                              size_t size);

#endif
