/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of times by the processor's counter: the arithmetic has known answers,
 * and a real row stays within what the clock says of it. */
#include "lb-config.h"

#include "loadbank/ticks.h"

#include "tap.h"

static void test_divide(void)
{
  static const struct lb_tie begin = {5000, 100}, end = {6000, 600};
  static const struct {
    uint64_t count, ns;
    const char *what;
  } rows[] = {
      {100, 5000, "at the beginning"}, {101, 5002, "one count is 2 ns"},
      {350, 5500, "half-way"},         {600, 6000, "at the end"},
      {99, 5000, "before it"},         {601, 6000, "behind it"},
      {1u << 30, 6000, "far behind"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t at = rows[i].count;
    lb_ticks_divide(&begin, &end, &at, 1);
    is_int((int64_t)at, (int64_t)rows[i].ns, "%s", rows[i].what);
  }
}

/* The counter may pass its largest value, and may be as good as standing. */
static void test_odd_counters(void)
{
  static const struct lb_tie wraps = {1000, UINT64_MAX - 9}, over = {3000, 10};
  uint64_t at[] = {UINT64_MAX - 9, 0, 5};
  lb_ticks_divide(&wraps, &over, at, 3);
  is_int((int64_t)at[0], 1000, "before it wraps");
  is_int((int64_t)at[1], 2000, "where it does");
  is_int((int64_t)at[2], 2500, "after");
  static const struct lb_tie still = {1000, 7}, later = {3000, 7};
  uint64_t stands = 7;
  lb_ticks_divide(&still, &later, &stands, 1);
  is_int((int64_t)stands, 1000, "it stands still");
}

/* n times, each after a sleep: in order, and as the clock that is read beside
 * them has them, whichever of the two a row of that length goes by. */
static void test_row(size_t n)
{
  enum { MOST = 64, SLEEP_NS = 200000, NEAR_NS = 20000 };
  uint64_t at[MOST], before[MOST], after[MOST];
  int outside = 0, unordered = 0;
  struct lb_ticks t = lb_ticks_begin(n);
  for (size_t i = 0; i < n; i++) {
    lb_clock_sleep_until(lb_clock_ns() + SLEEP_NS);
    before[i] = lb_clock_ns();
    at[i] = lb_ticks_now(&t);
    after[i] = lb_clock_ns();
  }
  lb_ticks_end(&t, at, n);
  for (size_t i = 0; i < n; i++) {
    outside += at[i] + NEAR_NS < before[i] || at[i] > after[i] + NEAR_NS;
    unordered += i > 0 && at[i] < at[i - 1];
  }
  is_int(outside, 0, "%d times%s: each is the clock's", (int)n,
         t.counted ? ", by the counter" : "");
  is_int(unordered, 0, "%d times: in order", (int)n);
}

int main(void)
{
  test_divide();
  test_odd_counters();
  test_row(1);
  test_row(64);
  return done();
}
