/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changed while the run went on: steps, AU, bytes and requests, by the
 * seconds since its start. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "digest/story.h"

enum { MANY_STEPS = 2000, STRETCHES = 370 };
static const struct lb_axis since = {
    .label = "time since the start", .measure = LB_SECONDS, .from_zero = true};
/* A second of which less lies in steps says nothing of AU. */
static const double least_inside_s = 0.05;
static const double gap_s = 1e-4; /* more than rounding of stamps */

/* A line of steps: single ones, or of many in a stretch of time the mean, with
 * the least and the most. */
struct trace {
  double *x, *y, *low, *high;
  size_t n;
};

static bool new_trace(struct lb_story *s, struct trace *t, size_t n)
{
  *t = (struct trace){.x = lb_story_doubles(s, n),
                      .y = lb_story_doubles(s, n),
                      .low = lb_story_doubles(s, n),
                      .high = lb_story_doubles(s, n)};
  return t->x && t->y && t->low && t->high;
}

static void put(struct trace *t, double x, double y, double low, double high)
{
  t->x[t->n] = x;
  t->y[t->n] = y;
  t->low[t->n] = low;
  t->high[t->n++] = high;
}

/* A point for each step, and a gap between blocks: what lies there is no
 * step. */
static void single(const struct lb_step_digest *d, const double *v,
                   struct trace *t)
{
  double end = NAN;
  for (size_t i = 0; i < d->n_steps; i++) {
    double lasts = isnan(d->step_s[i]) ? 0 : d->step_s[i];
    if (d->end_s[i] - lasts > end + gap_s)
      put(t, end, NAN, NAN, NAN);
    end = d->end_s[i];
    put(t, end, v[i], NAN, NAN);
  }
}

/* A point for each stretch; a gap where one has no step. */
static void stretches(const struct lb_step_digest *d, const double *v,
                      struct trace *t)
{
  double each = d->end_s[d->n_steps - 1] / STRETCHES;
  size_t i = 0;
  for (int k = 0; k < STRETCHES; k++) {
    double sum = 0, low = INFINITY, high = -INFINITY, n = 0;
    for (; i < d->n_steps &&
           (d->end_s[i] <= (k + 1) * each || k + 1 == STRETCHES);
         i++) {
      if (isnan(v[i]))
        continue;
      sum += v[i];
      low = fmin(low, v[i]);
      high = fmax(high, v[i]);
      n++;
    }
    if (n > 0)
      put(t, (k + 0.5) * each, sum / n, low, high);
    else
      put(t, (k + 0.5) * each, NAN, NAN, NAN);
  }
}

static void steps(struct lb_story *s)
{
  const struct lb_step_digest *d = &s->steps;
  const double *values[] = {d->step_s, d->load_s};
  struct lb_series series[] = {{.name = "step"}, {.name = "longest load"}};
  bool many = d->n_steps > MANY_STEPS;
  for (int k = 0; k < 2; k++) {
    struct trace t;
    if (!new_trace(s, &t, many ? STRETCHES : 2 * d->n_steps))
      return;
    (many ? stretches : single)(d, values[k], &t);
    series[k].x = t.x;
    series[k].y = t.y;
    series[k].low = many ? t.low : NULL;
    series[k].high = many ? t.high : NULL;
    series[k].n = t.n;
  }
  struct lb_picture p = {
      .kind = &lb_picture_lines,
      .title = "Steps over time",
      .x = since,
      .y = {.label = "duration", .measure = LB_SECONDS, .from_zero = true},
      .series = series,
      .n_series = 2};
  lb_story_picture(s, &p, "steps",
                   many ? "Steps of training, from gate to gate, and the "
                          "longest wait for a batch of any accelerator in "
                          "each: the means of stretches of time, with the "
                          "least and the most."
                        : "Each step of training, from gate to gate, and the "
                          "longest wait for a batch of any accelerator in "
                          "it.");
}

static void au(struct lb_story *s)
{
  const struct lb_step_digest *d = &s->steps;
  double *x = lb_story_doubles(s, d->n_seconds);
  double *y = lb_story_doubles(s, d->n_seconds);
  for (size_t i = 0; x && y && i < d->n_seconds; i++) {
    double could = d->inside_s[i] * (double)d->n_accelerators;
    x[i] = (double)i + 0.5;
    y[i] = d->inside_s[i] < least_inside_s
               ? NAN
               : fmin(100, 100 * d->compute_s[i] / could);
  }
  struct lb_series series = {.x = x, .y = y, .n = d->n_seconds};
  struct lb_picture p = {
      .kind = &lb_picture_lines,
      .title = "AU over time",
      .x = since,
      .y = {.label = "AU", .measure = LB_PERCENT, .fixed = true, .high = 100},
      .series = &series,
      .n_series = 1};
  lb_story_picture(s, &p, "au-time",
                   "For each second of training the share that accelerators "
                   "computed; no step is left out.");
}

/* Bytes of the steps, evenly over the time of each: what training took, not
 * what the storage was asked for at that moment. */
