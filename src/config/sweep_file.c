/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The YAML of a sweep. */
#include "lb-config.h"

#include "loadbank/sweep_file.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/units.h"
#include "loadbank/yaml.h"

enum { MAX_VALUE = 1 << 16 };

static bool is_plain(const char *text)
{
  return *text && !strchr("[{\"'", *text) && strcmp(text, "null") != 0 &&
         strcmp(text, "~") != 0;
}

/* Inside a list or a map, where YAML reads it again. */
static void add_inner(const struct lb_node *n, struct lb_buf *out)
{
  if (n->key) {
    lb_yaml_quote(n->key, out);
    lb_buf_puts(out, ": ");
  }
  if (n->kind == LB_NODE_NULL) {
    lb_buf_puts(out, "null");
  } else if (n->kind == LB_NODE_SCALAR) {
    lb_yaml_quote(n->text, out);
  } else {
    lb_buf_puts(out, n->kind == LB_NODE_LIST ? "[" : "{");
    for (const struct lb_node *c = n->first; c; c = c->next) {
      add_inner(c, out);
      lb_buf_puts(out, c->next ? ", " : "");
    }
    lb_buf_puts(out, n->kind == LB_NODE_LIST ? "]" : "}");
  }
}

/* As an override has it. */
static int add_value(const struct lb_node *n, struct lb_texts *values,
                     struct lb_err *err)
{
  struct lb_buf text;
  struct lb_node alone = *n;
  alone.key = NULL;
  lb_buf_init(&text, MAX_VALUE);
  if (n->kind == LB_NODE_SCALAR && is_plain(n->text))
    lb_buf_puts(&text, n->text);
  else
    add_inner(&alone, &text);
  int rc = text.failed ? lb_err_set(err, LB_USAGE,
                                    "a value of more than %d bytes", MAX_VALUE)
                       : lb_texts_add(values, text.data, text.len, err);
  lb_buf_fini(&text);
  return rc;
}

static int read_key(const struct lb_node *n, struct lb_sweep *s,
                    struct lb_err *err)
{
  struct lb_texts values = {.n = 0};
  int rc = 0;
  if (n->kind == LB_NODE_SCALAR)
    rc = lb_sweep_values(n->text, &values, err);
  else if (n->kind != LB_NODE_LIST)
    rc = add_value(n, &values, err);
  for (const struct lb_node *c = n->first;
       !rc && n->kind == LB_NODE_LIST && c && values.n < LB_SWEEP_VALUES;
       c = c->next)
    rc = add_value(c, &values, err);
  if (!rc && values.n == 0)
    rc = lb_err_set(err, LB_USAGE, "a list without values");
  if (!rc)
    rc = lb_sweep_add_values(s, n->key, &values, err);
  lb_texts_fini(&values);
  return rc;
}

static int read_keys(const char *name, const struct lb_node *map,
                     struct lb_sweep *s, struct lb_err *err)
{
  if (map->kind != LB_NODE_MAP)
    return lb_node_error(name, map, "sweep", err,
                         "a map of keys and their values is expected");
  for (const struct lb_node *n = map->first; n; n = n->next) {
    struct lb_err why = LB_ERR_INIT;
    if (read_key(n, s, &why))
      return lb_node_error(name, n, n->key, err, "%s", why.msg);
  }
  return 0;
}

static int read_number(const char *name, const struct lb_node *n, int64_t least,
                       int64_t *out, struct lb_err *err)
{
  if (n->kind != LB_NODE_SCALAR || lb_parse_int(n->text, false, out) ||
      *out < least || *out > LB_SWEEP_RUNS)
    return lb_node_error(name, n, n->key, err,
                         "a whole number from %lld to %d is expected",
                         (long long)least, LB_SWEEP_RUNS);
  return 0;
}

static int read_member(const char *name, const struct lb_node *n,
                       struct lb_sweep *s, char workload[PATH_MAX],
                       struct lb_err *err)
{
  int64_t seed = 0;
  int rc = 0;
  if (!strcmp(n->key, "sweep"))
    return read_keys(name, n, s, err);
  if (!strcmp(n->key, "repeat"))
    return read_number(name, n, 1, &s->repeat, err);
  if (!strcmp(n->key, "seed")) {
    rc = read_number(name, n, 1, &seed, err);
    s->seed = (uint64_t)seed;
    return rc;
  }
  if (strcmp(n->key, "workload") != 0)
    return lb_node_error(name, n, n->key, err,
                         "unknown key; a sweep has workload, sweep, repeat and "
                         "seed");
  if (n->kind != LB_NODE_SCALAR || strlen(n->text) >= PATH_MAX)
    return lb_node_error(name, n, n->key, err,
                         "the name of a workload is expected");
  snprintf(workload, PATH_MAX, "%s", n->text);
  return 0;
}

int lb_sweep_file_read(const char *text, size_t len, const char *name,
                       struct lb_sweep *s, char workload[PATH_MAX],
                       struct lb_err *err)
{
  struct lb_arena arena = {NULL};
  const struct lb_source from = {.file = name};
  struct lb_node *root = NULL;
  int rc = lb_yaml_parse(&arena, text, len, &from, &root, err);
  bool is_one = false;
  workload[0] = '\0';
  for (const struct lb_node *n = rc ? NULL : root->first; n && n->key;
       n = n->next)
    is_one |= !strcmp(n->key, "sweep");
  for (const struct lb_node *n = is_one ? root->first : NULL;
       n && n->key && !rc; n = n->next)
    rc = read_member(name, n, s, workload, err);
  lb_arena_fini(&arena);
  return rc ? rc : is_one;
}
