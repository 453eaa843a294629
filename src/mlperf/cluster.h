/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of all hosts of a job at a moment, on rank 0. */
#ifndef LB_MLPERF_CLUSTER_H
#define LB_MLPERF_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/world.h"
#include "mlperf/host.h"

struct lb_cluster {
  struct lb_mlperf_host *host; /* in the order of hosts; owned */
  size_t n;
  uint64_t utc_ns;
};

/* Collective. */
int lb_cluster_gather(const struct lb_world *w, struct lb_cluster *out,
                      struct lb_err *err);
void lb_cluster_fini(struct lb_cluster *h); /* a zeroed one is fine */

/* Rank 0, the caller's reference: {"collected_at", "num_hosts",
 * "total_memory_bytes" (null if one host does not tell), "total_cores"
 * (likewise), "hosts"}. */
json_t *lb_cluster_json(const struct lb_cluster *h);
/* Warns of hosts whose memory is not known. */
void lb_cluster_warn(const struct lb_cluster *h);

#endif
