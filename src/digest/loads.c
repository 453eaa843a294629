/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long accelerators waited for their batches. */
#include "lb-config.h"

#include <stdio.h>

#include "digest/story.h"

static const struct {
  const char *key, *name;
  bool marked; /* in the picture */
} quantiles[] = {{"p50_seconds", "p50", true},
                 {"p90_seconds", "p90", true},
                 {"p95_seconds", "p95", false},
                 {"p99_seconds", "p99", true},
                 {"p999_seconds", "p99.9", true}};
enum { N_QUANTILES = sizeof quantiles / sizeof *quantiles };

static void picture(struct lb_story *s)
{
  struct lb_step_digest *d = &s->steps;
  const json_t *load = lb_story_at(s, "loadbank.steps.train.load");
  struct lb_mark marks[N_QUANTILES];
  size_t first = 0, last = LB_LOAD_BINS, n = 0;
  double shown = 0;
  char note[300];
  for (size_t i = 0; i < LB_LOAD_BINS; i++)
    shown += d->bin[i];
  if (d->n_steps == 0 || shown == 0)
    return;
  while (d->bin[first] == 0)
    first++;
  while (d->bin[last - 1] == 0)
    last--;
  for (size_t i = 0; i < N_QUANTILES; i++) {
    double at = lb_story_real(load, quantiles[i].key);
    if (quantiles[i].marked && at >= d->edge_s[first])
      marks[n++] = (struct lb_mark){true, at, quantiles[i].name};
  }
  struct lb_series series = {
      .x = &d->edge_s[first], .y = &d->bin[first], .n = last - first};
  struct lb_picture p = {
      .kind = &lb_picture_histogram,
      .title = "Load times",
      .x = {.label = "wait for a batch", .measure = LB_SECONDS, .log = true},
      .y = {.label = "steps", .measure = LB_COUNT, .from_zero = true},
      .series = &series,
      .n_series = 1,
      .marks = marks,
      .n_marks = n};
  int len = snprintf(note, sizeof note,
                     "Training, all steps of all accelerators; four bars an "
                     "octave.");
  if (d->under > 0)
    snprintf(note + len, sizeof note - (size_t)len,
             " %.0f step%s waited less than 1 µs: not in it.", d->under,
             d->under == 1 ? "" : "s");
  lb_story_picture(s, &p, "load-times", note);
}

static void table(struct lb_story *s, const char *set, const char *title)
{
  static const char *const columns[] = {"Time",  "steps", "mean", "min",
                                        "p50",   "p90",   "p95",  "p99",
                                        "p99.9", "max",   NULL};
  static const char *const times[] = {"load", "compute", "gate", "lag", "late"};
  char path[60];
  snprintf(path, sizeof path, "loadbank.steps.%s", set);
  const json_t *all = lb_story_at(s, path);
  if (!all)
    return;
  lb_page_table(s->page, title, columns);
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    const json_t *o = json_object_get(all, times[i]);
    if (!o)
      continue;
    lb_page_cell(s->page, times[i]);
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "count"));
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "mean_seconds"));
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "min_seconds"));
    for (size_t k = 0; k < N_QUANTILES; k++)
      lb_page_number(s->page, LB_SECONDS, lb_story_real(o, quantiles[k].key));
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "max_seconds"));
  }
}

void lb_section_loads(struct lb_story *s)
{
  if (!lb_story_at(s, "loadbank.steps"))
    return;
  lb_page_section(s->page, 2, "Load times");
  picture(s);
  if (s->steps.missing)
    lb_page_say(s->page, "%llu records of steps were lost.",
                (unsigned long long)s->steps.missing);
  table(s, "train", "Times of steps, training");
  table(s, "eval", "Times of steps, evaluation");
}
