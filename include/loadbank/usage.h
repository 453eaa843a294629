/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread has used of the processors. */
#ifndef LOADBANK_USAGE_H
#define LOADBANK_USAGE_H

#include <stdint.h>

struct lb_usage {
  uint64_t run_ns;  /* it ran */
  uint64_t user_ns; /* of that, outside system calls */
  uint64_t wait_ns; /* it could have run but had no core */
};

/* Of the calling thread so far.  Reads a file of /proc. */
struct lb_usage lb_usage_of_thread(void);
struct lb_usage lb_usage_since(const struct lb_usage *now,
                               const struct lb_usage *before);
/* user_ns alone: one system call. */
uint64_t lb_usage_user_ns(void);

/* A field, from 3 on, of a line of /proc/PID/stat, whose field 2 (the name, in
 * brackets) may itself hold blanks and brackets; "" when there is none. */
const char *lb_stat_field(const char *stat, int field);

/* Raises this process's limit of open files as far as it may; what it is. */
uint64_t lb_usage_raise_files(void);
/* Files that are open now; 0 where /proc does not tell. */
uint64_t lb_usage_open_files(void);

/* Highest resident memory of the process so far, bytes. */
uint64_t lb_usage_max_rss(void);

#endif
