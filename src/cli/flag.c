/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of command-line options: parsing, ranges, --help and the manual
 * page's list come from it.  What a workload may say is config's table. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/nearest.h"

#define FLAG(takes_, field, ...)                                               \
  {                                                                            \
    .option = LB_OPTION(struct lb_args, field, __VA_ARGS__), .takes = (takes_) \
  }

static const char *const output_words[] = {"text", "json", "csv", NULL};
static const char *const progress_words[] = {"auto", "always", "never", NULL};
static const char *const page_words[] = {"auto", "text", "markdown", "csv",
                                         "json", "html", NULL};
static const char *const ranks_words[] = {"first", "all", NULL};

const struct lb_flag lb_flags[] = {
    FLAG(LB_TAKES_PLAN, accelerators, .def = "0", .min = 0, .max = 1048576,
         .unit = "N",
         .doc = "Emulate N accelerators, a multiple of the ranks; 0 means one "
                "for each rank."),
    FLAG(LB_TAKES_RANKS, ranks, .def = "0", .min = 0, .max = 1048576,
         .unit = "R",
         .doc = "Plan for R ranks; 0 means as many as were launched."),
    FLAG(LB_TAKES_PLAN, max_threads, .def = "512", .min = 1, .max = 32768,
         .unit = "N",
         .doc = "Refuse a run that needs more than N reading threads on a "
                "rank."),
    FLAG(LB_TAKES_SIZE, max, .def = "0", .min = 0, .max = 1048576, .unit = "N",
         .doc = "Size for at most N accelerators; 0 means those given."),
    FLAG(LB_TAKES_SIZE, au, .def = "0", .min = 0, .max = 1, .unit = "X",
         .doc = "The utilisation to hold, 0..1; 0 means metric.au."),
    FLAG(LB_TAKES_SIZE, min_seconds, .def = "10", .min = 0, .max = 864000,
         .unit = "S",
         .doc = "Measure each number of accelerators for at least S seconds."),
    FLAG(LB_TAKES_SIZE, min_steps, .def = "16", .min = 1, .max = 1000000,
         .unit = "N", .doc = "And for at least N steps."),
    FLAG(LB_TAKES_SIZE, max_repeats, .def = "5", .min = 1, .max = 100,
         .unit = "N",
         .doc = "Measure a number at most N times before it counts as "
                "undecided."),
    FLAG(LB_TAKES_SIZE, checkpoint,
         .doc = "Size for checkpoints: needs --every and --at-most."),
    FLAG(LB_TAKES_SIZE, every, .def = "0", .min = 0, .max = 1000000,
         .unit = "MIN", .doc = "A save is made every MIN minutes."),
    FLAG(LB_TAKES_SIZE, at_most, .def = "0", .min = 0, .max = 100,
         .unit = "PERCENT", .doc = "Saves may take that much of the time."),
    FLAG(LB_TAKES_RUN, require_au,
         .doc = "Exit with 3 when metric.au is not met."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP | LB_TAKES_COMPARE, allow_mismatch,
         .doc = "Use a dataset that was made for another configuration; "
                "compare results of different workloads or datasets."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP, force,
         .doc = "Overwrite results that are in the folder of --results."),
    FLAG(LB_TAKES_RUN, regenerate,
         .doc = "Generate all files of the dataset anew, also in the place of "
                "another one or of files of others with the same names."),
    FLAG(LB_TAKES_SWEEP, repeat, .def = "0", .min = 0, .max = 10000,
         .unit = "N",
         .doc = "Make each point N times; 0 means what the sweep's file says, "
                "else once."),
    FLAG(LB_TAKES_SWEEP, seed, .def = "0", .min = 0, .max = 2147483647,
         .unit = "N",
         .doc = "Draw the order of the runs by this seed; 0 means what the "
                "sweep's file says, else 1."),
    FLAG(LB_TAKES_SWEEP | LB_TAKES_SIZE, time_limit, .def = "", .unit = "TIME",
         .doc = "Begin no run that would end later than TIME after the start, "
                "by how long those before it took; as Slurm writes it: "
                "MINUTES, H:MM:SS, D-HH:MM:SS."),
    FLAG(LB_TAKES_DRY, dry_run,
         .doc = "Say what would be done and stop: nothing is written."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP, progress, .def = "auto",
         .words = progress_words,
         .doc = "Show a progress line on stderr; auto: when that is a "
                "terminal."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP, gate_timeout, .def = "0", .min = 0,
         .max = 864000, .unit = "S",
         .doc = "End the job when a node is silent for S seconds; 0 means 10 "
                "times the mean step, at least 60."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP, log_ranks, .def = "first",
         .words = ranks_words,
         .doc = "Which ranks print warnings and messages."),
    FLAG(LB_TAKES_RUN | LB_TAKES_SWEEP, verbose,
         .doc = "Print what goes on, on stderr."),
    FLAG(LB_TAKES_COMPARE, tolerance, .def = "5", .min = 0, .max = 99,
         .unit = "P%", .doc = "A difference of up to P percent is none."),
    FLAG(LB_TAKES_COMPARE, baseline, .def = "", .unit = "FOLDER",
         .doc = "Compare with the newest results that are kept there."),
    FLAG(LB_TAKES_COMPARE, keep,
         .doc = "Unless they are worse, keep copies of the results in the "
                "folder of --baseline, as its newest."),
    FLAG(LB_TAKES_FORMAT, format, .def = "text", .words = output_words,
         .doc = "What stdout gets: for people, the JSON, or (run) the CSV."),
    {.option = {.key = "format",
                .type = LB_OPT_WORD,
                .offset = offsetof(struct lb_args, page_format),
                .size = sizeof(int),
                .def = "auto",
                .words = page_words,
                .doc = "Write the report in this format; auto: as the ending "
                       "of FILE says, text without one."},
     .takes = LB_TAKES_REPORT},
    {.option = LB_OPTION(struct lb_args, file, .def = "", .unit = "FILE",
                         .doc = "Write the report there, in place of what "
                                "that was; without it, or with -, to stdout."),
     .takes = LB_TAKES_REPORT,
     .letter = 'o'},
    FLAG(LB_TAKES_RESULTS, results, .def = "", .unit = "FOLDER",
         .doc = "Write the results there; the same as output.folder=FOLDER."),
    FLAG(LB_TAKES_WORKLOAD, config_dir, .def = "", .unit = "DIR",
         .doc = "Look for workloads in DIR and in DIR/workload first."),
    FLAG(0, help, .doc = "Print help and exit."),
    FLAG(0, version, .doc = "Print versions and exit."),
    {.option = {.key = NULL}},
};

