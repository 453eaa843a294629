/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML value into the field of an option: type, words, range.  One function
 * per type; distributions and columns are in dist.c and below. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/units.h"

int notes_add(struct notes *notes, struct lb_err *err, const char *fmt, ...)
{
  char text[700];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  for (int i = 0; i < notes->n; i++)
    if (!strcmp(notes->v[i], text))
      return 0;
  char **v = realloc(notes->v, (size_t)(notes->n + 1) * sizeof *v);
  if (v)
    notes->v = v;
  char *copy = v ? strdup(text) : NULL;
  if (!copy)
    return lb_err_set(err, LB_FAILED, "no memory");
  notes->v[notes->n++] = copy;
  return 0;
}

static bool is_bytes(const struct lb_option *o)
{
  return o->unit && !strncmp(o->unit, "bytes", 5); /* also bytes/s */
}

/* "'text' is wrong; allowed: ..." */
static int refuse(const struct setter *s, const struct lb_option *o,
                  const struct lb_node *n, struct lb_err *err, const char *what)
{
  struct lb_buf allowed;
  lb_buf_init(&allowed, 4096);
  if (o->type == LB_OPT_DIST)
    lb_buf_printf(&allowed, "a number of %s%s, or the map of a distribution",
                  o->unit ? o->unit : "units",
                  is_bytes(o) ? "" : ", without its unit");
  else
    option_allowed(o, s->key, &allowed);
  const char *quote = n->text ? "'" : "";
  static const char *const kinds[] = {"nothing", "", "a list", "a map"};
  int rc =
      lb_node_error(s->file, n, s->key, err, "%s%.100s%s %s; allowed: %.400s",
                    quote, n->text ? n->text : kinds[n->kind], quote, what,
                    allowed.data ? allowed.data : "");
  lb_buf_fini(&allowed);
  return rc;
}

int value_text(const struct setter *s, const struct lb_option *o,
               const struct lb_node *n, const char **text, struct lb_err *err)
{
  if (n->kind != LB_NODE_SCALAR)
    return refuse(s, o, n, err, "is not a single value");
  if (strstr(n->text, "${"))
    return lb_node_error(
        s->file, n, s->key, err,
        "'%.100s': Hydra would replace ${...}; here nothing is, "
        "so that a workload means the same everywhere: write the "
        "value, or give it as an override",
        n->text);
  *text = n->text;
  return 0;
}

static const char *const not_number[] = {
    [LB_PARSED_NOT] = "is not a number",
    [LB_PARSED_FRACTION] = "is not a whole number",
    [LB_PARSED_LARGE] = "is too large",
};

static bool in_range(const struct setter *s, const struct lb_option *o,
                     double v)
{
  return s->any_range || (o->min == 0 && o->max == 0) ||
         (v >= o->min && v <= o->max);
}

static int set_int(const struct setter *s, const struct lb_option *o,
                   void *field, const struct lb_node *n, struct lb_err *err)
{
  const char *text = "";
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  int64_t v = 0;
  enum lb_parsed p = lb_parse_int(text, is_bytes(o), &v);
  if (p > LB_PARSED_ROUNDED)
    return refuse(s, o, n, err, not_number[p]);
  if (!in_range(s, o, (double)v))
    return refuse(s, o, n, err, "is out of range");
  *(int64_t *)field = v;
  if (p != LB_PARSED_ROUNDED || !s->notes)
    return 0;
  return notes_add(s->notes, err, "%s: %s rounds down to %lld %s", s->key, text,
                   (long long)v, o->unit);
}

int value_real(const struct setter *s, const struct lb_option *o,
               const struct lb_node *n, double *value, struct lb_err *err)
{
  const char *text = "";
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  enum lb_parsed p = lb_parse_real(text, is_bytes(o), value);
  return p > LB_PARSED_ROUNDED ? refuse(s, o, n, err, not_number[p]) : 0;
}

static int set_real(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  double v = 0;
  int rc = value_real(s, o, n, &v, err);
  if (rc)
    return rc;
  if (!in_range(s, o, v))
    return refuse(s, o, n, err, "is out of range");
  *(double *)field = v;
  return 0;
}

static int set_bool(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  const char *text = "";
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  return lb_parse_bool(text, field)
             ? 0
             : refuse(s, o, n, err, "is neither true nor false");
}

static int set_word(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  const char *text = "";
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  /* YAML 1.1 reads a bare `off' or `no' as false: the word off, where there
   * is one. */
  bool b = true;
  if (lb_parse_bool(text, &b) && !b)
    text = "off";
  for (int i = 0; o->words[i]; i++)
    if (!strcmp(o->words[i], text)) {
      *(int *)field = i;
      return 0;
    }
  return refuse(s, o, n, err, "is not one of the words");
}

