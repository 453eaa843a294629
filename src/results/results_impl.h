/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/results. */
#ifndef LB_RESULTS_IMPL_H
#define LB_RESULTS_IMPL_H

#include "loadbank/json.h"
#include "loadbank/results.h"

/* Is it the name of a file that a run leaves in its folder, whether it came to
 * its end or not? */
bool lb_result_has_file(const char *name);

/* Fills all but path and name from the files in r->path.  LB_FAILED: no
 * memory; whatever else is wrong is r's state. */
int lb_result_load(struct lb_result *r, struct lb_err *err);
/* The same from r->summary alone. */
int lb_result_take(struct lb_result *r, struct lb_err *err);
void lb_result_fini(struct lb_result *r);

#endif
