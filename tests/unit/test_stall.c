/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which counter explains a hold-up, and that the counters are read. */
#include "lb-config.h"

#include "loadbank/stall.h"

#include "loadbank/clock.h"
#include "tap.h"

#define MS UINT64_C(1000000)

static const struct {
  uint64_t held, run, wait, steal;
  enum lb_stall want;
  const char *what;
} cases[] = {
    {100 * MS, 0, 0, 0, LB_STALL_STOPPED, "nothing grew"},
    {100 * MS, 20 * MS, 30 * MS, 40 * MS, LB_STALL_STOPPED, "all too little"},
    {100 * MS, 0, 50 * MS, 0, LB_STALL_RUN_QUEUE, "half in the run queue"},
    {100 * MS, 90 * MS, 90 * MS, 90 * MS, LB_STALL_RUN_QUEUE, "all did"},
    {100 * MS, 0, 0, 100 * MS, LB_STALL_STEAL, "steal"},
    {100 * MS, 90 * MS, 0, 60 * MS, LB_STALL_STEAL, "steal before own work"},
    {100 * MS, 90 * MS, 0, 10 * MS, LB_STALL_BUSY, "own work"},
};

int main(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lb_stall_watch grown = {.run_ns = cases[i].run,
                                   .wait_ns = cases[i].wait,
                                   .steal_ns = cases[i].steal};
    is_str(lb_stall_names[lb_stall_judge(cases[i].held, &grown)],
           lb_stall_names[cases[i].want], "%s", cases[i].what);
  }
  struct lb_stall_watch w = {0};
  lb_stall_look(&w);
  ok(w.run_ns > 0, "this thread has run");
  struct lb_stall_watch before = w;
  uint64_t end = lb_clock_ns() + 50 * MS;
  while (lb_clock_ns() < end)
    ;
  ok(lb_stall_cause(&w, MS) != LB_STALL_STOPPED, "work is no stop");
  ok(w.run_ns > before.run_ns, "and the watch has moved on");
  return done();
}
