/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which operation a loss comes from: the time of an operation is count x mean
 * latency, of all readers together, for the same work; what it takes more than
 * before is held against what all operations of the phase take more. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "loadbank/iolist.h"
#include "results/compare_impl.h"

/* How much of the work one run did; NAN: it does not say. */
static double work_of(const struct lb_quantity *q, const struct lb_result *r)
{
  size_t n = lb_result_list(r, q->work, NULL, 0);
  return n ? (double)n : lb_result_number(r, q->work);
}

/* Mean over runs of what an operation came to, for one unit of work. */
struct cost {
  double count, seconds;
};

static struct cost cost_of(const struct lb_quantity *q,
                           const struct lb_group *g, const char *operation)
{
  struct cost c = {0};
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_result_op *op =
        lb_result_find_op(g->run[i], q->phase, operation);
    double work = work_of(q, g->run[i]);
    if (!op || !(op->count > 0) || !(op->mean_s >= 0) || !(work > 0))
      continue;
    c.count += op->count / work / (double)g->n;
    c.seconds += op->count * op->mean_s / work / (double)g->n;
  }
  return c;
}

static double per_request(const struct cost *c)
{
  return c->count > 0 ? c->seconds / c->count : 0;
}

/* Which files, where those of metadata were told apart. */
static const char *files_of(const struct lb_quantity *q,
                            const struct lb_group *a, const struct lb_group *b,
                            const char *operation, double extra)
{
  char name[40];
  snprintf(name, sizeof name, "%s_metadata", operation);
  struct cost ca = cost_of(q, a, name), cb = cost_of(q, b, name);
  if (ca.count + cb.count == 0)
    return NULL;
  return cb.seconds - ca.seconds > extra / 2 ? "metadata" : "data";
}

struct lb_cause lb_cause_of(const struct lb_quantity *q,
                            const struct lb_group *a, const struct lb_group *b)
{
  struct lb_cause most = {.phase = q->phase};
  double all = 0, unit = work_of(q, a->run[0]);
  for (int op = 0; op < LB_N_OPS; op++) {
    struct cost ca = cost_of(q, a, lb_op_names[op]);
    struct cost cb = cost_of(q, b, lb_op_names[op]);
    double extra = cb.seconds - ca.seconds;
    if (!(extra > 0))
      continue;
    all += extra;
    if (extra <= most.extra_s)
      continue;
    most.extra_s = extra;
    most.operation = lb_op_names[op];
    most.count_ratio = ca.count > 0 ? cb.count / ca.count : NAN;
    most.latency_s[0] = per_request(&ca);
    most.latency_s[1] = per_request(&cb);
  }
  if (!most.operation)
    return most;
  most.files = files_of(q, a, b, most.operation, most.extra_s);
  most.share = most.extra_s / all;
  most.extra_s *= unit;
  return most;
}
