/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the text behind a key's '=' to its values. */
#include "lb-config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/sweep.h"

/* ---- ranges ---- */

enum {
  DIGITS = 15, /* that a double holds */
  DECIMALS = 6 /* of the values of a range */
};

/* "-12.50KiB": value = whole / 10^decimals. */
struct number {
  int64_t whole;
  int decimals;
  char unit[8];
};

/* What follows the number, or NULL: there is none at text. */
static const char *read_number(const char *text, struct number *n)
{
  bool negative = *text == '-';
  int digits = 0;
  *n = (struct number){.whole = 0};
  text += negative;
  for (; isdigit((unsigned char)*text); text++, digits++)
    n->whole = digits < DIGITS ? n->whole * 10 + (*text - '0') : n->whole;
  if (digits && text[0] == '.' && isdigit((unsigned char)text[1]))
    for (text++; isdigit((unsigned char)*text); text++, digits++, n->decimals++)
      n->whole = digits < DIGITS ? n->whole * 10 + (*text - '0') : n->whole;
  if (digits == 0 || digits > DIGITS)
    return NULL;
  n->whole = negative ? -n->whole : n->whole;
  size_t len = 0;
  while (isalpha((unsigned char)text[len]))
    len++;
  if (len >= sizeof n->unit)
    return NULL;
  memcpy(n->unit, text, len);
  return text + len;
}

struct range {
  struct number from, to, step;
  bool factor;
};

/* false: it is no range but a text of its own. */
static bool read_range(const char *text, const char *end, struct range *r)
{
  const char *p = read_number(text, &r->from);
  if (!p || p > end || strncmp(p, "..", 2) != 0)
    return false;
  p = read_number(p + 2, &r->to);
  r->step = (struct number){.whole = 1};
  r->factor = false;
  if (p && p < end && *p == ':' && (p[1] == '+' || p[1] == '*')) {
    r->factor = p[1] == '*';
    p = read_number(p + 2, &r->step);
  }
  return p == end;
}

/* In units of 10^-decimals: a whole number. */
static double scaled(const struct number *n, int decimals)
{
  return (double)n->whole * pow(10, decimals - n->decimals);
}

static int add_value(struct lb_texts *out, double v, int decimals,
                     const char *unit, struct lb_err *err)
{
  char text[64];
  int n = decimals < 0
              ? snprintf(text, sizeof text, "%.12g%s", v, unit)
              : snprintf(text, sizeof text, "%.*f%s", decimals, v, unit);
  return lb_texts_add(out, text, (size_t)n, err);
}

static int bad_range(const char *text, const char *end, const char *why,
                     struct lb_err *err)
{
  return lb_err_set(err, LB_USAGE, "range '%.*s': %s", (int)(end - text), text,
                    why);
}

static int decimals_of(const struct range *r)
{
  int d = r->from.decimals > r->to.decimals ? r->from.decimals : r->to.decimals;
  return !r->factor && r->step.decimals > d ? r->step.decimals : d;
}

static double value_of(const struct number *n)
{
  return (double)n->whole / pow(10, n->decimals);
}

/* NULL, or what is wrong with it. */
static const char *range_fault(const struct range *r)
{
  double step = value_of(&r->step);
  if (strcmp(r->from.unit, r->to.unit) != 0)
    return "both ends have the same unit, or none";
  if (r->step.unit[0] && (r->factor || strcmp(r->step.unit, r->to.unit) != 0))
    return "the step has another unit";
  if (decimals_of(r) > DECIMALS)
    return "more than 6 decimals";
  if (value_of(&r->to) < value_of(&r->from))
    return "it ends below its beginning";
  if (r->factor && (step <= 1 || r->from.whole <= 0))
    return "a factor is above 1, and what it multiplies above 0";
  return !r->factor && step <= 0 ? "a step is above 0" : NULL;
}

static int add_range(const char *text, const char *end, const struct range *r,
                     struct lb_texts *out, struct lb_err *err)
{
  const char *why = range_fault(r);
  if (why)
    return bad_range(text, end, why, err);
  int d = decimals_of(r), rc = 0;
  double unit = pow(10, d), at = scaled(&r->from, d);
  double to = scaled(&r->to, d);
  double step = r->factor ? value_of(&r->step) : scaled(&r->step, d);
  bool whole = !r->factor || (step == floor(step) && d == 0);
  /* Room for what a product of decimals lost to rounding. */
  double top = r->factor ? to * (1 + 1e-12) : to;
  while (!rc && at <= top) {
    if (out->n >= LB_SWEEP_VALUES)
      return bad_range(text, end, "it has more values than a key can have",
                       err);
    rc = add_value(out, at / unit, whole ? d : -1, r->from.unit, err);
    at = r->factor ? at * step : at + step;
  }
  return rc;
}

/* ---- between commas ---- */

/* Where the value that begins at text ends; NULL: a quote or a bracket is
 * open, or one was closed that was not. */
static const char *value_end(const char *text)
{
  char open[64], quote = '\0';
  size_t depth = 0;
  for (; *text && (quote || depth || *text != ','); text++) {
    char c = *text;
    if (quote) {
      if (c == '\\' && quote == '"' && text[1])
        text++;
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      if (depth == sizeof open)
        return NULL;
      open[depth++] = c == '[' ? ']' : '}';
    } else if (c == ']' || c == '}') {
      if (!depth || open[--depth] != c)
        return NULL;
    }
  }
  return quote || depth ? NULL : text;
}

/* Hydra's functions, which would fall apart at their commas. */
static bool is_function(const char *text)
{
  static const char *const names[] = {
      "choice(", "range(", "interval(", "glob(", "sort(", "shuffle(", "tag("};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(text, names[i], strlen(names[i])))
      return true;
  return false;
}

static const char *trim_start(const char *p, const char *end)
{
  while (p < end && *p == ' ')
    p++;
  return p;
}

static const char *trim_end(const char *p, const char *end)
{
  while (end > p && end[-1] == ' ')
    end--;
  return end;
}

static int add_one(const char *p, const char *end, struct lb_texts *out,
                   struct lb_err *err)
{
  struct range r;
  if (p == end)
    return lb_err_set(err, LB_USAGE,
                      "a value between commas is empty; '' is an empty text");
  if (is_function(p))
    return lb_err_set(err, LB_USAGE,
                      "Hydra's functions are not taken; write a,b,c or a..b");
  if (read_range(p, end, &r))
    return add_range(p, end, &r, out, err);
  if (out->n >= LB_SWEEP_VALUES)
    return lb_err_set(err, LB_USAGE, "more than %d values", LB_SWEEP_VALUES);
  return lb_texts_add(out, p, (size_t)(end - p), err);
}

int lb_sweep_values(const char *text, struct lb_texts *out, struct lb_err *err)
{
  for (;; text++) {
    const char *end = value_end(text);
    if (!end)
      return lb_err_set(err, LB_USAGE,
                        "a quote or a bracket is not closed, or closed without "
                        "being open");
    const char *p = trim_start(text, end);
    if (add_one(p, trim_end(p, end), out, err))
      return -err->code;
    text = end;
    if (!*text)
      return 0;
  }
}
