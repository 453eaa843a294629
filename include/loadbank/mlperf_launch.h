/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with a command line that has been taken apart: the launcher that
 * starts its ranks, and the line of the history that tells it again. */
#ifndef LOADBANK_MLPERF_LAUNCH_H
#define LOADBANK_MLPERF_LAUNCH_H

#include "loadbank/mlperf_cli.h"

/* ---- launch.c ---- */

enum lb_mlperf_launcher {
  LB_MLPERF_MPICH, /* and its relatives: Hydra's options */
  LB_MLPERF_OPEN_MPI,
  LB_MLPERF_SRUN
};

enum { LB_MLPERF_MAX_HOSTS = 1024 };

/* Where a command line is made for; texts are borrowed. */
struct lb_mlperf_site {
  enum lb_mlperf_launcher launcher;
  const char *bin;     /* the launcher's path */
  const char *program; /* this program's, on every host */
  const char *host;    /* this host's name */
};

/* Pure but for the call's arena, where *argv and its texts are; NULL at its
 * end.  The request is spelt out: what came from a file or the environment is
 * among the flags.  LB_USAGE: hosts and numbers do not go together. */
int lb_mlperf_launch_argv(struct lb_mlperf_call *call,
                          const struct lb_mlperf_site *site, const char ***argv,
                          struct lb_err *err);
/* Pure.  One rank on this host needs no launcher. */
bool lb_mlperf_alone(const struct lb_mlperf_args *a, const char *host);

/* The same for here: for the launcher that --mpi-bin names, or the environment
 * offers; LB_USAGE also when that is not there. */
int lb_mlperf_launch_make(struct lb_mlperf_call *call, const char ***argv,
                          struct lb_err *err);
/* Becomes the launcher; returns only when that failed. */
int lb_mlperf_launch(const char *const *argv, struct lb_err *err);

/* ---- view.c ---- */

/* Appends to call->out what would be started, with which configuration, and
 * what the rules say about it.  LB_USAGE, positive: it would be refused. */
int lb_mlperf_configview(struct lb_mlperf_call *call, struct lb_err *err);
/* Before ranks are started: would they take it? */
int lb_mlperf_check(const struct lb_mlperf_args *a, struct lb_err *err);

/* ---- history.c ---- */

#define LB_MLPERF_HISTORY ".history"         /* in the results folder */
#define LB_MLPERF_HISTORY_FILE "history.txt" /* in that */

/* Appends a command as a whole line, or nothing; waits up to 10 s for another
 * process that does the same. */
int lb_mlperf_history_add(const char *results, const char *command,
                          struct lb_err *err);
int lb_mlperf_history_show(struct lb_mlperf_call *call, struct lb_err *err);
/* Becomes the command. */
int lb_mlperf_history_rerun(struct lb_mlperf_call *call, struct lb_err *err);

/* ---- quote.c ---- */

/* Pure.  Words as one line, which a shell takes apart into the same words. */
void lb_mlperf_quote(const char *const *word, int n, struct lb_buf *out);
/* Pure but for the arena.  The words of such a line; NULL behind the last. */
int lb_mlperf_unquote(const char *line, struct lb_arena *arena, char ***word,
                      int *n, struct lb_err *err);

/* ---- init.c ---- */
int lb_mlperf_init(struct lb_mlperf_call *call, struct lb_err *err);

#endif
