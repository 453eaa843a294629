/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/gate_rule.h"

#include <limits.h>

#include "tap.h"

static void test_due(void)
{
  is_int(lb_gate_due(100, 50, LB_STOP_NONE), 100, "at the latest deadline");
  is_int(lb_gate_due(100, 150, LB_STOP_NONE), 150, "or when all have posted");
  is_int(lb_gate_due(0, 150, LB_STOP_NONE), 150, "no deadline: at once");
  is_int(lb_gate_due(100, 50, LB_STOP_SIGNAL), 100, "a signal ends the step");
  is_int(lb_gate_due(100, 50, LB_STOP_FAILED), 50, "a failure does not wait");
}

/* What MPI_MIN makes of two votes. */
static struct lb_vote both(struct lb_vote a, struct lb_vote b)
{
  int x[LB_VOTE_INTS], y[LB_VOTE_INTS];
  lb_vote_encode(&a, x);
  lb_vote_encode(&b, y);
  for (int i = 0; i < LB_VOTE_INTS; i++)
    x[i] = x[i] < y[i] ? x[i] : y[i];
  return lb_vote_decode(x);
}

static void test_cuts(void)
{
  const uint64_t s = 1000000000;
  ok(!lb_gate_cuts(9 * s, s, LB_STOP_SIGNAL), "8 s are waited for");
  ok(lb_gate_cuts(12 * s, s, LB_STOP_SIGNAL), "11 s are not");
  ok(!lb_gate_cuts(12 * s, s, LB_STOP_NONE), "unless nothing stops the job");
  ok(!lb_gate_cuts(s, 99 * s, LB_STOP_SIGNAL), "what is over is whole");
}

static void test_votes(void)
{
  const struct lb_vote ready = {
      .ready = true, .stop = LB_STOP_NONE, .reason = INT_MAX};
  const struct lb_vote busy = {
      .ready = false, .stop = LB_STOP_NONE, .reason = INT_MAX};
  const struct lb_vote signalled = {
      .ready = true, .stop = LB_STOP_SIGNAL, .reason = INT_MAX};
  const struct lb_vote failed_3 = {
      .ready = true, .stop = LB_STOP_FAILED, .reason = 3};
  const struct lb_vote failed_1 = {
      .ready = false, .stop = LB_STOP_FAILED, .reason = 1};
  struct lb_vote v = both(ready, ready);
  ok(v.ready && v.stop == LB_STOP_NONE && v.reason == INT_MAX, "all ready");
  v = both(ready, busy);
  ok(!v.ready, "one is not ready");
  v = both(ready, signalled);
  ok(v.ready && v.stop == LB_STOP_SIGNAL, "a signal on one node is all's");
  v = both(signalled, failed_3);
  ok(v.stop == LB_STOP_FAILED && v.reason == 3, "a failure beats a signal");
  v = both(failed_3, failed_1);
  ok(!v.ready && v.reason == 1, "the lowest node's reason");
  const struct lb_vote first = {.ready = true,
                                .stop = LB_STOP_NONE,
                                .reason = INT_MAX,
                                .waited_ns = 900000};
  const struct lb_vote last = {.ready = true,
                               .stop = LB_STOP_NONE,
                               .reason = INT_MAX,
                               .waited_ns = 30000};
  v = both(first, last);
  is_int(v.waited_ns, 30000, "who came last has waited least");
  const struct lb_vote long_ago = {.ready = true,
                                   .stop = LB_STOP_NONE,
                                   .reason = INT_MAX,
                                   .waited_ns = UINT64_MAX};
  const struct lb_vote cut = {.ready = true, .reason = INT_MAX, .cut = true};
  ok(both(cut, first).cut && !both(first, last).cut, "one cut is all's");
  is_int(both(long_ago, long_ago).waited_ns, INT_MAX, "two seconds at most");
  const struct lb_vote ahead = {.ready = true, .reason = INT_MAX, .laps = 7};
  const struct lb_vote behind = {.ready = true, .reason = INT_MAX, .laps = 6};
  is_int(both(ahead, behind).laps, 6, "the fewest laps are all's");
}

static void test_naps(void)
{
  bool rising = true, ready_sooner = true;
  for (uint64_t t = 1, before = 0; t < UINT64_C(100000000000); t *= 2) {
    uint64_t nap = lb_gate_nap_ns(true, t);
    rising = rising && nap >= before;
    ready_sooner = ready_sooner && nap <= lb_gate_nap_ns(false, t) + t / 500;
    before = nap;
  }
  ok(rising, "naps become longer");
  ok(ready_sooner, "who is ready looks sooner");
  is_int(lb_gate_nap_ns(true, 0), 5000, "at first 5 us");
  is_int(lb_gate_nap_ns(true, UINT64_C(5000000)), 200000,
         "200 us after a step of 5 ms");
  is_int(lb_gate_nap_ns(true, UINT64_C(1000000000)), 2000000,
         "0.2 %% of a second");
  is_int(lb_gate_nap_ns(false, UINT64_C(60000000000)), 50000000,
         "50 ms while busy");
}

static void test_tail(void)
{
  uint64_t quiet[40], noisy[40];
  for (int i = 0; i < 40; i++) {
    quiet[i] = (uint64_t)(i * 7 % 40) * 1000;
    noisy[i] = 1000000;
  }
  is_int(lb_gate_tail_ns(quiet, 40), 37000 + 3000,
         "95 %% of the oversleeps and a margin");
  is_int(lb_gate_tail_ns(noisy, 40), 150000, "never more than 150 us");
}

int main(void)
{
  test_due();
  test_cuts();
  test_votes();
  test_naps();
  test_tail();
  return done();
}
