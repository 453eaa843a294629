/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as JSON: a workload's YAML as it is written, and overrides laid on
 * top.  Pure. */
#ifndef LB_MLPERF_PARAMS_JSON_H
#define LB_MLPERF_PARAMS_JSON_H

#include <jansson.h>

#include "loadbank/err.h"

/* A single value with YAML 1.1's types: null, booleans, whole and real numbers,
 * else a text.  NULL: no memory. */
json_t *lb_params_scalar(const char *text);

/* The text's tree (a root key `workload' is left out).  NULL: err. */
json_t *lb_params_of_yaml(const char *text, size_t len, const char *name,
                          struct lb_err *err);

/* "a.b" of "++workload.a.b=c": into key (which cuts off what is too long);
 * the value, or NULL: it has none. */
const char *lb_params_split(const char *override, char *key, size_t size);

/* Sets key=value in the nested tree and, unless NULL, in the flat one. */
int lb_params_set(json_t *tree, json_t *flat, const char *override,
                  struct lb_err *err);

#endif
