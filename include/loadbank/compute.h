/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The emulated compute of a step: how long it is asked to take, and when it is
 * over.  Nothing sleeps here: the conductor waits for the deadline. */
#ifndef LOADBANK_COMPUTE_H
#define LOADBANK_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/dist.h"

struct lb_compute_kind {
  const char *name;
  const char *doc;
  /* Required, pure.  When a compute that starts at start_ns is over. */
  uint64_t (*deadline)(uint64_t start_ns, uint64_t request_ns);
};

extern const struct lb_compute_kind *const lb_computes[]; /* NULL at the end */

/* Makes some steps longer or shorter than what is drawn, for the self test;
 * of NULL: none.  A pure function. */
struct lb_compute_scale {
  double (*of)(const void *arg, int accelerator, uint64_t step);
  const void *arg; /* borrowed */
};

/* The compute of a run: `none' when it is always 0, else `sleep'. */
struct lb_compute {
  const struct lb_compute_kind *kind;
  const struct lb_dist *seconds; /* borrowed */
  uint64_t constant_ns;          /* when every draw is the same */
  bool constant;
  uint64_t seed;
  enum lb_rng_use use;
  struct lb_compute_scale scale; /* set it afterwards */
};
struct lb_compute lb_compute_make(const struct lb_dist *seconds, uint64_t seed,
                                  enum lb_rng_use use);

/* What step `step' (from 0, over all epochs) of an accelerator asks for; a
 * pure function of (seed, accelerator, step). */
uint64_t lb_compute_request_ns(const struct lb_compute *c, int accelerator,
                               uint64_t step);

#endif
