/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, folders and sizes of a dataset's files.  Pure. */
#ifndef LOADBANK_LAYOUT_H
#define LOADBANK_LAYOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/dist.h"
#include "loadbank/err.h"
#include "loadbank/format.h"
#include "loadbank/set.h"

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

#endif
