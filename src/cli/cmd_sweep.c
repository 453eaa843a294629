/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank sweep: reads what is to be swept; src/bench carries it out. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/sweep_file.h"
#include "loadbank/sweep_job.h"
#include "loadbank/world.h"

enum { MAX_OUT = 1 << 30 };

/* What the command line and the files say. */
struct request {
  struct lb_sweep sweep;
  const char *what; /* as the user named it: a workload, or a sweep's file */
  char named[PATH_MAX]; /* by that file */
  char *yaml;
  size_t yaml_len;
  char path[PATH_MAX];
};

static bool is_workload(const char *operand)
{
  return lb_override_workload(&operand, 1) != NULL;
}

/* The operand that is no KEY=VALUES, or workload=NAME. */
static int find_what(struct request *r, const struct lb_cli *cli,
                     struct lb_err *err)
{
  for (int i = 0; i < cli->n_operands; i++) {
    const char *operand = cli->operand[i];
    const char *named = lb_override_workload(&operand, 1);
    if (!named && lb_is_override(operand))
      continue;
    if (r->what)
      return lb_err_set(err, LB_USAGE,
                        "sweep: two workloads, '%.200s' and '%.200s'; what is "
                        "swept is KEY=VALUE,VALUE...",
                        r->what, operand);
    r->what = named ? named : operand;
  }
  if (!r->what)
    return lb_err_set(err, LB_USAGE,
                      "sweep: which workload? see loadbank workloads");
  return 0;
}

/* Collective.  If the text is that of a sweep, the workload's takes its place.
 */
static int read_texts(struct request *r, const struct lb_cli *cli,
                      struct lb_err *err)
{
  if (lb_read_workload(cli, r->what, &r->yaml, &r->yaml_len, r->path, err))
    return -err->code;
  int is_one = lb_sweep_file_read(r->yaml, r->yaml_len, r->path, &r->sweep,
                                  r->named, err);
  if (is_one == 1 && !r->named[0])
    lb_err_set(err, LB_USAGE, "%.400s: workload: which one?", r->path);
  if (lb_err_agree(cli->world, err, NULL) || is_one == 0)
    return -err->code;
  free(r->yaml);
  r->yaml = NULL;
  return lb_read_workload(cli, r->named, &r->yaml, &r->yaml_len, r->path, err);
}

static int check_key(const struct lb_sweep *s, const struct lb_args *a,
                     const char *operand, struct lb_err *err)
{
  const char *key = operand + strspn(operand, "+");
  if (!strncmp(key, "workload.", 9))
    key += 9;
  if (!strncmp(key, "output.folder=", 14) ||
      !strncmp(key, "hydra.run.dir=", 14))
    return lb_err_set(err, LB_USAGE,
                      "%.*s: the results of a sweep go to --results FOLDER",
                      (int)strcspn(key, "="), key);
  if (a->accelerators && lb_sweep_value_of(s, 0, "accelerators"))
    return lb_err_set(err, LB_USAGE,
                      "--accelerators, but accelerators are swept");
  return 0;
}

/* What the command line says beats what a sweep's file says. */
static int take_operands(struct request *r, const struct lb_cli *cli,
                         struct lb_err *err)
{
  const struct lb_args *a = &cli->args;
  int rc = 0;
  for (int i = 0; !rc && i < cli->n_operands; i++) {
    const char *operand = cli->operand[i];
    if (is_workload(operand) || !lb_is_override(operand))
      continue;
    rc = lb_sweep_add(&r->sweep, operand, err);
    if (!rc)
      rc = check_key(&r->sweep, a, operand, err);
  }
  if (a->repeat)
    r->sweep.repeat = a->repeat;
  if (a->seed)
    r->sweep.seed = (uint64_t)a->seed;
  return rc ? rc : lb_sweep_count(&r->sweep, err);
}

static void print(void *arg, const char *line)
{
  struct lb_cli *cli = arg;
  if (cli->silent)
    return;
  fputs(line, stdout);
  fflush(stdout);
}

static int fill_job(struct lb_cli *cli, const struct request *r,
                    const char *command_line, struct lb_sweep_job *job,
                    struct lb_err *err)
{
  const struct lb_args *a = &cli->args;
  *job = (struct lb_sweep_job){.sweep = &r->sweep,
                               .yaml = r->yaml,
                               .yaml_len = r->yaml_len,
                               .name = r->path,
                               .accelerators = a->accelerators,
                               .folder = a->results,
                               .begin_ns = lb_clock_ns(),
                               .force = a->force,
                               .run = {.command_line = command_line,
                                       .allow_mismatch = a->allow_mismatch,
                                       .progress = a->progress,
                                       .gate_timeout_s = a->gate_timeout,
                                       .max_threads = a->max_threads,
                                       .output = a->format},
                               .say = print,
                               .say_arg = cli};
  return a->time_limit[0]
             ? lb_sweep_time_limit(a->time_limit, &job->limit_s, err)
             : 0;
}

/* Collective. */
static int carry_out(struct lb_cli *cli, const struct lb_sweep_job *job,
                     struct lb_err *err)
{
  struct lb_buf out;
  struct lb_err print_err = LB_ERR_INIT;
  lb_buf_init(&out, MAX_OUT);
  int rc = cli->args.dry_run ? lb_sweep_show(cli->world, job, &out, err)
                             : lb_sweep_carry_out(cli->world, job, &out, err);
  lb_print(cli, &out, &print_err);
  if (lb_err_agree(cli->world, &print_err, NULL) && rc >= 0) {
    *err = print_err;
    rc = -err->code;
  }
  lb_buf_fini(&out);
  return rc;
}

/* Collective. */
int lb_cmd_sweep(struct lb_cli *cli, struct lb_err *err)
{
  struct request r = {.sweep = {.repeat = 1, .seed = 1}};
  struct lb_sweep_job job;
  struct lb_buf line;
  lb_buf_init(&line, 1 << 20);
  lb_log_verbose(cli->args.verbose);
  lb_command_line(cli, &line);
  int rc = find_what(&r, cli, err); /* the same on every rank */
  if (!rc)
    rc = read_texts(&r, cli, err);
  if (!rc && !fill_job(cli, &r, line.data ? line.data : "loadbank", &job, err))
    take_operands(&r, cli, err);
  rc = lb_err_agree(cli->world, err, NULL);
  if (!rc)
    rc = carry_out(cli, &job, err);
  lb_sweep_fini(&r.sweep);
  lb_buf_fini(&line);
  free(r.yaml);
  return rc;
}