static int set_text(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  const char *text = "";
  int rc = value_text(s, o, n, &text, err);
  if (rc)
    return rc;
  if (strlen(text) >= o->size)
    return refuse(s, o, n, err, "is too long");
  names_fn *names = key_names(s->key);
  bool known = !names;
  for (size_t i = 0; !known && names(i); i++)
    known = !strcmp(names(i), text);
  if (!known)
    return refuse(s, o, n, err, "is not known");
  memset(field, 0, o->size);
  memcpy(field, text, strlen(text));
  return 0;
}

/* A list, or one value that stands for a list of one. */
static int each_item(const struct setter *s, const struct lb_option *o,
                     const struct lb_node *n, struct lb_err *err,
                     int (*set)(const struct setter *, const struct lb_option *,
                                void *field, const struct lb_node *,
                                struct lb_err *),
                     char *items, size_t item_bytes, int *count)
{
  *count = 0;
  if (n->kind == LB_NODE_MAP)
    return refuse(s, o, n, err, "is not a list");
  if (n->kind == LB_NODE_LIST && n->n > LB_LIST_MAX)
    return refuse(s, o, n, err, "is too long");
  const struct lb_node *item = n->kind == LB_NODE_LIST ? n->first : n;
  for (; item; item = n->kind == LB_NODE_LIST ? item->next : NULL) {
    int rc = set(s, o, items + (size_t)*count * item_bytes, item, err);
    if (rc)
      return rc;
    ++*count;
  }
  return 0;
}

static int set_ints(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  struct lb_ints *v = field;
  return each_item(s, o, n, err, set_int, (char *)v->v, sizeof *v->v, &v->n);
}

static int set_strs(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  struct lb_strs *v = field;
  struct lb_option item = *o;
  item.size = sizeof v->v[0];
  return each_item(s, &item, n, err, set_text, v->v[0], sizeof v->v[0], &v->n);
}

static int set_paths(const struct setter *s, const struct lb_option *o,
                     void *field, const struct lb_node *n, struct lb_err *err)
{
  struct lb_paths *v = field;
  struct lb_option item = *o;
  item.size = sizeof v->v[0];
  if (n->kind == LB_NODE_LIST && n->n == 0)
    return refuse(s, o, n, err, "is empty");
  return each_item(s, &item, n, err, set_text, v->v[0], sizeof v->v[0], &v->n);
}

static int set_dist(const struct setter *s, const struct lb_option *o,
                    void *field, const struct lb_node *n, struct lb_err *err)
{
  struct lb_dist d = {0};
  int rc = value_set_dist(s, o, &d, n, err);
  if (rc)
    return rc;
  /* Of the values in a file nothing is known before they are loaded. */
  if (!d.file[0] && !in_range(s, o, d.kind ? d.kind->mean(&d) : d.p[0]))
    return refuse(s, o, n, err, "is out of range");
  *(struct lb_dist *)field = d;
  return 0;
}

static int set_columns(const struct setter *s, const struct lb_option *o,
                       void *field, const struct lb_node *n, struct lb_err *err)
{
  return value_set_columns(s, o, field, n, err);
}

int value_set(const struct setter *s, const struct lb_option *o, void *field,
              const struct lb_node *n, struct lb_err *err)
{
  static int (*const set[])(const struct setter *, const struct lb_option *,
                            void *, const struct lb_node *, struct lb_err *) = {
      [LB_OPT_BOOL] = set_bool,   [LB_OPT_WORD] = set_word,
      [LB_OPT_INT] = set_int,     [LB_OPT_REAL] = set_real,
      [LB_OPT_TEXT] = set_text,   [LB_OPT_DIST] = set_dist,
      [LB_OPT_INTS] = set_ints,   [LB_OPT_STRS] = set_strs,
      [LB_OPT_PATHS] = set_paths, [LB_OPT_COLUMNS] = set_columns,
  };
  return set[o->type](s, o, field, n, err);
}

int value_set_default(const struct lb_option *o, void *field,
                      struct lb_err *err)
{
  if (!o->def)
    return 0; /* the zero value */
  const struct lb_node n = {.kind = LB_NODE_SCALAR, .text = o->def};
  const struct setter s = {.file = "default", .key = o->key};
  return value_set(&s, o, field, &n, err);
}

void value_free(const struct lb_option *o, void *field)
{
  if (o->type == LB_OPT_COLUMNS)
    free(((struct lb_columns *)field)->v);
  if (o->type == LB_OPT_DIST)
    lb_dist_unload(field);
}
