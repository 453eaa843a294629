/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash of a tree, of files that are there or will be. */
#ifndef LB_MLPERF_IMAGE_IMPL_H
#define LB_MLPERF_IMAGE_IMPL_H

#include <stddef.h>

#include "mlperf/image.h"

#define LB_IMAGE_RECORD ".code-hash.json"

struct lb_tree_file {
  char *name;       /* within the tree; owned */
  const char *text; /* NULL: that of the file `from' */
  size_t len;
  char *from; /* owned */
};
struct lb_tree_files {
  struct lb_tree_file *file;
  size_t n, max;
};
void lb_tree_fini(struct lb_tree_files *t); /* zeroed is fine */
/* One more file; text is borrowed, of name and from a copy is kept. */
int lb_tree_add(struct lb_tree_files *t, const char *name, const char *text,
                size_t len, const char *from, struct lb_err *err);
/* Sorts them. */
int lb_tree_hash(struct lb_tree_files *t, char hash[LB_MLPERF_TREE_HASH],
                 struct lb_err *err);

#endif
