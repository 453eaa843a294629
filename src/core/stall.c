/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells a full run queue from a hypervisor's steal from a stop. */
#include "lb-config.h"

#include "loadbank/stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/usage.h"

const char *const lb_stall_names[LB_N_STALLS] = {
    [LB_STALL_NONE] = "none",           [LB_STALL_BUSY] = "busy",
    [LB_STALL_RUN_QUEUE] = "run_queue", [LB_STALL_STEAL] = "steal",
    [LB_STALL_STOPPED] = "stopped",
};

/* The eighth number of /proc/stat's first line, in clock ticks; 0: unknown. */
static uint64_t steal_ns(void)
{
  uint64_t ticks = 0;
  char line[256] = "";
  long hz = sysconf(_SC_CLK_TCK);
  FILE *f = fopen("/proc/stat", "re");
  if (!f)
    return 0;
  char *at = fgets(line, sizeof line, f);
  fclose(f);
  at = at ? at + strcspn(at, " ") : line;
  for (int i = 0; i < 8; i++)
    ticks = strtoull(at, &at, 10);
  return hz > 0 ? ticks * (LB_NS_PER_S / (uint64_t)hz) : 0;
}

void lb_stall_look(struct lb_stall_watch *w)
{
  struct lb_usage u = lb_usage_of_thread();
  w->run_ns = u.run_ns;
  w->wait_ns = u.wait_ns;
  w->steal_ns = steal_ns();
}

enum lb_stall lb_stall_judge(uint64_t held_ns, const struct lb_stall_watch *w)
{
  if (w->wait_ns >= held_ns / 2)
    return LB_STALL_RUN_QUEUE;
  if (w->steal_ns >= held_ns / 2)
    return LB_STALL_STEAL;
  if (w->run_ns >= held_ns / 2)
    return LB_STALL_BUSY;
  return LB_STALL_STOPPED;
}

enum lb_stall lb_stall_cause(struct lb_stall_watch *w, uint64_t held_ns)
{
  struct lb_stall_watch before = *w;
  lb_stall_look(w);
  const struct lb_stall_watch grown = {.run_ns = w->run_ns - before.run_ns,
                                       .wait_ns = w->wait_ns - before.wait_ns,
                                       .steal_ns =
                                           w->steal_ns - before.steal_ns};
  return lb_stall_judge(held_ns, &grown);
}
