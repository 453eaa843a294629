/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep is: keys with their values, the points that are their product,
 * and the order of its runs.  Pure. */
#ifndef LOADBANK_SWEEP_H
#define LOADBANK_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"

enum {
  LB_SWEEP_VALUES = 10000, /* of a key, at most */
  LB_SWEEP_RUNS = 10000,   /* sweep.json is written anew after each */
  LB_SWEEP_NAME = 256,     /* bytes of a key */
};

/* A list of texts, each malloc'ed.  A zeroed one is empty. */
struct lb_texts {
  char **text;
  size_t n;
};
int lb_texts_add(struct lb_texts *t, const char *text, size_t len,
                 struct lb_err *err);
void lb_texts_fini(struct lb_texts *t);

/* The values of `text', at the end of *out.  They stand between commas outside
 * of quotes, [lists] and {maps}, and are kept as they are written.  A range
 * stands for its values, the end included:
 *   a..b      a, a + 1 ...       a..b:+s   a, a + s ...
 *   a..b:*f   a, a x f ...
 * with whole numbers or decimals, both ends with the same unit (1KiB..8KiB). */
int lb_sweep_values(const char *text, struct lb_texts *out, struct lb_err *err);

struct lb_sweep_key {
  char name[LB_SWEEP_NAME];
  struct lb_texts values;
};

struct lb_sweep {
  struct lb_sweep_key *key; /* those that are swept, in order */
  size_t n_keys;
  struct lb_texts fixed; /* overrides of all points */
  int64_t repeat;        /* runs of each point */
  uint64_t seed;         /* of the order */
  size_t n_points, n_runs;
};

/* KEY=VALUES with one value is an override of all points, as are ~KEY and KEY=;
 * with several a key that is swept.  `accelerators' and `ranks', which are no
 * keys of a workload, always are.  A key that is there already is replaced. */
int lb_sweep_add(struct lb_sweep *s, const char *operand, struct lb_err *err);
/* The same with values, one or more, that are taken as they are (and may be
 * moved out of *values). */
int lb_sweep_add_values(struct lb_sweep *s, const char *key,
                        struct lb_texts *values, struct lb_err *err);
/* Counts points and runs: LB_USAGE when there are too many. */
int lb_sweep_count(struct lb_sweep *s, struct lb_err *err);
void lb_sweep_fini(struct lb_sweep *s);

/* Which value of its key a point has; the last key varies fastest. */
const char *lb_sweep_value(const struct lb_sweep *s, size_t point, size_t key);
/* Of a key that may not be swept: NULL. */
const char *lb_sweep_value_of(const struct lb_sweep *s, size_t point,
                              const char *name);
/* "a=1 b=2" */
void lb_sweep_describe(const struct lb_sweep *s, size_t point,
                       struct lb_buf *out);

/* Run number r is repeat r % repeat of point r / repeat. */
static inline size_t lb_sweep_point_of(const struct lb_sweep *s, size_t run)
{
  return run / (size_t)s->repeat;
}
static inline size_t lb_sweep_repeat_of(const struct lb_sweep *s, size_t run)
{
  return run % (size_t)s->repeat;
}
/* All runs, in the order in which they are made: all points once, drawn at
 * random, then all of them again.  malloc'ed; NULL: no memory. */
size_t *lb_sweep_order(const struct lb_sweep *s);

/* ---- time ---- */

/* As Slurm writes it: minutes, minutes:seconds, hours:minutes:seconds,
 * days-hours[:minutes[:seconds]].  In seconds. */
int lb_sweep_time_limit(const char *text, double *seconds, struct lb_err *err);
/* "0:01:05", "25:00:00". */
enum { LB_SWEEP_TIME_LEN = 32 };
void lb_sweep_time_text(double seconds, char out[LB_SWEEP_TIME_LEN]);

/* What is known of how long runs last, from those that were made. */
struct lb_sweep_pace {
  bool known;
  double overhead_s; /* least time beyond the compute that a run asks for */
  double factor;     /* of the compute, at most; 1 or more */
};
/* A run that asked for compute_s took so long. */
struct lb_sweep_took {
  double compute_s, seconds;
};
struct lb_sweep_pace lb_sweep_pace(const struct lb_sweep_took *took, size_t n);
/* How long a run takes that asks for so much compute. */
double lb_sweep_expect(const struct lb_sweep_pace *p, double compute_s);

#endif
