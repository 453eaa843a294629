/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many accelerators a client can emulate, from what was measured of it.
 * Pure: measures nothing.  Derivation: docs/usage.md. */
#include "lb-config.h"

#include "loadbank/estimate.h"

#include <math.h>

const char *const lb_bound_names[LB_N_BOUNDS] = {
    [LB_BOUND_PROCESSORS] = "processors",
    [LB_BOUND_CONDUCTOR] = "conductor",
    [LB_BOUND_MEMORY] = "memory bandwidth",
};

/* The same share of a step below which a wait does not matter (limited_by). */
static const double allowed_late = 0.02;
/* Half of what was measured stays in reserve, for what is not measured: filling
 * the page cache, the file system's own work, a processor that is needed now
 * and not on average.  Real runs were seen to be held up from that on. */
static const double reserve = 0.5;
/* More accelerators than that are no number to plan with. */
static const double too_many = 1e9;

static double ratio(double a, double b)
{
  return b > 0 ? a / b : INFINITY;
}

struct lb_estimate lb_estimate_make(const struct lb_client *c,
                                    const struct lb_client_load *l)
{
  struct lb_estimate e = {.known = l->compute_s > 0};
  double copied = l->is_virtual ? 0 : l->sample_copied;
  double calls = l->is_virtual ? 0 : l->sample_calls;
  e.sample_cpu_s = l->sample_s + calls * c->operation_s +
                   copied * ratio(1, c->read_bytes_per_core_s);
  if (!e.known)
    return e;
  double own = l->is_virtual ? l->batch * l->sample_s : c->step_s;
  double cpu = fmax(l->batch * e.sample_cpu_s, own);
  e.accelerators[LB_BOUND_PROCESSORS] = ratio(c->cores * l->compute_s, cpu);
  e.accelerators[LB_BOUND_CONDUCTOR] = ratio(c->ranks * l->compute_s, own);
  e.accelerators[LB_BOUND_MEMORY] =
      ratio(c->copy_bytes_per_s * l->compute_s, l->batch * copied);
  for (int i = 0; i < LB_N_BOUNDS; i++)
    if (e.accelerators[i] < e.accelerators[e.first])
      e.first = (enum lb_bound)i;
  double most = fmin(reserve * e.accelerators[e.first], too_many);
  e.most = (int64_t)(most / c->ranks) * c->ranks;
  e.late_percent = 100 * c->late_s / l->compute_s;
  e.precise = c->late_s <= allowed_late * l->compute_s;
  return e;
}
