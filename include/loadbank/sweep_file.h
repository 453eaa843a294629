/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep that a YAML file describes:
 *   workload: NAME
 *   sweep: {reader.read_threads: [1, 2, 4], accelerators: 1..8:*2}
 *   repeat: 3
 *   seed: 1 */
#ifndef LOADBANK_SWEEP_FILE_H
#define LOADBANK_SWEEP_FILE_H

#include <limits.h>
#include <stddef.h>

#include "loadbank/err.h"
#include "loadbank/sweep.h"

/* 1: the text has a key `sweep' at its root; what it says is in *s and
 * *workload ("": it names none), what it does not say stays as it is.  0: it is
 * something else.  name: for messages.  Items of a list are values as they
 * are, a text alone is split as on the command line. */
int lb_sweep_file_read(const char *text, size_t len, const char *name,
                       struct lb_sweep *s, char workload[PATH_MAX],
                       struct lb_err *err);

#endif
