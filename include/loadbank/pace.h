/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests and bytes for each second, by the one thread that makes them: an
 * addition each, no lock.  Seconds are those of CLOCK_MONOTONIC; a request
 * counts in the one in which it ended. */
#ifndef LOADBANK_PACE_H
#define LOADBANK_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/clock.h"

/* What is told apart, and the columns of per_second.csv. */
enum lb_pace_kind { LB_PACE_READ, LB_PACE_WRITE, LB_PACE_OTHER, LB_N_PACES };
extern const char *const lb_pace_names[LB_N_PACES];
#define LB_PACE_FILE "per_second.csv"

struct lb_pace_second {
  uint64_t count[LB_N_PACES], bytes[LB_N_PACES]; /* others move no bytes */
};

/* 12 days; what comes later, or finds no memory, is not kept. */
enum { LB_PACE_CHUNK = 1024, LB_PACE_CHUNKS = 1024 };
struct lb_pace {
  uint64_t base_s; /* the first second: that in which it was made */
  size_t n;        /* seconds up to the last one with a request */
  uint64_t now_ns; /* when the second of the last request began ... */
  struct lb_pace_second *now; /* ... and where it is counted; NULL: nowhere */
  struct lb_pace_second *chunk[LB_PACE_CHUNKS]; /* made at their first use */
};

void lb_pace_init(struct lb_pace *p);
void lb_pace_fini(struct lb_pace *p);
/* Goes on to the second of a request. */
void lb_pace_turn(struct lb_pace *p, uint64_t end_ns);

static inline void lb_pace_add(struct lb_pace *p, enum lb_pace_kind kind,
                               uint64_t end_ns, uint64_t bytes)
{
  if (!p->now || end_ns - p->now_ns >= LB_NS_PER_S) /* wraps when earlier */
    lb_pace_turn(p, end_ns);
  if (!p->now)
    return;
  p->now->count[kind]++;
  p->now->bytes[kind] += bytes;
}

void lb_pace_merge(struct lb_pace *into, const struct lb_pace *p);
/* Of a second of CLOCK_MONOTONIC; NULL: nothing happened in it. */
const struct lb_pace_second *lb_pace_at(const struct lb_pace *p,
                                        uint64_t second);

#endif
