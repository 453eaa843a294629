/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results tree read back: its folders, and every leaf with its JSON files.
 * Reading does not fail because a file or a folder is bad: what it holds is
 * missing then, with a reason.  Rank-local, one thread at a time. */
#ifndef LB_MLPERF_TREE_H
#define LB_MLPERF_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "loadbank/err.h"
#include "mlperf/place.h"

/* Files of a leaf that are JSON; LB_MLPERF_METADATA's is the only one that
 * matches *metadata*. */
enum lb_mlperf_file {
  LB_MLPERF_METADATA,
  LB_MLPERF_SUMMARY,
  LB_MLPERF_FS_SEPARATION,
  LB_MLPERF_PROVENANCE,
  LB_MLPERF_N_FILES
};

/* Stamps of files are whole seconds: by so much two may be out of order. */
enum { LB_MLPERF_CLOCK_S = 1 };

struct lb_mlperf_json {
  char *name;   /* within the leaf; owned; NULL: there is no such file */
  json_t *json; /* owned; NULL: none, or it cannot be parsed */
  char *reason; /* owned; why json is NULL although there is a name */
};

#define LB_MLPERF_NOWHERE SIZE_MAX /* an index of nothing */

/* A folder from the root down to what a leaf holds.  Links are not followed,
 * nor hidden folders, `code' and what is neither closed, open nor whatif. */
struct lb_mlperf_folder {
  char *path;       /* owned */
  const char *name; /* within path: below the root; "": the root */
  const char *base; /* within path: the last part of name */
  char **entry;     /* names in it, sorted; owned */
  char *type;       /* of each: 'd' folder, 'f' file, 'l' link, '?' other */
  size_t n_entries;
  char *reason; /* why it cannot be read; owned, NULL: it is read */
  /* Indices of folders, of a leaf; or LB_MLPERF_NOWHERE. */
  size_t parent, first, next, leaf;
};

struct lb_mlperf_leaf {
  char *path;       /* owned */
  const char *name; /* within path: below the root */
  struct lb_mlperf_place place;
  struct lb_mlperf_json file[LB_MLPERF_N_FILES];
  char **entry; /* names in the folder, sorted; the folder's */
  size_t n_entries;
  size_t folder;
};

struct lb_mlperf_tree {
  char *root; /* owned */
  /* Sorted by name: groups stand together, their leaves in order of time. */
  struct lb_mlperf_leaf *leaf;
  size_t n, max;
  /* The root is folder[0]; each stands before those in it. */
  struct lb_mlperf_folder *folder;
  size_t n_folders, max_folders;
};

/* Room for one more element in a growing array; false: no memory. */
bool lb_mlperf_room(void **array, size_t n, size_t *max, size_t size);

/* LB_USAGE: root is no folder; LB_FAILED: no memory. */
int lb_mlperf_tree_read(const char *root, struct lb_mlperf_tree *t,
                        struct lb_err *err);
void lb_mlperf_tree_fini(struct lb_mlperf_tree *t); /* a zeroed one is fine */

/* The index behind the last leaf of the group that begins at `first': leaves
 * that differ in nothing but the stamp. */
size_t lb_mlperf_group_end(const struct lb_mlperf_tree *t, size_t first);
/* The folder of this name in folder `in', or LB_MLPERF_NOWHERE. */
size_t lb_mlperf_folder_in(const struct lb_mlperf_tree *t, size_t in,
                           const char *name);
/* What type (above) a folder's entry has; 0: there is no such entry. */
char lb_mlperf_entry_type(const struct lb_mlperf_folder *f, const char *name);

#endif
