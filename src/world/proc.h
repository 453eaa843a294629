/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a process is, so that a pid is never mistaken for another's. */
#ifndef LB_WORLD_PROC_H
#define LB_WORLD_PROC_H

#include <stdbool.h>
#include <stdint.h>

struct lb_proc {
  int pid;
  uint64_t pid_ns; /* inode of the pid namespace; 0: unknown */
  uint64_t start;  /* clock ticks from boot to start; 0: unknown */
  char state;      /* R S D T Z ..., as in /proc/PID/stat; '?' unknown */
};

/* Pure.  State and start out of the text of /proc/PID/stat. */
bool lb_proc_parse(struct lb_proc *p, const char *stat);

void lb_proc_self(struct lb_proc *p);

/* Updates p->state; false when that process is gone, or is not visible from
 * here (another pid namespace). */
bool lb_proc_look(struct lb_proc *p);

#endif
