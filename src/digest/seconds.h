/* SPDX-License-Identifier: GPL-3.0-or-later */
/* per_second.csv, read back. */
#ifndef LB_DIGEST_SECONDS_H
#define LB_DIGEST_SECONDS_H

#include <stddef.h>

#include "loadbank/err.h"
#include "loadbank/pace.h"

struct lb_seconds {
  size_t n; /* seconds, from the start of the run */
  double *count[LB_N_PACES], *bytes[LB_N_PACES];
};

/* A folder without the file: n 0.  LB_FAILED: it is not what it should be. */
int lb_seconds_read(struct lb_seconds *s, const char *folder,
                    struct lb_err *err);
void lb_seconds_fini(struct lb_seconds *s);

#endif
