/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See contention.h.  Ranks of a node do this at the same time, without a lock:
 * every word changes by compare and swap.
 *
 * A key is a hash of the path in 64 bits.  It takes one of PROBES places from
 * its own on, for good.  When these are taken, as in a dataset of more files
 * than places, it shares its own place with the key that has it: two files
 * then wait for one another, but only when both are in use at the same time,
 * and of m files in use a given one meets another with probability m / places
 * at most.  Folders are hardly ever so many. */
#include "lb-config.h"

#include "storage/contention.h"

#include <math.h>
#include <string.h>

#include "loadbank/hash.h"

enum { MAX_WORDS = 1 << 18, MIN_SLOTS = 1 << 8, PROBES = 32 };

/* As many places as there is memory for. */
static size_t slots_for(size_t values)
{
  size_t slots = MIN_SLOTS;
  while (2 * slots * (1 + values) <= MAX_WORDS)
    slots *= 2;
  return slots;
}

/* What the options ask for: slots and values. */
static struct lb_keyed queues_of(const struct lb_simulated *o)
{
  struct lb_keyed k = {.values = (size_t)o->open_concurrency.servers};
  if (k.values == 0 || !(o->open_concurrency.service > 0))
    return (struct lb_keyed){.slots = 0};
  k.slots =
      o->open_concurrency.scope == LB_CONTENTION_JOB ? 1 : slots_for(k.values);
  return k;
}

static struct lb_keyed opens_of(const struct lb_simulated *o)
{
  if (!(o->same_file_open_stall.time > 0) ||
      !(o->same_file_open_stall.probability > 0))
    return (struct lb_keyed){.slots = 0};
  return (struct lb_keyed){.slots = slots_for(1), .values = 1};
}

static size_t words(const struct lb_keyed *k)
{
  return k->slots * (1 + k->values);
}

size_t lb_contention_words(const struct lb_simulated *o)
{
  struct lb_keyed queues = queues_of(o), opens = opens_of(o);
  return words(&queues) + words(&opens);
}

void lb_contention_init(struct lb_contention *c, const struct lb_simulated *o,
                        _Atomic uint64_t *word, double slower,
                        double ticks_per_s)
{
  *c = (struct lb_contention){
      .scope = o->open_concurrency.scope,
      .service =
          (uint64_t)llround(o->open_concurrency.service * slower * ticks_per_s),
      .queues = queues_of(o),
      .stall = (uint64_t)llround(o->same_file_open_stall.time * ticks_per_s),
      .probability = o->same_file_open_stall.probability,
      .opens = opens_of(o)};
  c->queues.word = word;
  c->opens.word = word + words(&c->queues);
}

/* Never 0, which marks a free place. */
static uint64_t hash(const char *text, size_t n)
{
  uint64_t h = lb_rng_mix(lb_hash(LB_HASH_START, text, n));
  return h ? h : 1;
}

static uint64_t key_of(const struct lb_contention *c, const char *path)
{
  if (c->scope == LB_CONTENTION_JOB)
    return 1;
  if (c->scope == LB_CONTENTION_FILE)
    return hash(path, strlen(path));
  const char *slash = strrchr(path, '/');
  return hash(path, slash ? (size_t)(slash - path) : 0);
}

_Atomic uint64_t *lb_keyed_find(const struct lb_keyed *k, uint64_t key)
{
  size_t mask = k->slots - 1, stride = 1 + k->values;
  for (size_t i = 0; i < PROBES && i <= mask; i++) {
    _Atomic uint64_t *at = k->word + ((key + i) & mask) * stride;
    uint64_t has = atomic_load_explicit(at, memory_order_relaxed);
    if (has == 0 &&
        atomic_compare_exchange_strong_explicit(
            at, &has, key, memory_order_relaxed, memory_order_relaxed))
      return at + 1;
    if (has == key)
      return at + 1;
  }
  return k->word + (key & mask) * stride + 1;
}

static _Atomic uint64_t *first_free(_Atomic uint64_t *server, size_t n,
                                    uint64_t *when)
{
  _Atomic uint64_t *best = server;
  *when = atomic_load_explicit(server, memory_order_relaxed);
  for (size_t i = 1; i < n; i++) {
    uint64_t at = atomic_load_explicit(server + i, memory_order_relaxed);
    if (at < *when) {
      *when = at;
      best = server + i;
    }
  }
  return best;
}

uint64_t lb_contention_queue(struct lb_contention *c, const struct lb_io *io,
                             uint64_t t)
{
  if (!c->queues.slots)
    return t;
  _Atomic uint64_t *servers = lb_keyed_find(&c->queues, key_of(c, io->path));
  _Atomic uint64_t *server;
  uint64_t old, done;
  do {
    server = first_free(servers, c->queues.values, &old);
    done = lb_ticks_later(old > t ? old : t, c->service);
  } while (!atomic_compare_exchange_weak_explicit(
      server, &old, done, memory_order_relaxed, memory_order_relaxed));
  return done;
}

uint64_t lb_contention_open(struct lb_contention *c, const struct lb_io *io,
                            uint64_t t, uint64_t done, struct lb_rng *rng)
{
  if (!c->opens.slots)
    return done;
  _Atomic uint64_t *until =
      lb_keyed_find(&c->opens, hash(io->path, strlen(io->path)));
  bool hit = lb_rng_double(rng) < c->probability;
  uint64_t old = atomic_load_explicit(until, memory_order_relaxed), end, last;
  do {
    end = hit && old > t ? lb_ticks_later(done, c->stall) : done;
    last = end > old ? end : old;
  } while (!atomic_compare_exchange_weak_explicit(
      until, &old, last, memory_order_relaxed, memory_order_relaxed));
  return end;
}
