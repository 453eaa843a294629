/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run over a model of storage must give, worked out with pencil and
 * paper: docs/accuracy.md derives each formula and says when it holds.  Pure.
 * Times are in seconds, utilisation is in percent, of the metric window that
 * leaves out the first step of each block. */
#ifndef LOADBANK_CLOSED_FORMS_H
#define LOADBANK_CLOSED_FORMS_H

#include <stdint.h>

/* Accelerators that are all alike. */
struct lb_closed {
  int64_t steps;   /* of a block */
  int64_t readers; /* of an accelerator; 0: it reads itself, when it needs it */
  int64_t ahead;   /* batches that are asked for and not yet taken */
  double compute;  /* of a step */
  double read;     /* of a batch by one reader, while all readers read */
};

/* `read' when only latencies count, and when only a server does that
 * `accelerators' share: its service of a batch is `service'. */
double lb_closed_read_shared(int64_t accelerators, int64_t readers,
                             double service);

/* One block. */
double lb_closed_au(const struct lb_closed *c);
/* `blocks' blocks with checkpoints between them that last long enough to fill
 * the prefetch; one reader. */
double lb_closed_au_blocks(const struct lb_closed *c, int64_t blocks);
/* Storage never waits; one of the accelerators computes `slower' times as
 * long. */
double lb_closed_au_straggler(int64_t accelerators, int64_t steps,
                              double slower);
/* One reader; c->compute for `burst' steps, then `fast' for as many, in turn;
 * c->steps is a multiple of 2 burst.  fast < read < c->compute, and slow steps
 * last long enough to fill the prefetch. */
double lb_closed_au_bursty(const struct lb_closed *c, int64_t burst,
                           double fast);

/* `readers' that each make `each' operations, going round `queues' queues that
 * serve one operation at a time in `service': when the last one is done.  All
 * start at the same queue. */
double lb_closed_queues(int64_t readers, int64_t each, int64_t queues,
                        double service);

#endif
