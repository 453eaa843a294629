/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a run: who makes it has it alone.  Rank-local. */
#ifndef LB_MLPERF_LEAF_H
#define LB_MLPERF_LEAF_H

#include <time.h>

#include "mlperf/place.h"

/* Names are seconds: two runs of the same second take one after the other. */
enum { LB_LEAF_TRIES = 10 };

/* Pure.  The stamp of a leaf made `now' (s since 1970) in a group whose last
 * leaf is `last' ("": none): later than that.  *wait_s: how long to wait before
 * now is true enough (at most LB_LEAF_TRIES).  LB_USAGE: the clock stands
 * further behind the last leaf. */
int lb_leaf_stamp(time_t now, const char *last, char out[LB_MLPERF_STAMP],
                  int *wait_s, struct lb_err *err);

/* The last leaf of the group of p, whose stamp it sets; path "": there is none.
 */
int lb_leaf_last(const char *results, struct lb_mlperf_place *p,
                 char path[PATH_MAX], struct lb_err *err);

/* Makes RESULTS/leaf, with the folders above it, and p->stamp; path: of the
 * leaf.  Waits out a clock that stands a little behind the last leaf. */
int lb_leaf_make(const char *results, struct lb_mlperf_place *p,
                 char path[PATH_MAX], struct lb_err *err);

#endif
