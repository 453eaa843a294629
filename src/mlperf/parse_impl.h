/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that take a command line of `loadbank mlperf' apart. */
#ifndef LB_MLPERF_PARSE_IMPL_H
#define LB_MLPERF_PARSE_IMPL_H

#include "loadbank/mlperf_cli.h"

/* A command line cut into words and flags.  All borrowed, or in the arena. */
struct lb_mlperf_scan {
  const char **word;
  int n_words;
  const char *unknown; /* the first flag that is in no row, or NULL */
  const char **param;  /* words of --params */
  int n_params;
};

/* ---- scan.c: argv to words and call->text ---- */
int lb_mlperf_scan(int argc, char **argv, struct lb_mlperf_scan *s,
                   struct lb_mlperf_call *call, struct lb_err *err);
/* Adds to what the row has: words of --mpi-params, or of a list, which then has
 * a comma between them however it was written. */
int lb_mlperf_text_add(struct lb_mlperf_call *call, int row, const char *text,
                       struct lb_err *err);

/* ---- grammar.c: words to call->verb, its operands, mode and model ---- */
int lb_mlperf_grammar(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                      struct lb_err *err);
/* "closed training run", for messages; as far as it is known. */
enum { LB_MLPERF_WHERE_LEN = 80 };
void lb_mlperf_where(const struct lb_mlperf_call *call,
                     char out[LB_MLPERF_WHERE_LEN]);

/* ---- values.c: texts of all sources to call->args ---- */
/* The sub-command, or without one none, has no such flag. */
int lb_mlperf_no_flag(const struct lb_mlperf_call *call, const char *arg,
                      struct lb_err *err);
int lb_mlperf_values(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                     struct lb_err *err);

/* ---- hosts.c ---- */
struct lb_mlperf_host_slots {
  char name[256];
  int64_t slots; /* accelerators; 0: not said */
};
/* Pure.  The hosts of "a,b:4"; *n 0: none are named. */
int lb_mlperf_hosts_read(const char *text, struct lb_mlperf_host_slots *host,
                         int max, int *n, struct lb_err *err);

#endif
