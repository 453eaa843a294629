/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formulas of AU against windows computed by hand. */
#include "lb-config.h"

#include "metrics/au.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

enum { MS = 1000000 };

static struct lb_step step(uint64_t load, uint64_t compute, uint64_t requested,
                           uint64_t gate)
{
  return (struct lb_step){.load_ns = load * MS,
                          .compute_ns = compute * MS,
                          .requested_ns = requested * MS,
                          .gate_ns = gate * MS};
}

/* n steps: load i + 1, compute 10 + i, requested 10, gate 1 (ms). */
static struct lb_block_sums run(int n, int start, int end)
{
  struct lb_step ring[16];
  struct lb_window w = {
      .exclude_start = start, .exclude_end = end, .ring = ring};
  lb_window_begin(&w);
  uint64_t block = 0;
  for (int i = 0; i < n; i++) {
    struct lb_step s = step((uint64_t)i + 1, 10 + (uint64_t)i, 10, 1);
    block += s.load_ns + s.compute_ns + s.gate_ns;
    s.last_load_ns = i % 2 ? s.load_ns : 0;
    lb_window_step(&w, &s);
  }
  lb_window_end(&w, block);
  return w.sums;
}

static void windows(void)
{
  struct lb_block_sums b = run(12, 2, 3);
  is_int(b.window, 7, "exclude 2 and 3 of 12 steps: 7 steps");
  is_int(b.steps, 12, "the block has 12");
  /* inside: i = 2 .. 8; compute sum 70 + 35 = 105; load sum 7 + 35 = 42 */
  is_int(b.compute_ns, 105 * MS, "compute of steps 2 .. 8");
  is_int(b.load_ns, 42 * MS, "load of steps 2 .. 8");
  is_int(b.last_load_ns, 18 * MS, "of these, of 3, 5 and 7: 4 + 6 + 8");
  is_int(b.requested_ns, 70 * MS, "requested of 7 steps");
  is_int(b.gate_ns, 12 * MS, "gate of all 12 steps");
  /* outside: i = 0, 1, 9, 10, 11: load 1+2+10+11+12 = 36, compute
   * 10+11+19+20+21 = 81 */
  is_int(b.excluded_ns, 117 * MS, "load + compute of the other 5");
  /* block: load 78 + compute 186 + gate 12 = 276 */
  is_int(b.block_ns, 276 * MS, "block");
  is_near(lb_au_percent(&b), 100.0 * 105 / 159, 1e-12, "AU = 105 / 159");
  is_near(lb_au_nominal_percent(&b), 100.0 * 70 / 159, 1e-12,
          "nominal AU = 70 / 159");
  is_near(lb_au_samples_per_s(&b, 4), 7 * 4 / 0.159, 1e-9,
          "window steps x batch / T");
  is_int(b.all_load_ns, 78 * MS, "all loads");
  is_int(b.all_compute_ns, 186 * MS, "all computes");

  b = run(12, 0, 0);
  is_int(b.window, 12, "nothing excluded");
  is_int(b.excluded_ns, 0, "nothing excluded");
  is_near(lb_au_percent(&b), 100.0 * 186 / 276, 1e-12, "whole block");
  b = run(2, 1, 0);
  is_int(b.window, 1, "2 steps, the first excluded: 1");
  is_near(lb_au_percent(&b), 100.0 * 11 / 15, 1e-12,
          "gate of the excluded step stays in T: 11 / (1+2+11+1)");
  is_near(lb_au_samples_per_s(&b, 1), 1 / 0.015, 1e-9, "one step's rate");
}

