/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing for checkpoints: does a storage take saves fast enough?  What is asked
 * and answered: docs/sizing.md. */
#ifndef LOADBANK_SIZE_SAVES_H
#define LOADBANK_SIZE_SAVES_H

#include "loadbank/size.h"

enum { LB_SIZE_SAVES = 1024 }; /* measured at most */

/* A save of the checkpoint every so often, at a cost of so much. */
struct lb_size_pace {
  double every_s;
  double at_most; /* % of the time */
};
struct lb_size_saves {
  struct lb_size_load load;
  struct lb_size_pace pace;
  int accelerators, ranks, n;       /* saves measured */
  double bytes;                     /* of one */
  double mean_s, low_s, high_s;     /* its time, with its interval of 95 % */
  enum lb_size_side side;           /* is the cost met? */
  double cost, cost_low, cost_high; /* %, at that interval */
  double needed_bytes_per_s, bytes_per_s;
  double least_every_s; /* the shortest interval at that cost */
  bool synced;          /* checkpoint.fsync */
  char folder[4096];    /* as in checkpoint.checkpoint_folder */
  enum lb_size_end end;
  char reason[sizeof((struct lb_err *)0)->msg]; /* of LB_SIZE_FAILED */
  char *sizing;                 /* rank 0: as size_identity gives it */
  double save_s[LB_SIZE_SAVES]; /* the n */
  int runs;                     /* that they are of */
  int earlier_runs;             /* of these, by jobs before this one */
  double longest_s;             /* of the runs */
};
void lb_size_saves_fini(struct lb_size_saves *s);
/* Pure.  From the times of n saves; `last': no more will follow. */
void lb_size_judge_saves(struct lb_size_saves *s, const double *seconds, int n,
                         bool last);
/* As lb_size_ask's keep, which is not called; arg: the same. */
typedef int lb_size_keep_saves(void *arg, const struct lb_size_saves *s,
                               struct lb_err *err);
/* Collective; as lb_size_run, with all a->max accelerators.  lb_size_saves_fini
 * in any case. */
int lb_size_save(struct lb_world *w, const struct lb_size_ask *a,
                 const struct lb_size_pace *pace, lb_size_keep_saves *keeper,
                 struct lb_size_saves *s, struct lb_err *err);

/* For people, and size.json. */
void lb_size_saves_text(const struct lb_size_saves *s, struct lb_buf *out);
int lb_size_saves_json(const struct lb_size_saves *s, struct lb_buf *out,
                       struct lb_err *err);

#endif
