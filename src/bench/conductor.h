/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conductor: a rank's main thread, which drives its accelerators as small
 * state machines (waiting for a batch, computing until a deadline, at the
 * gate).  It waits on one thing at a time: the earliest deadline, or the next
 * batch.  Inside src/bench only. */
#ifndef CONDUCTOR_H
#define CONDUCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/compute.h"
#include "loadbank/gate.h"
#include "loadbank/loader.h"
#include "loadbank/metrics.h"
#include "loadbank/windows.h"

/* One accelerator.  Times in ns. */
struct lb_seat {
  uint64_t free_at;   /* since when it waits for its batch */
  uint64_t start;     /* of its compute */
  uint64_t deadline;  /* of its compute; LB_NEVER while it waits */
  uint64_t request;   /* that it was asked to compute */
  uint64_t lag;       /* how late its batch was noticed */
  int64_t steps_done; /* in this block */
};

/* What the conductor asks of the run; all required. */
struct lb_conductor_hooks {
  void *arg;
  /* At every gate: is the run to stop (SIGTERM, SIGINT)? */
  bool (*stopping)(void *arg);
  /* A reader failed: the job stops at the next gate, with this reason. */
  void (*fail)(void *arg, struct lb_err *err);
  /* At every gate, when it is released. */
  void (*passed)(void *arg, const struct lb_release *r);
  /* Before it sleeps: in training when all accelerators compute; `step' of the
   * run, or of the evaluation, is under way. */
  void (*tick)(void *arg, uint64_t step);
};

struct lb_conductor {
  struct lb_loader *loader; /* borrowed, as all of these */
  struct lb_gate *gate;
  struct lb_metrics *metrics;
  struct lb_windows *windows; /* of training; NULL: none */
  struct lb_compute compute;  /* of what runs now */
  int k, first;
  uint64_t step; /* of the run, for the draws of compute times */
  struct lb_conductor_hooks hooks;
  struct lb_seat *seat; /* k; owned */
  int computing;        /* seats with a batch in hand */
  uint64_t last_watch;
  uint64_t stop_seen; /* when a wait for a batch met a signal's stop; 0: not */
  uint64_t held_ns;   /* evaluation: this rank was held up ... */
  enum lb_stall stall;
};

int lb_conductor_init(struct lb_conductor *c, int k, int first,
                      struct lb_err *err);
void lb_conductor_fini(struct lb_conductor *c);

/* What a block or an evaluation ended with. */
struct lb_block_end {
  uint64_t ns;       /* the stamp of its last gate */
  int64_t steps;     /* done by every accelerator of the rank */
  enum lb_stop stop; /* decided at that gate, the same on every rank */
};

/* Training: `steps' steps, each with a gate, from start_ns.  A failure of a
 * reader is reported through the gate: every rank gets LB_STOP_FAILED. */
struct lb_block_end lb_conductor_block(struct lb_conductor *c, int64_t steps,
                                       uint64_t start_ns);

/* Evaluation: no gate between steps, one at the end. */
struct lb_block_end lb_conductor_eval(struct lb_conductor *c, int64_t steps,
                                      uint64_t start_ns);

#endif
