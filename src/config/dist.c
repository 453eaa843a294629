/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A distribution from a number or a map, and parquet's columns: the two values
 * that are more than scalars and lists of them. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/dist.h"
#include "loadbank/units.h"

static const struct lb_node *member(const struct lb_node *map, const char *key)
{
  for (const struct lb_node *n = map->first; n; n = n->next)
    if (!strcmp(n->key, key) && n->kind != LB_NODE_NULL)
      return n;
  return NULL;
}

static bool is_empirical(const struct lb_dist_kind *k)
{
  return !strcmp(k->name, "empirical");
}

/* Without a type: mean is constant, mean and stdev normal. */
static int find_kind(const struct setter *s, const struct lb_option *o,
                     const struct lb_node *map, struct lb_dist *d,
                     struct lb_err *err)
{
  const struct lb_node *type = member(map, "type");
  const char *name = member(map, "stdev") ? "normal" : "constant";
  if (type) {
    int rc = value_text(s, o, type, &name, err);
    if (rc)
      return rc;
  }
  d->kind = lb_dist_find(name);
  if (d->kind && d->kind->unavailable)
    return lb_node_error(s->file, type ? type : map, s->key, err, "%s: %s",
                         name, d->kind->unavailable);
  if (d->kind)
    return 0;
  char known[256] = "";
  for (size_t i = 0; lb_dist_kinds[i]; i++) {
    size_t n = strlen(known);
    snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
             lb_dist_kinds[i]->name);
  }
  return lb_node_error(s->file, type ? type : map, s->key, err,
                       "no distribution '%.60s'; allowed: %s", name, known);
}

static int set_negative(const struct setter *s, const struct lb_option *o,
                        const struct lb_node *n, struct lb_dist *d,
                        struct lb_err *err)
{
  static const char *const words[] = {
      [LB_NEGATIVE_ABS] = "abs",
      [LB_NEGATIVE_CLIP] = "clip",
      [LB_NEGATIVE_REDRAW] = "redraw",
  };
  const char *text = NULL;
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  for (int i = 0; i < 3; i++)
    if (!strcmp(words[i], text)) {
      d->negative = (enum lb_negative)i;
      return 0;
    }
  return lb_node_error(s->file, n, s->key, err,
                       "negative: '%.60s' is not known; allowed: abs, clip, "
                       "redraw",
                       text);
}

static int set_file(const struct setter *s, const struct lb_option *o,
                    const struct lb_node *n, struct lb_dist *d,
                    struct lb_err *err)
{
  const char *text = NULL;
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  if (strlen(text) >= sizeof d->file)
    return lb_node_error(s->file, n, s->key, err, "file: the path is too long");
  snprintf(d->file, sizeof d->file, "%s", text);
  return 0;
}

/* Index of the parameter, or -1. */
static int param_index(const struct lb_dist_kind *k, const char *name)
{
  for (int i = 0; i < LB_DIST_PARAMS && k->params[i]; i++)
    if (!strcmp(k->params[i], name))
      return i;
  return -1;
}

/* "mean, stdev" */
static void param_names(const struct lb_dist_kind *k, char *out, size_t size)
{
  snprintf(out, size, "%s", is_empirical(k) ? "file" : "");
  for (int i = 0; i < LB_DIST_PARAMS && k->params[i]; i++) {
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", n ? ", " : "", k->params[i]);
  }
}

static int set_member(const struct setter *s, const struct lb_option *o,
                      const struct lb_node *n, struct lb_dist *d,
                      struct lb_err *err)
{
  if (!strcmp(n->key, "type"))
    return 0;
  if (!strcmp(n->key, "negative"))
    return set_negative(s, o, n, d, err);
  if (!strcmp(n->key, "file") && is_empirical(d->kind))
    return set_file(s, o, n, d, err);
  int i = param_index(d->kind, n->key);
  if (i >= 0)
    return value_real(s, o, n, &d->p[i], err);
  char names[128];
  param_names(d->kind, names, sizeof names);
  return lb_node_error(s->file, n, s->key, err,
                       "'%.60s' is not a parameter of %s; allowed: type, "
                       "negative, %s",
                       n->key, d->kind->name, names);
}

