/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much data the rules of MLPerf-style submissions ask for.  Pure. */
#ifndef LB_MLPERF_DATASIZE_H
#define LB_MLPERF_DATASIZE_H

#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/mlperf.h"

/* ---- datasize.c: how much data (MLPerf's rules 3.1.x) ---- */

struct lb_mlperf_need {
  int64_t samples_per_file, record_bytes, batch_size, accelerators, hosts;
  uint64_t host_memory_bytes; /* of each host */
  struct lb_mlperf_scale scale;
};
struct lb_mlperf_datasize {
  uint64_t memory_bytes;      /* of all hosts */
  uint64_t file_bytes;        /* payload; shrunk by scale.bytes */
  int64_t files_memory;       /* >= 5 x memory, rounded up; full scale */
  int64_t files_steps;        /* >= 500 steps of all accelerators, likewise */
  int64_t full_files;         /* the larger of the two */
  int64_t files;              /* the bound: the same, or the rehearsal's */
  uint64_t total_bytes;       /* files x file_bytes */
  int64_t advised_subfolders; /* <= 10000 files in each; 0: flat will do */
};
/* Exact: rounds up, never through a double.  LB_USAGE: more than 2^63. */
int lb_mlperf_datasize(const struct lb_mlperf_need *in,
                       struct lb_mlperf_datasize *out, struct lb_err *err);
/* GiB (a fraction is fine) to bytes, rounded up; 0: not a number above 0, or
 * more than 2^63. */
uint64_t lb_mlperf_gib_bytes(double gib);

#endif
