/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No compute: a step is over as soon as its batch is there. */
#include "lb-config.h"

#include "compute_impl.h"

static uint64_t none_deadline(uint64_t start_ns, uint64_t request_ns)
{
  (void)request_ns;
  return start_ns;
}

const struct lb_compute_kind lb_compute_none = {
    .name = "none",
    .doc = "No compute: the loader runs as fast as it can.",
    .deadline = none_deadline,
};
