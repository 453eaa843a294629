/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerator utilisation: pure formulas over sums of steps.  Knows no clock
 * and no rank. */
#include "lb-config.h"

#include "metrics/au.h"

#include <math.h>
#include <string.h>

void lb_window_begin(struct lb_window *w)
{
  memset(&w->sums, 0, sizeof w->sums);
  w->held = w->next = 0;
}

static void exclude(struct lb_block_sums *b, const struct lb_step *s)
{
  b->excluded_ns += s->load_ns + s->compute_ns;
}

static void include(struct lb_block_sums *b, const struct lb_step *s)
{
  b->window++;
  b->compute_ns += s->compute_ns;
  b->requested_ns += s->requested_ns;
  b->load_ns += s->load_ns;
  b->last_load_ns += s->last_load_ns;
}

void lb_window_step(struct lb_window *w, const struct lb_step *s)
{
  struct lb_block_sums *b = &w->sums;
  b->all_load_ns += s->load_ns;
  b->all_compute_ns += s->compute_ns;
  b->gate_ns += s->gate_ns;
  b->late_ns += s->late_ns;
  if (b->steps++ < w->exclude_start) {
    exclude(b, s);
    return;
  }
  if (w->exclude_end == 0) {
    include(b, s);
    return;
  }
  if (w->held == w->exclude_end)
    include(b, &w->ring[w->next]);
  else
    w->held++;
  w->ring[w->next] = *s;
  w->next = w->next + 1 == w->exclude_end ? 0 : w->next + 1;
}

void lb_window_end(struct lb_window *w, uint64_t block_ns)
{
  for (int64_t i = 0; i < w->held; i++)
    exclude(&w->sums, &w->ring[i]);
  w->held = w->next = 0;
  w->sums.block_ns = block_ns;
}

uint64_t lb_au_window_ns(const struct lb_block_sums *b)
{
  if (b->window <= 0 || b->block_ns <= b->excluded_ns)
    return 0;
  return b->block_ns - b->excluded_ns;
}

/* Stamps of two clocks reads may make a sum of computes a few ns longer than
 * the time it lies in: that is 100 %, not more. */
static double share_percent(const struct lb_block_sums *b, uint64_t ns)
{
  uint64_t t = lb_au_window_ns(b);
  if (t == 0)
    return NAN;
  return ns >= t ? 100.0 : 100.0 * (double)ns / (double)t;
}

double lb_au_percent(const struct lb_block_sums *b)
{
  return share_percent(b, b->compute_ns);
}

double lb_au_nominal_percent(const struct lb_block_sums *b)
{
  return share_percent(b, b->requested_ns);
}

double lb_au_samples_per_s(const struct lb_block_sums *b, int64_t batch)
{
  uint64_t t = lb_au_window_ns(b);
  if (t == 0)
    return NAN;
  return (double)b->window * (double)batch / ((double)t / 1e9);
}

double lb_au_all_samples_per_s(const struct lb_block_sums *b, int64_t batch)
{
  if (b->block_ns == 0 || b->steps == 0)
    return NAN;
  return (double)b->steps * (double)batch / ((double)b->block_ns / 1e9);
}

void lb_au_epoch_add(struct lb_au_epoch *e, const struct lb_block_sums *b,
                     double samples_per_s)
{
  double n = (double)b->steps;
  e->blocks++;
  if (!isnan(samples_per_s)) {
    e->rate_weight += n;
    e->rate += n * samples_per_s;
  }
  if (lb_au_window_ns(b) == 0) {
    e->windowless++;
    return;
  }
  e->au_weight += n;
  e->au += n * lb_au_percent(b);
  e->nominal += n * lb_au_nominal_percent(b);
}

double lb_au_epoch_au(const struct lb_au_epoch *e)
{
  return e->au_weight > 0 ? e->au / e->au_weight : NAN;
}

double lb_au_epoch_nominal(const struct lb_au_epoch *e)
{
  return e->au_weight > 0 ? e->nominal / e->au_weight : NAN;
}

double lb_au_epoch_rate(const struct lb_au_epoch *e)
{
  return e->rate_weight > 0 ? e->rate / e->rate_weight : NAN;
}

void lb_mean_stdev(const double *v, size_t n, double *mean, double *stdev)
{
  double sum = 0, squares = 0;
  size_t finite = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite(v[i])) {
      sum += v[i];
      finite++;
    }
  *mean = finite ? sum / (double)finite : NAN;
  for (size_t i = 0; i < n; i++)
    if (isfinite(v[i]))
      squares += (v[i] - *mean) * (v[i] - *mean);
  *stdev = finite ? sqrt(squares / (double)finite) : NAN;
}
