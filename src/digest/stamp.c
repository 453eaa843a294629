/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time stamps of results, read back. */
#include "lb-config.h"

#include "digest/stamp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Days since 1970-01-01 of the Gregorian calendar. */
static double days(int year, int month, int day)
{
  static const int before[] = {0,   31,  59,  90,  120, 151,
                               181, 212, 243, 273, 304, 334};
  int y = year - (month <= 2); /* the last year whose 29 February counts */
  int leaps = y / 4 - y / 100 + y / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
  return (year - 1970) * 365.0 + leaps + before[month - 1] + day - 1;
}

/* n digits; -1: there are others. */
static int number(const char **text, int n)
{
  int v = 0;
  for (; n > 0; n--, (*text)++) {
    if (**text < '0' || **text > '9')
      return -1;
    v = 10 * v + (**text - '0');
  }
  return v;
}

double lb_stamp_seconds(const char *text)
{
  static const struct {
    int digits;
    char next; /* what follows */
  } parts[] = {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, '.'}};
  enum { PARTS = sizeof parts / sizeof *parts };
  int v[PARTS];
  for (int i = 0; i < PARTS; i++) {
    v[i] = text ? number(&text, parts[i].digits) : -1;
    if (v[i] < 0 || *text != parts[i].next)
      return NAN;
    text += i + 1 < PARTS;
  }
  char *end;
  double fraction = strtod(text, &end); /* from its point on */
  if (strcmp(end, "+00:00") != 0 || v[0] < 1970 || v[1] < 1 || v[1] > 12)
    return NAN;
  return days(v[0], v[1], v[2]) * 86400 + v[3] * 3600 + v[4] * 60 + v[5] +
         fraction;
}