enum { MAX_FLAGS = sizeof lb_flags / sizeof lb_flags[0], FIRST_VALUE = 256 };

void lb_flag_name(const struct lb_flag *f, char out[LB_FLAG_LEN])
{
  snprintf(out, LB_FLAG_LEN, "--%s", f->option.key);
  for (char *p = out; *p; p++)
    if (*p == '_')
      *p = '-';
}

bool lb_flag_taken(const struct lb_flag *f, const struct lb_command *c)
{
  return f->takes == 0 || (c && (c->takes & f->takes));
}

/* One value into its field; the same for defaults. */
static int set_value(const struct lb_flag *f, struct lb_args *args,
                     const char *text, struct lb_err *err)
{
  char name[LB_FLAG_LEN];
  lb_flag_name(f, name);
  return lb_option_set(&f->option, name, args, text, err);
}

/* Nothing is named by an empty text; "none" is to leave the option out. */
static int check_given(const struct lb_flag *f, int which, const char *text,
                       struct lb_err *err)
{
  char name[LB_FLAG_LEN];
  if (f->option.type != LB_OPT_TEXT || !text || *text)
    return 0;
  lb_flag_name(f, name);
  if (which < FIRST_VALUE)
    snprintf(name, sizeof name, "-%c", which);
  return lb_err_set(err, LB_USAGE, "%s: the value is empty; it needs a %s",
                    name, f->option.unit);
}

