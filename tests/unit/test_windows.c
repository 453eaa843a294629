/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of steps: which step counts in which, and what comes out. */
#include "lb-config.h"

#include "loadbank/windows.h"

#include "tap.h"

int main(void)
{
  /* 2 steps are skipped, windows have 3; step i ends at (i + 1) (i + 2) / 2
   * x 100 ns, so it lasts (i + 1) x 100, and computes 10 (i + 1). */
  struct lb_windows w = {.skip = 2, .steps = 3};
  uint64_t t = 0;
  is_int(lb_windows_done(&w), 0, "nothing yet");
  for (uint64_t i = 0; i < 7; i++) {
    t += 100 * (i + 1);
    lb_windows_step(&w, 10 * (i + 1), i, t);
  }
  is_int(lb_windows_done(&w), 1, "7 steps: one window is complete");
  is_int(w.ns[0], 300 + 400 + 500,
         "from the gate of the 2nd to that of the "
         "5th step");
  is_int(w.compute_ns[0], 30 + 40 + 50, "with the computes in between");
  is_int(w.late_ns[0], 2 + 3 + 4, "and by how much they ended late");
  for (uint64_t i = 7; i < 40; i++) {
    t += 100 * (i + 1);
    lb_windows_step(&w, 10 * (i + 1), i, t);
  }
  is_int(lb_windows_done(&w), LB_WINDOWS, "no more than there is room for");
  is_int(w.ns[LB_WINDOWS - 1], 2400 + 2500 + 2600, "the last one");
  is_near(lb_windows_au(750, 7500, 1), 10, 1e-9, "one accelerator");
  is_near(lb_windows_au(750, 7500, 4), 2.5, 1e-9, "four of them");
  is_near(lb_windows_au(7501, 7500, 1), 100, 0, "never above 100");
  is_near(lb_windows_au(1, 0, 1), 0, 0, "no time");
  return done();
}
