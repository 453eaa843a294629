/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long runs may take, and how long the next one will. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/sweep.h"

/* Up to max whole numbers between ':'; how many, or 0. */
static int read_parts(const char *text, long *part, int max)
{
  int n = 0;
  for (;; text++) {
    size_t digits = strspn(text, "0123456789");
    if (n == max || digits == 0 || digits > 8)
      return 0;
    part[n++] = strtol(text, NULL, 10);
    text += digits;
    if (*text != ':')
      return *text ? 0 : n;
  }
}

int lb_sweep_time_limit(const char *text, double *seconds, struct lb_err *err)
{
  const char *dash = strchr(text, '-');
  long part[4] = {0}, days[1] = {0};
  char first[16] = "";
  int n = 0;
  if (!dash) {
    n = read_parts(text, part + 1, 3);
    /* minutes; minutes:seconds; hours:minutes:seconds */
    if (n == 1 || n == 2) {
      part[3] = n == 2 ? part[2] : 0;
      part[2] = part[1];
      part[1] = 0;
    }
  } else if ((size_t)(dash - text) < sizeof first) {
    memcpy(first, text, (size_t)(dash - text));
    n = read_parts(first, days, 1) ? read_parts(dash + 1, part + 1, 3) : 0;
  }
  *seconds = ((double)days[0] * 24 + (double)part[1]) * 3600 +
             (double)part[2] * 60 + (double)part[3];
  if (n == 0 || *seconds <= 0)
    return lb_err_set(err, LB_USAGE,
                      "--time-limit: '%s' is none of MINUTES, "
                      "MINUTES:SECONDS, HOURS:MINUTES:SECONDS, "
                      "DAYS-HOURS:MINUTES:SECONDS, and above 0",
                      text);
  return 0;
}

void lb_sweep_time_text(double seconds, char out[LB_SWEEP_TIME_LEN])
{
  double s = seconds < 1e12 ? ceil(seconds) : 1e12;
  long long all = s > 0 ? (long long)s : 0;
  snprintf(out, LB_SWEEP_TIME_LEN, "%lld:%02lld:%02lld", all / 3600,
           all / 60 % 60, all % 60);
}

/* A run = what every run takes + its compute, stretched by waiting.  The least
 * overhead and the worst stretch, so that the guess errs to the long side. */
struct lb_sweep_pace lb_sweep_pace(const struct lb_sweep_took *took, size_t n)
{
  struct lb_sweep_pace p = {.known = n > 0, .factor = 1};
  for (size_t i = 0; i < n; i++) {
    double over = took[i].seconds - took[i].compute_s;
    over = over > 0 ? over : 0;
    p.overhead_s = i == 0 || over < p.overhead_s ? over : p.overhead_s;
  }
  for (size_t i = 0; i < n; i++) {
    double f = took[i].compute_s > 0
                   ? (took[i].seconds - p.overhead_s) / took[i].compute_s
                   : 1;
    p.factor = f > p.factor ? f : p.factor;
  }
  return p;
}

double lb_sweep_expect(const struct lb_sweep_pace *p, double compute_s)
{
  return p->known ? p->overhead_s + p->factor * compute_s : compute_s;
}
