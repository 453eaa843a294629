/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of commands, and the way from argv to one of them and to an exit
 * status. */
#include "lb-config.h"

#include "loadbank/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_impl.h"
#include "loadbank/log.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/nearest.h"
#include "loadbank/world.h"

#define WORKLOAD_ARGS "WORKLOAD [KEY=VALUE]..."

const struct lb_command lb_commands[] = {
    {.name = "run",
     .args = WORKLOAD_ARGS,
     .doc = "Carry out a workload: generate, train, evaluate, save.",
     .help = "Runs under mpiexec -n R, or alone as one rank.  WORKLOAD is a "
             "built-in or a file.\n\nExamples:\n"
             "  loadbank run quickstart\n"
             "  mpiexec -n 4 loadbank run my.yaml --accelerators 16 "
             "dataset.data_folder=/mnt/x\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_RESULTS | LB_TAKES_PLAN |
              LB_TAKES_RUN | LB_TAKES_DRY | LB_TAKES_FORMAT,
     .mpi = true,
     .max_operands = -1,
     .run = lb_cmd_run},
    {.name = "sweep",
     .args = "WORKLOAD [KEY=VALUE,VALUE...]... | FILE.yaml",
     .doc = "Run a workload with every combination of values, in one job.",
     .help = "VALUEs stand between commas; a..b, a..b:+s and a..b:*f are "
             "ranges.  Beside keys of\nthe workload: accelerators=N,N..., "
             "ranks=N,N...  The same command goes on with what\na job that was "
             "cut off has left.  docs/sweep.md explains files and "
             "results.\n\nExamples:\n"
             "  mpiexec -n 4 loadbank sweep unet3d_h100 "
             "reader.read_threads=1..8:*2 \\\n"
             "    reader.batch_size=4,7 --repeat 3 --time-limit 4:00:00\n"
             "  loadbank sweep quickstart accelerators=1,2,4 --dry-run\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_RESULTS | LB_TAKES_PLAN |
              LB_TAKES_SWEEP | LB_TAKES_DRY | LB_TAKES_FORMAT,
     .mpi = true,
     .max_operands = -1,
     .run = lb_cmd_sweep},
    {.name = "plan",
     .args = WORKLOAD_ARGS,
     .doc = "Say what a run would read, write and ask of the storage.",
     .help = "Touches no data and needs no MPI.\n\nExamples:\n"
             "  loadbank plan unet3d_h100 --accelerators 8\n"
             "  loadbank plan my.yaml --ranks 4 --format json\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_RESULTS | LB_TAKES_PLAN |
              LB_TAKES_RANKS | LB_TAKES_FORMAT,
     .max_operands = -1,
     .run = lb_cmd_plan},
    {.name = "clean",
     .args = WORKLOAD_ARGS,
     .doc = "Remove the dataset of a workload.",
     .help = "Only files that the manifest in its data folder claims, if they "
             "are this\nworkload's, and folders that are empty then.  Says "
             "what it has removed and\nwhat stays.\n\nExamples:\n"
             "  loadbank clean quickstart --dry-run\n"
             "  loadbank clean my.yaml dataset.data_folder=/mnt/x\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_DRY,
     .max_operands = -1,
     .run = lb_cmd_clean},
    {.name = "report",
     .args = "RESULT...",
     .doc = "Make a report of results: text, tables, or a page with pictures.",
     .help = "RESULT is the folder of a run, or one with such folders at any "
             "depth.  The format\nfollows from the ending of FILE: txt, md, "
             "csv, json or html.  The HTML is one\nfile that needs no network "
             "and no script.\n\nExamples:\n"
             "  loadbank report results/quickstart/* -o report.html\n"
             "  loadbank report results/unet3d_h100/20261130_031554\n",
     .takes = LB_TAKES_REPORT,
     .min_operands = 1,
     .max_operands = -1,
     .run = lb_cmd_report},
    {.name = "workloads",
     .args = "",
     .doc = "List the workloads that are known by name.",
     .help = "",
     .takes = LB_TAKES_WORKLOAD,
     .run = lb_cmd_workloads},
    {.name = "config",
     .args = "keys [PATTERN] | show " WORKLOAD_ARGS,
     .doc = "List the keys of workloads, or show an effective configuration.",
     .help = "  keys [PATTERN]  every key with type, default, range and "
             "meaning\n"
             "  show WORKLOAD   the configuration with all defaults and "
             "overrides, as YAML\n\nExamples:\n"
             "  loadbank config keys checkpoint\n"
             "  loadbank config show unet3d_h100 train.epochs=2\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_RESULTS,
     .min_operands = 1,
     .max_operands = -1,
     .run = lb_cmd_config},
    {.name = "list",
     .args = "[formats|storage|loaders|schemes|distributions|phases|metrics]",
     .doc = "List what this build has, and why it lacks something.",
     .help = "",
     .max_operands = 1,
     .run = lb_cmd_list},
    {.name = "selftest",
     .args = "[CASE]...",
     .doc = "Run models of storage whose results are known beforehand.",
     .help = "Prints what each case must give, what was measured, and the "
             "difference; exits\nwith 1 when one is off.  Runs alone or under "
             "mpiexec, takes about a minute and\nleaves nothing behind.  "
             "docs/accuracy.md explains the cases.\n\nExamples:\n"
             "  loadbank selftest\n"
             "  mpiexec -n 4 loadbank selftest straggler nodes\n",
     .takes = LB_TAKES_FORMAT,
     .mpi = true,
     .max_operands = -1,
     .run = lb_cmd_selftest},
    {.name = "calibrate",
     .args = "[WORKLOAD [KEY=VALUE]...]",
     .doc = "Measure this client, and how many accelerators it can emulate.",
     .help = "Measures memory, sleeps, the gate, system calls and what the "
             "loader delivers when\nstorage answers at once.  With a WORKLOAD "
             "it estimates how many of its accelerators\nthis client can "
             "emulate before it is itself the limit.  Runs alone or under\n"
             "mpiexec, takes some seconds and leaves nothing "
             "behind.\n\nExamples:\n"
             "  loadbank calibrate\n"
             "  mpiexec -n 4 loadbank calibrate unet3d_h100\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_FORMAT,
     .mpi = true,
     .max_operands = -1,
     .run = lb_cmd_calibrate},
    {.name = "size",
     .args = WORKLOAD_ARGS,
     .doc = "Find out how many accelerators this storage can feed.",
     .help = "Measures one number of accelerators after another in one job, "
             "until it knows the\nlargest whose utilisation is at least "
             "metric.au, and says what limits it.  The\ndataset must be there, "
             "or workflow.generate_data on; docs/sizing.md explains the\n"
             "rules.  --checkpoint asks instead whether a save every so often "
             "costs too much.\n\nExamples:\n"
             "  mpiexec -n 8 loadbank size unet3d_h100 --max 64 "
             "dataset.data_folder=/mnt/x\n"
             "  mpiexec -n 8 loadbank size llama_8b --checkpoint --every 30 "
             "--at-most 5\n",
     .takes = LB_TAKES_WORKLOAD | LB_TAKES_RESULTS | LB_TAKES_PLAN |
              LB_TAKES_RUN | LB_TAKES_DRY | LB_TAKES_FORMAT | LB_TAKES_SIZE,
     .mpi = true,
     .max_operands = -1,
     .run = lb_cmd_size},
    {.name = "compare",
     .args = "A [B]",
     .doc = "Say whether the results B are better or worse than A.",
     .help = "A and B are folders of results, or folders with many of them: "
             "repeated runs,\nsweeps.  With --baseline FOLDER, A is held "
             "against the newest results kept there.\nExits with 1 when "
             "anything that counts is worse.  docs/compare.md has the "
             "tests.\n\nExamples:\n"
             "  loadbank compare results/before results/after\n"
             "  loadbank compare results/tonight --baseline baselines --keep\n",
     .takes = LB_TAKES_COMPARE | LB_TAKES_FORMAT,
     .min_operands = 1,
     .max_operands = 2,
     .run = lb_cmd_compare},
    {.name = "mlperf",
     .args = "SUB-COMMAND...",
     .doc = "Do what a storage submission asks for, MLPerf-style.",
     .help = "",
     .max_operands = -1,
     .parse = lb_cmd_mlperf_parse,
     .explain = lb_help_mlperf_index,
     .run = lb_cmd_mlperf},
    {.name = "version",
     .args = "",
     .doc = "Print the versions of loadbank and its libraries.",
     .help = "",
     .run = lb_cmd_version},
    {.name = "help",
     .args = "[COMMAND|TOPIC]",
     .doc = "Explain a command or a topic.",
     .help = "",
     .max_operands = 1,
     .run = lb_cmd_help},
    {.name = NULL},
};

