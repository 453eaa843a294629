/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute times: what is asked for, and when it is over. */
#include "lb-config.h"

#include "loadbank/compute.h"

#include <string.h>

#include "tap.h"

static void test_table(void)
{
  for (int i = 0; lb_computes[i]; i++) {
    const struct lb_compute_kind *c = lb_computes[i];
    size_t n = strlen(c->doc);
    ok(n && c->doc[n - 1] == '.' && c->deadline,
       "%s: says what it is, has "
       "what it must",
       c->name);
  }
}

static void test_constant(void)
{
  static const struct {
    double s;
    uint64_t ns;
    const char *kind;
  } rows[] = {{0, 0, "none"},
              {0.0136, 13600000, "sleep"},
              {1e-9, 1, "sleep"},
              {1.1, 1100000000, "sleep"},
              {3600, 3600000000000, "sleep"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_dist d = lb_dist_constant(rows[i].s);
    struct lb_compute c = lb_compute_make(&d, 123, LB_RNG_COMPUTE);
    is_str(c.kind->name, rows[i].kind, "%g s", rows[i].s);
    is_int(lb_compute_request_ns(&c, 3, 1000), rows[i].ns, "asks for %d ns",
           (int)rows[i].ns);
    is_int(c.kind->deadline(5000, rows[i].ns), 5000 + rows[i].ns,
           "is over that much later");
  }
}

static void test_draws(void)
{
  enum { ACCELERATORS = 16, STEPS = 1000 };
  struct lb_dist d = {.kind = lb_dist_find("normal"), .p = {0.1, 0.01}};
  struct lb_compute c = lb_compute_make(&d, 123, LB_RNG_COMPUTE);
  struct lb_compute eval = lb_compute_make(&d, 123, LB_RNG_EVAL);
  struct lb_compute other = lb_compute_make(&d, 124, LB_RNG_COMPUTE);
  double sum = 0;
  int same = 0, repeats = 0, last_same = 0;
  uint64_t last = 0;
  is_str(c.kind->name, "sleep", "a time that varies");
  for (int a = 0; a < ACCELERATORS; a++)
    for (uint64_t s = 0; s < STEPS; s++) {
      uint64_t ns = lb_compute_request_ns(&c, a, s);
      sum += (double)ns;
      repeats += lb_compute_request_ns(&c, a, s) == ns;
      same += lb_compute_request_ns(&eval, a, s) == ns;
      same += lb_compute_request_ns(&other, a, s) == ns;
      last_same += last == ns;
      last = ns;
    }
  is_int(repeats, ACCELERATORS * STEPS, "a draw is a function of its index");
  ok(same < 10 && last_same < 10, "no two uses, seeds, accelerators or steps "
                                  "share draws");
  /* Six times the standard error of the mean, 1e7 / sqrt(16000). */
  is_near(sum / (ACCELERATORS * STEPS), 1e8, 6 * 79057, "mean, ns");
}

/* A time that varies may be 0 now and then: still the compute that sleeps. */
static void test_zero_mean(void)
{
  struct lb_dist d = {.kind = lb_dist_find("normal"),
                      .p = {0, 0.01},
                      .negative = LB_NEGATIVE_CLIP};
  struct lb_compute c = lb_compute_make(&d, 123, LB_RNG_COMPUTE);
  int zero = 0, large = 0;
  is_str(c.kind->name, "sleep", "mean 0, but it varies");
  for (uint64_t s = 0; s < 1000; s++) {
    uint64_t ns = lb_compute_request_ns(&c, 0, s);
    zero += ns == 0;
    large += ns > 100000000; /* ten standard deviations */
  }
  ok(zero > 400 && zero < 600 && !large, "draws below 0 become 0: %d", zero);
}

int main(void)
{
  test_table();
  test_constant();
  test_draws();
  test_zero_mean();
  return done();
}
