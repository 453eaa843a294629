/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and whole workloads as YAML that loads back to the same. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/units.h"

/* Text that YAML reads as that text without quotes. */
static bool is_plain(const char *text)
{
  bool b;
  if (!isalpha((unsigned char)*text) && *text != '/' && *text != '.')
    return false;
  if (*text == '.' && isdigit((unsigned char)text[1]))
    return false;
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("_./-", *c))
      return false;
  return !lb_parse_bool(text, &b) && strcasecmp(text, "null") != 0 &&
         strcasecmp(text, ".inf") != 0 && strcasecmp(text, ".nan") != 0;
}

/* Characters that YAML takes for ends of lines, and how they are written. */
static const struct {
  const char *bytes, *escape;
} breaks[] = {
    {"\xc2\x85", "\\N"}, {"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}};

/* Writes such a character, if text begins with one; its bytes. */
static size_t print_break(const char *text, struct lb_buf *out)
{
  for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
    size_t n = strlen(breaks[i].bytes);
    if (!strncmp(text, breaks[i].bytes, n)) {
      lb_buf_puts(out, breaks[i].escape);
      return n;
    }
  }
  return 0;
}

static void print_text(const char *text, struct lb_buf *out)
{
  if (is_plain(text))
    lb_buf_puts(out, text);
  else
    lb_yaml_quote(text, out);
}

void lb_yaml_quote(const char *text, struct lb_buf *out)
{
  lb_buf_puts(out, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    size_t taken = print_break((const char *)c, out);
    if (taken)
      c += taken - 1;
    else if (*c == '"' || *c == '\\')
      lb_buf_printf(out, "\\%c", *c);
    else if (*c < ' ' || *c == 127)
      lb_buf_printf(out, "\\x%02x", *c);
    else
      lb_buf_add(out, c, 1);
  }
  lb_buf_puts(out, "\"");
}

static void print_real(double v, struct lb_buf *out)
{
  char text[LB_REAL_LEN];
  lb_format_real(v, text);
  lb_buf_puts(out, text);
}

static void print_bool(const struct lb_option *o, const void *field,
                       struct lb_buf *out)
{
  (void)o;
  lb_buf_puts(out, *(const bool *)field ? "true" : "false");
}

static void print_word(const struct lb_option *o, const void *field,
                       struct lb_buf *out)
{
  lb_buf_puts(out, o->words[*(const int *)field]);
}

static void print_int(const struct lb_option *o, const void *field,
                      struct lb_buf *out)
{
  (void)o;
  lb_buf_printf(out, "%" PRId64, *(const int64_t *)field);
}

static void print_double(const struct lb_option *o, const void *field,
                         struct lb_buf *out)
{
  (void)o;
  print_real(*(const double *)field, out);
}

static void print_string(const struct lb_option *o, const void *field,
                         struct lb_buf *out)
{
  (void)o;
  print_text(field, out);
}

static void print_dist(const struct lb_option *o, const void *field,
                       struct lb_buf *out)
{
  static const char *const negative[] = {
      [LB_NEGATIVE_ABS] = "abs",
      [LB_NEGATIVE_CLIP] = "clip",
      [LB_NEGATIVE_REDRAW] = "redraw",
  };
  (void)o;
  const struct lb_dist *d = field;
  if (!d->kind || (!d->file[0] && lb_dist_is_constant(d))) {
    print_real(d->p[0], out);
    return;
  }
  lb_buf_printf(out, "{type: %s", d->kind->name);
  for (int i = 0; i < LB_DIST_PARAMS && d->kind->params[i]; i++) {
    lb_buf_printf(out, ", %s: ", d->kind->params[i]);
    print_real(d->p[i], out);
  }
  if (d->file[0]) {
    lb_buf_puts(out, ", file: ");
    print_text(d->file, out);
  }
  if (d->negative != LB_NEGATIVE_ABS)
    lb_buf_printf(out, ", negative: %s", negative[d->negative]);
  lb_buf_puts(out, "}");
}

static void print_ints(const struct lb_option *o, const void *field,
                       struct lb_buf *out)
{
  (void)o;
  const struct lb_ints *v = field;
  lb_buf_puts(out, "[");
  for (int i = 0; i < v->n; i++)
    lb_buf_printf(out, "%s%" PRId64, i ? ", " : "", v->v[i]);
  lb_buf_puts(out, "]");
}

static void print_strs(const struct lb_option *o, const void *field,
                       struct lb_buf *out)
{
  (void)o;
  const struct lb_strs *v = field;
  lb_buf_puts(out, "[");
  for (int i = 0; i < v->n; i++) {
    lb_buf_puts(out, i ? ", " : "");
    print_text(v->v[i], out);
  }
  lb_buf_puts(out, "]");
}

/* A list of one is that one. */
static void print_paths(const struct lb_option *o, const void *field,
                        struct lb_buf *out)
{
  (void)o;
  const struct lb_paths *v = field;
  lb_buf_puts(out, v->n == 1 ? "" : "[");
  for (int i = 0; i < v->n; i++) {
    lb_buf_puts(out, i ? ", " : "");
    print_text(v->v[i], out);
  }
  lb_buf_puts(out, v->n == 1 ? "" : "]");
}

static void print_columns(const struct lb_option *o, const void *field,
                          struct lb_buf *out)
{
  (void)o;
  const struct lb_columns *c = field;
  lb_buf_puts(out, "[");
  for (int64_t i = 0; i < c->n; i++) {
    lb_buf_puts(out, i ? ", {name: " : "{name: ");
    print_text(c->v[i].name, out);
    lb_buf_puts(out, ", dtype: ");
    print_text(c->v[i].dtype, out);
    lb_buf_printf(out, ", size: %" PRId64 ", read: %s}", c->v[i].size,
                  c->v[i].read ? "true" : "false");
  }
  lb_buf_puts(out, "]");
}

void value_print(const struct lb_option *o, const void *field,
                 struct lb_buf *out)
{
  static void (*const print[])(const struct lb_option *, const void *,
                               struct lb_buf *) = {
      [LB_OPT_BOOL] = print_bool,   [LB_OPT_WORD] = print_word,
      [LB_OPT_INT] = print_int,     [LB_OPT_REAL] = print_double,
      [LB_OPT_TEXT] = print_string, [LB_OPT_DIST] = print_dist,
      [LB_OPT_INTS] = print_ints,   [LB_OPT_STRS] = print_strs,
      [LB_OPT_PATHS] = print_paths, [LB_OPT_COLUMNS] = print_columns,
  };
  print[o->type](o, field, out);
}
