/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many accelerators a client can emulate: a table of round numbers that
 * can be checked by hand. */
#include "lb-config.h"

#include "loadbank/estimate.h"

#include <math.h>

#include "tap.h"

static const double us = 1e-6;

static void processors(void)
{
  /* 10 us + 5 calls of 2 us + 1 MB at 10 GB/s (100 us) are 120 us a sample,
   * 480 us a batch: a core carries 100 accelerators of 48 ms. */
  struct lb_client c = {1, 4, 10e9, 100e9, 2e-6, 1e-6, 0};
  struct lb_client_load l = {false, 0.048, 4, 10e-6, 5, 1e6};
  struct lb_estimate e = lb_estimate_make(&c, &l);
  ok(e.known && e.precise, "it is known, and exact");
  is_near(e.sample_cpu_s, 120 * us, 1e-12, "a sample takes 120 us");
  is_near(e.accelerators[LB_BOUND_PROCESSORS], 400, 1e-9, "4 cores: 400");
  is_near(e.accelerators[LB_BOUND_CONDUCTOR], 48000, 1e-6,
          "a conductor of 1 us a step: 48000");
  is_near(e.accelerators[LB_BOUND_MEMORY], 1200, 1e-9,
          "4 MB in 48 ms are 83 MB/s: 1200 times in 100 GB/s");
  is_int(e.first, LB_BOUND_PROCESSORS, "processors are first");
  is_int(e.most, 200, "200 with a reserve");
  c.ranks = 3;
  is_int(lb_estimate_make(&c, &l).most, 198, "a multiple of the ranks");
  c.ranks = 201;
  is_int(lb_estimate_make(&c, &l).most, 0, "not one a rank");
}

static void memory(void)
{
  /* 50 MB/s an accelerator out of 1 GB/s. */
  struct lb_client c = {1, 64, 10e9, 1e9, 0, 1e-6, 0};
  struct lb_client_load l = {false, 0.1, 5, 0, 0, 1e6};
  struct lb_estimate e = lb_estimate_make(&c, &l);
  is_int(e.first, LB_BOUND_MEMORY, "memory bandwidth is first");
  is_int(e.most, 10, "10 with a reserve");
  l.is_virtual = true;
  e = lb_estimate_make(&c, &l);
  ok(isinf(e.accelerators[LB_BOUND_MEMORY]), "virtual storage moves no bytes");
  is_near(e.sample_cpu_s, 0, 0, "and makes no calls");
}

static void conductor(void)
{
  /* A virtual storage is walked by the conductor: 8 x 25 us of each 10 ms. */
  struct lb_client c = {2, 8, 10e9, 10e9, 1e-6, 1e-6, 0};
  struct lb_client_load l = {true, 0.010, 8, 25e-6, 10, 1e6};
  struct lb_estimate e = lb_estimate_make(&c, &l);
  is_near(e.accelerators[LB_BOUND_CONDUCTOR], 100, 1e-9, "2 x 50");
  is_near(e.accelerators[LB_BOUND_PROCESSORS], 400, 1e-9, "8 x 50");
  is_int(e.first, LB_BOUND_CONDUCTOR, "the conductor is first");
  is_int(e.most, 50, "50 with a reserve");
  /* Samples that cost less than the step itself. */
  l = (struct lb_client_load){false, 0.010, 1, 0.5e-6, 0, 0};
  e = lb_estimate_make(&c, &l);
  is_near(e.accelerators[LB_BOUND_PROCESSORS], 80000, 1e-6,
          "a step costs at least what a conductor needs");
}

static void lateness(void)
{
  struct lb_client c = {1, 1, 1e9, 1e9, 1e-6, 1e-6, 100e-6};
  struct lb_client_load l = {true, 0.005, 1, 1e-6, 1, 1};
  struct lb_estimate e = lb_estimate_make(&c, &l);
  is_near(e.late_percent, 2, 1e-12, "0.1 ms of 5 ms are 2 %%");
  ok(e.precise, "which is allowed");
  l.compute_s = 0.0049;
  ok(!lb_estimate_make(&c, &l).precise, "more is not");
  l.compute_s = 0;
  e = lb_estimate_make(&c, &l);
  ok(!e.known, "without compute nothing is known");
  is_int(e.most, 0, "nor a number given");
}

static void nothing_measured(void)
{
  struct lb_client c = {.ranks = 1, .cores = 1};
  struct lb_client_load l = {.compute_s = 1, .batch = 1, .is_virtual = true};
  struct lb_estimate e = lb_estimate_make(&c, &l);
  is_int(e.most, 1000000000, "what costs nothing has no limit but this");
}

int main(void)
{
  processors();
  memory();
  conductor();
  lateness();
  nothing_measured();
  return done();
}
