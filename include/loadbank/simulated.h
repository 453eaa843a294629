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

enum lb_duplex {
  LB_DUPLEX_FULL, /* reads and writes have a server each */
  LB_DUPLEX_HALF, /* they share one, each at its speed */
};

enum lb_contention_scope {
  LB_CONTENTION_FILE,      /* each file has its servers */
  LB_CONTENTION_DIRECTORY, /* each folder */
  LB_CONTENTION_JOB        /* all paths share them: a metadata server */
};

struct lb_simulated {
  int64_t read_bandwidth, write_bandwidth; /* bytes/s; 0: infinite */
  struct lb_dist open_latency; /* s; also mkdir, rename, unlink ... */
  struct lb_dist read_latency;
  struct lb_dist write_latency; /* also sync */
  struct lb_dist stat_latency;  /* also list */
  int scope;                    /* enum lb_scope */
  int duplex;                   /* enum lb_duplex */
  /* What names a path (open, stat, create, rename, unlink ...) waits for the
   * first of `servers' that is free and occupies it; of a stat only one by
   * path.  0 servers: nothing waits. */
  struct {
    int scope; /* enum lb_contention_scope */
    int64_t servers;
    double service; /* s */
  } open_concurrency;
  /* An open that finds another one of the same file in flight takes `time'
   * longer with that probability.  A reader does one thing after another, so
   * the other one is another reader's. */
  struct {
    double time, probability; /* s; 0..1 */
  } same_file_open_stall;
  /* A second server: checkpoint.burst_buffer.folder.  Without latencies. */
  struct {
    int64_t read_bandwidth, write_bandwidth; /* bytes/s; 0: infinite */
    int scope;                               /* enum lb_scope */
  } burst_buffer;
};

#endif