static void no_window(void)
{
  static const int cases[][3] = {
      {1, 1, 0}, {5, 2, 3}, {5, 5, 0}, {4, 0, 4},
      {3, 9, 9}, {0, 0, 0}, {0, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct lb_block_sums b = run(cases[i][0], cases[i][1], cases[i][2]);
    ok(b.window == 0 && lb_au_window_ns(&b) == 0 && isnan(lb_au_percent(&b)) &&
           isnan(lb_au_nominal_percent(&b)) &&
           isnan(lb_au_samples_per_s(&b, 4)),
       "%d steps without %d and %d: no window", cases[i][0], cases[i][1],
       cases[i][2]);
  }
  struct lb_block_sums b = run(4, 1, 1);
  is_int(b.window, 2, "4 without 1 and 1: 2");
  b.block_ns = b.excluded_ns;
  ok(isnan(lb_au_percent(&b)), "T of 0 is no number");
  b.block_ns = b.excluded_ns - 1;
  ok(isnan(lb_au_percent(&b)) && isnan(lb_au_samples_per_s(&b, 1)),
     "T below 0 is no number");
  b.block_ns = b.excluded_ns + b.compute_ns - 5;
  is_near(lb_au_percent(&b), 100, 0, "never above 100");
  b = (struct lb_block_sums){.steps = 3, .window = 3, .block_ns = 10};
  is_near(lb_au_percent(&b), 0, 0, "no compute at all: 0, a number");
}

/* T(block) of the definition in words, computed in the other way: the block
 * less what is excluded equals what is included plus every gate. */
static void identity(void)
{
  for (int start = 0; start < 4; start++)
    for (int end = 0; end < 4; end++) {
      struct lb_block_sums b = run(12, start, end);
      is_int(lb_au_window_ns(&b), b.load_ns + b.compute_ns + 12 * MS,
             "T without %d and %d", start, end);
    }
}

static void weights(void)
{
  struct lb_au_epoch e = {0};
  struct lb_block_sums a = {.steps = 10,
                            .window = 9,
                            .block_ns = 1000,
                            .compute_ns = 900,
                            .requested_ns = 800};
  struct lb_block_sums b = {.steps = 20,
                            .window = 19,
                            .block_ns = 1000,
                            .compute_ns = 600,
                            .requested_ns = 600};
  struct lb_block_sums none = {.steps = 1, .block_ns = 50};
  lb_au_epoch_add(&e, &a, 300);
  lb_au_epoch_add(&e, &b, 600);
  lb_au_epoch_add(&e, &none, NAN);
  is_int(e.blocks, 3, "three blocks");
  is_int(e.windowless, 1, "one of them without a window");
  is_near(lb_au_epoch_au(&e), (10 * 90 + 20 * 60) / 30.0, 1e-12,
          "AU weighted by 10 and 20");
  is_near(lb_au_epoch_nominal(&e), (10 * 80 + 20 * 60) / 30.0, 1e-12,
          "nominal AU likewise");
  is_near(lb_au_epoch_rate(&e), 500, 1e-12, "throughput likewise");
  struct lb_au_epoch empty = {0};
  lb_au_epoch_add(&empty, &none, 20);
  ok(isnan(lb_au_epoch_au(&empty)), "only a block without a window: none");
  is_near(lb_au_epoch_rate(&empty), 20, 0, "but evaluation's rate stands");
}

static void deviations(void)
{
  double mean, stdev;
  lb_mean_stdev((double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8, &mean, &stdev);
  is_near(mean, 5, 1e-15, "mean");
  is_near(stdev, 2, 1e-15, "population deviation");
  lb_mean_stdev((double[]){NAN, 3, NAN}, 3, &mean, &stdev);
  is_near(mean, 3, 0, "NAN is passed over");
  is_near(stdev, 0, 0, "one value: 0");
  lb_mean_stdev((double[]){NAN}, 1, &mean, &stdev);
  ok(isnan(mean) && isnan(stdev), "no value");
  lb_mean_stdev(NULL, 0, &mean, &stdev);
  ok(isnan(mean) && isnan(stdev), "nothing at all");
}

int main(void)
{
  windows();
  no_window();
  identity();
  weights();
  deviations();
  return done();
}
