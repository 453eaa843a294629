/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the `simulated' storage, for whoever sets up its servers: scope
 * says who shares one, struct lb_storage_env brings the shared words and this
 * server's share of the bandwidth. */
#ifndef LOADBANK_SIMULATED_H
#define LOADBANK_SIMULATED_H

#include <stdint.h>

#include "loadbank/dist.h"

enum lb_scope {
  LB_SCOPE_JOB,  /* one bandwidth for the whole job */
  LB_SCOPE_NODE, /* each node has this bandwidth */
  LB_SCOPE_RANK, /* each rank has this bandwidth */
};

struct lb_simulated {
  int64_t read_bandwidth, write_bandwidth; /* bytes/s; 0: infinite */
  struct lb_dist open_latency; /* s; also mkdir, rename, unlink ... */
  struct lb_dist read_latency;
  struct lb_dist write_latency; /* also sync */
  struct lb_dist stat_latency;  /* also list */
  int scope;                    /* enum lb_scope */
};

#endif
