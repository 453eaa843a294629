/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of units, and numbers in them. */
#include "lb-config.h"

#include "picture/measure.h"

#include <math.h>
#include <stdio.h>

enum { MAX_UNITS = 7 };

static const struct lb_unit units[LB_N_MEASURES][MAX_UNITS] = {
    [LB_PLAIN] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}},
    [LB_COUNT] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}},
    [LB_PERCENT] = {{" %", 1}},
    [LB_SECONDS] = {{" ns", 1e-9},
                    {" µs", 1e-6},
                    {" ms", 1e-3},
                    {" s", 1},
                    {" min", 60},
                    {" h", 3600}},
    [LB_BYTES] = {{" B", 1},
                  {" KiB", 0x1p10},
                  {" MiB", 0x1p20},
                  {" GiB", 0x1p30},
                  {" TiB", 0x1p40},
                  {" PiB", 0x1p50}},
    [LB_BYTES_PER_S] = {{" B/s", 1},
                        {" KiB/s", 0x1p10},
                        {" MiB/s", 0x1p20},
                        {" GiB/s", 0x1p30},
                        {" TiB/s", 0x1p40},
                        {" PiB/s", 0x1p50}},
};

const struct lb_unit *lb_unit_for(enum lb_measure q, double value)
{
  const struct lb_unit *u = units[q];
  value = fabs(value);
  if (value == 0 && q == LB_SECONDS)
    value = 1;
  /* a hair below counts: 0.9999 of it would be written as 1000 of the last */
  for (int i = 1; i < MAX_UNITS && units[q][i].name; i++)
    if (value >= units[q][i].factor * 0.9995)
      u = &units[q][i];
  return u;
}

void lb_number_text(double value, double step, char out[LB_MEASURE_LEN])
{
  int decimals = 0;
  while (decimals < 9 && fabs(step - round(step)) > 1e-6 * fabs(step)) {
    step *= 10;
    decimals++;
  }
  step /= pow(10, decimals);
  if (fabs(value) < step * 1e-6)
    value = 0; /* no -0 */
  if (fabs(value) >= 1e9)
    snprintf(out, LB_MEASURE_LEN, "%.3g", value);
  else
    snprintf(out, LB_MEASURE_LEN, "%.*f", decimals, value);
}

void lb_measure_text(enum lb_measure q, double value, char out[LB_MEASURE_LEN])
{
  if (!isfinite(value)) {
    snprintf(out, LB_MEASURE_LEN, "none");
    return;
  }
  if (q == LB_COUNT && fabs(value) < 1e9) {
    snprintf(out, LB_MEASURE_LEN, "%.0f", value);
    return;
  }
  const struct lb_unit *u = lb_unit_for(q, value);
  double v = value / u->factor;
  bool whole = fabs(v - round(v)) <= 1e-9 * fabs(v);
  /* three digits, whole numbers in full; the last unit may have more */
  int decimals = fabs(v) >= 99.95 || whole ? 0 : fabs(v) >= 9.995 ? 1 : 2;
  if (fabs(v) < 0.995 && v != 0)
    snprintf(out, LB_MEASURE_LEN, "%.3g%s", v, u->name);
  else
    snprintf(out, LB_MEASURE_LEN, "%.*f%s", decimals, v, u->name);
}
