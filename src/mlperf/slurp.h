/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LB_MLPERF_SLURP_H
#define LB_MLPERF_SLURP_H

#include <stddef.h>

#include <jansson.h>

#include "loadbank/err.h"

/* A file of a results tree, which must be a plain one: whatever else stands
 * there is not waited for.  text: malloc'ed, a zero byte behind it.  The code,
 * and err->sys: it cannot be read. */
int lb_mlperf_slurp(const char *path, enum lb_code code, char **text,
                    size_t *len, struct lb_err *err);

/* The same of a JSON file: a new reference.  NULL: why has the reason, without
 * the path. */
enum { LB_MLPERF_UNREAD = 200 };
json_t *lb_mlperf_slurp_json(const char *path, char why[LB_MLPERF_UNREAD]);

#endif
