/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What made a leaf, and what an organisation's tree holds: provenance.json in
 * each leaf, MODE/ORG/submission.yaml.  A stamp that is not known is
 * "unknown", never null. */
#ifndef LB_MLPERF_PROVENANCE_H
#define LB_MLPERF_PROVENANCE_H

#include <jansson.h>

#include "loadbank/clock.h"
#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "mlperf/system.h"
#include "mlperf/tree.h"

#define LB_MLPERF_MANIFEST_NAME "submission.yaml"
#define LB_MLPERF_EDITION "3.0" /* of the rules */
enum { LB_MLPERF_LAYOUT = 3 };  /* of the results tree */

/* "2026-11-29T21:21:31Z" */
void lb_mlperf_now(char out[LB_CLOCK_ISO_LEN]);

struct lb_mlperf_stamp {
  int kind;                /* enum lb_mlperf_kind */
  const char *code_image;  /* hash; NULL: unknown (whatif) */
  const char *core_hash;   /* of lb_mlperf_core_hash; NULL: unknown */
  const json_t *core_keys; /* list of texts; borrowed */
  struct lb_mlperf_scale scale;
};
/* The caller's reference; NULL: no memory. */
json_t *lb_mlperf_provenance_json(const struct lb_mlperf_stamp *s);
int lb_mlperf_provenance_write(const char *leaf,
                               const struct lb_mlperf_stamp *s,
                               struct lb_err *err);
/* Pure.  LB_USAGE: the first thing that is not as it must be. */
int lb_mlperf_provenance_check(const json_t *v, struct lb_err *err);

/* MODE/ORG/submission.yaml of each of the tree's organisations; older ones of
 * loadbank are replaced, another program's is LB_FAILED.  Below a root that is
 * no results folder (no sentinel) nothing is written. */
int lb_mlperf_manifests_write(const struct lb_mlperf_tree *t,
                              struct lb_err *err);
/* The manifest of one against the leaves that are there.  No file: no flaw.
 * *edition: what it declares, "" if nothing.  LB_FAILED: it cannot be read. */
int lb_mlperf_manifest_check(const struct lb_mlperf_tree *t, const char *mode,
                             const char *org, char edition[LB_MLPERF_NAME],
                             struct lb_mlperf_flaws *flaws, struct lb_err *err);

#endif
