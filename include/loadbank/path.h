/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a path leads, whether or not all of it is there yet. */
#ifndef LOADBANK_PATH_H
#define LOADBANK_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "loadbank/err.h"

/* folder/name.  Too long: the code, and err->sys is ENAMETOOLONG. */
int lb_path_join(const char *folder, const char *name, char out[PATH_MAX],
                 enum lb_code code, struct lb_err *err);

/* The nearest folder of the path that exists, resolved; malloc'ed, NULL: no
 * memory. */
char *lb_path_existing(const char *path);
/* The absolute path without symbolic links, "." and ".."; of what is not there
 * its folders as they are written.  -1: it cannot be told, or is too long. */
int lb_path_resolve(const char *path, char out[PATH_MAX]);
/* How long it is without slashes at its end. */
size_t lb_path_length(const char *path);
/* Is the path the folder, or below it?  As they are written. */
bool lb_path_within(const char *path, const char *folder);

#endif
