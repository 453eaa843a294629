/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: a table of commands, one file each (src/cli/cmd_*.c). */
#ifndef LOADBANK_CLI_H
#define LOADBANK_CLI_H

#include <stdbool.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"

struct lb_cli; /* src/cli only */

/* Which options a command takes: groups of rows of the option table. */
enum {
  LB_TAKES_WORKLOAD = 1,   /* a workload, overrides, and where to look for it */
  LB_TAKES_PLAN = 2,       /* what decides a plan */
  LB_TAKES_RUN = 4,        /* what decides how a run is carried out */
  LB_TAKES_RANKS = 8,      /* the number of ranks, which nobody launched */
  LB_TAKES_FORMAT = 16,    /* what stdout gets */
  LB_TAKES_RESULTS = 32,   /* where results would go */
  LB_TAKES_DRY = 64,       /* that nothing is to be done */
  LB_TAKES_SWEEP = 128,    /* how often, in which order, for how long */
  LB_TAKES_SIZE = 256,     /* what a sizing is to find out, and how well */
  LB_TAKES_REPORT = 512,   /* a page's file and format */
  LB_TAKES_COMPARE = 1024, /* how results are compared */
};

struct lb_command {
  const char *name;
  const char *args;               /* "WORKLOAD [KEY=VALUE]..." */
  const char *doc;                /* one sentence */
  const char *help;               /* more about it, and examples */
  unsigned takes;                 /* LB_TAKES_* */
  bool mpi;                       /* needs MPI; the others start at once */
  int min_operands, max_operands; /* max < 0: any number */
  /* Optional: takes argv[2...] apart in its own way, instead of the table of
   * options; may say that this very call needs MPI. */
  int (*parse)(struct lb_cli *cli, struct lb_err *err);
  /* Optional, with parse: appends its help. */
  void (*explain)(struct lb_buf *out);
  /* Required.  The exit status, or a negative code with err filled.
   * Collective when mpi. */
  int (*run)(struct lb_cli *cli, struct lb_err *err);
};

extern const struct lb_command lb_commands[]; /* name NULL at the end */
const struct lb_command *lb_command_find(const char *name); /* or NULL */

/* A page of `loadbank help TOPIC'. */
struct lb_topic {
  const char *name, *doc, *text;
};
extern const struct lb_topic lb_topics[]; /* name NULL at the end */

/* Runs the command of argv; the exit status.  Nothing is left of MPI. */
int lb_cli_main(int argc, char **argv);

#endif
