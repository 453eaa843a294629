/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line that says how far a run is, printed by a thread of its own, so that
 * a slow terminal holds nobody up. */
#ifndef LOADBANK_PROGRESS_H
#define LOADBANK_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum lb_progress_mode {
  LB_PROGRESS_AUTO, /* on a terminal */
  LB_PROGRESS_ALWAYS,
  LB_PROGRESS_NEVER
};

struct lb_progress_state {
  const char *phase;     /* "generate", "train" ...; static */
  const char *counts;    /* what the phase is of: NULL is "epoch" */
  int64_t epoch, epochs; /* or those; 0: not shown */
  int64_t done, total;
  const char *unit;     /* "steps", "files"; NULL: they are bytes */
  double au;            /* so far, %; NAN: not shown */
  double samples_per_s; /* so far, of the job; 0: not shown */
  double bytes_per_s;   /* the same */
  uint64_t elapsed_ns;  /* shown when left_ns is not known */
  uint64_t left_ns;     /* LB_NEVER: not known */
};

struct lb_progress {
  bool on, tty;
  FILE *out;
  uint64_t next_ns, every_ns; /* no more often than that ... */
  const char *phase;          /* ... unless another begins, on a terminal */
  size_t width;               /* of the line that stands there */
  pthread_t thread;
  bool running;
  pthread_mutex_t lock; /* over what follows */
  pthread_cond_t rung;
  bool stop, fresh;
  struct lb_progress_state state; /* to be printed when fresh */
};

void lb_progress_init(struct lb_progress *p, enum lb_progress_mode mode,
                      FILE *out);
/* Pure. */
void lb_progress_format(char *out, size_t size,
                        const struct lb_progress_state *s);
/* Is it time for a line of that phase? */
bool lb_progress_due(const struct lb_progress *p, uint64_t now_ns,
                     const char *phase);
/* Has it printed when it is time; never waits for that.  One thread. */
void lb_progress_tick(struct lb_progress *p, uint64_t now_ns,
                      const struct lb_progress_state *s);
/* All is printed, the line is cleared. */
void lb_progress_end(struct lb_progress *p);

#endif
