/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of flags: from the command line, else from --config-file, else
 * from the environment, else the default; then what only together is wrong. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/mlperf_launch.h"
#include "loadbank/nearest.h"
#include "loadbank/slurp.h"
#include "loadbank/units.h"
#include "mlperf/parse_impl.h"
#include "mlperf/place.h"

static const size_t max_file = 4 << 20;

/* While there is no sub-command any flag may be right. */
static bool takes(const struct lb_mlperf_call *call,
                  const struct lb_mlperf_flag *f)
{
  return !call->verb || (f->verbs & call->verb->bit);
}

static bool has_field(const struct lb_mlperf_flag *f, size_t offset)
{
  return f->option.size && f->option.offset == offset;
}
#define IS(f, field) has_field(f, offsetof(struct lb_mlperf_args, field))

/* ---- which flags ---- */

int lb_mlperf_no_flag(const struct lb_mlperf_call *call, const char *arg,
                      struct lb_err *err)
{
  char given[64], where[LB_MLPERF_WHERE_LEN], hint[LB_NEAREST_LEN];
  char name[64][LB_MLPERF_FLAG_LEN];
  struct lb_nearest near = {.word = given};
  snprintf(given, sizeof given, "%.*s", (int)strcspn(arg, "="), arg);
  for (int i = 0; i < 64 && lb_mlperf_flags[i].option.key; i++)
    if (takes(call, &lb_mlperf_flags[i])) {
      lb_mlperf_flag_name(&lb_mlperf_flags[i], name[i]);
      lb_nearest_try(&near, name[i]);
    }
  lb_nearest_hint(&near, "; --help lists those that it takes", hint);
  lb_mlperf_where(call, where);
  return lb_err_set(err, LB_USAGE, "mlperf: %s%sno option '%s'%s", where,
                    *where ? ": " : "", given, hint);
}

/* Flags of the command line: known to the sub-command, and to the mode. */
static int check_taken(const struct lb_mlperf_scan *s,
                       const struct lb_mlperf_call *call, struct lb_err *err)
{
  if (s->unknown)
    return lb_mlperf_no_flag(call, s->unknown, err);
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    char name[LB_MLPERF_FLAG_LEN];
    if (!call->text[i])
      continue;
    lb_mlperf_flag_name(f, name);
    if (!takes(call, f))
      return lb_mlperf_no_flag(call, name, err);
    if (f->modes && !(f->modes & 1U << call->args.mode))
      return lb_err_set(err, LB_USAGE, "mlperf: %s: not in mode %s: %s", name,
                        lb_mlperf_mode_names[call->args.mode], f->why);
  }
  return 0;
}

/* ---- the file ---- */

static int row_of_key(const char *key)
{
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const char *a = lb_mlperf_flags[i].option.key, *b = key;
    while (*a && (*a == *b || (*a == '_' && *b == '-'))) {
      a++;
      b++;
    }
    if (!*a && !*b)
      return i;
  }
  return -1;
}

/* KEY=VALUE of a member of `params', before those of the command line. */
static int file_param(const char *file, struct lb_mlperf_call *call,
                      const struct lb_node *n, const char **out,
                      struct lb_err *err)
{
  if (n->kind != LB_NODE_SCALAR || (!n->key && !strchr(n->text, '=')))
    return lb_node_error(file, n, "params", err,
                         "a list of KEY=VALUE, or a map of values");
  size_t len = strlen(n->text) + (n->key ? strlen(n->key) + 2 : 1);
  char *text = lb_arena_new(&call->arena, len);
  if (!text)
    return lb_err_set(err, LB_FAILED, "out of memory");
  snprintf(text, len, "%s%s%s", n->key ? n->key : "", n->key ? "=" : "",
           n->text);
  *out = text;
  return 0;
}

static int file_params(const char *file, struct lb_mlperf_scan *s,
                       struct lb_mlperf_call *call, const struct lb_node *node,
                       struct lb_err *err)
{
  size_t n = node->n + (size_t)s->n_params;
  const char **all = lb_arena_new(&call->arena, sizeof *all * (n + 1));
  int rc = 0, i = 0;
  if (!all)
    return lb_err_set(err, LB_FAILED, "out of memory");
  if (node->kind != LB_NODE_LIST && node->kind != LB_NODE_MAP)
    return lb_node_error(file, node, "params", err,
                         "a list of KEY=VALUE, or a map of values");
  for (const struct lb_node *m = node->first; m && !rc; m = m->next)
    rc = file_param(file, call, m, &all[i++], err);
  memcpy(all + i, s->param, sizeof *all * (size_t)s->n_params);
  s->param = all;
  s->n_params += i;
  return rc;
}

