/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for a number of accelerators, on models of storage whose answer
 * is known, with noise. */
#include "lb-config.h"

#include "loadbank/size_search.h"

#include <math.h>
#include <stddef.h>

#include "loadbank/rng.h"
#include "tap.h"

enum { WINDOWS = 8, LIMIT = 1000 };

/* A storage; n accelerators each ask for 1. */
struct storage {
  double bandwidth;
  double worse; /* beyond its knee every accelerator costs that share of it */
  double noise; /* standard deviation of a window's AU, points */
  struct lb_rng rng;
};

/* Roughly normal: the sum of 12 uniform ones. */
static double normal(struct lb_rng *rng)
{
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += lb_rng_double(rng);
  return sum;
}

static double au_at(const struct storage *s, int64_t n)
{
  double over = (double)n - s->bandwidth;
  double b = s->bandwidth - (over > 0 ? over * s->worse : 0);
  return 100 * fmin(1, fmax(b, 0.01) / (double)n);
}

/* Searches, and counts the measurements. */
static int search(struct lb_size_search *s, struct storage *st)
{
  int n = 0;
  for (int64_t a; n < LIMIT && (a = lb_size_next(s)) > 0; n++) {
    double au[WINDOWS];
    for (int i = 0; i < WINDOWS; i++)
      au[i] = fmin(100, fmax(0, au_at(st, a) + st->noise * normal(&st->rng)));
    lb_size_add(s, au, au, WINDOWS);
  }
  return n;
}

/* The largest number that meets it, counted out. */
static int64_t truth(const struct storage *st, int64_t max, double threshold)
{
  int64_t n = 0;
  while (n < max && au_at(st, n + 1) >= threshold)
    n++;
  return n;
}

/* Numbers that are far enough from the threshold to be told apart. */
static bool apart(const struct storage *st, int64_t n, double threshold)
{
  return (n == 0 || au_at(st, n) >= threshold + 1.5) &&
         au_at(st, n + 1) <= threshold - 1.5;
}

static void constant_bandwidth(void)
{
  static const double thresholds[] = {50, 70, 85, 90};
  static const double noises[] = {0, 0.3, 1};
  int tried = 0, wrong = 0, most = 0, most_points = 0, incomplete = 0;
  for (int noise = 0; noise < 3; noise++)
    for (int t = 0; t < 4; t++)
      for (int i = 0; i < 400; i++) {
        struct storage st = {.bandwidth = 0.05 + 0.1 * i,
                             .noise = noises[noise],
                             .rng = {(uint64_t)(1000 * t + i), 0}};
        int64_t want = truth(&st, 64, thresholds[t]);
        if (!apart(&st, want, thresholds[t]))
          continue;
        struct lb_size_search s = lb_size_search_make(64, thresholds[t], 5);
        int n = search(&s, &st);
        struct lb_size_answer a = lb_size_answer(&s);
        tried++;
        wrong += a.meets != want;
        incomplete += !a.complete || a.misses != want + 1 || a.undecided;
        most = n > most ? n : most;
        most_points = s.n_points > most_points ? s.n_points : most_points;
      }
  ok(tried > 500, "%d settings", tried);
  /* An interval of 95 % misses what it is of now and then. */
  ok(wrong <= tried / 200, "%d of %d wrong", wrong, tried);
  ok(incomplete <= tried / 200, "%d of %d not complete", incomplete, tried);
  ok(most_points <= 12, "at most 12 points: %d", most_points);
  ok(most <= 14, "and hardly ever one again: %d", most);
}

/* From 1 to 2^20, and a storage of which more and more is lost beyond. */
static void wide(void)
{
  int wrong = 0, most = 0, tried = 0;
  for (int worse = 0; worse < 3; worse++)
    for (int i = 0; i < 26; i++) {
      struct storage st = {.bandwidth = 1.05 * pow(1.7, i),
                           .worse = 0.3 * worse};
      const int64_t max = 1 << 20;
      struct lb_size_search s = lb_size_search_make(max, 90, 3);
      int n = search(&s, &st);
      tried++;
      wrong += lb_size_answer(&s).meets != truth(&st, max, 90);
      if (worse == 0)
        most = n > most ? n : most;
      ok(n <= 40, "bandwidth %.0f, %.1f lost: %d points", st.bandwidth,
         st.worse, n);
    }
  is_int(wrong, 0, "of %d all are right", tried);
  ok(most <= 12, "constant bandwidth takes at most 12 points: %d", most);
}

static void ends(void)
{
  struct storage fast = {.bandwidth = 1e9}, slow = {.bandwidth = 0.2};
  struct lb_size_search s = lb_size_search_make(20, 90, 3);
  int n = search(&s, &fast);
  struct lb_size_answer a = lb_size_answer(&s);
  is_int(a.meets, 20, "all of them");
  ok(a.complete && a.misses == 0 && isnan(a.knee) && a.decisive < 0,
     "and none missed");
  is_int(n, 6, "1 2 4 8 16 20");
  s = lb_size_search_make(20, 90, 3);
  is_int(search(&s, &slow), 1, "one point is enough when not even 1 does");
  a = lb_size_answer(&s);
  ok(a.complete && a.meets == 0 && a.misses == 1, "none of them");
  is_near(a.knee, 0.2, 1e-9, "the knee is below 1");
  s = lb_size_search_make(1, 90, 3);
  search(&s, &fast);
  is_int(lb_size_answer(&s).meets, 1, "the only one");
}

