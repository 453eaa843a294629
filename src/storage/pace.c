/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests by second. */
#include "lb-config.h"

#include "loadbank/pace.h"

#include <stdlib.h>

const char *const lb_pace_names[LB_N_PACES] = {[LB_PACE_READ] = "read",
                                               [LB_PACE_WRITE] = "write",
                                               [LB_PACE_OTHER] = "other"};

void lb_pace_init(struct lb_pace *p)
{
  *p = (struct lb_pace){.base_s = lb_clock_ns() / LB_NS_PER_S};
}

void lb_pace_fini(struct lb_pace *p)
{
  for (size_t i = 0; i < LB_PACE_CHUNKS; i++)
    free(p->chunk[i]);
  *p = (struct lb_pace){.n = 0};
}

/* NULL: before the first, past the last, or no memory. */
static struct lb_pace_second *place(struct lb_pace *p, uint64_t second)
{
  uint64_t i = second - p->base_s; /* wraps to a large one when it is before */
  if (i >= (uint64_t)LB_PACE_CHUNK * LB_PACE_CHUNKS)
    return NULL;
  struct lb_pace_second **c = &p->chunk[i / LB_PACE_CHUNK];
  if (!*c)
    *c = calloc(LB_PACE_CHUNK, sizeof **c);
  if (!*c)
    return NULL;
  p->n = i >= p->n ? i + 1 : p->n;
  return &(*c)[i % LB_PACE_CHUNK];
}

void lb_pace_turn(struct lb_pace *p, uint64_t end_ns)
{
  uint64_t second = end_ns / LB_NS_PER_S;
  p->now = place(p, second);
  p->now_ns = second * LB_NS_PER_S;
}

const struct lb_pace_second *lb_pace_at(const struct lb_pace *p,
                                        uint64_t second)
{
  uint64_t i = second - p->base_s;
  if (i >= p->n || !p->chunk[i / LB_PACE_CHUNK])
    return NULL;
  return &p->chunk[i / LB_PACE_CHUNK][i % LB_PACE_CHUNK];
}

void lb_pace_merge(struct lb_pace *into, const struct lb_pace *p)
{
  for (size_t i = 0; i < p->n; i++) {
    const struct lb_pace_second *from = lb_pace_at(p, p->base_s + i);
    struct lb_pace_second *to = from ? place(into, p->base_s + i) : NULL;
    for (int k = 0; to && k < LB_N_PACES; k++) {
      to->count[k] += from->count[k];
      to->bytes[k] += from->bytes[k];
    }
  }
}
