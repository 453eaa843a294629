/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing a workload's dataset. */
#ifndef LOADBANK_CLEAN_H
#define LOADBANK_CLEAN_H

#include <stdbool.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"

struct lb_workload;

/* One process.  Removes the files that the manifest in the workload's data
 * folder claims, if they are the workload's; out says what was removed and
 * what else is there.  dry_run: only says it. */
int lb_bench_clean(struct lb_workload *w, bool dry_run, struct lb_buf *out,
                   struct lb_err *err);

#endif