static void derived_bytes(struct lb_story *s)
{
  const struct lb_step_digest *d = &s->steps;
  double bytes = lb_result_number(s->r, "loadbank.train_file_bytes");
  double each = bytes / (double)d->n_steps;
  double *x = lb_story_doubles(s, d->n_seconds);
  double *y = lb_story_doubles(s, d->n_seconds);
  if (!x || !y || !isfinite(bytes))
    return;
  for (size_t i = 0; i < d->n_seconds; i++)
    x[i] = (double)i + 0.5;
  for (size_t i = 0; i < d->n_steps; i++) {
    double lasts = d->step_s[i], from = d->end_s[i] - lasts;
    if (isnan(lasts) || lasts <= 0)
      continue;
    for (size_t k = (size_t)from; k < d->n_seconds && (double)k < d->end_s[i];
         k++)
      y[k] += each / lasts *
              (fmin(d->end_s[i], (double)k + 1) - fmax(from, (double)k));
  }
  struct lb_series series = {.x = x, .y = y, .n = d->n_seconds};
  struct lb_picture p = {
      .kind = &lb_picture_lines,
      .title = "Bytes over time, derived from steps",
      .x = since,
      .y = {.label = "read", .measure = LB_BYTES_PER_S, .from_zero = true},
      .series = &series,
      .n_series = 1};
  lb_story_picture(s, &p, "bytes",
                   "No record of single seconds: the bytes of each step, "
                   "evenly over its duration.");
}

struct burst {
  double total, mean, peak;
  size_t seconds, at; /* at: the peak's second */
};

/* From the first second with anything to the last, both included. */
static struct burst burst_of(const double *v, size_t n)
{
  struct burst b = {0};
  size_t first = 0;
  while (first < n && v[first] == 0)
    first++;
  while (n > first && v[n - 1] == 0)
    n--;
  b.seconds = n - first;
  for (size_t i = first; i < n; i++) {
    b.total += v[i];
    if (v[i] > b.peak) {
      b.peak = v[i];
      b.at = i;
    }
  }
  b.mean = b.seconds ? b.total / (double)b.seconds : NAN;
  return b;
}

static void burst_row(struct lb_story *s, const char *what, enum lb_measure q,
                      const double *v)
{
  struct burst b = burst_of(v, s->seconds.n);
  if (b.seconds == 0)
    return;
  lb_page_cell(s->page, what);
  lb_page_number(s->page, LB_COUNT, (double)b.seconds);
  lb_page_number(s->page, q, b.mean);
  lb_page_number(s->page, q, b.peak);
  lb_page_number(s->page, LB_SECONDS, (double)b.at);
  lb_page_number(s->page, LB_PLAIN, b.peak / b.mean);
}

static bool any(const double *v, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (v[i] > 0)
      return true;
  return false;
}

/* One line for each kind that there was. */
static void rates(struct lb_story *s, double *const *v, struct lb_picture p,
                  const char *id, const char *note)
{
  static const char *const names[LB_N_PACES] = {
      [LB_PACE_READ] = "read",
      [LB_PACE_WRITE] = "write",
      [LB_PACE_OTHER] = "other (open, stat, close ...)"};
  struct lb_series series[LB_N_PACES];
  double *x = lb_story_doubles(s, s->seconds.n);
  for (size_t i = 0; x && i < s->seconds.n; i++)
    x[i] = (double)i + 0.5;
  for (int k = 0; k < LB_N_PACES; k++)
    if (any(v[k], s->seconds.n))
      series[p.n_series++] = (struct lb_series){
          .name = names[k], .x = x, .y = v[k], .n = s->seconds.n};
  p.series = series;
  if (p.n_series)
    lb_story_picture(s, &p, id, note);
}

static void recorded(struct lb_story *s)
{
  struct lb_picture bytes = {.kind = &lb_picture_lines,
                             .title = "Bytes over time",
                             .x = since,
                             .y = {.label = "all ranks",
                                   .measure = LB_BYTES_PER_S,
                                   .from_zero = true}};
  struct lb_picture requests = {.kind = &lb_picture_lines,
                                .title = "Requests over time",
                                .x = since,
                                .y = {.label = "requests/s, all ranks",
                                      .measure = LB_PLAIN,
                                      .from_zero = true}};
  rates(s, s->seconds.bytes, bytes, "bytes",
        "Bytes of the requests that ended in each second; reading ahead, "
        "generation, evaluation and checkpoints included.");
  rates(s, s->seconds.count, requests, "requests",
        "Requests that ended in each second.");
}

static void bursts(struct lb_story *s)
{
  static const char *const columns[] = {
      "Rate", "seconds", "mean", "peak", "peak at", "burst factor", NULL};
  const struct lb_seconds *v = &s->seconds;
  lb_page_table(s->page, "Bursts, by the second", columns);
  burst_row(s, "bytes read", LB_BYTES_PER_S, v->bytes[LB_PACE_READ]);
  burst_row(s, "bytes written", LB_BYTES_PER_S, v->bytes[LB_PACE_WRITE]);
  burst_row(s, "reads/s", LB_PLAIN, v->count[LB_PACE_READ]);
  burst_row(s, "writes/s", LB_PLAIN, v->count[LB_PACE_WRITE]);
  burst_row(s, "other requests/s", LB_PLAIN, v->count[LB_PACE_OTHER]);
}

void lb_section_time(struct lb_story *s)
{
  bool traced = s->steps.n_steps > 0, counted = s->seconds.n > 0;
  bool broken = s->no_seconds[0] != '\0';
  if (!traced && !counted && !broken)
    return;
  lb_page_section(s->page, 2, "Over time");
  if (traced) {
    steps(s);
    au(s);
  }
  if (counted) {
    recorded(s);
    bursts(s);
  } else {
    if (traced)
      derived_bytes(s);
    lb_page_say(s->page, "Requests by the second are not known: %s.",
                broken ? s->no_seconds : "there is no " LB_PACE_FILE);
  }
}
