/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a failure of one rank reads for a person. */
#include "lb-config.h"

#include "loadbank/bench.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/units.h"
#include "loadbank/world.h"

int lb_bench_blame(const struct lb_world *w, struct lb_err *err)
{
  if (!lb_err_is_set(err))
    return 0;
  if (err->rank < 0 && err->code != LB_USAGE && w->n_ranks > 1) {
    lb_err_wrap(err, "rank %d of %d (node %.64s)", w->rank, w->n_ranks,
                w->node_name);
    err->rank = w->rank;
    err->named = true;
  }
  return -err->code;
}

int lb_bench_agree(const struct lb_world *w, struct lb_err *err)
{
  bool agreed = lb_err_is_set(err) && err->rank >= 0; /* before, by all */
  int others, rc;
  lb_bench_blame(w, err);
  rc = lb_err_agree(w, err, &others);
  if (rc < 0 && !agreed && others > 0 && err->code != LB_USAGE) {
    size_t n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, "; %d more rank%s failed",
             others, lb_plural(others));
  }
  return rc;
}
