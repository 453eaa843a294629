/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of a manifest as a table; only for src/dataset. */
#ifndef LOADBANK_MANIFEST_IMPL_H
#define LOADBANK_MANIFEST_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "loadbank/manifest.h"

enum { LB_FIELD_TEXT_SIZE = 1024 }; /* of any field's text */

struct lb_field;

struct lb_field_type {
  /* The value as text: equal values have equal texts. */
  void (*print)(const struct lb_field *f, const struct lb_manifest *m,
                char out[LB_FIELD_TEXT_SIZE]);
  json_t *(*save)(const struct lb_field *f, const struct lb_manifest *m);
  /* False: the value is of another type or out of range. */
  bool (*load)(const struct lb_field *f, struct lb_manifest *m,
               const json_t *value);
};

struct lb_field {
  const char *key; /* in JSON and in messages: DLIO's, below dataset */
  const struct lb_field_type *type;
  size_t offset, size; /* of the struct's field */
  bool at_least;       /* a set on disk may have more than was configured */
};

extern const struct lb_field lb_manifest_fields[]; /* key NULL at the end */

/* One spelling for what is the same: 0 and 1 sub-folders are flat; without
 * compression there is no level. */
struct lb_manifest lb_manifest_canonical(const struct lb_manifest *m);

#endif
