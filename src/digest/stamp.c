/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time stamps of results, read back. */
#include "lb-config.h"

#include "digest/stamp.h"

#include <math.h>
#include <stdio.h>

/* Days since 1970-01-01 of the Gregorian calendar. */
static double days(int year, int month, int day)
{
  static const int before[] = {0,   31,  59,  90,  120, 151,
                               181, 212, 243, 273, 304, 334};
  int y = year - (month <= 2); /* the last year whose 29 February counts */
  int leaps = y / 4 - y / 100 + y / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
  return (year - 1970) * 365.0 + leaps + before[month - 1] + day - 1;
}

double lb_stamp_seconds(const char *text)
{
  int year, month, day, hour, minute, n = 0;
  double second;
  if (!text ||
      sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lf+00:00%n", &year, &month, &day,
             &hour, &minute, &second, &n) != 6 ||
      n == 0 || year < 1970 || month < 1 || month > 12)
    return NAN;
  return days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}