/* What a flag has in the file: one text, or several of a list. */
static int file_text(const char *file, struct lb_mlperf_call *call, int row,
                     const struct lb_node *node, struct lb_err *err)
{
  if (lb_mlperf_flags[row].many && node->kind == LB_NODE_LIST) {
    for (const struct lb_node *m = node->first; m; m = m->next)
      if (m->kind != LB_NODE_SCALAR)
        return lb_node_error(file, m, node->key, err, "a list of texts");
      else if (lb_mlperf_text_add(call, row, m->text, err))
        return lb_err_wrap(err, "%.600s", call->origin[row]);
    return 0;
  }
  if (node->kind != LB_NODE_SCALAR)
    return lb_node_error(file, node, node->key, err, "a single value");
  call->text[row] = node->text;
  return 0;
}

static int note_origin(const char *file, struct lb_mlperf_call *call, int row,
                       const struct lb_node *node, struct lb_err *err)
{
  size_t size = strlen(file) + 16;
  char *text = lb_arena_new(&call->arena, size);
  if (!text)
    return lb_err_set(err, LB_FAILED, "out of memory");
  snprintf(text, size, "%s:%d", file, node->line);
  call->origin[row] = text;
  return 0;
}

static int file_value(const char *file, struct lb_mlperf_scan *s,
                      struct lb_mlperf_call *call, const struct lb_node *node,
                      struct lb_err *err)
{
  int row = row_of_key(node->key);
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[row < 0 ? 0 : row];
  if (row < 0 || IS(f, config_file))
    return lb_node_error(file, node, node->key, err, "no option of this name");
  if (IS(f, params))
    return file_params(file, s, call, node, err);
  if (call->origin[row]) /* written with `-' and with `_' */
    return lb_node_error(file, node, node->key, err, "given twice, first in %s",
                         call->origin[row]);
  if (call->text[row] || !takes(call, f))
    return 0; /* one file may serve several sub-commands */
  if (f->modes && !(f->modes & 1U << call->args.mode))
    return lb_node_error(file, node, node->key, err, "not in mode %s: %s",
                         lb_mlperf_mode_names[call->args.mode], f->why);
  int rc = note_origin(file, call, row, node, err);
  return rc ? rc : file_text(file, call, row, node, err);
}

static int read_file(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                     const char *file, struct lb_err *err)
{
  size_t len;
  struct lb_node *root = NULL;
  char *text;
  if (!*file)
    return lb_err_set(err, LB_USAGE, "--config-file: the value is empty");
  int sys = lb_slurp_file(file, max_file, &text, &len);
  int rc = sys == EFBIG
               ? lb_err_set(err, LB_USAGE, "%.800s: larger than %zu bytes",
                            file, max_file)
           : sys ? lb_err_sys(err, LB_USAGE, sys, "%.800s", file)
                 : 0;
  if (!rc)
    rc = lb_yaml_parse(&call->arena, text, len,
                       &(struct lb_source){.file = file}, &root, err);
  if (!rc && root && root->kind != LB_NODE_MAP)
    rc = lb_node_error(file, root, NULL, err, "a map of options is needed");
  for (const struct lb_node *n = root ? root->first : NULL; n && !rc;
       n = n->next)
    rc = file_value(file, s, call, n, err);
  free(text);
  return rc;
}

/* ---- the environment ---- */

static int from_environment(struct lb_mlperf_call *call, int row,
                            struct lb_err *err)
{
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[row];
  const char *value[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    value[i] = f->env[i] ? getenv(f->env[i]) : NULL;
    if (value[i] && !*value[i])
      value[i] = NULL;
  }
  if (value[0] && value[1] && strcmp(value[0], value[1]) != 0)
    return lb_err_set(err, LB_USAGE, "mlperf: %s is '%.200s', but %s '%.200s'",
                      f->env[0], value[0], f->env[1], value[1]);
  call->text[row] = value[0] ? value[0] : value[1];
  call->origin[row] = !call->text[row] ? NULL : f->env[value[0] ? 0 : 1];
  return 0;
}

/* ---- values ---- */

/* A switch may be off in a file: as if it were not there. */
static int set_switch(struct lb_mlperf_call *call, int row, const char *name,
                      struct lb_err *err)
{
  const struct lb_option *o = &lb_mlperf_flags[row].option;
  bool on;
  if (!lb_parse_bool(call->text[row], &on))
    return lb_err_set(err, LB_USAGE, "%s: '%.60s' is neither true nor false",
                      name, call->text[row]);
  if (!on)
    call->text[row] = NULL;
  return o->ignored ? 0
                    : lb_option_set(o, name, &call->args, call->text[row], err);
}

