/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.json: a curve for one key, a heat map for two; of more keys one heat
 * map of the last two for each combination of the others. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest/study.h"

enum { MOST_KEYS = 32, MOST_VALUES = 256, MOST_MAPS = 12, MOST_ROWS = 500 };

static const struct {
  const char *key, *what, *interval, *id;
  enum lb_measure measure;
  double unit;
} metrics[] = {
    {"train_au_mean_percentage", "AU", "AU, +-", "au", LB_PERCENT, 1},
    {"train_throughput_mean_samples_per_second", "samples/s", "samples/s, +-",
     "samples", LB_PLAIN, 1},
    {"train_file_mean_MiB_per_second", "bytes read", "bytes read, +-", "bytes",
     LB_BYTES_PER_S, 0x1p20},
    {"save_checkpoint_io_mean_GB_per_second", "checkpoint writing",
     "checkpoint writing, +-", "save", LB_BYTES_PER_S, 0x1p30},
    {"load_checkpoint_io_mean_GB_per_second", "checkpoint reading",
     "checkpoint reading, +-", "load", LB_BYTES_PER_S, 0x1p30},
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

/* A key with more than one value. */
struct key {
  const char *name;
  const char *value[MOST_VALUES];
  size_t n;
};
struct sweep {
  struct key key[MOST_KEYS];
  size_t n_keys;
  size_t fixed[MOST_KEYS]; /* the values of all keys but the last two */
  const json_t *points;
};

static void take_keys(struct sweep *w, const json_t *v)
{
  const json_t *keys = json_object_get(json_object_get(v, "sweep"), "keys");
  w->points = json_object_get(v, "points");
  for (size_t i = 0; i < json_array_size(keys) && w->n_keys < MOST_KEYS; i++) {
    const json_t *o = json_array_get(keys, i);
    const json_t *values = json_object_get(o, "values");
    struct key *k = &w->key[w->n_keys];
    k->name = json_string_value(json_object_get(o, "key"));
    for (size_t j = 0; j < json_array_size(values) && j < MOST_VALUES; j++) {
      const char *text = json_string_value(json_array_get(values, j));
      if (text)
        k->value[k->n++] = text;
    }
    if (k->name && k->n > 1)
      w->n_keys++;
    else
      *k = (struct key){.n = 0};
  }
}

/* A metric's mean at a point; NAN: no run of it has come to an end. */
static double mean_of(const json_t *point, int metric, double *half)
{
  const json_t *m =
      json_object_get(json_object_get(point, "metric"), metrics[metric].key);
  *half = lb_story_real(m, "half_width_95") * metrics[metric].unit;
  return lb_story_real(m, "mean") * metrics[metric].unit;
}

static const char *value_at(const json_t *point, const char *key)
{
  const char *text =
      json_string_value(json_object_get(json_object_get(point, "values"), key));
  return text ? text : "";
}

/* Whether the point has the fixed values of all keys but the last n. */
static bool belongs(const struct sweep *w, const json_t *point, size_t n)
{
  for (size_t i = 0; i + n < w->n_keys; i++)
    if (strcmp(value_at(point, w->key[i].name), w->key[i].value[w->fixed[i]]) !=
        0)
      return false;
  return true;
}

static size_t index_of(const struct key *k, const char *value)
{
  size_t i = 0;
  while (i < k->n && strcmp(k->value[i], value) != 0)
    i++;
  return i;
}

/* All values are numbers and rise: then x. */
static bool numeric(const struct key *k, double *x)
{
  for (size_t i = 0; i < k->n; i++) {
    char *end;
    x[i] = strtod(k->value[i], &end);
    if (end == k->value[i] || *end || !isfinite(x[i]) ||
        (i > 0 && x[i] <= x[i - 1]))
      return false;
  }
  return true;
}

static struct lb_axis axis_of(int metric)
{
  struct lb_axis a = {.label = metrics[metric].what,
                      .measure = metrics[metric].measure,
                      .from_zero = true};
  if (a.measure == LB_PERCENT) {
    a.fixed = true;
    a.high = 100;
  }
  return a;
}

static void curve(struct lb_story *s, const struct sweep *w, int metric)
{
  const struct key *k = &w->key[0];
  double *x = lb_story_doubles(s, k->n), *y = lb_story_doubles(s, k->n);
  double *low = lb_story_doubles(s, k->n), *high = lb_story_doubles(s, k->n);
  char title[160], id[40];
  bool any = false;
  if (s->failed)
    return;
  bool rises = numeric(k, x);
  for (size_t i = 0; i < k->n; i++) {
    y[i] = low[i] = high[i] = NAN;
    x[i] = rises ? x[i] : (double)i;
  }
  for (size_t i = 0; i < json_array_size(w->points); i++) {
    const json_t *point = json_array_get(w->points, i);
    size_t at = index_of(k, value_at(point, k->name));
    double half, mean = mean_of(point, metric, &half);
    if (at == k->n)
      continue;
    y[at] = mean;
    low[at] = fmax(mean - half, 0);
    high[at] = mean + half;
    any = any || isfinite(mean);
  }
  struct lb_series series = {
      .x = x, .y = y, .low = low, .high = high, .n = k->n};
  struct lb_picture p = {
      .kind = rises ? &lb_picture_points : &lb_picture_bars,
      .title = title,
      .x = {.label = k->name, .measure = LB_PLAIN, .from_zero = true},
      .y = axis_of(metric),
      .series = &series,
      .n_series = 1};
  if (!rises) {
    p.x.words = k->value;
    p.x.n_words = k->n;
  }
  snprintf(title, sizeof title, "%s by %s", metrics[metric].what, k->name);
  snprintf(id, sizeof id, "sweep-%s", metrics[metric].id);
  if (any)
    lb_story_picture(s, &p, id,
                     "Mean of the runs of each value; the thin line is the "
                     "interval of 95 %, where there are several.");
}

static void heat_map(struct lb_story *s, const struct sweep *w, int metric,
                     int number)
{
  const struct key *rows = &w->key[w->n_keys - 2];
  const struct key *columns = &w->key[w->n_keys - 1];
  double *v = lb_story_doubles(s, rows->n * columns->n), half;
  char title[400], id[40];
  bool any = false;
  if (!v)
    return;
  for (size_t i = 0; i < rows->n * columns->n; i++)
    v[i] = NAN;
  for (size_t i = 0; i < json_array_size(w->points); i++) {
    const json_t *point = json_array_get(w->points, i);
    size_t row = index_of(rows, value_at(point, rows->name));
    size_t column = index_of(columns, value_at(point, columns->name));
    if (row == rows->n || column == columns->n || !belongs(w, point, 2))
      continue;
    double mean = mean_of(point, metric, &half);
    v[row * columns->n + column] = mean;
    any = any || isfinite(mean);
  }
  int len = snprintf(title, sizeof title, "%s", metrics[metric].what);
  for (size_t i = 0; i + 2 < w->n_keys && len < (int)sizeof title; i++)
    len += snprintf(title + len, sizeof title - (size_t)len, ", %s = %s",
                    w->key[i].name, w->key[i].value[w->fixed[i]]);
  struct lb_series series = {.y = v, .n = rows->n * columns->n};
  struct lb_picture p = {
      .kind = &lb_picture_heat,
      .title = title,
      .x = {.label = columns->name,
            .words = columns->value,
            .n_words = columns->n},
      .y = {.label = rows->name, .words = rows->value, .n_words = rows->n},
      .value = {.measure = metrics[metric].measure},
      .series = &series,
      .n_series = 1};
  snprintf(id, sizeof id, "sweep-%s-%d", metrics[metric].id, number);
  if (any)
    lb_story_picture(s, &p, id,
                     "Means of each point; an empty cell has no run that came "
                     "to its end. The deeper, the more.");
}

/* The next combination of the fixed keys; false: there was none left. */
static bool next_combination(struct sweep *w)
{
  for (size_t i = w->n_keys - 2; i-- > 0;) {
    if (++w->fixed[i] < w->key[i].n)
      return true;
    w->fixed[i] = 0;
  }
  return false;
}

static void pictures(struct lb_story *s, struct sweep *w)
{
  int number = 0;
  for (int m = 0; m < N_METRICS && w->n_keys == 1; m++)
    curve(s, w, m);
  if (w->n_keys < 2)
    return;
  do {
    number++;
    for (int m = 0; m < N_METRICS && number <= MOST_MAPS; m++)
      heat_map(s, w, m, number);
  } while (next_combination(w));
  if (number > MOST_MAPS)
    lb_page_say(s->page, "Heat maps of the first %d of %d combinations.",
                MOST_MAPS, number);
}

/* Which of a metric's columns have something to show. */
struct shown {
  bool mean, half;
};

static struct shown shown(const struct sweep *w, int metric)
{
  struct shown any = {false, false};
  for (size_t i = 0; i < json_array_size(w->points); i++) {
    double half, mean = mean_of(json_array_get(w->points, i), metric, &half);
    any.mean = any.mean || isfinite(mean);
    any.half = any.half || isfinite(half);
  }
  return any;
}

static void table(struct lb_story *s, const struct sweep *w)
{
  const char *columns[MOST_KEYS + 2 * N_METRICS + 3];
  struct shown any[N_METRICS];
  size_t n = 0;
  for (size_t i = 0; i < w->n_keys; i++)
    columns[n++] = w->key[i].name;
  columns[n++] = "complete";
  columns[n++] = "failed";
  for (int m = 0; m < N_METRICS; m++) {
    any[m] = shown(w, m);
    if (any[m].mean)
      columns[n++] = metrics[m].what;
    if (any[m].half)
      columns[n++] = metrics[m].interval;
  }
  columns[n] = NULL;
  lb_page_table(s->page, "Points, means with the half width of 95 %", columns);
  for (size_t i = 0; i < json_array_size(w->points) && i < MOST_ROWS; i++) {
    const json_t *point = json_array_get(w->points, i);
    for (size_t k = 0; k < w->n_keys; k++)
      lb_page_cell(s->page, value_at(point, w->key[k].name));
    lb_page_number(s->page, LB_COUNT, lb_story_real(point, "complete"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(point, "failed"));
    for (int m = 0; m < N_METRICS; m++) {
      double half, mean = mean_of(point, m, &half);
      if (any[m].mean)
        lb_page_number(s->page, metrics[m].measure, mean);
      if (any[m].half)
        lb_page_number(s->page, metrics[m].measure, half);
    }
  }
  if (json_array_size(w->points) > MOST_ROWS)
    lb_page_say(s->page, "The first %d of %zu points.", MOST_ROWS,
                json_array_size(w->points));
}

static void failures(struct lb_story *s, const json_t *v)
{
  static const char *const columns[] = {"Point", "Repeat", "Folder", "Reason",
                                        NULL};
  const json_t *runs = json_object_get(v, "runs");
  size_t shown = 0;
  for (size_t i = 0; i < json_array_size(runs) && shown < MOST_ROWS; i++) {
    const json_t *o = json_array_get(runs, i);
    const char *status = json_string_value(json_object_get(o, "status"));
    if (status && !strcmp(status, "complete"))
      continue;
    if (shown++ == 0)
      lb_page_table(s->page, "Runs that failed", columns);
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "point"));
    lb_page_number(s->page, LB_COUNT, lb_story_real(o, "repeat"));
    lb_page_cell(s->page, json_string_value(json_object_get(o, "folder")));
    lb_page_cell(s->page, json_string_value(json_object_get(o, "reason")));
  }
}

static void add(struct lb_story *s, const json_t *v)
{
  const char *status = json_string_value(json_object_get(v, "status"));
  struct sweep *w = calloc(1, sizeof *w);
  s->failed |= !w;
  if (!w)
    return;
  take_keys(w, v);
  if (status && strcmp(status, "complete") != 0)
    lb_page_say(s->page, "The sweep is not complete: what is missing is not "
                         "in it.");
  pictures(s, w);
  table(s, w);
  failures(s, v);
  free(w);
}

const struct lb_study lb_study_sweep = {"sweep.json", "Sweep", add};
