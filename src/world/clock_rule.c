/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shortest round trip says most: the other clock was read somewhere within
 * it, so that half of it is the uncertainty. */
#include "lb-config.h"

#include "world/clock_rule.h"

#include <math.h>
#include <stddef.h>

/* Clocks may be decades apart: a difference of integers keeps its digits. */
static double apart_s(uint64_t a, uint64_t b)
{
  return (double)(int64_t)(a - b) / 1e9;
}

struct lb_clock_offset lb_clock_offset(const struct lb_ping *ping, int n)
{
  const struct lb_ping *best = ping;
  for (int i = 1; i < n; i++)
    if (ping[i].back_ns - ping[i].sent_ns < best->back_ns - best->sent_ns)
      best = &ping[i];
  double half = apart_s(best->back_ns, best->sent_ns) / 2;
  return (struct lb_clock_offset){
      .offset_s = apart_s(best->there_utc_ns, best->utc_ns) - half,
      .monotonic_s = apart_s(best->there_ns, best->sent_ns) - half,
      .uncertainty_s = half};
}

/* By how much it is surely away, whatever the sign. */
static double surely(const struct lb_clock_offset *o)
{
  return fabs(o->offset_s) - o->uncertainty_s;
}

const struct lb_node_clock *lb_clocks_worst(const struct lb_clocks *c,
                                            double limit_s, double *offset_s)
{
  const struct lb_node_clock *worst = NULL;
  for (int i = 0; i < c->n && c->node; i++) {
    const struct lb_node_clock *node = &c->node[i];
    const struct lb_clock_offset *o =
        surely(&node->end) > surely(&node->begin) ? &node->end : &node->begin;
    if (surely(o) <= limit_s)
      continue;
    limit_s = surely(o);
    *offset_s = o->offset_s;
    worst = node;
  }
  return worst;
}
