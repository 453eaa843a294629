/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line into words and flags.  Flags may stand anywhere, have one or
 * two dashes, and their value behind `=' or a blank; which of them a
 * sub-command takes is seen to later. */
#include "lb-config.h"

#include "mlperf/parse_impl.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/mlperf_launch.h"

/* Flags of older scripts that are words now. */
static const char *const old_words[][2] = {
    {"--closed", "closed"},
    {"--open", "open"},
    {"--file", "file"},
    {"--object", "object"},
};

static bool is_name(const char *name, const char *arg, size_t n)
{
  return name && strlen(name) == n && !strncmp(name, arg, n);
}

/* The row of an argument, or -1; *value: behind its `=', or NULL. */
static int find(const char *arg, const char **value)
{
  size_t n = strcspn(arg, "=");
  *value = arg[n] ? arg + n + 1 : NULL;
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    char name[LB_MLPERF_FLAG_LEN];
    lb_mlperf_flag_name(f, name);
    if (is_name(name, arg, n) || is_name(f->alias, arg, n) ||
        is_name(f->brief, arg, n))
      return i;
  }
  return -1;
}

static bool is_help(const char *arg)
{
  return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

/* A value may begin with a dash, but not be a flag. */
static bool is_flag(const char *arg)
{
  const char *value;
  return arg[0] == '-' && (find(arg, &value) >= 0 || is_help(arg));
}

static const char *old_word(const char *arg)
{
  for (size_t i = 0; i < sizeof old_words / sizeof *old_words; i++)
    if (!strcmp(arg, old_words[i][0]))
      return old_words[i][1];
  return NULL;
}

static bool is_params(const struct lb_mlperf_flag *f)
{
  return f->option.offset == offsetof(struct lb_mlperf_args, params);
}

static int append(struct lb_mlperf_call *call, int row, const char *text,
                  size_t len, char between, struct lb_err *err)
{
  const char *old = call->text[row];
  size_t n = (old ? strlen(old) + 1 : 0) + len + 1;
  char *both = lb_arena_new(&call->arena, n);
  if (!both)
    return lb_err_set(err, LB_FAILED, "out of memory");
  if (old)
    snprintf(both, n, "%s%c%.*s", old, between, (int)len, text);
  else
    snprintf(both, n, "%.*s", (int)len, text);
  call->text[row] = both;
  return 0;
}

static int count_words(const char *list)
{
  int n = list != NULL;
  for (; list && *list; list++)
    n += *list == ',';
  return n;
}

int lb_mlperf_text_add(struct lb_mlperf_call *call, int row, const char *text,
                       struct lb_err *err)
{
  static const char ends[] = ", ";
  const char *rest = text + strspn(text, ends);
  int rc = 0;
  if (!lb_mlperf_flags[row].many)
    return append(call, row, text, strlen(text), ' ', err);
  if (!*rest)
    return lb_err_set(err, LB_USAGE, "--%s: nothing in '%.60s'",
                      lb_mlperf_flags[row].option.key, text);
  while (!rc && *rest) {
    size_t n = strcspn(rest, ends);
    if (count_words(call->text[row]) == LB_MLPERF_MAX_HOSTS)
      return lb_err_set(err, LB_USAGE, "--%s: more than %d",
                        lb_mlperf_flags[row].option.key, LB_MLPERF_MAX_HOSTS);
    rc = append(call, row, rest, n, ',', err);
    rest += n;
    rest += strspn(rest, ends);
  }
  return rc;
}

/* One value of a row. */
static int take(struct lb_mlperf_scan *s, struct lb_mlperf_call *call, int row,
                const char *text, struct lb_err *err)
{
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[row];
  bool adds = f->option.offset == offsetof(struct lb_mlperf_args, mpi_params);
  if (is_params(f)) {
    s->param[s->n_params++] = text;
    call->text[row] = text;
    return 0;
  }
  if (f->many || adds)
    return lb_mlperf_text_add(call, row, text, err);
  call->text[row] = text;
  return 0;
}

/* Of a flag that takes several: the words up to the next flag, of --params
 * those that have a `='. */
static int take_many(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                     int row, int argc, char **argv, int *i, struct lb_err *err)
{
  bool pairs = is_params(&lb_mlperf_flags[row]);
  int rc = 0, first = *i;
  while (!rc && *i + 1 < argc && !is_flag(argv[*i + 1]) &&
         !old_word(argv[*i + 1]) && (!pairs || strchr(argv[*i + 1], '=')))
    rc = take(s, call, row, argv[++*i], err);
  return rc || *i > first ? rc
                          : lb_err_set(err, LB_USAGE, "%s needs a value%s",
                                       argv[first], pairs ? ", KEY=VALUE" : "");
}

static int take_flag(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                     int argc, char **argv, int *i, struct lb_err *err)
{
  const char *arg = argv[*i], *value;
  int row = find(arg, &value);
  if (row < 0) {
    s->unknown = s->unknown ? s->unknown : arg;
    return 0;
  }
  if (lb_mlperf_flags[row].option.type == LB_OPT_BOOL) {
    call->text[row] = "true";
    return value ? lb_err_set(err, LB_USAGE, "%.*s takes no value",
                              (int)strcspn(arg, "="), arg)
                 : 0;
  }
  if (value)
    return take(s, call, row, value, err);
  if (lb_mlperf_flags[row].many)
    return take_many(s, call, row, argc, argv, i, err);
  if (*i + 1 == argc || is_flag(argv[*i + 1]))
    return lb_err_set(err, LB_USAGE, "%s needs a value", arg);
  return take(s, call, row, argv[++*i], err);
}

int lb_mlperf_scan(int argc, char **argv, struct lb_mlperf_scan *s,
                   struct lb_mlperf_call *call, struct lb_err *err)
{
  int rc = 0;
  size_t n = sizeof(char *) * (size_t)(argc + 1);
  *s = (struct lb_mlperf_scan){.word = lb_arena_new(&call->arena, n),
                               .param = lb_arena_new(&call->arena, n)};
  if (!s->word || !s->param)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (int i = 0; !rc && i < argc; i++) {
    const char *old = old_word(argv[i]);
    if (is_help(argv[i]))
      call->help = true;
    else if (old || argv[i][0] != '-')
      s->word[s->n_words++] = old ? old : argv[i];
    else
      rc = take_flag(s, call, argc, argv, &i, err);
  }
  return rc;
}
