/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process at a time: a lock that ends with the descriptor, and so with the
 * process, whatever happens to it. */
#ifndef LOADBANK_FILELOCK_H
#define LOADBANK_FILELOCK_H

#include <stdbool.h>

/* Takes the whole of a file that is open for writing; does not wait.  false:
 * somebody else has it.  true: it is ours, or the file system has no locks. */
bool lb_file_lock(int fd);

#endif
