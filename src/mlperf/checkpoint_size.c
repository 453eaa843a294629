/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one checkpoint of a workload holds, by the same functions that a run
 * writes it with. */
#include "lb-config.h"

#include <inttypes.h>

#include "loadbank/checkpoint.h"
#include "loadbank/plan.h"
#include "mlperf/overrides.h"

int lb_mlperf_checkpoint_size(const struct lb_workload *w, int64_t accelerators,
                              struct lb_mlperf_checkpoint_size *out,
                              struct lb_err *err)
{
  const struct lb_checkpoint_scheme *s =
      lb_checkpoint_schemes[w->checkpoint.scheme];
  struct lb_checkpoint_model m;
  *out = (struct lb_mlperf_checkpoint_size){0};
  if (accelerators < 1 || accelerators > INT32_MAX)
    return lb_err_set(err, LB_USAGE, "%" PRId64 " processes; allowed: 1 to %d",
                      accelerators, INT32_MAX);
  lb_plan_checkpoint_model(w, (int)accelerators, &m);
  int rc = s->check(&m, err);
  for (int a = 0; !rc && a < m.accelerators; a++) {
    struct lb_checkpoint_sum sum;
    lb_checkpoint_sum(s, &m, a, &sum);
    out->total_bytes += sum.bytes;
    out->optimizer_bytes += sum.optimizer_bytes;
    out->files += sum.files;
    if (sum.bytes > out->most_bytes)
      out->most_bytes = sum.bytes;
    if (!a || sum.bytes < out->least_bytes)
      out->least_bytes = sum.bytes;
  }
  return rc;
}
