/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: jansson's values, our own text (the shortest decimal that reads back to
 * the same double; jansson 2.14 has no such mode).  A function that returns a
 * value gives its reference to the caller, unless it says borrowed. */
#ifndef LOADBANK_JSON_H
#define LOADBANK_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"

/* null unless finite. */
json_t *lb_json_number(double v);
json_t *lb_json_count(uint64_t v);
json_t *lb_json_string(const char *text); /* null for NULL; never invalid */
json_t *lb_json_filled(const char *text); /* null for "" as well */
json_t *lb_json_time(uint64_t utc_ns);

/* Fields of an object.  One that fails for want of memory is missing. */
void lb_json_put_number(json_t *o, const char *key, double v);
void lb_json_put_int(json_t *o, const char *key, int64_t v);
void lb_json_put_text(json_t *o, const char *key, const char *v);
void lb_json_put_bool(json_t *o, const char *key, bool v);

/* The value at a path of keys with dots between them; borrowed, or NULL. */
const json_t *lb_json_at(const json_t *v, const char *path);
/* The text there; borrowed, or NULL. */
const char *lb_json_text_at(const json_t *v, const char *path);
double lb_json_real(const json_t *v); /* NAN: no number */
/* The keys of an object in the order of their bytes, NULL at the end; borrowed
 * from it, the array is the caller's.  NULL: no memory. */
const char **lb_json_sorted_keys(const json_t *o);

/* In which fields of `here' the other (NULL: it has none) differs: "repeat is 1
 * there and 2 here; ...". */
void lb_json_differences(const json_t *there, json_t *here, struct lb_buf *out);

/* Indented by 2, a final newline. */
void lb_json_text(struct lb_buf *b, const json_t *v);
/* Takes the reference of v (NULL: no memory).  The file is there whole or not
 * at all. */
int lb_json_write(const char *folder, const char *name, json_t *v,
                  struct lb_err *err);

#endif
