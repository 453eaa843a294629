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

/* The n-th value, from 1. */
static void add_time(struct lb_size_times *t, double au, int64_t n)
{
  double time = 100 / fmax(au, least_au), off = time - t->mean;
  t->mean += off / (double)n;
  t->squares += off * (time - t->mean);
}

/* Half of the interval of the mean of n.  One says nothing of their spread. */
static double half(const struct lb_size_times *t, int64_t n)
{
  if (n < 2)
    return 100 / least_au;
  double k = (double)n, variance = t->squares / (k - 1);
  return lb_size_student(n - 1) * sqrt(variance / k);
}

static void find_interval(struct lb_size_point *p)
{
  double longest = p->times.mean + half(&p->times, p->windows);
  double shortest = p->in_time.mean - half(&p->in_time, p->windows);
  p->au = 100 / p->times.mean;
  p->low = 100 / longest;
  p->high = 100 / fmax(1, shortest);
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

void lb_size_add(struct lb_size_search *s, const double *au,
                 const double *in_time, int n)
{
  struct lb_size_point *p = &s->point[s->n_points - 1];
  p->repeats++;
  for (int i = 0; i < n; i++) {
    p->windows++;
    add_time(&p->times, au[i], p->windows);
    add_time(&p->in_time, in_time[i], p->windows);
  }
  find_interval(p);
  judge(s, p);
}

/* ---- the bracket ---- */

/* What is known of the points so far. */
struct bracket {
  int64_t meets;  /* the largest number that meets it, below all that miss it */
  int64_t misses; /* the smallest that misses it; 0: none */
  int64_t most;   /* the largest that was measured */
  /* The smallest above `meets' that does not meet it for sure; or NULL. */
  const struct lb_size_point *above;
};

static struct bracket find_bracket(const struct lb_size_search *s)
{
  struct bracket b = {0};
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    if (p->side == LB_SIDE_MISSES && (!b.misses || p->n < b.misses))
      b.misses = p->n;
    if (p->windows && p->n > b.most)
      b.most = p->n;
  }
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    if (p->side == LB_SIDE_MEETS && p->n > b.meets &&
        (!b.misses || p->n < b.misses))
      b.meets = p->n;
  }
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    if (p->windows && p->side != LB_SIDE_MEETS && p->n > b.meets &&
        (!b.above || p->n < b.above->n))
      b.above = p;
  }
  return b;
}

/* Nothing has missed it for sure: by steps so large that few reach the most. */
static int64_t climb(const struct lb_size_search *s, int64_t most)
{
  int64_t factor = (int64_t)ceil(pow((double)s->max, 1.0 / CLIMBS));
  factor = factor < 2 ? 2 : factor;
  if (most == 0)
    return 1;
  return most > s->max / factor ? s->max : most * factor;
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
  bool climbs = !b.misses && b.most < s->max;
  if (s->n_points && s->point[s->n_points - 1].side == LB_SIDE_OPEN)
    return s->point[s->n_points - 1].n;
  if (s->n_points == LB_SIZE_POINTS ||
      (!climbs && (!b.above || b.meets == b.above->n - 1)))
    return 0;
  int64_t n = climbs ? climb(s, b.most) : choose(s, &b);
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
  struct lb_size_answer a = {
      .meets = b.meets, .misses = b.misses, .decisive = -1, .knee = NAN};
  bool open = false;
  for (int i = 0; i < s->n_points; i++) {
    const struct lb_size_point *p = &s->point[i];
    open |= p->side == LB_SIDE_OPEN;
    a.undecided += p->side == LB_SIDE_UNDECIDED && p->n > b.meets;
  }
  a.complete = !open && (b.misses || b.most == s->max) &&
               b.meets == (b.above ? b.above->n - 1 : s->max);
  if (b.above) {
    a.decisive = (int)(b.above - s->point);
    a.knee = (double)b.above->n * b.above->au / 100;
  }
  find_rise(s, &a);
  return a;
}
