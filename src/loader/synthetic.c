/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No storage at all: every batch is there when it is asked for. */
#include "lb-config.h"

#include "loader_impl.h"

static struct lb_loader_pace synthetic_pace(const struct lb_loader_knobs *k)
{
  (void)k;
  return (struct lb_loader_pace){.deal = &lb_deal_batches, .ahead = 1};
}

const struct lb_loader_kind lb_loader_synthetic = {
    .name = "synthetic",
    .doc = "Nothing is read: batches are there at once.",
    .sampler = LB_SAMPLER_ITERATIVE,
    .pace = synthetic_pace,
};
