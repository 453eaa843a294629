/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DLIO's other loaders: their names are known, so that a workload that asks
 * for one loads, shows and plans. */
#include "lb-config.h"

#include "loader_impl.h"

#define LATER(id, sampler_)                      \
  const struct lb_loader_kind lb_loader_##id = { \
      .name = #id,                               \
      .doc = "DLIO's loader of that name.",      \
      .unavailable = "not supported yet",        \
      .sampler = sampler_,                       \
  }

LATER(tensorflow, LB_SAMPLER_ITERATIVE);
LATER(dali, LB_SAMPLER_INDEX);
LATER(native_dali, LB_SAMPLER_INDEX);
LATER(synthetic, LB_SAMPLER_ITERATIVE);
