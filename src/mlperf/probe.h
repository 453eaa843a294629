/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files that find out about file systems: are two folders on the same
 * one, does another rank see the same folder?  They live for moments; what a
 * killed process of this host has left is removed by the next.  Rank-local. */
#ifndef LB_MLPERF_PROBE_H
#define LB_MLPERF_PROBE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "loadbank/err.h"

/* The path itself, or the nearest folder above it that exists.  LB_FAILED:
 * errno. */
int lb_probe_nearest(const char *path, char out[PATH_MAX], struct lb_err *err);
/* Removes what was left in an existing folder. */
void lb_probe_sweep(const char *folder);

/* ---- two folders ---- */

enum { LB_PROBE_WHY = 160 };
struct lb_probe_pair {
  bool same;
  bool by_device;         /* link() did not decide, device numbers did ... */
  char why[LB_PROBE_WHY]; /* ... and why */
};
/* Are two folders, which exist, on the same file system?  A hard link from one
 * to the other says: no, if it fails with EXDEV and the devices differ.  Two
 * mounts of the same file system give EXDEV too, with one device. */
int lb_probe_separate(const char *from, const char *to,
                      struct lb_probe_pair *out, struct lb_err *err);

/* ---- two ranks ---- */

enum { LB_PROBE_TOKEN = 128 };
/* What one rank has made in a folder, or what the folder is where it may not
 * write; sent as bytes. */
struct lb_probe_mark {
  char path[PATH_MAX];        /* the file, or the folder */
  char token[LB_PROBE_TOKEN]; /* in it; "": it is the folder */
  uint64_t inode, folder_inode;
};
int lb_probe_mark(const char *folder, struct lb_probe_mark *m,
                  struct lb_err *err);
/* Does this rank see the same?  0, or LB_FAILED with how it differs.  A network
 * file system may be late: so many seconds are waited for the file, if the
 * folder is the right one. */
int lb_probe_find(const struct lb_probe_mark *m, int wait_s,
                  struct lb_err *err);
void lb_probe_unmark(const struct lb_probe_mark *m);

#endif
