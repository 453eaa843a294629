/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See origin.h. */
#include "lb-config.h"

#include "mlperf/origin.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "loadbank/log.h"
#include "mlperf/image.h"
#include "mlperf/provenance.h"

static const bool has_hashes =
#ifdef HAVE_NETTLE
    true;
#else
    false;
#endif

/* hash: of the image. */
static int keep_image(const struct lb_origin *o, char *hash, struct lb_err *err)
{
  char name[PATH_MAX];
  snprintf(name, sizeof name, "workloads/%s.yaml", o->workload);
  const struct lb_mlperf_image_file file = {
      .name = name, .text = o->text, .len = o->len};
  int rc = lb_mlperf_image_capture(o->results, &file, 1, hash, err);
  return rc ? rc : lb_mlperf_pointer_write(o->leaf, hash, err);
}

int lb_origin_write(const struct lb_origin *o, struct lb_err *err)
{
  char hash[LB_MLPERF_TREE_HASH] = "";
  bool wanted = o->mode != LB_MLPERF_WHATIF;
  if (wanted && !has_hashes)
    lb_warn("no code image: this build has no hashes (nettle)");
  else if (wanted && keep_image(o, hash, err))
    return -err->code;
  const struct lb_mlperf_stamp stamp = {.kind = o->kind,
                                        .code_image = *hash ? hash : NULL,
                                        .core_hash = o->core_hash,
                                        .core_keys = o->core_keys,
                                        .scale = o->scale};
  return lb_mlperf_provenance_write(o->leaf, &stamp, err);
}
