/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One list alone through a ring, by a thread that waits for it. */
#include "lb-config.h"

#include "loadbank/ring.h"

int lb_ring_run(struct lb_ring *r, struct lb_rtask *task,
                bool (*tick)(void *arg), void *tick_arg, const char *what,
                struct lb_err *err)
{
  lb_ring_submit(r, task);
  lb_ring_go(r, true);
  while (!lb_ring_reap(r)) {
    if (tick && !tick(tick_arg)) {
      lb_ring_drain(r);
      return lb_err_give_up(err, what);
    }
    lb_ring_go(r, true);
  }
  if (!task->failed)
    return 0;
  *err = *lb_ring_failure(r);
  return -err->code;
}
