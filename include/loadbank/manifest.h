/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manifest of a dataset, <root>/.loadbank.json: what decides its bytes. */
#ifndef LOADBANK_MANIFEST_H
#define LOADBANK_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/set.h"

struct lb_iothread;
struct lb_layout;
struct lb_storage;

enum { LB_FINGERPRINT_LEN = 17 }; /* 16 hex digits and the zero */

#define LB_MANIFEST_NAME ".loadbank.json"

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

int lb_manifest_remove(const char *root, struct lb_storage *s,
                       struct lb_iothread *t, struct lb_err *err);

#endif
