/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/results. */
#ifndef LB_RESULTS_IMPL_H
#define LB_RESULTS_IMPL_H

#include <jansson.h>

#include "loadbank/results.h"

/* The value at a path of keys with dots between them; borrowed, or NULL. */
const json_t *lb_json_at(const json_t *v, const char *path);
double lb_json_real(const json_t *v); /* NAN: no number */

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