const struct lb_command *lb_command_find(const char *name)
{
  for (const struct lb_command *c = lb_commands; c->name; c++)
    if (!strcmp(c->name, name))
      return c;
  return NULL;
}

int lb_print(struct lb_cli *cli, struct lb_buf *text, struct lb_err *err)
{
  if (text->failed)
    return lb_err_set(err, LB_FAILED, "the output is too large");
  if (cli->silent || text->len == 0)
    return 0;
  if (fwrite(text->data, 1, text->len, stdout) != text->len ||
      fflush(stdout) != 0)
    return lb_err_sys(err, LB_FAILED, errno, "stdout");
  return 0;
}

static int unknown_command(const char *name, struct lb_err *err)
{
  struct lb_nearest near = {.word = name};
  char hint[LB_NEAREST_LEN];
  for (const struct lb_command *c = lb_commands; c->name; c++)
    lb_nearest_try(&near, c->name);
  lb_nearest_hint(&near, "; see loadbank --help", hint);
  return lb_err_set(err, LB_USAGE, "unknown command '%.60s'%s", name, hint);
}

/* The command is the first argument that is no option; without one the
 * options that all commands have are allowed. */
static int choose(struct lb_cli *cli, struct lb_err *err)
{
  if (cli->argc < 2)
    return lb_err_set(err, LB_USAGE, "no command; see loadbank --help");
  if (cli->argv[1][0] == '-')
    return 0;
  cli->command = lb_command_find(cli->argv[1]);
  return cli->command ? 0 : unknown_command(cli->argv[1], err);
}

