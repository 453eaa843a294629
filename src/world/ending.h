/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of MPI, where it hangs. */
#ifndef LB_WORLD_ENDING_H
#define LB_WORLD_ENDING_H

#include <stdbool.h>
#include <stdint.h>

enum { LB_INHERITED_FDS = 1024 };
/* Which descriptors the launcher had opened. */
struct lb_inherited {
  uint64_t open[LB_INHERITED_FDS / 64];
};

/* Before MPI_Init. */
void lb_ending_look(struct lb_inherited *fds);

/* MPI_Finalize.  MPICH before 4.2 on UCX over TCP may wait there for a peer
 * that has gone on to the launcher's barrier and looks at no message any more.
 * With several nodes, and all ranks being here, connections that are still
 * there after some seconds are therefore shut, which lets it go on. */
void lb_ending_finalize(const struct lb_inherited *fds, bool several_nodes);

#endif
