/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operations on paths wait for beside bytes and latencies: servers of a
 * file, a folder or the whole job, and opens of the same file.  Part of
 * `simulated'; times are ticks of its clock. */
#ifndef CONTENTION_H
#define CONTENTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/iolist.h"
#include "loadbank/rng.h"
#include "loadbank/simulated.h"

/* Keys with some words each, in memory that ranks of a node share. */
struct lb_keyed {
  _Atomic uint64_t *word; /* slots x (1 + values): the key, then its values */
  size_t slots, values;   /* slots: a power of two; 0: not in use */
};

struct lb_contention {
  int scope; /* enum lb_contention_scope */
  uint64_t service;
  struct lb_keyed queues; /* values: when each server is free */
  uint64_t stall;
  double probability;
  struct lb_keyed
      opens; /* value: until when an open of the file is in flight */
};

/* Sum that stays below LB_NEVER. */
static inline uint64_t lb_ticks_later(uint64_t ticks, uint64_t by)
{
  uint64_t sum;
  return __builtin_add_overflow(ticks, by, &sum) ? UINT64_MAX - 1 : sum;
}

/* Words that these options need; 0: neither option is on. */
size_t lb_contention_words(const struct lb_simulated *o);

/* word: that many, zeroed at first, borrowed.  slower: the service takes that
 * many times as long (a node's share of a job's servers). */
void lb_contention_init(struct lb_contention *c, const struct lb_simulated *o,
                        _Atomic uint64_t *word, double slower,
                        double ticks_per_s);

/* An operation on io->path asks at t: when one of the servers is done. */
uint64_t lb_contention_queue(struct lb_contention *c, const struct lb_io *io,
                             uint64_t t);
/* An open of io->path that was asked at t and would be done at `done': when it
 * is.  rng: the asker's. */
uint64_t lb_contention_open(struct lb_contention *c, const struct lb_io *io,
                            uint64_t t, uint64_t done, struct lb_rng *rng);

/* The values of the key, which gets a place when it has none.  Exact while
 * there are places near its own; then it shares those of another key. */
_Atomic uint64_t *lb_keyed_find(const struct lb_keyed *k, uint64_t key);

#endif
