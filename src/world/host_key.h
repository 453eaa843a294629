/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which host a process is on: one kernel and one memory limit. */
#ifndef LB_WORLD_HOST_KEY_H
#define LB_WORLD_HOST_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum { LB_HOST_KEY_LEN = 64 };

/* Pure.  The path of the memory control group out of the text of
 * /proc/self/cgroup: that of version 1 if there is one, else of version 2.
 * false: none. */
bool lb_host_cgroup(const char *text, char *path, size_t size, bool *v2);

/* The same text for two processes if and only if they are on the same host:
 * boot id, and the nearest control group above them that limits memory. */
void lb_host_key(char key[LB_HOST_KEY_LEN]);

/* A rank's place among the hosts. */
struct lb_host_seat {
  int host;
  int first; /* the host's lowest rank */
  int rank;  /* of the host's ranks it is which */
  int ranks; /* of how many */
};

/* Pure.  The seats of n ranks; hosts are numbered in the order of their lowest
 * ranks.  Returns how many hosts there are. */
int lb_host_number(const char (*keys)[LB_HOST_KEY_LEN], int n,
                   struct lb_host_seat *seat);

#endif
