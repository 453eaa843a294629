/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GSL's interface of a generator over struct lb_rng. */
#include "lb-config.h"

#include "dist/dist_impl.h"

static void set(void *state, unsigned long seed)
{
  *(struct lb_rng *)state = (struct lb_rng){.key = seed};
}

static unsigned long get(void *state)
{
  return (unsigned long)(lb_rng_u64(state) >> 32);
}

static double get_double(void *state)
{
  return lb_rng_double(state);
}

static const gsl_rng_type stream_type = {
    .name = "loadbank",
    .max = 0xffffffff,
    .min = 0,
    .size = sizeof(struct lb_rng),
    .set = set,
    .get = get,
    .get_double = get_double,
};

gsl_rng lb_gsl_stream(struct lb_rng *rng)
{
  return (gsl_rng){.type = &stream_type, .state = rng};
}
