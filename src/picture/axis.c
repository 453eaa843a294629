/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes: ends, ticks at round numbers, places. */
#include "lb-config.h"

#include "picture/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double lb_nice_step(double step)
{
  static const double nice[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(step)));
  for (size_t i = 0; i < sizeof nice / sizeof *nice; i++)
    if (step <= nice[i] * power * (1 + 1e-9))
      return nice[i] * power;
  return 10 * power;
}

void lb_extent_add(struct lb_extent *e, const struct lb_axis *a,
                   const double *v, size_t n)
{
  for (size_t i = 0; v && i < n; i++) {
    if (!isfinite(v[i]) || (a->log && v[i] <= 0))
      continue;
    e->low = v[i] < e->low ? v[i] : e->low;
    e->high = v[i] > e->high ? v[i] : e->high;
  }
}

static void add_tick(struct lb_scale *s, double value)
{
  double slack = (s->high - s->low) * 1e-9;
  if (s->n_ticks < LB_TICKS && value >= s->low - slack &&
      value <= s->high + slack)
    s->tick[s->n_ticks++] = value;
}

static void linear(struct lb_scale *s, int ticks)
{
  const struct lb_axis *a = s->axis;
  double reach = fabs(s->high) > fabs(s->low) ? fabs(s->high) : fabs(s->low);
  s->unit = lb_unit_for(a->measure, reach);
  double f = s->unit->factor;
  s->step = lb_nice_step((s->high - s->low) / f / ticks);
  if (a->measure == LB_COUNT && s->step * f < 1)
    s->step = 1 / f;
  double step = s->step * f;
  if (!a->fixed) {
    s->low = floor(s->low / step + 1e-9) * step;
    s->high = ceil(s->high / step - 1e-9) * step;
  }
  double first = ceil(s->low / step - 1e-9);
  for (int i = 0; i < LB_TICKS; i++)
    add_tick(s, (first + i) * step);
}

/* At powers of ten; where these are few, at 2 and 5 times them, too. */
static void logarithmic(struct lb_scale *s, int ticks)
{
  double decades = log10(s->high / s->low);
  int every = (int)ceil(decades / ticks);
  every = every < 1 ? 1 : every;
  for (int d = (int)floor(log10(s->low)); d <= ceil(log10(s->high));
       d += every) {
    add_tick(s, pow(10, d));
    if (decades * 3 <= ticks + 1) {
      add_tick(s, 2 * pow(10, d));
      add_tick(s, 5 * pow(10, d));
    }
  }
  s->unit = NULL; /* each tick has its own */
}

void lb_scale_init(struct lb_scale *s, const struct lb_axis *a,
                   struct lb_extent e, int ticks)
{
  *s = (struct lb_scale){.axis = a, .low = e.low, .high = e.high};
  if (a->n_words) {
    s->low = -0.5;
    s->high = (double)a->n_words - 0.5;
    return;
  }
  if (a->fixed) {
    s->low = a->low;
    s->high = a->high;
  } else if (s->low > s->high) { /* there is nothing */
    s->low = a->log ? 1 : 0;
    s->high = a->log ? 10 : 1;
  }
  if (a->from_zero && !a->log)
    s->low = s->low < 0 ? s->low : 0;
  if (s->high <= s->low) /* one value only: it lies in the middle, or on top */
    s->high = s->low == 0 ? 1 : a->log ? s->low * 1.1 : s->low + fabs(s->low);
  if (a->log)
    logarithmic(s, ticks);
  else
    linear(s, ticks);
}

double lb_scale_at(const struct lb_scale *s, double value)
{
  double part = s->axis->log ? log(value / s->low) / log(s->high / s->low)
                             : (value - s->low) / (s->high - s->low);
  return s->from + part * (s->to - s->from);
}

bool lb_scale_has(const struct lb_scale *s, double value)
{
  return isfinite(value) && (!s->axis->log || value > 0);
}

bool lb_tick_has_unit(const struct lb_scale *s)
{
  return !s->unit || *s->unit->name != ' ';
}

void lb_tick_text(const struct lb_scale *s, double value,
                  char out[LB_MEASURE_LEN])
{
  if (!s->unit) {
    lb_measure_text(s->axis->measure, value, out);
    return;
  }
  lb_number_text(value / s->unit->factor, s->step, out);
  size_t n = strlen(out);
  if (lb_tick_has_unit(s) && strcmp(out, "0") != 0)
    snprintf(out + n, LB_MEASURE_LEN - n, "%s", s->unit->name);
}
