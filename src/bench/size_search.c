/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which number of accelerators to measure next.  Pure; measures nothing. */
#include "lb-config.h"

#include "loadbank/size_search.h"

#include <math.h>
#include <stddef.h>

const char *const lb_size_side_names[LB_N_SIDES] = {
    [LB_SIDE_OPEN] = "open",
    [LB_SIDE_MEETS] = "meets",
    [LB_SIDE_MISSES] = "misses",
    [LB_SIDE_UNDECIDED] = "undecided",
};

/* A rise of AU of less is none: points; clients are late by parts of one. */
static const double slight = 1;
/* Below that a window has as good as no utilisation; it must not be 0. */
static const double least_au = 1e-3;
/* Guesses in a row that may fail to halve the bracket, at first and once that
 * has happened. */
enum { GUESSES = 2, GUESSES_THEN = 1, CLIMBS = 6 };

struct lb_size_search lb_size_search_make(int64_t max, double threshold,
                                          int max_repeats)
{
  return (struct lb_size_search){
      .max = max, .threshold = threshold, .max_repeats = max_repeats};
}

/* ---- a point ---- */

double lb_size_student(int64_t freedom)
{
  static const double t[] = {0,     12.71, 4.303, 3.182, 2.776, 2.571,
                             2.447, 2.365, 2.306, 2.262, 2.228};
  const int64_t n = sizeof t / sizeof *t;
  if (freedom < n)
    return t[freedom];
  /* Cornish and Fisher; right to 0.1 % from here on. */
  const double z = 1.95996;
  return z + (z * z * z + z) / (4 * (double)freedom);
}

/* Adds the window's time, in units of its compute, to mean and squares. */
static void add_value(struct lb_size_point *p, double au)
{
  double time = 100 / fmax(au, least_au), off = time - p->mean;
  p->windows++;
  p->mean += off / (double)p->windows;
  p->squares += off * (time - p->mean);
}

/* One window says nothing of its spread. */
static void find_interval(struct lb_size_point *p)
{
  double half = 100 / least_au;
  if (p->windows > 1) {
    double n = (double)p->windows, variance = p->squares / (n - 1);
    half = lb_size_student(p->windows - 1) * sqrt(variance / n);
  }
  p->au = 100 / p->mean;
  p->low = 100 / (p->mean + half);
  p->high = 100 / fmax(1, p->mean - half);
}

static void judge(const struct lb_size_search *s, struct lb_size_point *p)
{
  if (p->low >= s->threshold)
    p->side = LB_SIDE_MEETS;
  else if (p->high < s->threshold)
    p->side = LB_SIDE_MISSES;
  else
    p->side = p->repeats < s->max_repeats ? LB_SIDE_OPEN : LB_SIDE_UNDECIDED;
}

void lb_size_add(struct lb_size_search *s, const double *au, int n)
{
  struct lb_size_point *p = &s->point[s->n_points - 1];
  p->repeats++;
  for (int i = 0; i < n; i++)
    add_value(p, au[i]);
  find_interval(p);
  judge(s, p);
}

/* ---- the bracket ---- */

/* The largest number that meets the threshold below all that do not, and the
 * point that is the smallest of these; NULL: none. */
struct bracket {
  int64_t meets;
  const struct lb_size_point *above;
};

static struct bracket find_bracket(const struct lb_size_search *s)
{
  struct bracket b = {0};
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    if (p->windows && p->side != LB_SIDE_MEETS &&
        (!b.above || p->n < b.above->n))
      b.above = p;
  }
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    if (p->side == LB_SIDE_MEETS && p->n > b.meets &&
        (!b.above || p->n < b.above->n))
      b.meets = p->n;
  }
  return b;
}

/* Nothing has missed it yet: by steps so large that few reach the most. */
static int64_t climb(const struct lb_size_search *s, int64_t meets)
{
  int64_t factor = (int64_t)ceil(pow((double)s->max, 1.0 / CLIMBS));
  factor = factor < 2 ? 2 : factor;
  if (meets == 0)
    return 1;
  return meets > s->max / factor ? s->max : meets * factor;
}

/* Beyond its knee a storage gives all it has, so AU falls as 1/n: the number
 * at which it would be the threshold. */
static int64_t guess(const struct lb_size_search *s, const struct bracket *b)
{
  double n = floor((double)b->above->n * b->above->au / s->threshold);
  if (n <= (double)b->meets)
    return b->meets + 1;
  return n >= (double)b->above->n ? b->above->n - 1 : (int64_t)n;
}

/* By the model, as long as that gets on. */
static int64_t choose(struct lb_size_search *s, const struct bracket *b)
{
  int64_t width = b->above->n - b->meets;
  if (s->width == 0 || width <= s->width / 2) {
    s->width = width;
    s->guessed = 0;
  }
  if (s->guessed++ < (s->doubted ? GUESSES_THEN : GUESSES))
    return guess(s, b);
  s->doubted = true;
  return b->meets + width / 2;
}

int64_t lb_size_next(struct lb_size_search *s)
{
  struct bracket b = find_bracket(s);
  int64_t n;
  if (s->n_points && s->point[s->n_points - 1].side == LB_SIDE_OPEN)
    return s->point[s->n_points - 1].n;
  if (b.meets == (b.above ? b.above->n - 1 : s->max) ||
      s->n_points == LB_SIZE_POINTS)
    return 0;
  n = b.above ? choose(s, &b) : climb(s, b.meets);
  s->point[s->n_points++] = (struct lb_size_point){.n = n};
  return n;
}

/* ---- what it amounts to ---- */

static bool rises(const struct lb_size_point *a, const struct lb_size_point *b)
{
  return a->n < b->n && b->low > a->high && b->au > a->au + slight;
}

static void find_rise(const struct lb_size_search *s, struct lb_size_answer *a)
{
  for (int i = 0; i < s->n_points && !a->rose[0]; i++)
    for (int j = 0; j < s->n_points && !a->rose[0]; j++)
      if (rises(&s->point[i], &s->point[j])) {
        a->rose[0] = &s->point[i];
        a->rose[1] = &s->point[j];
      }
}

struct lb_size_answer lb_size_answer(const struct lb_size_search *s)
{
  struct bracket b = find_bracket(s);
  struct lb_size_answer a = {.meets = b.meets, .decisive = -1, .knee = NAN};
  bool open = false;
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    open |= p->side == LB_SIDE_OPEN;
    a.undecided += p->side == LB_SIDE_UNDECIDED;
    if (p->side == LB_SIDE_MISSES && (!a.misses || p->n < a.misses))
      a.misses = p->n;
  }
  a.complete = !open && b.meets == (b.above ? b.above->n - 1 : s->max);
  if (b.above) {
    a.decisive = (int)(b.above - s->point);
    a.knee = (double)b.above->n * b.above->au / 100;
  }
  find_rise(s, &a);
  return a;
}
