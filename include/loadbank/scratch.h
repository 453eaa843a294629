/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary folder for the results of runs that nobody keeps. */
#ifndef LOADBANK_SCRATCH_H
#define LOADBANK_SCRATCH_H

#include <limits.h>

#include "loadbank/err.h"
#include "loadbank/world.h"

struct lb_scratch {
  char root[PATH_MAX], folder[PATH_MAX]; /* folder: in it, not made */
};
/* Collective.  Rank 0 makes it ("$TMPDIR/loadbank-<what>-XXXXXX"), all know
 * its name.  lb_scratch_remove is due even when it failed. */
int lb_scratch_make(struct lb_scratch *s, struct lb_world *w, const char *what,
                    struct lb_err *err);
void lb_scratch_clear(const char *folder); /* rank 0; all that is in it */
void lb_scratch_remove(struct lb_scratch *s, const struct lb_world *w);

#endif