static int check_operands(const struct lb_cli *cli, struct lb_err *err)
{
  const struct lb_command *c = cli->command;
  if (cli->n_operands < c->min_operands)
    return lb_err_set(err, LB_USAGE,
                      "%s: too few arguments; usage: loadbank "
                      "%s %s",
                      c->name, c->name, c->args);
  if (c->max_operands >= 0 && cli->n_operands > c->max_operands)
    return lb_err_set(err, LB_USAGE, "%s: unexpected argument '%.200s'",
                      c->name, cli->operand[c->max_operands]);
  return 0;
}

/* --help and --version, with or without a command; 1: printed. */
static int print_help(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_buf text;
  if (!cli->args.help && !cli->args.version)
    return 0;
  lb_buf_init(&text, 1 << 20);
  if (cli->args.version)
    lb_help_version(&text);
  else if (cli->command)
    lb_help_command(cli->command, &text);
  else
    lb_help_index(&text);
  int rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc < 0 ? rc : 1;
}

static int run_alone(struct lb_cli *cli, struct lb_err *err)
{
  int rc = print_help(cli, err);
  if (rc != 0)
    return rc < 0 ? rc : 0;
  if (!cli->command)
    return lb_err_set(err, LB_USAGE, "no command; see loadbank --help");
  if (check_operands(cli, err) < 0)
    return -err->code;
  return cli->command->run(cli, err);
}

/* The failed rank is named, unless every rank fails alike. */
static void report(const struct lb_world *w, const struct lb_err *err)
{
  if (err->rank < 0 || err->code == LB_USAGE || w->n_ranks == 1 || err->named)
    lb_error("%s", err->msg);
  else
    lb_error("rank %d of %d: %s", err->rank, w->n_ranks, err->msg);
}

/* Collective. */
static int run_with_mpi(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_world world = {.n_ranks = 1};
  char label[32];
  lb_log_speaker(!cli->silent, "");
  int rc = lb_world_init(&world, &cli->argc, &cli->argv, err);
  if (rc == 0) {
    cli->world = &world;
    cli->silent = world.rank != 0;
    snprintf(label, sizeof label, "rank %d: ", world.rank);
    lb_log_speaker(!cli->silent || cli->args.log_ranks,
                   cli->args.log_ranks && world.n_ranks > 1 ? label : "");
    rc = run_alone(cli, err);
  }
  if (rc < 0 && !cli->silent)
    report(&world, err);
  cli->world = NULL;
  lb_world_fini(&world);
  return rc;
}

int lb_cli_main(int argc, char **argv)
{
  struct lb_cli cli = {.argc = argc, .argv = argv};
  struct lb_err err = LB_ERR_INIT;
  int rank, rc;
  lb_world_launched(&rank, &cli.launched);
  cli.silent = rank > 0;
  rc = choose(&cli, &err);
  if (rc == 0)
    rc = cli.command && cli.command->parse
             ? cli.command->parse(&cli, &err)
             : lb_flags_parse(&cli, cli.command ? 2 : 1, &err);
  bool needs_mpi = rc == 0 && cli.command && (cli.command->mpi || cli.mpi) &&
                   !cli.args.help && !cli.args.version;
  if (needs_mpi) {
    rc = run_with_mpi(&cli, &err);
  } else {
    if (rc == 0)
      rc = run_alone(&cli, &err);
    lb_log_speaker(!cli.silent, "");
    if (rc < 0)
      lb_error("%s", err.msg);
  }
  if (cli.mlperf)
    lb_mlperf_call_fini(cli.mlperf);
  free(cli.mlperf);
  return rc < 0 ? err.code : rc;
}
