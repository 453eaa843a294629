/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The overrides of a run as Hydra's users write them, which is how they are
 * kept in LEAF/dlio_config/overrides.yaml.  Pure. */
#ifndef LB_MLPERF_RUN_OVERRIDES_H
#define LB_MLPERF_RUN_OVERRIDES_H

#include "loadbank/err.h"

struct lb_run_overrides {
  char **line; /* each owned */
  int n;
};
/* "a.b=c" becomes "++workload.a.b=c"; folder and name of the configuration's
 * folder come last, folder NULL: neither. */
int lb_run_overrides_make(const char *const *override, int n,
                          const char *folder, struct lb_run_overrides *out,
                          struct lb_err *err);
void lb_run_overrides_fini(struct lb_run_overrides *o);

#endif
