/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing of numbers, sizes and booleans.  Whole numbers never pass through a
 * double: digits are collected, then scaled by powers of ten and the unit in
 * checked integer arithmetic. */
#include "lb-config.h"

#include "loadbank/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal taken apart: digits x 10^exponent, and what follows it. */
struct decimal {
  bool negative;
  uint64_t digits;
  int exponent;
  const char *rest;
};

static const struct {
  const char *name;
  int64_t bytes;
} units[] = {
    {"B", 1},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {"KB", 1000},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", INT64_C(1000000000000)},
};

/* 0: there is no such unit. */
static int64_t unit_bytes(const char *text)
{
  while (*text == ' ')
    text++;
  if (!*text)
    return 1;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(text, units[i].name))
      return units[i].bytes;
  return 0;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Appends the digits at *s.  False: more than 64 bits. */
static bool take_digits(const char **s, struct decimal *d, bool fraction)
{
  for (; is_digit(**s); ++*s) {
    if (__builtin_mul_overflow(d->digits, 10u, &d->digits) ||
        __builtin_add_overflow(d->digits, (uint64_t)(**s - '0'), &d->digits))
      return false;
    d->exponent -= fraction;
  }
  return true;
}

static enum lb_parsed take_decimal(const char *s, struct decimal *d)
{
  *d = (struct decimal){.negative = *s == '-'};
  s += *s == '-' || *s == '+';
  if (!is_digit(s[0]) && !(s[0] == '.' && is_digit(s[1])))
    return LB_PARSED_NOT;
  if (s[0] == '0' && is_digit(s[1]))
    return LB_PARSED_NOT;
  if (!take_digits(&s, d, false))
    return LB_PARSED_LARGE;
  if (*s == '.') {
    s++;
    /* Trailing zeros of a fraction say nothing and must not overflow. */
    size_t n = strspn(s, "0123456789");
    const char *end = s + n;
    while (n && s[n - 1] == '0')
      n--;
    if (n > 18)
      return LB_PARSED_LARGE;
    for (size_t i = 0; i < n; i++) {
      const char digit[2] = {s[i], '\0'};
      const char *p = digit;
      if (!take_digits(&p, d, true))
        return LB_PARSED_LARGE;
    }
    s = end;
  }
  if ((*s == 'e' || *s == 'E') &&
      is_digit(s[1 + (s[1] == '+' || s[1] == '-')])) {
    char *end;
    long e = strtol(s + 1, &end, 10);
    if (e < -400 || e > 400)
      return LB_PARSED_LARGE;
    d->exponent += (int)e;
    s = end;
  }
  d->rest = s;
  return LB_PARSED_OK;
}

enum lb_parsed lb_parse_int(const char *text, bool bytes, int64_t *value)
{
  struct decimal d;
  enum lb_parsed rc = take_decimal(text, &d);
  if (rc != LB_PARSED_OK)
    return rc;
  int64_t unit = bytes ? unit_bytes(d.rest) : *d.rest == '\0';
  if (!unit)
    return LB_PARSED_NOT;
  uint64_t v = d.digits;
  /* A fraction such as 1.5 GiB: the unit first, then the powers of ten. */
  if (__builtin_mul_overflow(v, (uint64_t)unit, &v))
    return LB_PARSED_LARGE;
  for (; d.exponent > 0 && v; d.exponent--)
    if (__builtin_mul_overflow(v, 10u, &v))
      return LB_PARSED_LARGE;
  bool fraction = false;
  for (; d.exponent < 0 && v; d.exponent++) {
    fraction |= v % 10 != 0;
    v /= 10;
  }
  if (fraction && (!bytes || d.negative))
    return LB_PARSED_FRACTION;
  if (v > (uint64_t)INT64_MAX + d.negative)
    return LB_PARSED_LARGE;
  *value = d.negative ? (int64_t)(0 - v) : (int64_t)v;
  return fraction ? LB_PARSED_ROUNDED : LB_PARSED_OK;
}

enum lb_parsed lb_parse_real(const char *text, bool bytes, double *value)
{
  /* strtod alone would take hex, "inf", "nan" and leading blanks. */
  const char *s = text + (*text == '-' || *text == '+');
  if (!is_digit(s[0]) && !(s[0] == '.' && is_digit(s[1])))
    return LB_PARSED_NOT;
  if (s[0] == '0' && (is_digit(s[1]) || s[1] == 'x' || s[1] == 'X'))
    return LB_PARSED_NOT;
  char *end;
  double v = strtod(text, &end);
  int64_t unit = bytes ? unit_bytes(end) : *end == '\0';
  if (!unit)
    return LB_PARSED_NOT;
  v *= (double)unit;
  if (!isfinite(v))
    return LB_PARSED_LARGE;
  *value = v;
  return LB_PARSED_OK;
}

bool lb_parse_bool(const char *text, bool *value)
{
  static const char *const words[][3] = {
      {"true", "True", "TRUE"}, {"yes", "Yes", "YES"},
      {"on", "On", "ON"},       {"false", "False", "FALSE"},
      {"no", "No", "NO"},       {"off", "Off", "OFF"}};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++)
      if (!strcmp(text, words[i][j])) {
        *value = i < 3;
        return true;
      }
  return false;
}

void lb_format_real(double value, char out[LB_REAL_LEN])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, LB_REAL_LEN, "%.*g", digits, value);
    if (strtod(out, NULL) == value)
      return;
  }
}

int lb_digits(int64_t n)
{
  int digits = 1;
  while (n >= 10) {
    n /= 10;
    digits++;
  }
  return digits;
}
