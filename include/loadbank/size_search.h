/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest number of accelerators whose utilisation (AU) meets a threshold,
 * from as few measurements as possible.  Pure: says what to measure next, and
 * is told what came out.  docs/sizing.md has the rules and the reasons.
 *
 * AU is in percent, and taken not to rise with the number. */
#ifndef LOADBANK_SIZE_SEARCH_H
#define LOADBANK_SIZE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* On which side of the threshold a point lies. */
enum lb_size_side {
  LB_SIDE_OPEN, /* its interval has the threshold: to be measured again */
  LB_SIDE_MEETS,
  LB_SIDE_MISSES,
  LB_SIDE_UNDECIDED, /* still open after the last repeat */
  LB_N_SIDES
};
extern const char *const lb_size_side_names[LB_N_SIDES];

/* Of windows' times, in units of the compute in them. */
struct lb_size_times {
  double mean, squares; /* sum of (time - mean)^2 */
};

/* A number of accelerators that was measured.  Its AU is the harmonic mean of
 * the windows', for times are what adds up. */
struct lb_size_point {
  int64_t n;
  int repeats;
  int64_t windows; /* over all repeats */
  struct lb_size_times times,
      in_time; /* in_time: had the client not been late */
  /* The AU, and its interval of 95 %, whose upper end is as if the client had
   * not been late: a client that is busy makes a point open, not worse. */
  double au, low, high;
  enum lb_size_side side; /* against the threshold */
};

/* Climbing, guessing and bisecting among 2^63 numbers needs no more. */
enum { LB_SIZE_POINTS = 160 };

struct lb_size_search {
  int64_t max;      /* accelerators, >= 1 */
  double threshold; /* %, above 0 */
  int max_repeats;
  struct lb_size_point point[LB_SIZE_POINTS]; /* as they were measured */
  int n_points;
  /* Numbers chosen by the model since the bracket was last halved. */
  int guessed;
  int64_t width;
  bool doubted; /* they failed to */
};

/* Two-sided 95 % of Student's t; freedom >= 1. */
double lb_size_student(int64_t freedom);

struct lb_size_search lb_size_search_make(int64_t max, double threshold,
                                          int max_repeats);
/* What to measure next: a number of accelerators, or 0: all is known. */
int64_t lb_size_next(struct lb_size_search *s);
/* What came out of the number that lb_size_next gave: n > 0 values of AU, of
 * windows of as many steps each, and the same had no step ended late. */
void lb_size_add(struct lb_size_search *s, const double *au,
                 const double *in_time, int n);

/* What the points amount to.  Of any moment: a search may be cut off. */
struct lb_size_answer {
  int64_t meets;  /* the largest number that meets it; 0: none does */
  int64_t misses; /* the smallest that misses it; 0: none did */
  int decisive;   /* the point that says what the limit is, the smallest which
                   * does not meet it for sure; -1: none */
  int undecided;  /* points above the first that are */
  bool complete;  /* no number in between is left to be measured */
  /* The number at which AU would begin to fall, from the decisive point; NAN:
   * there is none. */
  double knee;
  /* AU rose from the point *rose[0] to the larger *rose[1], which makes all
   * this doubtful; NULL: it did not. */
  const struct lb_size_point *rose[2];
};
struct lb_size_answer lb_size_answer(const struct lb_size_search *s);

#endif
