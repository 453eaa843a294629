/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dataset on disk: what is there, making it, removing it; its names are in
 * layout.h, what it claims to be in manifest.h.  Rank-local; what is collective
 * (listing once, generating together) is in bench. */
#ifndef LOADBANK_DATASET_H
#define LOADBANK_DATASET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/layout.h"
#include "loadbank/storage.h"

/* ---- inventory: what is on disk ---- */

struct lb_inventory {
  int64_t n_files;   /* files with the format's ending */
  int64_t n_folders; /* sub-folders that hold them; 0: flat */
  bool standard;     /* all names follow the rule with one count, and none is
                      * missing */
  char *names;       /* packed table when not standard, else NULL; owned */
  uint64_t *name_at; /* n_files, in the order of use: see lb_layout */
  size_t names_bytes;
};

/* Lists one set's folder (and sub-folders); nothing when n_used is 0.  On a
 * virtual backend the planned files count as present.  Fewer files than wanted,
 * two counts in one folder, another number of sub-folders: LB_FAILED with both
 * numbers and the path.  Temporary names (dot) are not counted. */
int lb_inventory_take(struct lb_inventory *inv, const struct lb_layout *want,
                      enum lb_set set, struct lb_storage *s,
                      struct lb_iothread *t, struct lb_err *err);
/* Is there any file of the format in the set's folder or its sub-folders?  1:
 * yes, path says which; 0: no, or no folder; negative: it cannot be listed. */
int lb_inventory_any(const struct lb_layout *l, enum lb_set set,
                     struct lb_storage *s, struct lb_iothread *t,
                     char path[PATH_MAX], struct lb_err *err);
void lb_inventory_fini(struct lb_inventory *inv);

/* ---- removing: only what the layout names ---- */

struct lb_remover { /* all borrowed */
  const struct lb_format *format;
  const struct lb_layout *layout;
  struct lb_storage *storage;
  struct lb_iothread *io;
  int64_t first, step;     /* of the files: first, first + step, ... */
  bool unfinished;         /* temporary files of theirs, too */
  bool dry_run;            /* only counts what is there */
  bool (*tick)(void *arg); /* now and then, false: give up; NULL: none */
  void *tick_arg;
};
struct lb_removed {
  int64_t files, beside, unfinished, folders;
};
/* Files of a set and what goes with them; adds to done.  1: given up. */
int lb_dataset_remove_set(const struct lb_remover *r, enum lb_set set,
                          struct lb_removed *done, struct lb_err *err);
/* Folders of both sets and the root, as far as they are empty. */
int lb_dataset_remove_folders(const struct lb_remover *r,
                              struct lb_removed *done, struct lb_err *err);
/* Calls `each' for what stands in the set's folders and is not named. */
int lb_dataset_strangers(const struct lb_remover *r, enum lb_set set,
                         void (*each)(void *arg, const char *path), void *arg,
                         struct lb_err *err);

/* ---- who generates ---- */

/* From now until lb_dataset_release no other job generates in this folder,
 * which exists.  LB_FAILED: one does.  *fd is -1 before and after. */
int lb_dataset_claim(const char *root, int *fd, struct lb_err *err);
void lb_dataset_release(const char *root, int *fd);

/* ---- making one file ---- */

struct lb_maker {
  const struct lb_format *format;
  const struct lb_format_params *params;
  const struct lb_layout *layout;
  const struct lb_sizes *sizes;
  struct lb_storage *storage;
  /* After every write of a file, false: give up; NULL: none. */
  bool (*tick)(void *arg);
  void *tick_arg;
};
/* Writes file `index' under its temporary name and renames it; a file that is
 * there with the planned size is kept (resume).  On failure the temporary file
 * is removed.  *made: 1 written, 0 kept.  The content goes through t->scratch
 * (at least 64 KiB).  It is not synced: that is cheaper for all files
 * together.  A virtual backend: *made = 1 and nothing happens. */
int lb_dataset_make_file(const struct lb_maker *m, enum lb_set set,
                         int64_t index, struct lb_iothread *t, int *made,
                         struct lb_err *err);
/* 1: that file is there with what goes with it, all of the planned size; 0:
 * not; negative: it cannot be looked at. */
int lb_dataset_has_file(const struct lb_maker *m, enum lb_set set,
                        int64_t index, struct lb_iothread *t,
                        struct lb_err *err);
/* Makes the folders of both sets, as DLIO does: once, before the files. */
int lb_dataset_make_folders(const struct lb_layout *l,
                            const struct lb_format *format,
                            struct lb_storage *s, struct lb_iothread *t,
                            struct lb_err *err);
/* Fills an lb_file (sizes; path into buf when buf is given). */
void lb_dataset_file(const struct lb_layout *l, const struct lb_sizes *sizes,
                     const struct lb_format_params *p, enum lb_set set,
                     int64_t index, char *buf, size_t size,
                     struct lb_file *out);

/* Bytes that are free below the nearest existing parent of path; UINT64_MAX:
 * its file system does not tell. */
int lb_free_bytes(const char *path, uint64_t *bytes, struct lb_err *err);

#endif
