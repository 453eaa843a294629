/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute as a deadline that the conductor sleeps towards. */
#include "lb-config.h"

#include "compute_impl.h"

static uint64_t sleep_deadline(uint64_t start_ns, uint64_t request_ns)
{
  return start_ns + request_ns;
}

const struct lb_compute_kind lb_compute_sleep = {
    .name = "sleep",
    .doc = "The accelerator is busy until a deadline.",
    .deadline = sleep_deadline,
};
