/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: how long each took, and whom it waited for. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "digest/story.h"
#include "loadbank/units.h"

enum { MOST_BARS = 128, MOST_ROWS = 200 };
/* "loadbank.save_checkpoint_<key>" as a list. */
static double *list(struct lb_story *s, const char *kind, const char *key,
                    size_t *n)
{
  char path[100];
  snprintf(path, sizeof path, "loadbank.%s_checkpoint_%s", kind, key);
  return lb_story_list(s, path, n);
}

static void durations(struct lb_story *s, const char *kind, const char *title)
{
  size_t n, first, parts;
  double *slowest = list(s, kind, "duration_seconds", &n);
  double *own = list(s, kind, "first_accelerator_seconds", &first);
  double *sync = list(s, kind, "fsync_seconds", &parts);
  double *x = lb_story_numbers(s, n);
  struct lb_series series[3];
  size_t k = 0;
  if (n == 0)
    return;
  series[k++] = (struct lb_series){
      .name = "slowest accelerator", .x = x, .y = slowest, .n = n};
  if (first == n)
    series[k++] =
        (struct lb_series){.name = "accelerator 0", .x = x, .y = own, .n = n};
  if (parts == n)
    series[k++] = (struct lb_series){
        .name = "of the slowest: fsync", .x = x, .y = sync, .n = n};
  struct lb_picture p = {
      .kind = n > MOST_BARS ? &lb_picture_lines : &lb_picture_bars,
      .title = title,
      .x = {.label = "checkpoint", .measure = LB_COUNT},
      .y = {.label = "duration", .measure = LB_SECONDS, .from_zero = true},
      .series = series,
      .n_series = k};
  char id[40];
  snprintf(id, sizeof id, "checkpoint-%s", kind);
  lb_story_picture(s, &p, id,
                   "A checkpoint lasts as long as its slowest accelerator "
                   "takes.");
}

static void rates(struct lb_story *s, const char *kind, const char *title)
{
  size_t n, lows, highs;
  double *mean = list(s, kind, "accelerator_mean_GiB_per_second", &n);
  double *low = list(s, kind, "accelerator_min_GiB_per_second", &lows);
  double *high = list(s, kind, "accelerator_max_GiB_per_second", &highs);
  if (n == 0 || lows != n || highs != n || !mean || !low || !high)
    return;
  for (size_t i = 0; i < n; i++) {
    mean[i] *= LB_GIB;
    low[i] *= LB_GIB;
    high[i] *= LB_GIB;
  }
  struct lb_series series = {
      .x = lb_story_numbers(s, n), .y = mean, .low = low, .high = high, .n = n};
  struct lb_picture p = {.kind = &lb_picture_points,
                         .title = title,
                         .x = {.label = "checkpoint", .measure = LB_COUNT},
                         .y = {.label = "of one accelerator",
                               .measure = LB_BYTES_PER_S,
                               .from_zero = true},
                         .series = &series,
                         .n_series = 1};
  char id[40];
  snprintf(id, sizeof id, "straggle-%s", kind);
  lb_story_picture(s, &p, id,
                   "Mean over the accelerators that moved bytes; the line "
                   "reaches from the slowest to the fastest.");
}

/* How far the slowest is behind, of the checkpoint that is number i of its
 * kind. */
static void spread_cell(struct lb_story *s, const char *kind, size_t i)
{
  size_t n;
  const double *ratio = list(s, kind, "p99_over_mean", &n);
  lb_page_number(s->page, LB_PLAIN, i < n && ratio ? ratio[i] : NAN);
}

static void table(struct lb_story *s)
{
  static const char *const columns[] = {
      "Kind",        "Number",     "Epoch", "Step", "duration",
      "stood still", "in place",   "size",  "rate", "slowest accelerator",
      "its rank",    "p99 / mean", NULL};
  const json_t *all = lb_story_at(s, "loadbank.checkpoints");
  size_t n = json_array_size(all), of_kind[2] = {0, 0};
  if (n == 0)
    return;
  lb_page_table(s->page, "Checkpoints", columns);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    const json_t *o = json_array_get(all, i);
    const json_t *slow = json_object_get(o, "straggler");
    const char *kind = json_string_value(json_object_get(o, "kind"));
    bool load = kind && !strcmp(kind, "load");
    double seconds = lb_story_real(o, "seconds");
    double size = lb_story_real(o, "size_bytes");
    lb_page_cell(s->page, kind);
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "number"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "epoch"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "step"));
    lb_page_number(s->page, LB_SECONDS, seconds);
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "visible_seconds"));
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "durable_seconds"));
    lb_page_number(s->page, LB_BYTES, size);
    lb_page_number(s->page, LB_BYTES_PER_S, seconds > 0 ? size / seconds : NAN);
    lb_page_number(s->page, LB_COUNT, lb_story_real(slow, "accelerator"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(slow, "rank"));
    spread_cell(s, load ? "load" : "save", of_kind[load]++);
  }
  lb_page_say(s->page,
              "Of a save: how long training stood still for it, and when it "
              "was in its place.");
  if (n > MOST_ROWS)
    lb_page_say(s->page, "The first %d of %zu.", MOST_ROWS, n);
}

void lb_section_checkpoints(struct lb_story *s)
{
  if (json_array_size(lb_story_at(s, "loadbank.checkpoints")) == 0)
    return;
  lb_page_section(s->page, 2, "Checkpoints");
  durations(s, "save", "Checkpoints written");
  rates(s, "save", "Rates of accelerators, writing");
  durations(s, "load", "Checkpoints read");
  rates(s, "load", "Rates of accelerators, reading");
  table(s);
}
