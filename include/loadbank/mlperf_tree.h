/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results tree read back: every leaf with its JSON files.  Reading does not
 * fail because a file is bad: it is missing from the leaf then, with a reason.
 * Rank-local, one thread at a time. */
#ifndef LOADBANK_MLPERF_TREE_H
#define LOADBANK_MLPERF_TREE_H

#include <stddef.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "loadbank/mlperf_place.h"

/* Files of a leaf that are JSON; LB_MLPERF_METADATA's is the only one that
 * matches *metadata*. */
enum lb_mlperf_file {
  LB_MLPERF_METADATA,
  LB_MLPERF_SUMMARY,
  LB_MLPERF_FS_SEPARATION,
  LB_MLPERF_PROVENANCE,
  LB_MLPERF_N_FILES
};

struct lb_mlperf_json {
  char *name;   /* within the leaf; owned; NULL: there is no such file */
  json_t *json; /* owned; NULL: none, or it cannot be parsed */
  char *reason; /* owned; why json is NULL although there is a name */
};

struct lb_mlperf_leaf {
  char *path;       /* owned */
  const char *name; /* within path: below the root */
  struct lb_mlperf_place place;
  struct lb_mlperf_json file[LB_MLPERF_N_FILES];
  char **entry; /* names in the folder, sorted; owned */
  size_t n_entries;
};

struct lb_mlperf_tree {
  char *root; /* owned */
  /* Sorted by name: groups stand together, their leaves in order of time. */
  struct lb_mlperf_leaf *leaf;
  size_t n;
};

/* LB_USAGE: root is no folder; LB_FAILED: a folder cannot be read, memory. */
int lb_mlperf_tree_read(const char *root, struct lb_mlperf_tree *t,
                        struct lb_err *err);
void lb_mlperf_tree_fini(struct lb_mlperf_tree *t); /* a zeroed one is fine */

/* The index behind the last leaf of the group that begins at `first': leaves
 * that differ in nothing but the stamp. */
size_t lb_mlperf_group_end(const struct lb_mlperf_tree *t, size_t first);

#endif
