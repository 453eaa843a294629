/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several results beside each other.  What is incomplete is listed with its
 * reason and is in no picture; nothing is averaged. */
#include "lb-config.h"

#include <math.h>
#include <string.h>

#include "digest/story.h"

static const struct {
  const char *path, *what;
  enum lb_measure q;
  double unit;
} columns[] = {
    {"metric.train_au_mean_percentage", "AU", LB_PERCENT, 1},
    {"metric.train_throughput_mean_samples_per_second", "samples/s", LB_PLAIN,
     1},
    {"loadbank.train_file_mean_MiB_per_second", "read", LB_BYTES_PER_S, 0x1p20},
    {"loadbank.steps.train.load.p99_seconds", "load p99", LB_SECONDS, 1},
    {"metric.save_checkpoint_io_mean_GB_per_second", "save", LB_BYTES_PER_S,
     0x1p30},
    {"metric.load_checkpoint_io_mean_GB_per_second", "restore", LB_BYTES_PER_S,
     0x1p30},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static double value_of(const struct lb_result *r, size_t column)
{
  return r->state == LB_RESULT_COMPLETE
             ? lb_result_number(r, columns[column].path) * columns[column].unit
             : NAN;
}

static void table(struct lb_story *s, const struct lb_results *all)
{
  const char *names[N_COLUMNS + 7] = {"No.", "Result", "State", "Workload",
                                      "accelerators"};
  for (size_t k = 0; k < N_COLUMNS; k++)
    names[5 + k] = columns[k].what;
  names[5 + N_COLUMNS] = "limited by";
  lb_page_table(s->page, "Results", names);
  for (size_t i = 0; i < all->n; i++) {
    const struct lb_result *r = &all->result[i];
    lb_page_number(s->page, LB_COUNT, (double)i + 1);
    lb_page_cell(s->page, strcmp(r->name, ".") != 0 ? r->name : r->path);
    lb_page_cell(s->page, lb_result_state_names[r->state]);
    lb_page_cell(s->page, r->workload);
    lb_page_number(s->page, LB_COUNT,
                   r->accelerators ? (double)r->accelerators : NAN);
    for (size_t k = 0; k < N_COLUMNS; k++)
      lb_page_number(s->page, columns[k].q, value_of(r, k));
    lb_page_cell(s->page, r->state == LB_RESULT_COMPLETE
                              ? lb_result_text(r, "loadbank.limited_by")
                              : NULL);
  }
}

static void incomplete(struct lb_story *s, const struct lb_results *all)
{
  static const char *const names[] = {"No.", "Result", "State", "Reason", NULL};
  bool any = false;
  for (size_t i = 0; i < all->n; i++)
    any = any || all->result[i].state != LB_RESULT_COMPLETE;
  if (!any)
    return;
  lb_page_table(s->page, "Incomplete: in no picture", names);
  for (size_t i = 0; i < all->n; i++) {
    const struct lb_result *r = &all->result[i];
    if (r->state == LB_RESULT_COMPLETE)
      continue;
    lb_page_number(s->page, LB_COUNT, (double)i + 1);
    lb_page_cell(s->page, r->name);
    lb_page_cell(s->page, lb_result_state_names[r->state]);
    lb_page_cell(s->page, r->reason);
  }
}

static void picture(struct lb_story *s, const struct lb_results *all,
                    size_t column, const char *title, const char *id,
                    const struct lb_axis *axis)
{
  double *x = lb_story_numbers(s, all->n);
  double *y = lb_story_doubles(s, all->n);
  bool any = false;
  for (size_t i = 0; y && i < all->n; i++) {
    y[i] = value_of(&all->result[i], column);
    any = any || isfinite(y[i]);
  }
  struct lb_series series = {.x = x, .y = y, .n = all->n};
  struct lb_picture p = {.kind = &lb_picture_bars,
                         .title = title,
                         .x = {.label = "result", .measure = LB_COUNT},
                         .y = *axis,
                         .series = &series,
                         .n_series = 1};
  if (any)
    lb_story_picture(s, &p, id, "Numbers as in the table below.");
}

void lb_digest_overview(struct lb_story *s, const struct lb_results *all)
{
  static const struct lb_axis au = {
      .label = "AU", .measure = LB_PERCENT, .fixed = true, .high = 100};
  static const struct lb_axis read = {
      .label = "file bytes read", .measure = LB_BYTES_PER_S, .from_zero = true};
  lb_page_section(s->page, 1, "All results");
  picture(s, all, 0, "Training AU of each result", "results-au", &au);
  picture(s, all, 2, "Bytes read of each result", "results-read", &read);
  table(s, all);
  incomplete(s, all);
}
