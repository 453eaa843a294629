/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as JSON.  What a value means is the loader's to say (src/config);
 * here it only gets the type that readers of the metadata expect. */
#include "lb-config.h"

#include "mlperf/params_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "loadbank/yaml.h"

/* [-+]digits in the base, with _ between them as YAML 1.1 allows. */
static json_t *whole(const char *text)
{
  char plain[32];
  size_t n = 0;
  const char *c = text + (*text == '-' || *text == '+');
  int base = 10;
  if (c[0] == '0' && (c[1] == 'x' || c[1] == 'b')) {
    base = c[1] == 'x' ? 16 : 2;
    c += 2;
  } else if (c[0] == '0' && c[1]) {
    base = 8;
  }
  if (!*c || *c == '_')
    return NULL;
  for (; *c && n < sizeof plain - 2; c++)
    if (*c != '_')
      plain[n++] = *c;
  plain[n] = '\0';
  char *end;
  unsigned long long v = strtoull(plain, &end, base);
  if (*c || *end || plain[0] == '-' || plain[0] == '+' || v > INT64_MAX)
    return NULL;
  return json_integer(*text == '-' ? -(json_int_t)v : (json_int_t)v);
}

json_t *lb_params_scalar(const char *text)
{
  bool yes;
  double real;
  if (!*text || !strcmp(text, "~") || !strcmp(text, "null"))
    return json_null();
  if (lb_parse_bool(text, &yes))
    return json_boolean(yes);
  json_t *v = whole(text);
  if (v)
    return v;
  if (lb_parse_real(text, false, &real) == LB_PARSED_OK)
    return json_real(real);
  return lb_json_string(text);
}

/* Depth is bounded by the YAML parser. */
static json_t *of_node(const struct lb_node *n) /* NOLINT(misc-no-recursion) */
{
  if (n->kind == LB_NODE_NULL)
    return json_null();
  if (n->kind == LB_NODE_SCALAR)
    return n->plain ? lb_params_scalar(n->text) : lb_json_string(n->text);
  bool map = n->kind == LB_NODE_MAP;
  json_t *all = map ? json_object() : json_array();
  for (const struct lb_node *c = n->first; c; c = c->next) {
    json_t *v = of_node(c);
    if (map)
      json_object_set_new(all, c->key, v);
    else
      json_array_append_new(all, v);
  }
  return all;
}

json_t *lb_params_of_yaml(const char *text, size_t len, const char *name,
                          struct lb_err *err)
{
  struct lb_arena arena = {0};
  struct lb_node *root = NULL;
  const struct lb_source from = {.file = name};
  json_t *v = NULL;
  if (!lb_yaml_parse(&arena, text, len, &from, &root, err)) {
    v = of_node(root);
    if (!json_is_object(v)) {
      lb_err_set(err, LB_USAGE, "%s: no map of keys", name);
      json_decref(v);
      v = NULL;
    }
  }
  lb_arena_fini(&arena);
  json_t *inner = json_object_get(v, "workload");
  if (json_is_object(inner) && json_object_size(v) == 1) {
    json_incref(inner);
    json_decref(v);
    v = inner;
  }
  return v;
}

const char *lb_params_split(const char *override, char *key, size_t size)
{
  const char *at = override + strspn(override, "+");
  if (!strncmp(at, "workload.", 9))
    at += 9;
  size_t n = strcspn(at, "=");
  snprintf(key, size, "%.*s", (int)n, at);
  return at[n] ? at + n + 1 : NULL;
}

static json_t *of_value(const char *value)
{
  if (!*value || !strchr("[{\"'", *value))
    return lb_params_scalar(value);
  struct lb_err err = LB_ERR_INIT;
  struct lb_arena arena = {0};
  struct lb_node *root = NULL;
  const struct lb_source from = {.file = "override", .override = value};
  json_t *v = lb_yaml_parse(&arena, value, strlen(value), &from, &root, &err)
                  ? lb_json_string(value)
                  : of_node(root);
  lb_arena_fini(&arena);
  return v;
}

/* The object at "a.b" of "a.b.c", made where it is not there; *last: "c". */
static json_t *descend(json_t *tree, char *key, char **last)
{
  for (char *dot = strchr(key, '.'); dot; dot = strchr(key, '.')) {
    *dot = '\0';
    json_t *next = json_object_get(tree, key);
    if (!json_is_object(next)) {
      next = json_object();
      if (json_object_set_new(tree, key, next))
        return NULL; /* no memory, or a key that is no text */
    }
    tree = next;
    key = dot + 1;
  }
  *last = key;
  return tree;
}

int lb_params_set(json_t *tree, json_t *flat, const char *override,
                  struct lb_err *err)
{
  char key[LB_KEY_LEN], *last = key;
  const char *value = lb_params_split(override, key, sizeof key);
  if (!value || !*key)
    return lb_err_set(err, LB_USAGE,
                      "'%.200s' is no parameter; allowed: KEY=VALUE", override);
  json_t *v = of_value(value);
  int rc = v ? 0 : -1;
  if (v && flat)
    rc = json_object_set(flat, key, v);
  json_t *section = descend(tree, key, &last);
  if (section)
    rc |= json_object_set_new(section, last, v);
  else
    json_decref(v);
  return rc || !section ? lb_err_set(err, LB_FAILED, "no memory") : 0;
}
