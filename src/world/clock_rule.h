/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From round trips to the offset of a clock; pure. */
#ifndef LB_WORLD_CLOCK_RULE_H
#define LB_WORLD_CLOCK_RULE_H

#include <stdint.h>

#include "loadbank/clocks.h"

/* A question and its answer: both clocks here when it left, CLOCK_MONOTONIC
 * when the answer was here, and both clocks there in between. */
struct lb_ping {
  uint64_t utc_ns, sent_ns, back_ns;
  uint64_t there_utc_ns, there_ns;
};

/* Out of n >= 1 of them. */
struct lb_clock_offset lb_clock_offset(const struct lb_ping *ping, int n);

#endif
