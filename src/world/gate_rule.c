/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/gate_rule.h"

#include <limits.h>
#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

uint64_t lb_gate_due(uint64_t deadline_ns, uint64_t full_ns, enum lb_stop stop)
{
  return stop == LB_STOP_FAILED ? full_ns : larger(deadline_ns, full_ns);
}

bool lb_gate_cuts(uint64_t deadline_ns, uint64_t now_ns, enum lb_stop stop)
{
  return stop == LB_STOP_SIGNAL && deadline_ns > now_ns &&
         deadline_ns - now_ns > LB_GATE_PATIENCE_NS;
}

void lb_vote_encode(const struct lb_vote *v, int out[LB_VOTE_INTS])
{
  out[0] = v->ready;
  out[1] = -(int)v->stop;
  out[2] = v->reason;
  out[3] = (int)smaller(v->waited_ns, INT_MAX);
  out[4] = -(int)v->cut;
  out[5] = v->laps;
}

struct lb_vote lb_vote_decode(const int in[LB_VOTE_INTS])
{
  return (struct lb_vote){.ready = in[0] == 1,
                          .stop = (enum lb_stop)(-in[1]),
                          .reason = in[2],
                          .waited_ns = (uint64_t)in[3],
                          .cut = in[4] != 0,
                          .laps = in[5]};
}

uint64_t lb_gate_nap_ns(bool ready, uint64_t open_ns)
{
  const uint64_t us = 1000, ms = 1000000;
  uint64_t most = ready ? larger(200 * us, open_ns / 500) : 50 * ms;
  return smaller(larger(open_ns / 16, 5 * us), most);
}

static int by_size(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

uint64_t lb_gate_tail_ns(uint64_t *oversleep_ns, int n)
{
  const uint64_t margin = 3000, most = 150000; /* ns */
  qsort(oversleep_ns, (size_t)n, sizeof *oversleep_ns, by_size);
  return smaller(oversleep_ns[n - 1 - n / 20] + margin, most);
}
