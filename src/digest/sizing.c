/* SPDX-License-Identifier: GPL-3.0-or-later */
/* size.json: AU against accelerators, or what saves cost. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest/study.h"
#include "loadbank/units.h"

/* A point of the picture. */
struct point {
  double n, au, low, high, read;
};

static int by_accelerators(const void *a, const void *b)
{
  double x = ((const struct point *)a)->n, y = ((const struct point *)b)->n;
  return (x > y) - (x < y);
}

/* In order of accelerators; in memory of the story, which is doubles. */
static struct point *points_of(struct lb_story *s, const json_t *v, size_t *n)
{
  const json_t *list = json_object_get(v, "points");
  const size_t each = sizeof(struct point) / sizeof(double);
  struct point *p;
  *n = json_array_size(list);
  p = (struct point *)(void *)lb_story_doubles(s, *n * each);
  for (size_t i = 0; p && i < *n; i++) {
    const json_t *o = json_array_get(list, i);
    p[i] = (struct point){.n = lb_story_real(o, "accelerators"),
                          .au = lb_story_real(o, "au_percentage"),
                          .low = lb_story_real(o, "au_low_percentage"),
                          .high = lb_story_real(o, "au_high_percentage"),
                          .read =
                              lb_story_real(o, "read_GiB_per_second") * LB_GIB};
  }
  if (p)
    qsort(p, *n, sizeof *p, by_accelerators);
  return p;
}

static void pictures(struct lb_story *s, const json_t *v)
{
  size_t n;
  struct point *p = points_of(s, v, &n);
  double *x = lb_story_doubles(s, n), *au = lb_story_doubles(s, n);
  double *low = lb_story_doubles(s, n), *high = lb_story_doubles(s, n);
  double *read = lb_story_doubles(s, n);
  if (n == 0 || s->failed)
    return;
  for (size_t i = 0; i < n; i++) {
    x[i] = p[i].n;
    au[i] = p[i].au;
    low[i] = p[i].low;
    high[i] = p[i].high;
    read[i] = p[i].read;
  }
  const json_t *knee = json_object_get(json_object_get(v, "answer"), "knee");
  double threshold = lb_story_real(v, "au_threshold_percentage");
  char text[48];
  snprintf(text, sizeof text, "AU %g %%", threshold);
  struct lb_mark marks[] = {{.at = threshold, .name = text},
                            {.upright = true,
                             .at = lb_story_real(knee, "accelerators"),
                             .name = "knee"}};
  struct lb_axis accelerators = {
      .label = "accelerators", .measure = LB_COUNT, .from_zero = true};
  struct lb_series series = {.x = x, .y = au, .low = low, .high = high, .n = n};
  struct lb_picture picture = {
      .kind = &lb_picture_points,
      .title = "AU against accelerators",
      .x = accelerators,
      .y = {.label = "AU", .measure = LB_PERCENT, .fixed = true, .high = 100},
      .series = &series,
      .n_series = 1,
      .marks = marks,
      .n_marks = 2};
  lb_story_picture(s, &picture, "sizing-au",
                   "A point for each number that was measured, with its "
                   "interval of 95 %.");
  series = (struct lb_series){.x = x, .y = read, .n = n};
  picture.title = "Bytes read against accelerators";
  picture.y = (struct lb_axis){
      .label = "file bytes", .measure = LB_BYTES_PER_S, .from_zero = true};
  picture.marks = &marks[1];
  picture.n_marks = 1;
  lb_story_picture(s, &picture, "sizing-bytes",
                   "Beyond the knee the storage gives no more.");
}

static void table(struct lb_story *s, const json_t *v)
{
  static const char *const columns[] = {
      "Accelerators", "runs",    "AU",         "low",  "high", "samples/s",
      "read",         "verdict", "limited by", "data", NULL};
  const json_t *list = json_object_get(v, "points");
  lb_page_table(s->page, "Points, in the order of their measurement", columns);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *o = json_array_get(list, i);
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "accelerators"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "runs"));
    lb_page_number(s->page, LB_PERCENT, lb_story_real(o, "au_percentage"));
    lb_page_number(s->page, LB_PERCENT, lb_story_real(o, "au_low_percentage"));
    lb_page_number(s->page, LB_PERCENT, lb_story_real(o, "au_high_percentage"));
    lb_page_number(s->page, LB_PLAIN, lb_story_real(o, "samples_per_second"));
    lb_page_number(s->page, LB_BYTES_PER_S,
                   lb_story_real(o, "read_GiB_per_second") * LB_GIB);
    lb_page_cell(s->page, json_string_value(json_object_get(o, "verdict")));
    lb_page_cell(s->page, json_string_value(json_object_get(o, "limited_by")));
    lb_page_cell(s->page, json_is_true(json_object_get(o, "reused"))
                              ? "read before"
                              : "new");
  }
}

