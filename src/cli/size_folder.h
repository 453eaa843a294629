/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a sizing: of one job at a time, and with nothing in it of the
 * sizing that --force replaces.  Rank 0 only. */
#ifndef LB_CLI_SIZE_FOLDER_H
#define LB_CLI_SIZE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

struct lb_size_folder {
  char *path;      /* NULL until it is open */
  size_t existing; /* of its path, bytes that were there before */
  int claim;       /* -1: none */
};

/* wanted "": below results/<workload>, named by the hash of what the sizing is.
 * `force' removes an answer that is there, and its runs. */
int lb_size_folder_open(struct lb_size_folder *f, const char *wanted,
                        const char *workload, uint64_t hash, bool force,
                        struct lb_err *err);
/* For others to use; one that is new and empty goes. */
void lb_size_folder_close(struct lb_size_folder *f);

#endif
