/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mark of a checkpoint: a small file in its folder that says whose it is,
 * what decides its names and sizes, and whether it is whole.  Written before
 * the first file, not complete, and once more after the last one: a save that
 * was cut off is never taken for a whole one, and files without a mark are
 * nobody's.  It goes through the mounted file system; virtual storage has none.
 */
#ifndef LOADBANK_MARK_H
#define LOADBANK_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/checkpoint.h"
#include "loadbank/err.h"

#define LB_MARK_NAME ".loadbank-checkpoint.json"

struct lb_mark {
  bool complete;
  const struct lb_checkpoint_scheme *scheme;
  char container[32];
  struct lb_checkpoint_model model; /* its accelerators are the writers */
  uint64_t seed;                    /* of the contents */
  int64_t number, epoch, step;
  uint64_t bytes;  /* of all files */
  uint64_t utc_ns; /* when it was saved */
};

/* As JSON, to be freed; NULL: no memory. */
char *lb_mark_text(const struct lb_mark *m);
/* path: for messages. */
int lb_mark_parse(struct lb_mark *m, const char *text, const char *path,
                  struct lb_err *err);

/* Replaces the one that is there at once. */
int lb_mark_write(const struct lb_mark *m, const char *folder,
                  struct lb_err *err);
/* 1: read.  0: there is none (or no folder). */
int lb_mark_read(struct lb_mark *m, const char *folder, struct lb_err *err);
/* Absent is fine. */
int lb_mark_remove(const char *folder, struct lb_err *err);

/* Can a run with this configuration read it?  LB_USAGE with what differs. */
int lb_mark_compare(const struct lb_mark *disk, const struct lb_mark *config,
                    const char *folder, struct lb_err *err);

#endif
