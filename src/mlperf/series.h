/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host was doing while a run went on: its counters of CPU, memory,
 * drives and network, read from /proc by a thread of its own every few
 * seconds.  Rank-local, but for gathering. */
#ifndef LB_MLPERF_SERIES_H
#define LB_MLPERF_SERIES_H

#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/world.h"

/* A counter is NAN where the host does not tell. */
enum lb_series_value {
  LB_SERIES_USER,
  LB_SERIES_SYSTEM,
  LB_SERIES_IDLE,
  LB_SERIES_IOWAIT,
  LB_SERIES_AVAILABLE,
  LB_SERIES_CACHED,
  LB_SERIES_DIRTY,
  LB_SERIES_DISK_READ,
  LB_SERIES_DISK_WRITTEN,
  LB_SERIES_RECEIVED,
  LB_SERIES_SENT,
  LB_SERIES_VALUES
};
/* Their keys in the file, with the unit. */
extern const char *const lb_series_names[LB_SERIES_VALUES];

struct lb_series_sample {
  uint64_t utc_ns;
  double v[LB_SERIES_VALUES];
};

/* Pure: from the texts of /proc/stat (ticks: of its numbers a second),
 * /proc/meminfo, /proc/diskstats, /proc/net/dev; NULL: it could not be read. */
void lb_series_parse(const char *stat, double ticks, const char *meminfo,
                     const char *diskstats, const char *net_dev,
                     struct lb_series_sample *out);

struct lb_series;
/* Starts to sample, at once and then every so often.  At most so many samples:
 * the last ones are missing then. */
int lb_series_start(struct lb_series **s, double every_s, int64_t most,
                    struct lb_err *err);
/* Ends with a last sample.  NULL is fine. */
void lb_series_stop(struct lb_series *s);
void lb_series_free(struct lb_series *s); /* stops too; NULL is fine */

/* Collective.  What all hosts have (s: NULL but on the first rank of a host);
 * *out on rank 0, the caller's reference. */
int lb_series_gather(const struct lb_world *w, const struct lb_series *s,
                     json_t **out, struct lb_err *err);

#endif
