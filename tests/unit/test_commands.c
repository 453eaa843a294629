/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the tables of commands, options and topics. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

#include "loadbank/nearest.h"
#include "loadbank/page.h"
#include "tap.h"

static bool ends_in(const char *text, char c)
{
  return text && text[0] && text[strlen(text) - 1] == c;
}

static void commands(void)
{
  for (const struct lb_command *c = lb_commands; c->name; c++) {
    ok(lb_command_find(c->name) == c, "%s: a unique name", c->name);
    ok(c->args && c->help && c->run, "%s: has all it needs", c->name);
    ok(ends_in(c->doc, '.'), "%s: its doc is a sentence", c->name);
    ok(!c->help[0] || ends_in(c->help, '\n'), "%s: help ends a line", c->name);
    ok(c->max_operands < 0 || c->max_operands >= c->min_operands,
       "%s: possible numbers of arguments", c->name);
  }
  ok(!lb_command_find("runn"), "no such command");
}

/* By some command? */
static bool both_taken(const struct lb_flag *f, const struct lb_flag *g)
{
  for (const struct lb_command *c = lb_commands; c->name; c++)
    if (lb_flag_taken(f, c) && lb_flag_taken(g, c))
      return true;
  return false;
}

/* The words of report's --format are the formats, after "auto". */
static void page_formats(void)
{
  const struct lb_flag *f = lb_flags;
  int n = 0;
  while (f->option.key && !(f->takes & LB_TAKES_REPORT && f->option.words))
    f++;
  for (; lb_page_formats[n]; n++)
    is_str(f->option.words[n + 1], lb_page_formats[n]->name, "its word");
  ok(n > 0 && !f->option.words[n + 1], "and no other");
}

static void options(void)
{
  for (const struct lb_flag *f = lb_flags; f->option.key; f++) {
    char name[LB_FLAG_LEN];
    bool taken = false;
    lb_flag_name(f, name);
    for (const struct lb_flag *g = lb_flags; g < f; g++)
      ok(strcmp(g->option.key, f->option.key) != 0 || !both_taken(f, g),
         "%s: unique in each command", name);
    for (const struct lb_command *c = lb_commands; c->name; c++)
      taken = taken || lb_flag_taken(f, c);
    ok(taken, "%s: some command takes it", name);
    ok(ends_in(f->option.doc, '.'), "%s: its doc is a sentence", name);
    ok(f->option.type == LB_OPT_BOOL || f->option.def,
       "%s: a value has a default", name);
    ok(f->option.type == LB_OPT_BOOL || f->option.words || f->option.unit,
       "%s: a value has a name", name);
    ok(strlen(name) < LB_FLAG_LEN - 1 && !strchr(name, '_'),
       "%s: reads as an option", name);
  }
}

/* Puts a copy into argv, which getopt permutes. */
static int parse(struct lb_cli *cli, char *argv[16], int argc,
                 const char *const *words)
{
  struct lb_err err = LB_ERR_INIT;
  memcpy(argv, words, (size_t)argc * sizeof *argv);
  argv[argc] = NULL;
  *cli = (struct lb_cli){
      .argc = argc, .argv = argv, .command = lb_command_find(words[1])};
  return lb_flags_parse(cli, 2, &err);
}
#define PARSE(cli, ...)                                                     \
  parse(cli, argv,                                                          \
        (int)(sizeof((const char *[]){"x", __VA_ARGS__}) / sizeof(char *)), \
        (const char *[]){"x", __VA_ARGS__})

static void parsing(void)
{
  struct lb_cli cli;
  char *argv[16];
  is_int(PARSE(&cli, "run", "w", "--accelerators", "8", "a.b=-1", "--force",
               "~c", "--progress=never"),
         0, "options and operands in any order");
  is_int(cli.args.accelerators, 8, "a number");
  ok(cli.args.force && !cli.args.verbose, "a switch");
  ok(!cli.args.regenerate, "that does not regenerate");
  is_int(cli.args.progress, 2, "a word");
  is_int(cli.args.max_threads, 512, "a default");
  is_int(cli.n_operands, 3, "three operands");
  is_int(PARSE(&cli, "run", "--max-threads", "0"), -LB_USAGE, "out of range");
  is_int(PARSE(&cli, "run", "--max-threads"), -LB_USAGE, "no value");
  is_int(PARSE(&cli, "run", "--force=1"), -LB_USAGE, "a value too many");
  is_int(PARSE(&cli, "run", "--format=xml"), -LB_USAGE, "no such word");
  is_int(PARSE(&cli, "plan", "--force"), -LB_USAGE, "another command's");
  is_int(PARSE(&cli, "run", "-z"), -LB_USAGE, "no short options");
}

static void nearest(void)
{
  struct lb_nearest n = {.word = "plna"};
  lb_nearest_try(&n, "run");
  ok(!n.best, "run is not near plna");
  lb_nearest_try(&n, "plan");
  is_str(n.best, "plan", "plan is");
  is_int(lb_edit_distance("plna", "plan"), 1, "a swap costs one");
  is_int(lb_edit_distance("kitten", "sitting"), 3, "kitten, sitting: 3");
  is_int(lb_edit_distance("", "abc"), 3, "three to insert");
  is_int(lb_edit_distance("same", "same"), 0, "the same: 0");
}

int main(void)
{
  commands();
  options();
  page_formats();
  parsing();
  nearest();
  for (const struct lb_topic *t = lb_topics; t->name; t++)
    ok(ends_in(t->doc, '.') && ends_in(t->text, '\n') &&
           !lb_command_find(t->name),
       "topic %s", t->name);
  return done();
}
