/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as people write them, and back. */
#ifndef LOADBANK_UNITS_H
#define LOADBANK_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#define LB_MIB 1048576.0 /* bytes */
#define LB_GIB 1073741824.0

enum lb_parsed {
  LB_PARSED_OK,
  LB_PARSED_ROUNDED,  /* a size with a fraction of a byte, rounded down */
  LB_PARSED_NOT,      /* not such a number */
  LB_PARSED_FRACTION, /* a number, but not a whole one */
  LB_PARSED_LARGE,    /* does not fit */
};

/* A whole number, exact to 2^63: digits, or 1e6, 12.0.  With `bytes' also
 * 64 KiB, 1.5GB ..., and fractions of a byte are rounded down.  No leading
 * zeros: YAML 1.1 would read octal. */
enum lb_parsed lb_parse_int(const char *text, bool bytes, int64_t *value);

/* A finite number; with `bytes' also 64 KiB ... */
enum lb_parsed lb_parse_real(const char *text, bool bytes, double *value);

/* YAML 1.1: true/yes/on, false/no/off in lower, upper or title case. */
bool lb_parse_bool(const char *text, bool *value);

/* The shortest decimal that reads back as the same double. */
enum { LB_REAL_LEN = 32 };
void lb_format_real(double value, char out[LB_REAL_LEN]);

/* What n things are called, and what they do: "file%s %s there". */
static inline const char *lb_plural(int64_t n)
{
  return n == 1 ? "" : "s";
}
static inline const char *lb_are(int64_t n)
{
  return n == 1 ? "is" : "are";
}

/* Decimal digits of n >= 0. */
int lb_digits(int64_t n);

#endif
