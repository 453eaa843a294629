/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LB_MLPERF_PROVENANCE_IMPL_H
#define LB_MLPERF_PROVENANCE_IMPL_H

#include "loadbank/clock.h"

/* "2026-11-29T21:21:31Z" */
void lb_provenance_now(char out[LB_CLOCK_ISO_LEN]);

#endif
