/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time stamps, read back. */
#include "lb-config.h"

#include "loadbank/stamp.h"

#include <math.h>
#include <string.h>
#include <time.h>

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
  if (hours < 0)
    return NAN;
  text += *text == ':';
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
    int digits, least, most;
    const char *next; /* one of these follows; NULL: anything */
  } parts[] = {{4, 1970, 9999, "-"}, {2, 1, 12, "-"}, {2, 1, 31, "T "},
               {2, 0, 23, ":"},      {2, 0, 59, ":"}, {2, 0, 61, NULL}};
  enum { PARTS = sizeof parts / sizeof *parts };
  int v[PARTS];
  for (int i = 0; i < PARTS; i++) {
    v[i] = text ? number(&text, parts[i].digits) : -1;
    if (v[i] < parts[i].least || v[i] > parts[i].most)
      return NAN;
    if (parts[i].next && (!*text || !strchr(parts[i].next, *text++)))
      return NAN;
  }
  struct tm tm = {.tm_year = v[0] - 1900,
                  .tm_mon = v[1] - 1,
                  .tm_mday = v[2],
                  .tm_hour = v[3],
                  .tm_min = v[4],
                  .tm_sec = v[5]};
  double part = fraction(&text), east = offset(text);
  return (double)timegm(&tm) + part - east;
}
