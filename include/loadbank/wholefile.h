/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that appear under their name only when they are whole. */
#ifndef LOADBANK_WHOLEFILE_H
#define LOADBANK_WHOLEFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"

/* All n bytes, however many calls it takes; 0 or errno. */
int lb_write_all(int fd, const void *bytes, size_t n);

/* mkdir -p of a path, which is written to meanwhile; 0 or errno. */
int lb_make_folders(char *path);

/* Writes folder/name by way of a temporary name, fsync and rename; a failure
 * leaves nothing behind, and an older file as it was. */
int lb_write_file(const char *folder, const char *name, const void *bytes,
                  size_t n, struct lb_err *err);

/* The same unless there is a file of that name: it stays, *made says so.  Of
 * processes that do this at once one wins.  Meanwhile `.NAME.PID' is there. */
int lb_write_new_file(const char *folder, const char *name, const void *bytes,
                      size_t n, bool *made, struct lb_err *err);

/* As lb_write_file, by a path as a user gives it.  A symbolic link stays, and
 * what it leads to is replaced; what is no regular file (a pipe, a device) is
 * written into, for a rename would put a file in its place. */
int lb_write_path(const char *path, const void *bytes, size_t n,
                  struct lb_err *err);

/* The same for a file that a library has written and closed: it lasts, and
 * appears in `folder' as `path'.  0 or errno; then both names stay as they
 * are. */
int lb_file_appear(const char *folder, const char *temporary, const char *path);

#endif
