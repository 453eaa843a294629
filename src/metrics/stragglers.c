/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A short list in order, so that memory does not grow with the job. */
#include "lb-config.h"

#include "metrics/stragglers.h"

const char *const lb_level_names[LB_N_LEVELS] = {
    [LB_LEVEL_ACCELERATOR] = "accelerators",
    [LB_LEVEL_RANK] = "ranks",
    [LB_LEVEL_NODE] = "nodes",
};

void lb_stragglers_try(struct lb_stragglers *to, const struct lb_straggler *s)
{
  int at = to->n < LB_STRAGGLERS ? to->n++ : LB_STRAGGLERS;
  for (; at > 0 && to->worst[at - 1].alone_s < s->alone_s; at--)
    if (at < LB_STRAGGLERS)
      to->worst[at] = to->worst[at - 1];
  if (at < LB_STRAGGLERS)
    to->worst[at] = *s;
}

void lb_straggler_add(struct lb_straggler *to, const struct lb_straggler *s)
{
  to->last += s->last;
  to->alone_s += s->alone_s;
  to->load_s += s->load_s;
  to->gate_s += s->gate_s;
}
