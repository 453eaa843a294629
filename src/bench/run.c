/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run: the order of its phases. */
#include "lb-config.h"

#include "loadbank/bench.h"

#include "loadbank/config.h"

int lb_bench_run(struct lb_world *w, struct lb_workload *wl,
                 const struct lb_run_options *o, struct lb_err *err)
{
  (void)w, (void)o;
  return lb_err_set(err, LB_FAILED, "%s: this build can plan, but not run",
                    wl->name);
}
