/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a file that is whole under its final name, or not there: under a
 * temporary name first, renamed at the end.  On a virtual backend its
 * operations take their time and nothing is there. */
#ifndef LOADBANK_NEWFILE_H
#define LOADBANK_NEWFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/storage.h"

/* The user sets the first part, all borrowed.  io->late_ns is the user's: what
 * begins anew sets it to 0. */
struct lb_newfile {
  struct lb_storage *storage;
  struct lb_iothread *io;
  const char *path, *temporary; /* in the same folder */
  bool sync; /* bytes and name are on stable storage before it is done */
  bool (*tick)(void *arg); /* after every write, false: give up; NULL: none */
  void *tick_arg;
  int fd[LB_IO_SLOTS]; /* its own */
};

/* Makes the temporary file, empty. */
int lb_newfile_begin(struct lb_newfile *f, struct lb_err *err);
int lb_newfile_write(struct lb_newfile *f, uint64_t offset, const void *bytes,
                     size_t n, struct lb_err *err);
/* Its size so far. */
int lb_newfile_size(struct lb_newfile *f, int64_t *size, struct lb_err *err);
/* rc, of what was done since it began, is 0: the file gets its name.  Else, or
 * when that fails: no file is left, and the first cause stays in err. */
int lb_newfile_end(struct lb_newfile *f, int rc, struct lb_err *err);

#endif
