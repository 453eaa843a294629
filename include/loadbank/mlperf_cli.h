/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `loadbank mlperf': the table of sub-commands, the table
 * of flags, the way from argv to struct lb_mlperf_call, and the sentinel of a
 * results folder.  mlperf_launch.h has what follows.
 *
 * One program, two roles: without a launcher around it `run' and `datagen'
 * check their arguments and become mpiexec (or srun) with the same request
 * spelt out; a process that finds itself launched is a rank. */
#ifndef LOADBANK_MLPERF_CLI_H
#define LOADBANK_MLPERF_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/mlperf.h"
#include "loadbank/option.h"
#include "loadbank/yaml.h"

struct lb_mlperf_call;
struct lb_world;

/* ---- verbs.c: sub-commands ---- */

/* A bit for each row, for the flags that it takes. */
enum {
  LB_MLPERF_V_TRAIN_SIZE = 1,
  LB_MLPERF_V_TRAIN_GEN = 2,
  LB_MLPERF_V_TRAIN_RUN = 4,
  LB_MLPERF_V_TRAIN_VIEW = 8,
  LB_MLPERF_V_SAVE_SIZE = 16,
  LB_MLPERF_V_SAVE_RUN = 32,
  LB_MLPERF_V_SAVE_VIEW = 64,
  LB_MLPERF_V_INIT = 128,
  LB_MLPERF_V_REPORT = 256,
  LB_MLPERF_V_VALIDATE = 512,
  LB_MLPERF_V_SHOW = 1024,
  LB_MLPERF_V_RERUN = 2048,
  LB_MLPERF_V_RULES = 4096,
  LB_MLPERF_V_TRAIN = 15,
  LB_MLPERF_V_SAVE = 112,
};

struct lb_mlperf_verb {
  const char *words; /* "init", "history show"; of a workload: "training run" */
  const char *args;  /* what follows, for the usage: "ORG DIR" */
  const char *doc;   /* one sentence */
  unsigned bit;
  bool is_workload;  /* MODE stands before, a model and a protocol may follow */
  int kind, command; /* of a workload: enums of mlperf.h */
  int min_operands, max_operands;
  bool writes;   /* into the results folder: it must have its sentinel */
  bool launches; /* done by ranks: `run' is called with a world */
  /* NULL: not in this build.  The exit status, or a negative code with err
   * filled.  Collective, on every rank, when it launches. */
  int (*run)(struct lb_mlperf_call *call, struct lb_err *err);
};
extern const struct lb_mlperf_verb
    lb_mlperf_verbs[]; /* words NULL at the end */

/* Pure.  With help, but no verb: the first row of several words whose first is
 * the one operand, or NULL. */
const struct lb_mlperf_verb *
lb_mlperf_begins(const struct lb_mlperf_call *call);

/* What `run' gets. */
struct lb_mlperf_call {
  const struct lb_mlperf_verb *verb;
  struct lb_mlperf_args args;
  /* --help: verb may be NULL; which of mode, kind and model were named. */
  bool help, has_mode, has_kind, has_model;
  const char **operand; /* of what is no workload: "DIR", "ID" ... */
  int n_operands;
  char org[LB_MLPERF_NAME]; /* of the sentinel, for verbs that write */
  char *command_line;       /* as typed, quoted for a shell; owned */
  struct lb_world *world;   /* of the ranks; NULL: this process is none */
  bool silent;              /* a rank that prints nothing */
  struct lb_buf out; /* for stdout; printed when `run' returns 0 or more */
  /* Of each row of lb_mlperf_flags as it was given, NULL: not at all. */
  const char **text;
  /* Where that stands: "flags.yaml:3", a variable's name; NULL: in argv. */
  const char **origin;
  struct lb_arena arena; /* texts that live as long as the call */
};

/* ---- flags.c: THE table of flags ---- */

struct lb_mlperf_flag {
  struct lb_option option; /* .key: the field of struct lb_mlperf_args */
  const char *brief;       /* "-cm", or NULL */
  const char *alias;       /* "--param", or NULL */
  unsigned verbs;          /* those that take it */
  unsigned needs;          /* those that cannot do without */
  unsigned modes;          /* bits 1 << enum lb_mlperf_mode; 0: all */
  const char *env[2];      /* variables that stand for it */
  const char *why;         /* said of a word or a mode that is refused */
  bool many;               /* takes words up to the next flag */
  bool is_name;            /* [A-Za-z0-9._-]+ */
  bool positive;           /* a number above 0 */
  bool starts;             /* about starting ranks: not handed to them */
};
extern const struct lb_mlperf_flag lb_mlperf_flags[]; /* option.key NULL ends */

/* "--num-accelerators" of a row. */
enum { LB_MLPERF_FLAG_LEN = 48 };
void lb_mlperf_flag_name(const struct lb_mlperf_flag *f,
                         char out[LB_MLPERF_FLAG_LEN]);

/* ---- parse.c ---- */

/* The words behind `loadbank mlperf', and the variables and the file that they
 * lead to.  LB_USAGE with what is wrong and what is allowed.
 * lb_mlperf_call_fini is due even when it failed. */
int lb_mlperf_parse(int argc, char **argv, struct lb_mlperf_call *call,
                    struct lb_err *err);
void lb_mlperf_call_fini(struct lb_mlperf_call *call);

/* Pure.  The accelerators of a workload's run, the processes of its datagen. */
int64_t lb_mlperf_accelerators(const struct lb_mlperf_args *a);
/* Pure.  The ranks asked for. */
int64_t lb_mlperf_ranks(const struct lb_mlperf_args *a);
/* Pure.  n_ranks are what was asked for, or carry all accelerators evenly. */
int lb_mlperf_check_ranks(const struct lb_mlperf_args *a, int n_ranks,
                          struct lb_err *err);

/* ---- sentinel.c ---- */

/* The organisation that the results folder is pinned to.  LB_USAGE: it has no
 * sentinel, or one that cannot be read. */
int lb_mlperf_sentinel_read(const char *results, char org[LB_MLPERF_NAME],
                            struct lb_err *err);
/* Pins it: 0; the folder is made if its parent is there.  1: it is pinned to
 * this organisation already.  LB_USAGE: to another, or there is something else
 * in the folder.  dry: writes nothing. */
int lb_mlperf_sentinel_write(const char *results, const char *org, bool dry,
                             struct lb_err *err);

#endif
