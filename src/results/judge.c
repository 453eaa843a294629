/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From values to verdicts; docs/compare.md has the reasons.  With a the first's
 * true mean, b the second's and the tolerance t:
 *   worse   b is shown to be above (1 + t) a, or below (1 - t) a where more is
 *           better
 *   better  the other way round
 *   same    b is shown to be between the two
 * Worse and better at 5 % for all rows that count together (Holm); same at 5 %
 * a row. */
#include "lb-config.h"

#include <math.h>
#include <stdlib.h>

#include "results/compare_impl.h"

static const double level = 0.05;
enum { MAX_PARTS = 65536 };

const char *const lb_verdict_names[LB_N_VERDICTS] = {
    [LB_VERDICT_UNDECIDED] = "undecided",
    [LB_VERDICT_SAME] = "same",
    [LB_VERDICT_BETTER] = "better",
    [LB_VERDICT_WORSE] = "worse",
};

const char *const lb_basis_names[LB_N_BASES] = {
    [LB_BASIS_NONE] = "nothing",
    [LB_BASIS_RUNS] = "runs",
    [LB_BASIS_ONE] = "runs of one side",
    [LB_BASIS_PARTS] = "parts of single runs",
};

/* ---- values ---- */

static struct lb_mean of_runs(const struct lb_quantity *q,
                              const struct lb_group *g)
{
  double *v = malloc(g->n * sizeof *v);
  for (size_t i = 0; v && i < g->n; i++)
    v[i] = lb_result_number(g->run[i], q->path);
  struct lb_mean m = lb_mean_of(v, v ? g->n : 0);
  free(v);
  return m;
}

static struct lb_mean of_parts(const struct lb_quantity *q,
                               const struct lb_group *g)
{
  size_t n = q->parts ? lb_result_list(g->run[0], q->parts, NULL, 0) : 0;
  n = n < MAX_PARTS ? n : MAX_PARTS;
  double *v = malloc((n + 1) * sizeof *v);
  if (v && n)
    lb_result_list(g->run[0], q->parts, v, n);
  struct lb_mean m = lb_mean_of(v, v ? n : 0);
  free(v);
  return m;
}

/* Single runs are taken apart, if both can be. */
static void take_values(struct lb_judgement *j, const struct lb_group *a,
                        const struct lb_group *b)
{
  j->a = of_runs(j->quantity, a);
  j->b = of_runs(j->quantity, b);
  if (j->a.n > 1 && j->b.n > 1)
    j->basis = LB_BASIS_RUNS;
  else if (j->a.n + j->b.n > 2)
    j->basis = LB_BASIS_ONE;
  if (a->n > 1 || b->n > 1 || j->a.n == 0 || j->b.n == 0)
    return;
  struct lb_mean pa = of_parts(j->quantity, a), pb = of_parts(j->quantity, b);
  if (pa.n < 2 || pb.n < 2)
    return;
  j->a = pa;
  j->b = pb;
  j->basis = LB_BASIS_PARTS;
}

/* ---- one row ---- */

static bool all_zero(const struct lb_mean *m)
{
  return m->mean == 0 && !(m->stdev > 0);
}

static void test(struct lb_judgement *j, double tolerance)
{
  double above = lb_mean_ratio_above(&j->a, &j->b, 1 + tolerance);
  double below = 1 - lb_mean_ratio_above(&j->a, &j->b, 1 - tolerance);
  j->p_worse = j->quantity->higher ? below : above;
  j->p_better = j->quantity->higher ? above : below;
  /* Not shown to be above is 1 - above; both must be excluded. */
  j->p_same = fmax(1 - above, 1 - below);
  if (all_zero(&j->a) && all_zero(&j->b))
    j->p_same = 0;
  j->ratio = j->a.mean > 0 ? j->b.mean / j->a.mean : NAN;
  j->ends[0] = -INFINITY;
  j->ends[1] = INFINITY;
  if (j->basis != LB_BASIS_NONE)
    lb_mean_ratio_interval(&j->a, &j->b, 1 - level, j->ends);
}

