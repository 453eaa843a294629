/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of submissions as data, and a results tree held against them.
 * docs/mlperf.md, "Rules", says where and why they differ from the benchmark's
 * own checker. */
#ifndef LB_MLPERF_RULES_H
#define LB_MLPERF_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "mlperf/tree.h"

/* ---- rules.c: THE table of rules ---- */

enum lb_mlperf_severity {
  LB_MLPERF_ERROR,
  LB_MLPERF_WARNING,
  LB_MLPERF_WAIVED, /* an error that a rehearsal cannot but make */
  LB_MLPERF_INFO,
  LB_MLPERF_N_SEVERITIES
};
/* "error", "warning", "waived", "info" */
extern const char *const lb_mlperf_severity_names[LB_MLPERF_N_SEVERITIES];

/* What a rule looks at, one after another. */
enum lb_mlperf_scope {
  LB_MLPERF_OF_TREE,
  LB_MLPERF_OF_ORG,      /* MODE/ORG */
  LB_MLPERF_OF_SYSTEM,   /* MODE/ORG/results/SYSTEM */
  LB_MLPERF_OF_WORKLOAD, /* .../training/MODEL, .../checkpointing/MODEL */
  LB_MLPERF_OF_LEAF,
  LB_MLPERF_N_SCOPES
};
extern const char *const lb_mlperf_scope_names[LB_MLPERF_N_SCOPES];

struct lb_mlperf_check; /* src/mlperf/rules_impl.h */

struct lb_mlperf_rule {
  const char *id;    /* the benchmark's, or LB-nn: of this program */
  const char *name;  /* likewise */
  const char *doc;   /* what it checks: one sentence */
  unsigned modes;    /* bits: 1u << enum lb_mlperf_mode */
  unsigned kinds;    /* bits: 1u << enum lb_mlperf_kind; 0: whatever */
  unsigned commands; /* of leaves: bits: 1u << enum lb_mlperf_command; 0: all */
  int severity;      /* the worst that it says */
  int scope;
  bool broken;         /* of leaves: looks at those that are not whole, too */
  const char *differs; /* from the benchmark's checker; NULL: in nothing */
  /* Required.  Pure: looks at what c points at, adds remarks. */
  void (*check)(struct lb_mlperf_check *c);
};
extern const struct lb_mlperf_rule lb_mlperf_rules[];
extern const size_t lb_mlperf_n_rules;

void lb_mlperf_rules_text(struct lb_buf *b);
json_t *lb_mlperf_rules_json(void); /* NULL: no memory */

/* ---- validate.c: a tree held against them ---- */

struct lb_mlperf_remark {
  const struct lb_mlperf_rule *rule;
  int severity;
  char *path; /* below the root; owned */
  char *text; /* what was found, what is allowed; owned */
};

/* What is judged as one: the runs of a workload on a system. */
struct lb_mlperf_submission {
  struct lb_mlperf_place place; /* command and stamp mean nothing */
  const char *name;             /* MODE/ORG/results/SYSTEM/KIND/MODEL */
  /* Remarks about it, and about what it stands in. */
  size_t n[LB_MLPERF_N_SEVERITIES];
  size_t leaves;
  bool rehearsal; /* any leaf is one */
};

struct lb_mlperf_validation {
  const struct lb_mlperf_tree *tree; /* borrowed */
  struct lb_mlperf_remark *remark;   /* in the order of the walk */
  size_t n, max;
  struct lb_mlperf_submission *submission;
  size_t n_submissions, max_submissions;
  size_t total[LB_MLPERF_N_SEVERITIES];
  bool failed; /* no memory */
};

struct lb_mlperf_validate_options {
  /* md5-tree-v2 hash that CLOSED images must have; NULL: none is known. */
  const char *reference;
};

/* Reads files of the tree, and looks at data folders if they are there;
 * writes nothing.  LB_FAILED: no memory. */
int lb_mlperf_validate(const struct lb_mlperf_tree *t,
                       const struct lb_mlperf_validate_options *o,
                       struct lb_mlperf_validation *v, struct lb_err *err);
void lb_mlperf_validation_fini(struct lb_mlperf_validation *v);

/* ---- validate_text.c ---- */

void lb_mlperf_validation_text(const struct lb_mlperf_validation *v,
                               struct lb_buf *b);
json_t *lb_mlperf_validation_json(const struct lb_mlperf_validation *v);

/* ---- verb_rules.c: the sub-commands ---- */

struct lb_mlperf_call;
int lb_mlperf_rules_verb(struct lb_mlperf_call *call, struct lb_err *err);
int lb_mlperf_validate_verb(struct lb_mlperf_call *call, struct lb_err *err);

#endif
