/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time, wall-clock stamps, timer slack, and sleeping until a deadline. */
#include "lb-config.h"

#include "loadbank/clock.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>

static uint64_t read_clock(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * LB_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t lb_clock_thread_cpu_ns(void)
{
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t lb_clock_process_cpu_ns(void)
{
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t lb_clock_utc_ns(void)
{
  return read_clock(CLOCK_REALTIME);
}

void lb_clock_utc_iso(uint64_t utc_ns, char out[LB_CLOCK_ISO_LEN])
{
  time_t s = (time_t)(utc_ns / LB_NS_PER_S);
  struct tm tm;
  gmtime_r(&s, &tm);
  size_t n = strftime(out, LB_CLOCK_ISO_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
  snprintf(out + n, LB_CLOCK_ISO_LEN - n, ".%06u+00:00",
           (unsigned)(utc_ns % LB_NS_PER_S / 1000));
}

void lb_clock_utc_stamp(uint64_t utc_ns, char out[LB_CLOCK_STAMP_LEN])
{
  time_t s = (time_t)(utc_ns / LB_NS_PER_S);
  struct tm tm;
  gmtime_r(&s, &tm);
  strftime(out, LB_CLOCK_STAMP_LEN, "%Y%m%d_%H%M%S", &tm);
}

void lb_clock_precise_thread(void)
{
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

void lb_clock_sleep_until(uint64_t deadline_ns)
{
  struct timespec t = {.tv_sec = (time_t)(deadline_ns / LB_NS_PER_S),
                       .tv_nsec = (long)(deadline_ns % LB_NS_PER_S)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
    ;
}
