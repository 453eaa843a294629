/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changed while the run went on: steps, AU, bytes and requests, by the
 * seconds since its start. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "digest/story.h"

static const struct lb_axis since = {
    .label = "time since the start", .measure = LB_SECONDS, .from_zero = true};
/* A second of which less lies in steps says nothing of AU. */
static const double least_inside_s = 0.05;

static void steps(struct lb_story *s)
{
  const struct lb_step_digest *d = &s->steps;
  struct lb_series series[] = {
      {.name = "step", .x = d->end_s, .y = d->step_s, .n = d->n_steps},
      {.name = "longest load", .x = d->end_s, .y = d->load_s, .n = d->n_steps}};
  struct lb_picture p = {
      .kind = &lb_picture_lines,
      .title = "Steps over time",
      .x = since,
      .y = {.label = "duration", .measure = LB_SECONDS, .from_zero = true},
      .series = series,
      .n_series = 2};
  lb_story_picture(s, &p, "steps",
                   "Each step of training, from gate to gate, and the longest "
                   "wait for a batch of any accelerator in it.");
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
  if (!traced && !counted)
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
    derived_bytes(s);
    lb_page_say(s->page, "Requests by the second are not known: %s.",
                s->no_seconds);
  }
}
