/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON inside this module: what is made of a summary.  A function that returns
 * a value gives its reference to the caller. */
#ifndef LB_REPORT_JSON_H
#define LB_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/host.h"
#include "loadbank/json.h"
#include "loadbank/metric_table.h"
#include "loadbank/report.h"

/* The value of a metric: whole numbers for what is counted. */
json_t *lb_json_metric(const struct lb_metric *row, const struct lb_summary *s);

/* What rank 0 has gathered beside the summary. */
struct lb_facts {
  struct lb_host *host; /* in order of hosts; owned */
  size_t n_hosts;
  struct lb_filesystem *root; /* of each host those of r->roots; owned */
  size_t n_roots;             /* of all hosts */
  struct lb_filesystem data, checkpoint, results;
  /* Texts of /proc on the first host; NULL: not readable; owned. */
  char *cpuinfo, *meminfo;
  const char *steps_file;   /* NULL: none */
  const char *steps_reason; /* why none */
};

/* May the host's memory hold its share of the dataset? */
bool lb_json_caches(const struct lb_report *r, const struct lb_facts *f,
                    const struct lb_host *h);

/* The whole of summary.json / its object `loadbank'. */
json_t *lb_json_summary(const struct lb_report *r, const struct lb_summary *s,
                        const struct lb_facts *f);
json_t *lb_json_loadbank(const struct lb_report *r, const struct lb_summary *s,
                         const struct lb_facts *f);
/* Adds what is known of a host's processors and ranks. */
void lb_json_placement(json_t *host, const struct lb_host_place *h);
json_t *lb_json_percentiles(const struct lb_histogram *h);
json_t *lb_json_io(const struct lb_iostats *io);

#endif
