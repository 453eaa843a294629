/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a comparison call of each other. */
#ifndef LB_COMPARE_IMPL_H
#define LB_COMPARE_IMPL_H

#include "loadbank/compare.h"

/* Groups of the complete results of a set, in its order. */
struct lb_groups {
  struct lb_group *group;
  size_t n;
};
int lb_groups_of(const struct lb_results *s, struct lb_groups *out,
                 struct lb_err *err);
void lb_groups_fini(struct lb_groups *g);

/* Which of b's groups each of a's is compared with; NONE: with none. */
enum { LB_NO_GROUP = -1 };
void lb_groups_match(const struct lb_groups *a, const struct lb_groups *b,
                     int *of_a);

/* Judges all quantities that both groups have.  m->judgement has room for
 * all. */
void lb_judge(struct lb_match *m, double tolerance);
/* The verdicts, of all rows of all matches together; row has room for them. */
enum lb_verdict lb_judge_together(struct lb_match *m, size_t n,
                                  struct lb_judgement **row);

/* What explains that q became worse. */
struct lb_cause lb_cause_of(const struct lb_quantity *q,
                            const struct lb_group *a, const struct lb_group *b);

/* The keys whose values differ; none when the files cannot be read. */
int lb_differences_of(const struct lb_result *a, const struct lb_result *b,
                      struct lb_match *m, struct lb_err *err);

#endif
