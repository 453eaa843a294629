/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See closed_forms.h and docs/accuracy.md. */
#include "lb-config.h"

#include "loadbank/closed_forms.h"

#include <math.h>

double lb_closed_read_shared(int64_t accelerators, int64_t readers,
                             double service)
{
  return (double)(accelerators * (readers > 0 ? readers : 1)) * service;
}

/* Readers finish a batch each every `read'; their batches are then computed one
 * after another.  With r >= T c step i starts at (i/T + 1) r + (i mod T) c. */
double lb_closed_au(const struct lb_closed *c)
{
  double busy = (double)(c->steps - 1) * c->compute;
  if (c->readers == 0)
    return 100 * c->compute / (c->read + c->compute);
  int64_t rounds = (c->steps - 1) / c->readers;
  int64_t rest = (c->steps - 1) % c->readers;
  double window = (double)rounds * c->read + (double)rest * c->compute;
  return 100 * busy / fmax(window, busy);
}

/* A block after a checkpoint starts with `ahead' batches, and the one after
 * these is asked for at its start. */
double lb_closed_au_blocks(const struct lb_closed *c, int64_t blocks)
{
  double busy = (double)(c->steps - 1) * c->compute;
  double window = fmax(busy, (double)(c->steps - c->ahead) * c->read);
  double later = 100 * busy / window;
  return (lb_closed_au(c) + (double)(blocks - 1) * later) / (double)blocks;
}

double lb_closed_au_straggler(int64_t accelerators, int64_t steps,
                              double slower)
{
  double n = (double)steps, others = (double)(accelerators - 1);
  /* The gate of the first step is inside the window, its compute is not. */
  double waiting = (n - 1) / (n * slower - 1);
  return 100 * (others * waiting + 1) / (others + 1);
}

double lb_closed_au_bursty(const struct lb_closed *c, int64_t burst,
                           double fast)
{
  double b = (double)burst, left = (double)(burst - c->ahead);
  /* NOLINTNEXTLINE(bugprone-integer-division): whole ones */
  double bursts = (double)(c->steps / (2 * burst));
  double slow = b * c->compute;
  /* Of a burst: its own compute, or what is read while it lasts; the slow step
   * after it waits for one batch more. */
  double inner = fmax(b * fast, (left + 1) * c->read);
  double last = fmax(b * fast, left * c->read + fast);
  double block = c->read + bursts * slow + (bursts - 1) * inner + last;
  double busy = bursts * (slow + b * fast) - c->compute;
  return 100 * busy / (block - c->read - c->compute);
}

/* The queues fill one after another; from then on min(readers, queues) of them
 * work all the time. */
double lb_closed_queues(int64_t readers, int64_t each, int64_t queues,
                        double service)
{
  double r = (double)readers, q = (double)queues;
  return service * ((double)each * fmax(r / q, 1) + fmin(r, q) - 1);
}
