/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What limited a run.  Pure; thresholds and reasons: docs/metrics.md. */
#include "lb-config.h"

#include "loadbank/limit.h"

#include <math.h>
#include <stdbool.h>

const char *const lb_limit_names[LB_N_LIMITS] = {
    [LB_LIMIT_UNKNOWN] = "unknown",
    [LB_LIMIT_COMPUTE] = "compute",
    [LB_LIMIT_STORAGE] = "storage",
    [LB_LIMIT_CLIENT] = "client",
};

/* Below this share of T a wait does not matter. */
static const double negligible = 0.02;

/* The part of the readers' time that was this program's own.  Run-queue delay
 * may lie inside the time of the calls (a thread woken late after its I/O), so
 * it is not added to that but bounded by it; the wait for a lock is not in
 * there. */
static double client_share(const struct lb_limit_input *in)
{
  double outside = in->reader_cpu_s + in->reader_lock_s;
  double own = outside + in->reader_delay_s;
  double busy = fmax(in->io_s, in->reader_delay_s) + outside + in->preprocess_s;
  return busy > 0 ? fmin(1, own / busy) : 0;
}

/* Did the readers mostly stand in the emulated preprocessing?  Then it is the
 * job itself, like its compute, that the accelerators waited for. */
static bool preprocess_bound(const struct lb_limit_input *in)
{
  double others =
      in->io_s + in->reader_cpu_s + in->reader_delay_s + in->reader_lock_s;
  return in->preprocess_s > others;
}

struct lb_limit lb_limited_by(const struct lb_limit_input *in)
{
  struct lb_limit l = {.by = LB_LIMIT_UNKNOWN, .in = *in};
  if (!(in->window_s > 0))
    return l;
  l.load_percent = 100 * in->load_s / in->window_s;
  l.late_percent = 100 * in->late_s / in->window_s;
  l.client_share = client_share(in);
  l.client_s = in->load_s * l.client_share + in->late_s;
  if (in->load_s < negligible * in->window_s)
    l.by = in->late_s < negligible * in->window_s ? LB_LIMIT_COMPUTE
                                                  : LB_LIMIT_CLIENT;
  else if (l.client_s > (in->load_s + in->late_s) / 2)
    l.by = LB_LIMIT_CLIENT;
  else
    l.by = preprocess_bound(in) ? LB_LIMIT_COMPUTE : LB_LIMIT_STORAGE;
  return l;
}