static int set(struct lb_mlperf_call *call, int row, struct lb_err *err)
{
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[row];
  const char *text = call->text[row];
  char name[LB_MLPERF_FLAG_LEN];
  lb_mlperf_flag_name(f, name);
  if (f->option.type == LB_OPT_BOOL)
    return set_switch(call, row, name, err);
  if (f->option.ignored) {
    if (f->option.words && strcmp(text, f->option.words[0]) != 0)
      return lb_err_set(err, LB_USAGE, "%s: '%.60s': %s; %s is allowed", name,
                        text, f->why, f->option.words[0]);
    return 0;
  }
  if (!*text && !IS(f, mpi_params))
    return lb_err_set(err, LB_USAGE, "%s: the value is empty", name);
  if (f->is_name && !lb_mlperf_is_name(text))
    return lb_err_set(err, LB_USAGE,
                      "%s: '%.80s' is no name of 1..%d " LB_MLPERF_NAME_OF,
                      name, text, LB_MLPERF_NAME - 1);
  return lb_option_set(&f->option, name, &call->args, text, err);
}

static int check_positive(const struct lb_mlperf_call *call, int row,
                          struct lb_err *err)
{
  const struct lb_mlperf_flag *f = &lb_mlperf_flags[row];
  char name[LB_MLPERF_FLAG_LEN];
  double v;
  memcpy(&v, (const char *)&call->args + f->option.offset, sizeof v);
  lb_mlperf_flag_name(f, name);
  return v > 0 ? 0
               : lb_err_set(err, LB_USAGE, "%s: %s is not above 0", name,
                            call->text[row]);
}

static int set_all(struct lb_mlperf_call *call, struct lb_err *err)
{
  int rc = 0;
  for (int i = 0; lb_mlperf_flags[i].option.key && !rc; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    if (f->option.def)
      rc = lb_option_set(&f->option, f->option.key, &call->args, f->option.def,
                         err);
    if (!rc && !call->text[i] && takes(call, f))
      rc = from_environment(call, i, err);
    if (!rc && call->text[i] && !IS(f, params))
      rc = set(call, i, err);
    if (!rc && call->text[i] && f->positive)
      rc = check_positive(call, i, err);
    if (rc && call->origin[i])
      lb_err_wrap(err, "%.600s", call->origin[i]);
  }
  return rc;
}

/* All that is missing at once. */
static int check_needed(const struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_buf list;
  char where[LB_MLPERF_WHERE_LEN], name[LB_MLPERF_FLAG_LEN];
  lb_buf_init(&list, 800);
  for (int i = 0; lb_mlperf_flags[i].option.key; i++) {
    const struct lb_mlperf_flag *f = &lb_mlperf_flags[i];
    if (!(f->needs & call->verb->bit) || call->text[i])
      continue;
    lb_mlperf_flag_name(f, name);
    lb_buf_printf(&list, "%s%s", list.len ? ", " : "", name);
    if (f->env[0])
      lb_buf_printf(&list, " (or %s)", f->env[0]);
  }
  lb_mlperf_where(call, where);
  if (list.len)
    lb_err_set(err, LB_USAGE, "mlperf: %s: missing %s", where, list.data);
  lb_buf_fini(&list);
  return -err->code;
}

/* ---- together ---- */

static int check_hosts(struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_mlperf_args *a = &call->args;
  struct lb_mlperf_host_slots *host =
      lb_arena_new(&call->arena, sizeof *host * LB_MLPERF_MAX_HOSTS);
  int n;
  if (!host)
    return lb_err_set(err, LB_FAILED, "out of memory");
  if (lb_mlperf_hosts_read(a->hosts, host, LB_MLPERF_MAX_HOSTS, &n, err))
    return -err->code;
  if (n && a->num_client_hosts && a->num_client_hosts != n)
    return lb_err_set(err, LB_USAGE,
                      "--num-client-hosts %" PRId64
                      ", but --hosts names %d host%s",
                      a->num_client_hosts, n, lb_plural((int64_t)n));
  return 0;
}

static int check_together(struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_mlperf_args *a = &call->args;
  int64_t n = call->verb->is_workload ? lb_mlperf_accelerators(a) : 0;
  if (a->quiet && (a->verbose || a->debug))
    return lb_err_set(err, LB_USAGE, "--quiet and --%s: one of the two",
                      a->verbose ? "verbose" : "debug");
  if (a->ranks && n % a->ranks)
    return lb_err_set(err, LB_USAGE,
                      "--ranks %" PRId64 ": %" PRId64
                      " accelerators are no multiple of that",
                      a->ranks, n);
  return call->verb->is_workload ? check_hosts(call, err) : 0;
}

int lb_mlperf_values(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                     struct lb_err *err)
{
  int rc = check_taken(s, call, err);
  for (int i = 0; lb_mlperf_flags[i].option.key && !rc; i++)
    if (IS(&lb_mlperf_flags[i], config_file) && call->text[i])
      rc = read_file(s, call, call->text[i], err);
  if (!rc)
    rc = set_all(call, err);
  call->args.params = s->param;
  call->args.n_params = s->n_params;
  if (!rc)
    rc = check_needed(call, err);
  return rc ? rc : check_together(call, err);
}
