/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time.  Durations come from CLOCK_MONOTONIC (ns as uint64_t), time stamps
 * from UTC; a step of the wall clock changes no duration. */
#ifndef LOADBANK_CLOCK_H
#define LOADBANK_CLOCK_H

#include <stdint.h>
#include <time.h>

#define LB_NEVER UINT64_MAX /* a deadline that does not come */
#define LB_NS_PER_S 1000000000u

static inline uint64_t lb_clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * LB_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* CPU time of the calling thread / of the process, user and system. */
uint64_t lb_clock_thread_cpu_ns(void);
uint64_t lb_clock_process_cpu_ns(void);

/* Wall clock, ns since 1970-01-01 UTC. */
uint64_t lb_clock_utc_ns(void);

/* "2026-11-29T21:21:31.123456+00:00" and its size with the final zero. */
enum { LB_CLOCK_ISO_LEN = 40 };
void lb_clock_utc_iso(uint64_t utc_ns, char out[LB_CLOCK_ISO_LEN]);

/* "20261129_212131", for names of folders. */
enum { LB_CLOCK_STAMP_LEN = 24 };
void lb_clock_utc_stamp(uint64_t utc_ns, char out[LB_CLOCK_STAMP_LEN]);

/* The calling thread's timer slack becomes 1 ns (saves 50 us a sleep). */
void lb_clock_precise_thread(void);

/* Sleeps until the absolute time; returns at once when it has passed. */
void lb_clock_sleep_until(uint64_t deadline_ns);

#endif
