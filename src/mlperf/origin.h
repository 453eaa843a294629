/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What made a leaf: its code image and its provenance. */
#ifndef LB_MLPERF_ORIGIN_H
#define LB_MLPERF_ORIGIN_H

#include <stddef.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/mlperf.h"

struct lb_origin {
  int mode, kind;
  const char *results, *leaf;
  const char *workload; /* "unet3d_b200"; its text */
  const char *text;
  size_t len;
  const char *core_hash;
  const json_t *core_keys;
  struct lb_mlperf_scale scale;
};

/* Rank-local.  Image (not in whatif), pointer, provenance.json.  A build
 * without hashes has none, which is warned of. */
int lb_origin_write(const struct lb_origin *o, struct lb_err *err);

#endif
