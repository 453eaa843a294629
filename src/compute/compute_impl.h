/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/compute only: the rows. */
#ifndef COMPUTE_IMPL_H
#define COMPUTE_IMPL_H

#include "loadbank/compute.h"

#define LB_COMPUTE_LIST(X) X(sleep) X(none)
#define X(n) extern const struct lb_compute_kind lb_compute_##n;
LB_COMPUTE_LIST(X)
#undef X

#endif
