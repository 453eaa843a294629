/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "loadbank/rng.h"

#include "tap.h"

int main(void)
{
  /* First output of splitmix64 with state 0, from its reference code. */
  is_int(lb_rng_mix(LB_RNG_GOLDEN), (long long)0xe220a8397b1dcdafu,
         "mix is splitmix64's");
  struct lb_rng a = lb_rng_stream(1, LB_RNG_SIZE, 2, 3);
  struct lb_rng b = lb_rng_stream(1, LB_RNG_SIZE, 2, 3);
  ok(lb_rng_u64(&a) == lb_rng_u64(&b), "the same name gives the same stream");
  struct lb_rng c = lb_rng_stream(1, LB_RNG_ORDER, 2, 3);
  struct lb_rng d = lb_rng_stream(1, LB_RNG_SIZE, 3, 2);
  ok(a.key != c.key && a.key != d.key, "use and order of indices matter");
  double sum = 0, sum2 = 0, least = 1, most = 0;
  enum { N = 100000 };
  for (int i = 0; i < N; i++) {
    double x = lb_rng_double(&a);
    sum += x;
    sum2 += x * x;
    least = x < least ? x : least;
    most = x > most ? x : most;
  }
  ok(least > 0 && most < 1, "doubles are inside (0, 1)");
  is_near(sum / N, 0.5, 0.005, "mean of uniform");
  is_near(sum2 / N, 1.0 / 3, 0.005, "second moment of uniform");
  return done();
}
