/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dataset: names, sizes, order, what is on disk, the manifest.  Pure or
 * rank-local; what is collective (listing once, generating together) is in
 * bench. */
#ifndef LOADBANK_DATASET_H
#define LOADBANK_DATASET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/dist.h"
#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/storage.h"

/* ---- sizes: payload bytes of a sample, a function of (seed, file) --- */

struct lb_sizes {
  uint64_t seed;      /* dataset.seed */
  double mean, stdev; /* record_length_bytes[_stdev] */
  bool nearest;       /* mean/stdev <= sqrt 3: the nearest possible was taken */
  double got_stdev;   /* what the cut distribution really has */
  int64_t unit;  /* bytes of an element: sizes that vary are multiples; 1 from
                  * init, set it afterwards */
  int64_t least; /* bytes of the smallest of these; likewise */
  struct lb_cut cut;
};

/* Normal, cut symmetrically at (0, 2 mean).  No stdev: every sample has the
 * mean, rounded down.  nearest: the cut is a uniform distribution. */
int lb_sizes_init(struct lb_sizes *s, uint64_t seed, double mean, double stdev,
                  struct lb_err *err);
int64_t lb_sizes_sample_bytes(const struct lb_sizes *s, enum lb_set set,
                              int64_t file); /* >= 1 */

/* ---- layout: names and folders ---- */

struct lb_layout {
  char root[PATH_MAX]; /* data_folder, absolute or relative to cwd */
  char prefix[256];    /* file_prefix */
  char extension[32];
  int64_t n_files[LB_N_SETS];   /* <count> in the names (on disk) */
  int64_t n_used[LB_N_SETS];    /* that the run uses */
  int64_t n_folders[LB_N_SETS]; /* sub-folders; 0 or 1: flat */
  /* Foreign names, packed ("folder/name" relative to the set's folder,
   * zero-terminated); NULL: names are computed.  Borrowed. */
  const char *names[LB_N_SETS];
  /* Offset of used file i in names.  The order of use goes round robin over
   * the sub-folders, by name within each. */
  const uint64_t *name_at[LB_N_SETS];
};

/* Path of used file `index' (0 .. n_used-1): <root>/<set>/[sub/]name.  Of a
 * larger set on disk the files are taken evenly from the sub-folders (for
 * round-robin names: the first n_used indices).  Returns the length, or -1
 * when it does not fit. */
int lb_layout_path(const struct lb_layout *l, enum lb_set set, int64_t index,
                   char *buf, size_t size);
/* <root>/<set>[/<sub>]; sub < 0: the set's own folder. */
int lb_layout_folder(const struct lb_layout *l, enum lb_set set, int64_t sub,
                     char *buf, size_t size);
/* Path of what goes with that file. */
int lb_layout_sidecar(const struct lb_layout *l, enum lb_set set, int64_t index,
                      const struct lb_sidecar *sidecar, char *buf, size_t size);
/* <root>/<the sidecar's folder>/<set>; 0: it has none of its own. */
int lb_layout_sidecar_folder(const struct lb_layout *l, enum lb_set set,
                             const struct lb_sidecar *sidecar, char *buf,
                             size_t size);
/* Path under which a file is written before its rename: same folder, a name
 * that starts with a dot and lacks the ending. */
int lb_layout_temporary(const struct lb_layout *l, enum lb_set set,
                        int64_t index, char *buf, size_t size);
/* Makes such a path of another one, in place. */
int lb_layout_hide(char *path, size_t size);

/* ---- sampler: which sample stands at a position of the epoch ---- */

struct lb_sampler {
  uint64_t n_files, samples_per_file;
  bool file_shuffle, sample_shuffle;
  uint64_t key; /* of (seed, epoch, set) */
};

/* seed_change_epoch false: pass the same epoch, 1, every time.  Index sampler
 * (pytorch, dali): DESIGN: both off: index order; file_shuffle only: files
 * permuted, samples in order within; sample_shuffle or both: a keyed
 * permutation of all samples.  No memory per sample. */
struct lb_sampler lb_sampler_make(uint64_t n_files, uint64_t samples_per_file,
                                  bool file_shuffle, bool sample_shuffle,
                                  uint64_t seed, uint64_t epoch,
                                  enum lb_set set);
/* position < n_files * samples_per_file.  Any thread. */
void lb_sampler_at(const struct lb_sampler *s, uint64_t position, int64_t *file,
                   int64_t *in_file);
/* How many samples, that one counted, follow each other in their file from
 * sample in_file on. */
int64_t lb_sampler_run(const struct lb_sampler *s, int64_t in_file);
/* Keyed bijection of [0, n); i < n. */
uint64_t lb_permute(uint64_t key, uint64_t n, uint64_t i);

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

/* ---- manifest: what decides the bytes of a dataset ---- */

enum { LB_FINGERPRINT_LEN = 17 }; /* 16 hex digits and the zero */

/* One "key: value" line for each field, in the order of the file, is hashed
 * with FNV-1a (64 bits) into the fingerprint.  0 and 1 sub-folders are the
 * same; so are all levels without compression. */
struct lb_manifest {
  char format[32];
  uint64_t seed;
  int64_t n_files[LB_N_SETS], n_folders[LB_N_SETS];
  int64_t samples_per_file;
  double record_bytes, record_stdev;
  char dtype[32];
  int n_dims;
  int64_t dims[LB_MAX_DIMS];
  char compression[32];
  int compression_level;
  char file_prefix[256];
  char extra[512]; /* the format's own options that decide bytes, "k=v;..." */
  /* Generation came to its end.  Not part of the fingerprint. */
  bool complete;
};
void lb_manifest_fingerprint(const struct lb_manifest *m,
                             char out[LB_FINGERPRINT_LEN]);
/* <root>/.loadbank.json, written under a temporary name and renamed. */
int lb_manifest_write(const struct lb_manifest *m, const char *root,
                      struct lb_err *err);
/* 1: read into m (and its fingerprint checked); 0: there is none; negative:
 * unreadable or damaged. */
int lb_manifest_read(struct lb_manifest *m, const char *root,
                     struct lb_err *err);
/* LB_USAGE naming every field that differs with both values, or 0.  More files
 * on disk than configured are fine, and a set of 0 files is not looked at. */
int lb_manifest_compare(const struct lb_manifest *disk,
                        const struct lb_manifest *config, struct lb_err *err);
/* All that makes the fingerprints differ, more files too: "seed is '1' on disk
 * and '2' configured; ...". */
void lb_manifest_differences(const struct lb_manifest *disk,
                             const struct lb_manifest *config,
                             struct lb_buf *out);

/* The layout of what a manifest claims; false: of a format that this build does
 * not know, so that its files have no names here. */
bool lb_layout_of_manifest(struct lb_layout *l, const struct lb_manifest *m,
                           const char *root);

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
int lb_manifest_remove(const char *root, struct lb_storage *s,
                       struct lb_iothread *t, struct lb_err *err);
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

/* Bytes that are free below the nearest existing parent of path. */
int lb_free_bytes(const char *path, uint64_t *bytes, struct lb_err *err);

#endif
