/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a sizing: of one job at a time, and with nothing in it of the
 * sizing that --force replaces.  Rank 0 only. */
#ifndef LB_CLI_SIZE_FOLDER_H
#define LB_CLI_SIZE_FOLDER_H

#include <stdbool.h>

#include "loadbank/err.h"

#define LB_SIZE_RESULT "size.json"

struct lb_size_folder {
  char *path; /* NULL until it is open */
  int claim;  /* -1: none */
};

/* wanted "": a new one below results/<workload>.  One with an answer in it is
 * refused unless `force', which removes that and its runs. */
int lb_size_folder_open(struct lb_size_folder *f, const char *wanted,
                        const char *workload, bool force, struct lb_err *err);
/* Leaves the folder as it is, for others to use. */
void lb_size_folder_close(struct lb_size_folder *f);

#endif
