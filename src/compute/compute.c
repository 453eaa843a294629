/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of computes and the draw of a step's time. */
#include "lb-config.h"

#include "loadbank/compute.h"

#include <stddef.h>

#include "compute_impl.h"

const struct lb_compute_kind *const lb_computes[] = {
#define X(n) &lb_compute_##n,
    LB_COMPUTE_LIST(X)
#undef X
        NULL};

struct lb_compute lb_compute_make(const struct lb_dist *seconds, uint64_t seed,
                                  enum lb_rng_use use)
{
  struct lb_compute c = {.kind = &lb_compute_sleep,
                         .seconds = seconds,
                         .constant = lb_dist_is_constant(seconds),
                         .seed = seed,
                         .use = use};
  if (c.constant)
    c.constant_ns = (uint64_t)(lb_dist_mean(seconds) * 1e9 + 0.5);
  if (c.constant && c.constant_ns == 0)
    c.kind = &lb_compute_none;
  return c;
}

static uint64_t draw_ns(const struct lb_compute *c, int accelerator,
                        uint64_t step)
{
  if (c->constant)
    return c->constant_ns;
  struct lb_rng rng =
      lb_rng_stream(c->seed, c->use, (uint64_t)accelerator, step);
  return (uint64_t)(lb_dist_sample(c->seconds, &rng) * 1e9 + 0.5);
}

uint64_t lb_compute_request_ns(const struct lb_compute *c, int accelerator,
                               uint64_t step)
{
  uint64_t ns = draw_ns(c, accelerator, step);
  if (!c->scale.of)
    return ns;
  double factor = c->scale.of(c->scale.arg, accelerator, step);
  return (uint64_t)((double)ns * factor + 0.5);
}
