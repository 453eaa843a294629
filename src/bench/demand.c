/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the accelerators ask of the storage, from means alone: a storage that
 * just meets it has no reserve for variation. */
#include "lb-config.h"

#include "plan_impl.h"

static int64_t min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Readers that work ahead have a whole step for their batch: T readers read
 * T samples in the time of one.  Without one ahead only the time that the
 * accelerator may wait is left.  Threads that preprocess whole batches do not
 * take the readers' time, but must keep up. */
static double read_seconds(const struct lb_demand_in *in, double step_s)
{
  const struct lb_loader_pace *p = &in->pace;
  double work_s = p->computing > 0 ? (double)in->batch * in->preprocess_s : 0;
  double available_s = step_s;
  if (p->ahead > 0 && work_s > step_s * (double)min(p->computing, p->ahead))
    return 0;
  if (p->ahead == 0)
    available_s -= in->compute_s + work_s;
  int64_t busy = min(p->readers, in->batch * (p->ahead > 0 ? p->ahead : 1));
  double read_s = available_s * (double)busy / (double)in->batch;
  if (p->computing == 0)
    read_s -= in->preprocess_s;
  return read_s > 0 ? read_s : 0;
}

void lb_plan_demand(const struct lb_demand_in *in, struct lb_plan_demand *out)
{
  const double at[LB_N_AT] = {[LB_AT_FULL] = 1, [LB_AT_AU] = in->au};
  *out = (struct lb_plan_demand){
      .compute_s = in->compute_s,
      .au = in->au,
      .step_bytes = (double)in->batch * in->sample_bytes,
  };
  for (int i = 0; i < LB_N_AT; i++) {
    if (in->compute_s <= 0 || at[i] <= 0)
      continue;
    double step_s = in->compute_s / at[i];
    out->accelerator_bytes_per_s[i] = out->step_bytes / step_s;
    out->job_bytes_per_s[i] =
        out->accelerator_bytes_per_s[i] * in->accelerators;
    out->job_read_bytes_per_s[i] =
        (double)in->batch * in->read_bytes / step_s * in->accelerators;
    out->read_s[i] = read_seconds(in, step_s);
  }
}