int value_set_dist(const struct setter *s, const struct lb_option *o,
                   struct lb_dist *d, const struct lb_node *n,
                   struct lb_err *err)
{
  if (n->kind != LB_NODE_MAP) {
    double v = 0;
    int rc = value_real(s, o, n, &v, err);
    *d = lb_dist_constant(v);
    return rc;
  }
  int rc = find_kind(s, o, n, d, err);
  for (const struct lb_node *m = n->first; !rc && m; m = m->next)
    if (m->kind != LB_NODE_NULL)
      rc = set_member(s, o, m, d, err);
  if (rc)
    return rc;
  for (int i = 0; i < LB_DIST_PARAMS && d->kind->params[i]; i++)
    if (!member(n, d->kind->params[i]))
      return lb_node_error(s->file, n, s->key, err, "%s needs %s",
                           d->kind->name, d->kind->params[i]);
  struct lb_err cause = LB_ERR_INIT;
  if (d->kind->check(d, &cause))
    return lb_node_error(s->file, n, s->key, err, "%s", cause.msg);
  /* A constant has no negative draws: one way to write it. */
  if (!is_empirical(d->kind) && lb_dist_is_constant(d))
    *d = lb_dist_constant(lb_dist_mean(d));
  return 0;
}

/* One column; keys as in the C fields. */
static int set_column(const struct setter *s, struct lb_column *c,
                      const struct lb_node *map, struct lb_err *err)
{
#define OPT(field, ...) LB_OPTION(struct lb_column, field, __VA_ARGS__)
  static const struct lb_option options[] = {
      OPT(name, .doc = "Name."),
      OPT(dtype, .def = "float32", .doc = "Element type."),
      OPT(size, .def = "1", .min = 1, .max = 1e9, .doc = "Elements in a row."),
      OPT(read, .def = "true", .doc = "Is it read in training?"),
  };
#undef OPT
  const size_t n = sizeof options / sizeof *options;
  int rc = 0;
  for (size_t i = 0; i < n && !rc; i++)
    rc = value_set_default(&options[i], (char *)c + options[i].offset, err);
  for (const struct lb_node *m = map->first; m && !rc; m = m->next) {
    size_t i = 0;
    while (i < n && strcmp(options[i].key, m->key) != 0)
      i++;
    if (i == n)
      return lb_node_error(s->file, m, s->key, err,
                           "'%.60s' is not of a column; allowed: name, dtype, "
                           "size, read",
                           m->key);
    if (m->kind != LB_NODE_NULL)
      rc = value_set(s, &options[i], (char *)c + options[i].offset, m, err);
  }
  if (!rc && !c->name[0])
    return lb_node_error(s->file, map, s->key, err, "a column without a name");
  return rc;
}

int value_set_columns(const struct setter *s, const struct lb_option *o,
                      struct lb_columns *c, const struct lb_node *n,
                      struct lb_err *err)
{
  (void)o;
  if (n->kind != LB_NODE_LIST)
    return lb_node_error(
        s->file, n, s->key, err,
        "not a list; allowed: a list of maps {name, dtype, size, "
        "read}");
  free(c->v);
  *c = (struct lb_columns){0};
  if (!n->n)
    return 0;
  c->v = calloc(n->n, sizeof *c->v);
  if (!c->v)
    return lb_err_set(err, LB_FAILED, "no memory");
  for (const struct lb_node *item = n->first; item; item = item->next) {
    if (item->kind != LB_NODE_MAP)
      return lb_node_error(s->file, item, s->key, err,
                           "a column is a map {name, dtype, size, read}");
    int rc = set_column(s, &c->v[c->n], item, err);
    if (rc)
      return rc;
    c->n++;
  }
  return 0;
}
