/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time stamps, read back. */
#include "lb-config.h"

#include "loadbank/stamp.h"

#include <math.h>
#include <stdbool.h>
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

/* Seconds east of Greenwich of what stands at the end; NAN: no offset. */
static double offset(const char *text)
{
  if (!*text || !strcmp(text, "Z"))
    return 0;
  double sign = *text == '-' ? -1 : 1;
  if (*text != '-' && *text != '+')
    return NAN;
  text++;
  int hours = number(&text, 2);
  if (hours < 0 || *text++ != ':')
    return NAN;
  int minutes = number(&text, 2);
  return minutes < 0 || *text ? NAN : sign * (hours * 3600 + minutes * 60);
}

/* ".25" and what follows it. */
static double fraction(const char **text)
{
  double v = 0, digit = 0.1;
  if (**text != '.')
    return 0;
  for (++*text; **text >= '0' && **text <= '9'; ++*text) {
    v += (**text - '0') * digit;
    digit /= 10;
  }
  return v;
}

double lb_stamp_seconds(const char *text)
{
  static const struct {
    int digits;
    char next; /* what follows; '\0': anything */
  } parts[] = {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, '\0'}};
  enum { PARTS = sizeof parts / sizeof *parts };
  int v[PARTS];
  for (int i = 0; i < PARTS; i++) {
    v[i] = text ? number(&text, parts[i].digits) : -1;
    if (v[i] < 0 || (parts[i].next && *text != parts[i].next))
      return NAN;
    text += parts[i].next != '\0';
  }
  double part = fraction(&text), east = offset(text);
  if (isnan(east) || v[0] < 1970 || v[1] < 1 || v[1] > 12)
    return NAN;
  return days(v[0], v[1], v[2]) * 86400 + v[3] * 3600 + v[4] * 60 + v[5] +
         part - east;
}
