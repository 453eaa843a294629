/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as JSON: a workload's YAML as it is written, and overrides laid on
 * top.  Pure. */
#ifndef MLPERF_PARAMS_JSON_H
#define MLPERF_PARAMS_JSON_H

#include <jansson.h>

#include "loadbank/err.h"

/* A single value with YAML 1.1's types: null, booleans, whole and real numbers,
 * else a text.  NULL: no memory. */
json_t *params_scalar(const char *text);

/* The text's tree (a root key `workload' is left out).  NULL: err. */
json_t *params_of_yaml(const char *text, size_t len, const char *name,
                       struct lb_err *err);

/* "a.b" of "++workload.a.b=c": into key (which cuts off what is too long);
 * the value, or NULL: it has none. */
const char *params_split(const char *override, char *key, size_t size);

/* Sets key=value in the nested tree and, unless NULL, in the flat one. */
int params_set(json_t *tree, json_t *flat, const char *override,
               struct lb_err *err);

#endif
