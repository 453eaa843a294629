/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's counter in place of the clock; see ticks.h. */
#include "lb-config.h"

#include "loadbank/ticks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/slurp.h"

/* LEAST_ROW: what is read at both ends costs as much as two or three readings
 * of the clock.  SAME_TIME: counts, about a microsecond, that clock and counter
 * may be apart; more: something came between, once more. */
enum { LEAST_ROW = 16, SAME_TIME = 2048, TRIES = 4 };

/* Does the kernel keep its time by the counter? */
static bool is_steady(void)
{
#if defined __x86_64__
  char *name = lb_slurp("/sys/devices/system/clocksource/clocksource0/"
                        "current_clocksource");
  bool tsc = name && !strcmp(name, "tsc\n");
  free(name);
  return tsc;
#else
  return false;
#endif
}

/* Asked once; threads that ask at the same time get the same answer. */
static bool may_count(void)
{
  enum { UNKNOWN, NO, YES };
  static _Atomic int known = UNKNOWN;
  int is = atomic_load_explicit(&known, memory_order_relaxed);
  if (is == UNKNOWN) {
    is = is_steady() ? YES : NO;
    atomic_store_explicit(&known, is, memory_order_relaxed);
  }
  return is == YES;
}

static struct lb_tie tie(void)
{
  struct lb_tie t = {0};
  uint64_t apart;
  int tries = 0;
  do {
    uint64_t before = lb_ticks_counter();
    t.ns = lb_clock_ns();
    apart = lb_ticks_counter() - before;
    t.count = before + apart / 2;
  } while (apart > SAME_TIME && ++tries < TRIES);
  return t;
}

struct lb_ticks lb_ticks_begin(size_t n)
{
  struct lb_ticks t = {.counted = n >= LEAST_ROW && may_count()};
  if (t.counted)
    t.begin = tie();
  return t;
}

void lb_ticks_end(const struct lb_ticks *t, uint64_t *at, size_t n)
{
  if (!t->counted)
    return;
  struct lb_tie end = tie();
  lb_ticks_divide(&t->begin, &end, at, n);
}

void lb_ticks_divide(const struct lb_tie *begin, const struct lb_tie *end,
                     uint64_t *at, size_t n)
{
  uint64_t counts = end->count - begin->count, ns = end->ns - begin->ns;
  double each = counts ? (double)ns / (double)counts : 0;
  for (size_t i = 0; i < n; i++) {
    int64_t since = (int64_t)(at[i] - begin->count);
    uint64_t t = since > 0 ? (uint64_t)((double)since * each) : 0;
    at[i] = begin->ns + (t < ns ? t : ns);
  }
}
