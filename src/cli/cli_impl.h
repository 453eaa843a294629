/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside src/cli. */
#ifndef LB_CLI_IMPL_H
#define LB_CLI_IMPL_H

#include <limits.h>
#include <stdint.h>

#include "loadbank/buf.h"
#include "loadbank/cli.h"
#include "loadbank/option.h"
#include "loadbank/progress.h"

struct lb_mlperf_call;
struct lb_plan;
struct lb_workload;
struct lb_world;

/* Values of the options: a field's name with '-' for '_' is the option's. */
struct lb_args {
  int64_t accelerators; /* 0: one per rank */
  int64_t ranks;        /* 0: as launched */
  int64_t max_threads;
  int64_t repeat, seed; /* 0: as the sweep's file says */
  char time_limit[32];  /* "": none */
  int64_t max;          /* accelerators of a sizing; 0: those given */
  int64_t min_steps, max_repeats;
  double min_seconds;
  double au;             /* 0..1; 0: metric.au */
  double every, at_most; /* minutes, % */
  bool checkpoint;
  double gate_timeout; /* s; 0: by the mean step */
  int format;          /* enum lb_output */
  int progress;        /* enum lb_progress_mode */
  int log_ranks;       /* 0: rank 0; 1: all */
  bool require_au, allow_mismatch, force, regenerate, dry_run, verbose;
  bool help, version;
  char config_dir[PATH_MAX], results[PATH_MAX];
  double tolerance; /* % */
  bool keep;
  char baseline[PATH_MAX];
  int page_format; /* 0: by the file's ending; else lb_page_formats[it - 1] */
  char file[PATH_MAX];
};

struct lb_cli {
  const struct lb_command *command;
  struct lb_args args;
  char **operand; /* borrowed from argv */
  int n_operands;
  int argc;
  char **argv;
  struct lb_world *world; /* NULL for commands without MPI */
  bool silent;            /* a further process of a launcher: prints nothing */
  int launched; /* processes according to the launcher's environment, or 1 */
  bool mpi;     /* this call needs it, though its command not always does */
  struct lb_mlperf_call *mlperf; /* owned; NULL: another command */
};

/* ---- flag.c: options ---- */

struct lb_flag {
  struct lb_option option;
  unsigned takes; /* commands that take one of these; 0: all commands */
  char letter;    /* -o for it; '\0': there is none */
};
extern const struct lb_flag lb_flags[]; /* option.key NULL at the end */

/* "--gate-timeout" of a row. */
enum { LB_FLAG_LEN = 40 };
void lb_flag_name(const struct lb_flag *f, char out[LB_FLAG_LEN]);
bool lb_flag_taken(const struct lb_flag *f, const struct lb_command *c);
/* Fills args and operands from argv[first...]; permutes argv. */
int lb_flags_parse(struct lb_cli *cli, int first, struct lb_err *err);

/* ---- help.c ---- */

void lb_help_index(struct lb_buf *out);
void lb_help_command(const struct lb_command *c, struct lb_buf *out);
/* Of `loadbank mlperf', and as far as its words went. */
void lb_help_mlperf_index(struct lb_buf *out);
void lb_help_mlperf(const struct lb_mlperf_call *call, struct lb_buf *out);
/* A name, and what is said of it from the column on. */
void lb_help_entry(struct lb_buf *out, const char *name, const char *doc,
                   size_t column);
/* "loadbank 0.1.0" and the libraries. */
void lb_help_version(struct lb_buf *out);

/* ---- load.c: from operands to a workload ---- */

/* KEY=VALUE and the like, not the name of a workload. */
bool lb_is_override(const char *operand);
/* argv, joined by blanks. */
void lb_command_line(const struct lb_cli *cli, struct lb_buf *out);
/* The text of the workload, on every rank; *text is malloc'ed.  Collective when
 * cli->world is set: an err that is set counts too. */
int lb_read_workload(const struct lb_cli *cli, const char *what, char **text,
                     size_t *len, char path[PATH_MAX], struct lb_err *err);

enum { LB_RESULTS_LEN = 2 * PATH_MAX + 32 };
struct lb_loaded {
  struct lb_workload *workload;
  char *yaml;
  size_t yaml_len;
  const char *what; /* as named by the user */
  const char **overrides;
  int n_overrides;
  char results[LB_RESULTS_LEN]; /* the override --results stands for */
};
/* Collective when cli->world is set, and agreed.  first: operand to begin
 * with.  lb_loaded_fini is due even when it failed. */
int lb_loaded_init(struct lb_loaded *l, struct lb_cli *cli, int first,
                   struct lb_err *err);
void lb_loaded_fini(struct lb_loaded *l);

/* ---- cmd_plan.c ---- */

/* Prints the plan on stdout as --format says. */
int lb_plan_show(struct lb_cli *cli, const struct lb_workload *w,
                 const struct lb_plan *p, struct lb_err *err);
/* Its warnings, whatever stdout gets. */
void lb_plan_warn(const struct lb_plan *p);

/* ---- output ---- */

/* Writes the text to stdout; a failed write is an error. */
int lb_print(struct lb_cli *cli, struct lb_buf *text, struct lb_err *err);

/* ---- the commands ---- */

int lb_cmd_run(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_plan(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_workloads(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_config(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_list(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_selftest(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_sweep(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_calibrate(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_size(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_compare(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_report(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_clean(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_mlperf(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_mlperf_parse(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_version(struct lb_cli *cli, struct lb_err *err);
int lb_cmd_help(struct lb_cli *cli, struct lb_err *err);

#endif
