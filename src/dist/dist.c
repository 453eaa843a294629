/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of distributions and the rule for negative values, which is the
 * same for every row.  No distribution is known here by name but the constant
 * one, which the zero value stands for. */
#include "lb-config.h"

#include "loadbank/dist.h"

#include <math.h>
#include <string.h>

#include "dist/dist_impl.h"

/* `check' refuses a distribution that would need more: its draws are not
 * negative at least once in 100. */
enum { REDRAWS = 10000 };

const struct lb_dist_kind *const lb_dist_kinds[] = {
#define X(n) &lb_dist_kind_##n,
    LB_DIST_LIST(X)
#undef X
        NULL,
};

const struct lb_dist_kind *lb_dist_find(const char *name)
{
  for (size_t i = 0; lb_dist_kinds[i]; i++)
    if (!strcmp(lb_dist_kinds[i]->name, name))
      return lb_dist_kinds[i];
  return NULL;
}

static const struct lb_dist_kind *kind_of(const struct lb_dist *d)
{
  return d->kind ? d->kind : &lb_dist_kind_constant;
}

struct lb_dist lb_dist_constant(double value)
{
  return (struct lb_dist){.kind = &lb_dist_kind_constant, .p = {value}};
}

int lb_dist_check_param(const struct lb_dist *d, int i, double min, double max,
                        struct lb_err *err)
{
  double x = d->p[i];
  if (x >= min && x <= max)
    return 0;
  return lb_err_set(err, LB_USAGE, "%s: %s: %.15g is outside %.15g..%.15g",
                    kind_of(d)->name, kind_of(d)->params[i], x, min, max);
}

static double not_negative(const struct lb_dist *d, struct lb_rng *rng)
{
  const struct lb_dist_kind *kind = kind_of(d);
  double x = kind->sample(d, rng);
  if (x >= 0)
    return x;
  if (d->negative == LB_NEGATIVE_ABS)
    return -x;
  if (d->negative == LB_NEGATIVE_REDRAW)
    for (int i = 0; i < REDRAWS && !(x >= 0); i++)
      x = kind->sample(d, rng);
  return x >= 0 ? x : 0;
}

double lb_dist_sample(const struct lb_dist *d, struct lb_rng *rng)
{
  double x = not_negative(d, rng);
  return isfinite(x) ? x : 0;
}

double lb_dist_mean(const struct lb_dist *d)
{
  const struct lb_dist_kind *kind = kind_of(d);
  return kind->ruled_mean ? kind->ruled_mean(d) : kind->mean(d);
}

int lb_dist_is_constant(const struct lb_dist *d)
{
  return kind_of(d)->stdev(d) == 0;
}
