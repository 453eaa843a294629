/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AU per epoch and per accelerator. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "digest/story.h"
#include "loadbank/set.h"

enum { MOST_BARS = 128, MOST_ROWS = 500 };

static const struct lb_axis percent = {
    .label = "AU", .measure = LB_PERCENT, .fixed = true, .high = 100};

/* "metric.au: 90 %", drawn across. */
static struct lb_mark threshold(const struct lb_story *s, char text[48])
{
  double at = 100 * lb_result_number(s->r, "loadbank.au_threshold");
  snprintf(text, 48, "metric.au %g %%", at);
  return (struct lb_mark){.at = at, .name = text};
}

static void table(struct lb_story *s, const struct lb_series *series,
                  const char *const *keys, size_t n)
{
  static const char *const columns[] = {
      "Epoch",     "AU", "lowest accelerator", "highest accelerator",
      "samples/s", NULL};
  size_t rates;
  for (size_t k = 0; k < n; k++) {
    char title[60], path[80];
    snprintf(title, sizeof title, "AU per epoch, %s", series[k].name);
    snprintf(path, sizeof path, "metric.%s_throughput_samples_per_second",
             keys[k]);
    const double *rate = lb_story_list(s, path, &rates);
    lb_page_table(s->page, title, columns);
    for (size_t i = 0; i < series[k].n && i < MOST_ROWS; i++) {
      lb_page_number(s->page, LB_COUNT, series[k].x[i]);
      lb_page_number(s->page, LB_PERCENT, series[k].y[i]);
      lb_page_number(s->page, LB_PERCENT,
                     series[k].low ? series[k].low[i] : NAN);
      lb_page_number(s->page, LB_PERCENT,
                     series[k].high ? series[k].high[i] : NAN);
      lb_page_number(s->page, LB_PLAIN, i < rates ? rate[i] : NAN);
    }
    if (series[k].n > MOST_ROWS)
      lb_page_say(s->page, "The first %d of %zu epochs.", MOST_ROWS,
                  series[k].n);
  }
}

static bool add_set(struct lb_story *s, const char *set, const char *name,
                    struct lb_series *out)
{
  char path[80];
  size_t low, high;
  snprintf(path, sizeof path, "metric.%s_au_percentage", set);
  *out = (struct lb_series){.name = name};
  out->y = lb_story_list(s, path, &out->n);
  out->x = lb_story_numbers(s, out->n);
  snprintf(path, sizeof path, "loadbank.%s_au_min_percentage", set);
  out->low = lb_story_list(s, path, &low);
  snprintf(path, sizeof path, "loadbank.%s_au_max_percentage", set);
  out->high = lb_story_list(s, path, &high);
  if (low != out->n || high != out->n)
    out->low = out->high = NULL;
  return out->n > 0;
}

/* Those of training and evaluation that there are. */
static size_t both_sets(struct lb_story *s, struct lb_series series[LB_N_SETS],
                        const char *keys[LB_N_SETS])
{
  size_t n = 0;
  for (int set = 0; set < LB_N_SETS; set++) {
    keys[n] = lb_sets[set].key;
    n += add_set(s, keys[n], lb_sets[set].doc, &series[n]);
  }
  return n;
}

static void per_epoch(struct lb_story *s, const struct lb_series *series,
                      size_t n)
{
  char text[48];
  struct lb_mark mark = threshold(s, text);
  struct lb_picture p = {.kind = series[0].n > MOST_BARS ? &lb_picture_lines
                                                         : &lb_picture_bars,
                         .title = "AU per epoch",
                         .x = {.label = "epoch", .measure = LB_COUNT},
                         .y = percent,
                         .series = series,
                         .n_series = n,
                         .marks = &mark,
                         .n_marks = 1};
  lb_story_picture(s, &p, "au-epochs",
                   p.kind == &lb_picture_lines
                       ? "Mean over accelerators; the band reaches from the "
                         "lowest accelerator to the highest."
                       : "Mean over accelerators; the thin line reaches from "
                         "the lowest accelerator to the highest.");
}

static void per_accelerator(struct lb_story *s)
{
  size_t n = s->steps.n_accelerators;
  char text[48];
  struct lb_mark mark = threshold(s, text);
  if (s->steps.n_steps == 0)
    return;
  double *x = lb_story_doubles(s, n);
  for (size_t i = 0; x && i < n; i++)
    x[i] = (double)i;
  struct lb_series series = {.x = x, .y = s->steps.au, .n = n};
  struct lb_picture p = {.kind = n > MOST_BARS ? &lb_picture_lines
                                               : &lb_picture_bars,
                         .title = "AU per accelerator",
                         .x = {.label = "accelerator", .measure = LB_COUNT},
                         .y = percent,
                         .series = &series,
                         .n_series = 1,
                         .marks = &mark,
                         .n_marks = 1};
  lb_story_picture(s, &p, "au-accelerators",
                   "Training, mean over epochs, from the steps of each.");
}

static void stragglers(struct lb_story *s)
{
  static const char *const columns[] = {"Accelerator",   "Rank",  "Node",
                                        "last at gates", "alone", "waiting",
                                        "gate",          NULL};
  const json_t *list = lb_story_at(s, "loadbank.stragglers.accelerators");
  static const char *const counts[] = {"accelerator", "rank", "node",
                                       "last_steps"};
  static const char *const times[] = {"alone_seconds", "load_seconds",
                                      "gate_seconds"};
  if (json_array_size(list) == 0)
    return;
  lb_page_table(s->page, "Accelerators that the others waited for", columns);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *o = json_array_get(list, i);
    for (int k = 0; k < 4; k++)
      lb_page_number(s->page, LB_COUNT, lb_story_real(o, counts[k]));
    for (int k = 0; k < 3; k++)
      lb_page_number(s->page, LB_SECONDS, lb_story_real(o, times[k]));
  }
}

void lb_section_au(struct lb_story *s)
{
  struct lb_series series[LB_N_SETS];
  const char *keys[LB_N_SETS];
  size_t n = both_sets(s, series, keys);
  if (n == 0)
    return;
  lb_page_section(s->page, 2, "Accelerator utilisation");
  per_epoch(s, series, n);
  per_accelerator(s);
  if (s->steps.n_steps == 0)
    lb_page_say(s->page, "No pictures of single accelerators and steps: %s.",
                s->no_steps);
  table(s, series, keys, n);
  stragglers(s);
}