void lb_judge(struct lb_match *m, double tolerance)
{
  m->n = 0;
  for (const struct lb_quantity *q = lb_quantities; q->path; q++) {
    struct lb_judgement *j = &m->judgement[m->n];
    *j = (struct lb_judgement){.quantity = q, .counts = q->counts};
    take_values(j, &m->a, &m->b);
    if (j->a.n == 0 || j->b.n == 0)
      continue;
    test(j, tolerance);
    m->n++;
  }
}

/* ---- all rows ---- */

static int by_p(const void *x, const void *y)
{
  const struct lb_judgement *const *a = x, *const *b = y;
  return ((*a)->p > (*b)->p) - ((*a)->p < (*b)->p);
}

/* Holm: the smallest p times as many as there are, the next times one less ...,
 * and none less than the one before. */
static void adjust(struct lb_judgement **row, size_t n)
{
  double least = 0;
  qsort(row, n, sizeof(void *), by_p);
  for (size_t i = 0; i < n; i++) {
    double p = fmin(1, row[i]->p * (double)(n - i));
    least = fmax(least, p);
    row[i]->p = least;
  }
}

static void decide(struct lb_judgement *j)
{
  j->verdict = LB_VERDICT_UNDECIDED;
  if (j->basis == LB_BASIS_NONE)
    return;
  if (j->p <= level)
    j->verdict =
        j->p_worse < j->p_better ? LB_VERDICT_WORSE : LB_VERDICT_BETTER;
  else if (j->p_same <= level)
    j->verdict = LB_VERDICT_SAME;
}

/* Worse when anything is; else better when anything is; same when all is. */
static enum lb_verdict sum_up(const bool seen[LB_N_VERDICTS])
{
  if (seen[LB_VERDICT_WORSE])
    return LB_VERDICT_WORSE;
  if (seen[LB_VERDICT_BETTER])
    return LB_VERDICT_BETTER;
  return seen[LB_VERDICT_SAME] && !seen[LB_VERDICT_UNDECIDED]
             ? LB_VERDICT_SAME
             : LB_VERDICT_UNDECIDED;
}

static enum lb_verdict verdict_of_rows(const struct lb_match *m)
{
  bool seen[LB_N_VERDICTS] = {false};
  for (size_t i = 0; i < m->n; i++)
    if (m->judgement[i].counts)
      seen[m->judgement[i].verdict] = true;
  return sum_up(seen);
}

static bool has_counting_row(const struct lb_match *m)
{
  for (size_t i = 0; i < m->n; i++)
    if (m->judgement[i].counts)
      return true;
  return false;
}

/* Where nothing counts (data was generated, and no more), all does. */
static void let_something_count(struct lb_match *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (has_counting_row(&m[i]))
      return;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m[i].n; k++)
      m[i].judgement[k].counts = true;
}

/* Rows that count are a family of their own: those that only explain do not
 * make it harder for them. */
static void adjust_family(struct lb_match *m, size_t n, bool counts,
                          struct lb_judgement **row)
{
  size_t rows = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m[i].n; k++) {
      struct lb_judgement *j = &m[i].judgement[k];
      if (j->counts != counts || j->basis == LB_BASIS_NONE)
        continue;
      j->p = fmin(1, 2 * fmin(j->p_worse, j->p_better));
      row[rows++] = j;
    }
  adjust(row, rows);
}

enum lb_verdict lb_judge_together(struct lb_match *m, size_t n,
                                  struct lb_judgement **row)
{
  bool seen[LB_N_VERDICTS] = {false};
  let_something_count(m, n);
  adjust_family(m, n, true, row);
  adjust_family(m, n, false, row);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < m[i].n; k++) {
      struct lb_judgement *j = &m[i].judgement[k];
      decide(j);
      if (j->verdict == LB_VERDICT_WORSE)
        j->cause = lb_cause_of(j->quantity, &m[i].a, &m[i].b);
    }
    m[i].verdict = verdict_of_rows(&m[i]);
    if (has_counting_row(&m[i]))
      seen[m[i].verdict] = true;
  }
  return sum_up(seen);
}
