/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of the source tree, for tests that hold them against the program.
 */
#ifndef SOURCE_TREE_H
#define SOURCE_TREE_H

#include "loadbank/buf.h"

/* The top of the source tree. */
const char *source_dir(void);

/* A file of it, malloc'ed; NULL: cannot be read. */
char *read_source(const char *path);

/* One check, or two: what stands in the document between the lines `begin' and
 * `end', or the whole of it (both NULL), is `text'.  With LB_GOLDEN=update it
 * is made so. */
void is_document(const char *path, const char *begin, const char *end,
                 const struct lb_buf *text);

#endif
