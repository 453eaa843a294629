/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/clock_rule.h"

#include "tap.h"

#define S UINT64_C(1000000000)
#define US UINT64_C(1000)

/* A question at 5 s by the local monotonic clock, 1000 s by the wall clock; the
 * way there takes `there', the way back `back' microseconds; the other clocks
 * are ahead by these nanoseconds. */
static struct lb_ping ping(uint64_t there, uint64_t back, int64_t utc,
                           int64_t monotonic)
{
  return (struct lb_ping){
      .utc_ns = 1000 * S,
      .sent_ns = 5 * S,
      .back_ns = 5 * S + (there + back) * US,
      .there_utc_ns = (uint64_t)((int64_t)(1000 * S + there * US) + utc),
      .there_ns = (uint64_t)((int64_t)(5 * S + there * US) + monotonic)};
}

static void test_offset(void)
{
  struct lb_ping even = ping(40, 40, 2500000000, -3000000000);
  struct lb_clock_offset o = lb_clock_offset(&even, 1);
  is_near(o.offset_s, 2.5, 1e-9, "even ways: exact");
  is_near(o.monotonic_s, -3, 1e-9, "the other clock, behind");
  is_near(o.uncertainty_s, 40e-6, 1e-12, "half the round trip");

  struct lb_ping uneven = ping(90, 10, -1000000, 0);
  o = lb_clock_offset(&uneven, 1);
  is_near(o.offset_s, -1e-3 + 40e-6, 1e-9, "uneven ways: off by their half");
  ok(o.uncertainty_s >= 40e-6, "which the uncertainty covers");

  struct lb_ping some[] = {ping(900, 100, 0, 0), ping(30, 10, 0, 0),
                           ping(20, 400, 0, 0)};
  o = lb_clock_offset(some, 3);
  is_near(o.uncertainty_s, 20e-6, 1e-12, "the shortest round trip counts");
  is_near(o.offset_s, 10e-6, 1e-9, "with its own offset");
}

static void test_worst(void)
{
  struct lb_node_clock node[4] = {
      [1] = {.name = "late", .begin = {.offset_s = -4, .uncertainty_s = 0.1}},
      [2] = {.name = "loose", .begin = {.offset_s = 9, .uncertainty_s = 8.5}},
      [3] = {.name = "steps", .end = {.offset_s = 6, .uncertainty_s = 0.1}}};
  struct lb_clocks c = {.node = node, .n = 4};
  double offset = 0;
  const struct lb_node_clock *w = lb_clocks_worst(&c, 1, &offset);
  ok(w == &node[3] && offset > 5.9, "the worst at the end");
  c.n = 3;
  w = lb_clocks_worst(&c, 1, &offset);
  ok(w == &node[1] && offset < -3.9, "behind counts as well");
  ok(!lb_clocks_worst(&c, 3.95, &offset), "within the limit: none");
  c = (struct lb_clocks){.n = 0};
  ok(!lb_clocks_worst(&c, 1, &offset), "one node: none");
  c.n = 2;
  ok(!lb_clocks_worst(&c, 1, &offset), "other ranks have no list");
}

int main(void)
{
  test_offset();
  test_worst();
  return done();
}
