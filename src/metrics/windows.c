/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of steps, from gate to gate.  Pure. */
#include "lb-config.h"

#include "loadbank/windows.h"

#include <math.h>

int lb_windows_done(const struct lb_windows *w)
{
  int64_t n = w->seen > w->skip ? (w->seen - w->skip) / w->steps : 0;
  return n < LB_WINDOWS ? (int)n : LB_WINDOWS;
}

void lb_windows_step(struct lb_windows *w, uint64_t compute_ns,
                     uint64_t late_ns, uint64_t gate_ns)
{
  int64_t i = w->seen++ - w->skip;
  if (i < 0) {
    w->begin_ns = gate_ns; /* the last of these begins the first window */
    return;
  }
  if (i >= LB_WINDOWS * w->steps)
    return;
  w->compute_ns[i / w->steps] += compute_ns;
  w->late_ns[i / w->steps] += late_ns;
  if ((i + 1) % w->steps)
    return;
  w->ns[i / w->steps] = gate_ns - w->begin_ns;
  w->begin_ns = gate_ns;
}

double lb_windows_au(double compute_ns, double ns, int accelerators)
{
  return ns > 0 ? fmin(100, 100 * compute_ns / (ns * accelerators)) : 0;
}
