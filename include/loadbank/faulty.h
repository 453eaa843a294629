/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decorator that makes a blocking backend fail or dawdle on order: how the
 * tests reach the paths that a healthy disk never takes. */
#ifndef LOADBANK_FAULTY_H
#define LOADBANK_FAULTY_H

#include <stdint.h>

#include "loadbank/storage.h"

struct lb_fault {
  enum lb_op op;
  const char *path;  /* only files whose path contains this; NULL: all */
  uint64_t after;    /* so many requests pass before the first fault */
  uint64_t times;    /* so many faults, then all is well; 0: for ever */
  int sys;           /* fail with this errno; 0: do not fail */
  uint64_t delay_ns; /* sleep before the request */
  uint64_t limit;    /* do at most so many bytes of the request; 0: all */
};

/* Wraps `inner' and owns it from then on, also when it fails.  The rule is
 * copied, its path borrowed. */
int lb_faulty_open(struct lb_storage **s, struct lb_storage *inner,
                   const struct lb_fault *fault, struct lb_err *err);

/* Faults so far. */
uint64_t lb_faulty_count(const struct lb_storage *s);

#endif
