/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the divisions let a submitter set.  Pure; for configurations and for
 * validate. */
#ifndef LB_MLPERF_PARAMS_H
#define LB_MLPERF_PARAMS_H

#include <stdint.h>

#include <jansson.h>

#include "mlperf/workload.h"

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

/* Numbers of the rules. */
enum {
  LB_MLPERF_RUNS = 6,         /* of training: one to warm up, five that count */
  LB_MLPERF_CHECKPOINTS = 10, /* saved, and loaded */
  LB_MLPERF_PER_HOST = 4,     /* processes of checkpointing: more than that */
  LB_MLPERF_CACHED = 3        /* memories that caches may hold: 4.3.1 */
};

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

#endif
