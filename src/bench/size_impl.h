/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a sizing share; inside src/bench only. */
#ifndef SIZE_IMPL_H
#define SIZE_IMPL_H

#include <limits.h>

#include "loadbank/config.h"
#include "loadbank/point.h"
#include "loadbank/size.h"
#include "loadbank/world.h"

enum { SIZE_LINES = 24, SIZE_LINE_LEN = 64 };

/* Overrides of a run: the user's, then ours, which win. */
struct size_lines {
  const char **line; /* malloc'ed */
  int n;
  char own[SIZE_LINES][SIZE_LINE_LEN];
  int n_own;
};
/* The user's and, of `fixed', those up to NULL. */
int size_lines_init(struct size_lines *l, const struct lb_size_ask *a,
                    const char *const *fixed, struct lb_err *err);
void size_lines_add(struct size_lines *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Borrowed. */
void size_lines_lend(struct size_lines *l, const char *line);
void size_lines_fini(struct size_lines *l);

/* The workload with these overrides, as it can be run. */
int size_load(const struct lb_size_ask *a, const struct size_lines *l,
              struct lb_workload **w, struct lb_err *err);
void size_describe(struct lb_size_load *load, const struct lb_workload *w,
                   const struct lb_plan *plan);

/* "<folder>/<what>". */
int size_folder(char out[PATH_MAX], const char *folder, struct lb_err *err,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Collective.  The run: 0, the exit status of a signal, or negative: it, or the
 * job, failed: "with N accelerators: reason".  lb_point_result_fini is due. */
int size_point(struct lb_world *w, const struct lb_point *p,
               struct lb_point_result *out, struct lb_err *err);

#endif