static void others(struct lb_story *s, const json_t *v)
{
  static const char *const columns[] = {"Workload",     "compute",  "AU",
                                        "accelerators", "at least", NULL};
  const json_t *list = json_object_get(v, "others");
  if (json_array_size(list) == 0)
    return;
  lb_page_table(s->page, "Other accelerators, estimated", columns);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *o = json_array_get(list, i);
    lb_page_cell(s->page, json_string_value(json_object_get(o, "workload")));
    lb_page_number(s->page, LB_SECONDS, lb_story_real(o, "compute_seconds"));
    lb_page_number(s->page, LB_PERCENT, lb_story_real(o, "au_percentage"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "accelerators"));
    lb_page_cell(s->page,
                 json_is_true(json_object_get(o, "at_least")) ? "yes" : "no");
  }
}

/* None meets it, or none was found to. */
static void none(struct lb_story *s, double au, bool found)
{
  if (found)
    lb_page_say(s->page, "Not even 1 accelerator meets an AU of %g %%.", au);
  else
    lb_page_say(s->page,
                "How many accelerators meet an AU of %g %% is not known.", au);
}

static void some(struct lb_story *s, const json_t *a, double n, double au)
{
  bool at_least = json_is_true(json_object_get(a, "at_least"));
  char rate[LB_MEASURE_LEN], bytes[LB_MEASURE_LEN];
  lb_measure_text(LB_PLAIN, lb_story_real(a, "samples_per_second"), rate);
  lb_measure_text(LB_BYTES_PER_S,
                  lb_story_real(a, "read_GiB_per_second") * LB_GIB, bytes);
  lb_page_say(s->page,
              "%s%.0f accelerator%s an AU of %g %%: %s samples/s, %s read.",
              at_least ? "At least " : "", n, n == 1 ? " meets" : "s meet", au,
              rate, bytes);
}

static void answer(struct lb_story *s, const json_t *v)
{
  const json_t *a = json_object_get(v, "answer");
  const char *limit = json_string_value(json_object_get(a, "limited_by"));
  double n = lb_story_real(a, "accelerators");
  double au = lb_story_real(v, "au_threshold_percentage");
  if (n == 0)
    none(s, au, !json_is_true(json_object_get(a, "at_least")));
  else
    some(s, a, n, au);
  if (limit)
    lb_page_say(s->page, "Limited by: %s%s.", limit,
                !strcmp(limit, "client")
                    ? ": this is no answer about the storage"
                    : "");
}

static void row(struct lb_story *s, const json_t *v, const char *what,
                enum lb_measure m, const char *key, double unit)
{
  lb_page_cell(s->page, what);
  lb_page_number(s->page, m, lb_story_real(v, key) * unit);
}

static void saves(struct lb_story *s, const json_t *v)
{
  static const char *const columns[] = {"What", "Value", NULL};
  const char *verdict = json_string_value(json_object_get(v, "verdict"));
  lb_page_say(s->page,
              "A save every %g s is to cost at most %g %% of the time: %s.",
              lb_story_real(v, "every_seconds"),
              lb_story_real(v, "at_most_percentage"), verdict ? verdict : "?");
  lb_page_table(s->page, "Saves", columns);
  row(s, v, "Saves measured", LB_COUNT, "saves", 1);
  row(s, v, "Size of one", LB_BYTES, "bytes", 1);
  row(s, v, "Time of one, mean", LB_SECONDS, "save_seconds", 1);
  row(s, v, "Time, low end of 95 %", LB_SECONDS, "save_low_seconds", 1);
  row(s, v, "Time, high end of 95 %", LB_SECONDS, "save_high_seconds", 1);
  row(s, v, "Cost", LB_PERCENT, "cost_percentage", 1);
  row(s, v, "Bandwidth needed", LB_BYTES_PER_S, "needed_GiB_per_second",
      LB_GIB);
  row(s, v, "Bandwidth measured", LB_BYTES_PER_S, "GiB_per_second", LB_GIB);
  row(s, v, "Shortest interval at that cost", LB_SECONDS, "least_every_seconds",
      1);
}

static void add(struct lb_story *s, const json_t *v)
{
  const char *kind = json_string_value(json_object_get(v, "kind"));
  const char *status = json_string_value(json_object_get(v, "status"));
  const char *reason = json_string_value(json_object_get(v, "reason"));
  if (status && strcmp(status, "complete") != 0)
    lb_page_say(s->page, "The sizing is not complete: %s%s%s.", status,
                reason ? ": " : "", reason ? reason : "");
  if (kind && !strcmp(kind, "checkpoint")) {
    saves(s, v);
    return;
  }
  answer(s, v);
  pictures(s, v);
  table(s, v);
  others(s, v);
}

const struct lb_study lb_study_size = {"size.json", "Sizing", add};
