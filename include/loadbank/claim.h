/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One job at a time in a folder: a lock on a file in it, which ends with its
 * process whatever happens.  Where the file system has no locks there is none.
 * Rank-local: one rank claims for its job. */
#ifndef LOADBANK_CLAIM_H
#define LOADBANK_CLAIM_H

#include "loadbank/err.h"

enum { LB_CLAIM_TEXT = 256 };

/* The folder exists; `name' is that of the file.  0: it is ours, until
 * lb_claim_give.  1: it is another's, whom holder names (process, host, since
 * when).  Negative: failed.  *fd is -1 before and after. */
int lb_claim_take(const char *folder, const char *name, int *fd,
                  char holder[LB_CLAIM_TEXT], struct lb_err *err);
/* Removes the file.  *fd -1: nothing. */
void lb_claim_give(const char *folder, const char *name, int *fd);

#endif
