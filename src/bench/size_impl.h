/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a sizing share; inside src/bench only. */
#ifndef SIZE_IMPL_H
#define SIZE_IMPL_H

#include <jansson.h>
#include <limits.h>

#include "loadbank/config.h"
#include "loadbank/point.h"
#include "loadbank/size.h"
#include "loadbank/size_saves.h"
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

/* ---- size_book.c: what runs amount to ---- */

void size_add_windows(struct lb_size_measured *at,
                      const struct lb_size_run *run);
/* The search's last point was measured so. */
int size_book(struct lb_size_result *r, const struct lb_size_run *run,
              struct lb_err *err);
/* The first runs of a search, which an earlier job made.  LB_USAGE: it would
 * not have made these. */
int size_replay(struct lb_size_result *r, const struct lb_size_run *run, int n,
                struct lb_err *err);
/* Of a run, beside its steps: the most so far. */
double size_overhead_s(const struct lb_size_result *r);

/* ---- size_text.c ---- */

/* That it goes on from earlier runs, and why it is not complete, if so. */
void size_text_end(enum lb_size_end end, const char *reason, int earlier_runs,
                   struct lb_buf *out);

/* ---- size_record.c: size.json, to go on from ---- */

/* What the sizing is, as JSON; pace NULL: for accelerators.  malloc'ed. */
int size_identity(const struct lb_world *world, const struct lb_size_ask *a,
                  const struct lb_size_pace *pace, char **out,
                  struct lb_err *err);
uint64_t size_hash(const char *identity);
struct size_record {
  json_t *root;       /* NULL: there is none */
  const json_t *runs; /* `measurements' */
  double seconds;     /* that they took */
  bool cut;           /* one more may have begun */
};
/* size_record_fini in any case.  LB_USAGE: another sizing's, or complete. */
int size_record_read(const char *folder, const char *identity,
                     struct size_record *out, struct lb_err *err);
void size_record_fini(struct size_record *r);
/* Says of err that this was wrong in it; returns -err->code. */
int size_record_damaged(const char *folder, struct lb_err *err);
json_t *size_run_json(const struct lb_size_run *run);
bool size_run_read(const json_t *o, struct lb_size_run *run);

/* Collective.  The run: 0, the exit status of a signal, or negative: it, or the
 * job, failed: "with N accelerators: reason".  lb_point_result_fini is due. */
int size_point(struct lb_world *w, const struct lb_point *p,
               struct lb_point_result *out, struct lb_err *err);

#endif
