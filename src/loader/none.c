/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No loader: one reader, nothing ahead.  The step reads its own batch. */
#include "lb-config.h"

#include "loader_impl.h"

static struct lb_loader_pace none_pace(const struct lb_loader_knobs *k)
{
  (void)k;
  return (struct lb_loader_pace){
      .deal = &lb_deal_batches, .readers = 1, .ahead = 0};
}

const struct lb_loader_kind lb_loader_none = {
    .name = "none",
    .doc = "Nothing is read ahead: each batch is read when its step needs it.",
    .sampler = LB_SAMPLER_INDEX,
    .pace = none_pace,
};
