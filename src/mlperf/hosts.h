/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of all hosts of a job at a moment, on rank 0. */
#ifndef LB_MLPERF_HOSTS_H
#define LB_MLPERF_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/mlperf_host.h"
#include "loadbank/world.h"

struct lb_hosts {
  struct lb_mlperf_host *host; /* in the order of hosts; owned */
  size_t n;
  uint64_t utc_ns;
};

/* Collective. */
int lb_hosts_gather(const struct lb_world *w, struct lb_hosts *out,
                    struct lb_err *err);
void lb_hosts_fini(struct lb_hosts *h); /* a zeroed one is fine */

/* Rank 0, the caller's reference: {"collected_at", "num_hosts",
 * "total_memory_bytes" (null if one host does not tell), "total_cores"
 * (likewise), "hosts"}. */
json_t *lb_hosts_json(const struct lb_hosts *h);
/* Warns of hosts whose memory is not known. */
void lb_hosts_warn(const struct lb_hosts *h);

#endif
