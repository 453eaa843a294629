/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of times that follow each other closely, for a third of what as many
 * readings of the clock cost: CLOCK_MONOTONIC is read before and behind it, and
 * the processor's own counter divides the time between.  So rows never differ
 * from the clock as a whole, and nothing is calibrated.
 *
 *   struct lb_ticks t = lb_ticks_begin(n);
 *   for (i = 0; i < n; i++)
 *     ..., at[i] = lb_ticks_now(&t);
 *   lb_ticks_end(&t, at, n);             at[] is as lb_clock_ns() now
 *
 * The counter serves only where the kernel keeps its time by it, for there it
 * is steady and the same on all processors; elsewhere, and in short rows, each
 * is a reading of the clock. */
#ifndef LOADBANK_TICKS_H
#define LOADBANK_TICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/clock.h"

/* The clock and the counter at the same time. */
struct lb_tie {
  uint64_t ns, count;
};

struct lb_ticks {
  bool counted; /* false: by the clock */
  struct lb_tie begin;
};

static inline uint64_t lb_ticks_counter(void)
{
#if defined __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

/* For a row of n. */
struct lb_ticks lb_ticks_begin(size_t n);

static inline uint64_t lb_ticks_now(const struct lb_ticks *t)
{
  return t->counted ? lb_ticks_counter() : lb_clock_ns();
}

/* The row has had n.  Counts become nanoseconds. */
void lb_ticks_end(const struct lb_ticks *t, uint64_t *at, size_t n);

/* Its arithmetic: counts between those of `begin' and `end' become times, in
 * proportion; none lies outside of the two. */
void lb_ticks_divide(const struct lb_tie *begin, const struct lb_tie *end,
                     uint64_t *at, size_t n);

#endif
