/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A packed table of names, as it is collected; only for src/dataset. */
#ifndef LOADBANK_NAMES_H
#define LOADBANK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lb_names {
  char *text; /* names, each with its final zero */
  size_t bytes, room;
  uint64_t *at; /* offset of name i */
  size_t n, slots;
};

/* Appends "folder/name", or "name" when folder is NULL.  False: no memory. */
bool lb_names_add(struct lb_names *t, const char *folder, const char *name);
void lb_names_fini(struct lb_names *t);

/* Puts `at' in the order of use: round robin over the folders, by name within
 * each.  False: no memory. */
bool lb_names_order(struct lb_names *t);

#endif