/* Exactly on the threshold, with noise: it stays open. */
static void undecided(void)
{
  struct storage st = {.bandwidth = 9, .noise = 3, .rng = {7, 0}};
  struct lb_size_search s = lb_size_search_make(32, 90, 4);
  search(&s, &st);
  struct lb_size_answer a = lb_size_answer(&s);
  const struct lb_size_point *ten = NULL;
  for (int i = 0; i < s.n_points; i++)
    if (s.point[i].n == 10)
      ten = &s.point[i];
  ok(ten && ten->side == LB_SIDE_UNDECIDED, "10 is undecided");
  is_int(ten ? ten->repeats : 0, 4, "after all repeats");
  is_int(ten ? ten->windows : 0, 4 * WINDOWS, "whose windows all count");
  is_int(a.meets, 9, "9 is sure");
  is_int(a.undecided, 1, "one is not");
  ok(ten && a.decisive == ten - s.point, "that is what the limit shows in");
  is_near(a.knee, 9, 0.3, "and the knee");
}

/* A busy client leaves 2 undecided; larger numbers meet it all the same. */
static void passing(void)
{
  const double good[] = {99, 99.1, 98.9}, poor[] = {50, 99, 70};
  struct lb_size_search s = lb_size_search_make(4, 90, 2);
  int64_t n;
  while ((n = lb_size_next(&s)) > 0)
    lb_size_add(&s, n == 2 ? poor : good, n == 2 ? poor : good, 3);
  struct lb_size_answer a = lb_size_answer(&s);
  is_int(a.meets, 4, "4 meet it");
  ok(a.complete && a.undecided == 0, "and 2 do not matter");
  s = lb_size_search_make(4, 90, 2);
  while ((n = lb_size_next(&s)) > 0)
    lb_size_add(&s, n == 4 ? poor : good, n == 4 ? poor : good, 3);
  a = lb_size_answer(&s);
  is_int(a.meets, 3, "the largest is undecided: the one before it");
  is_int(a.undecided, 1, "which is said");
  ok(a.complete && a.misses == 0 && s.n_points == 4, "and that is all");
}

static void intervals(void)
{
  /* Times of 1.20 1.25 1.30: mean 1.25, s = 0.05, t = 4.303: -+ 0.1242. */
  const double au[] = {100 / 1.20, 100 / 1.25, 100 / 1.30};
  struct lb_size_search s = lb_size_search_make(1, 80, 2);
  lb_size_next(&s);
  ok(!lb_size_answer(&s).complete, "not complete before it was measured");
  lb_size_add(&s, au, au, 3);
  is_near(s.point[0].au, 80, 1e-9, "the mean");
  is_near(s.point[0].low, 100 / 1.3742, 1e-2, "its interval from");
  is_near(s.point[0].high, 100 / 1.1258, 1e-2, "to");
  is_int(s.point[0].side, LB_SIDE_OPEN, "has the threshold");
  ok(!lb_size_answer(&s).complete, "not complete while it is open");
  is_int(lb_size_next(&s), 1, "so it is measured again");
  lb_size_add(&s, au, au, 3);
  /* s^2 = 0.01 / 5, t = 2.571: -+ 0.0469. */
  is_near(s.point[0].high, 100 / 1.2031, 1e-2, "six values: narrower");
  is_int(lb_size_next(&s), 0, "no more than the repeats allowed");
  is_int(s.point[0].side, LB_SIDE_UNDECIDED, "undecided");
}

/* One window says nothing of its spread, and none is 0. */
static void few(void)
{
  const double none[] = {0, 0}, one[] = {99};
  struct lb_size_search s = lb_size_search_make(9, 50, 3);
  lb_size_next(&s);
  lb_size_add(&s, one, one, 1);
  is_int(s.point[0].side, LB_SIDE_OPEN, "one window decides nothing");
  s = lb_size_search_make(9, 50, 3);
  lb_size_next(&s);
  lb_size_add(&s, none, none, 2);
  ok(s.point[0].au < 0.1 && s.point[0].side == LB_SIDE_MISSES, "stuck");
}

/* 85 %, of which the client's lateness may have cost 8 points. */
static void late(void)
{
  const double au[] = {84, 85, 86}, in_time[] = {92, 93, 94};
  struct lb_size_search s = lb_size_search_make(1, 90, 2);
  lb_size_next(&s);
  lb_size_add(&s, au, in_time, 3);
  is_int(s.point[0].side, LB_SIDE_OPEN, "no miss that is the client's");
  is_near(s.point[0].au, 85, 0.01, "but the AU is what it was");
  ok(s.point[0].low < 84 && s.point[0].high > 94, "and the interval wide");
  s = lb_size_search_make(1, 70, 2);
  lb_size_next(&s);
  lb_size_add(&s, au, in_time, 3);
  is_int(s.point[0].side, LB_SIDE_MEETS, "late, and met all the same");
}

/* AU that rises: caches that warm up. */
static void rising(void)
{
  const double low[] = {80, 81, 80}, high[] = {95, 96, 95},
               near[] = {80.5, 81, 80.9};
  struct lb_size_search s = lb_size_search_make(4, 70, 1);
  lb_size_next(&s);
  lb_size_add(&s, low, low, 3);
  lb_size_next(&s);
  lb_size_add(&s, near, near, 3);
  ok(!lb_size_answer(&s).rose[0], "less than a point is no rise");
  lb_size_next(&s);
  lb_size_add(&s, high, high, 3);
  struct lb_size_answer a = lb_size_answer(&s);
  ok(a.rose[0] && a.rose[0]->n == 1 && a.rose[1]->n == 4, "a rise is told");
}

int main(void)
{
  constant_bandwidth();
  wide();
  ends();
  undecided();
  intervals();
  passing();
  few();
  late();
  rising();
  return done();
}