/* getopt's '?' does not say which argument it stopped at. */
static int unknown_flag(const struct lb_cli *cli, const char *arg, int which,
                        struct lb_err *err)
{
  char given[LB_FLAG_LEN + 1], name[MAX_FLAGS][LB_FLAG_LEN];
  struct lb_nearest near = {.word = given};
  char hint[LB_NEAREST_LEN];
  if (which > 0 && which < FIRST_VALUE)
    snprintf(given, sizeof given, "-%c", which); /* of -abc: the one */
  else
    snprintf(given, sizeof given, "%.*s", (int)strcspn(arg, "="), arg);
  if (which >= FIRST_VALUE)
    return lb_err_set(err, LB_USAGE, "%s takes no value", given);
  for (int i = 0; lb_flags[i].option.key; i++)
    if (lb_flag_taken(&lb_flags[i], cli->command)) {
      lb_flag_name(&lb_flags[i], name[i]);
      lb_nearest_try(&near, name[i]);
    }
  lb_nearest_hint(&near, "; --help lists them", hint);
  return lb_err_set(err, LB_USAGE, "%s%sunknown option '%s'%s",
                    cli->command ? cli->command->name : "",
                    cli->command ? ": " : "", given, hint);
}

static int set_defaults(struct lb_args *args, struct lb_err *err)
{
  *args = (struct lb_args){0};
  for (const struct lb_flag *f = lb_flags; f->option.key; f++)
    if (f->option.def && set_value(f, args, f->option.def, err) < 0)
      return -err->code;
  return 0;
}

/* What getopt found: a letter, or a number behind all letters. */
static const struct lb_flag *flag_of(int c)
{
  const struct lb_flag *f = lb_flags;
  if (c >= FIRST_VALUE)
    return &lb_flags[c - FIRST_VALUE];
  while (f->letter != c)
    f++;
  return f;
}

int lb_flags_parse(struct lb_cli *cli, int first, struct lb_err *err)
{
  struct option known[MAX_FLAGS] = {{0}};
  char letters[2 * MAX_FLAGS + 2] = ":", *letter = letters + 1;
  char name[MAX_FLAGS][LB_FLAG_LEN];
  int n = 0, c;
  for (int i = 0; lb_flags[i].option.key; i++) {
    if (!lb_flag_taken(&lb_flags[i], cli->command))
      continue;
    bool has_value = lb_flags[i].option.type != LB_OPT_BOOL;
    lb_flag_name(&lb_flags[i], name[i]);
    known[n++] =
        (struct option){.name = name[i] + 2,
                        .has_arg = has_value ? required_argument : no_argument,
                        .val = FIRST_VALUE + i};
    if (lb_flags[i].letter) {
      *letter++ = lb_flags[i].letter;
      if (has_value)
        *letter++ = ':';
    }
  }
  if (set_defaults(&cli->args, err) < 0)
    return -err->code;
  char **argv = cli->argv + first - 1; /* getopt skips one */
  int argc = cli->argc - first + 1;
  optind = 0; /* glibc: start anew */
  opterr = 0;
  while ((c = getopt_long(argc, argv, letters, known, NULL)) != -1) {
    const char *arg = argv[optind - 1];
    if (c == ':')
      return lb_err_set(err, LB_USAGE, "%s needs a value", arg);
    if (c == '?')
      return unknown_flag(cli, arg, optopt, err);
    if (check_given(flag_of(c), c, optarg, err) < 0 ||
        set_value(flag_of(c), &cli->args, optarg ? optarg : "", err) < 0)
      return -err->code;
  }
  cli->operand = argv + optind;
  cli->n_operands = argc - optind;
  return 0;
}
