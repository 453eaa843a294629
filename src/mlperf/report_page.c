/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for people: a table of all results, then each group with its
 * figures, runs and pictures. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/units.h"
#include "mlperf/report_impl.h"

enum { TITLE = 400, CELL = 400 };

static void cell(struct lb_page *page, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void cell(struct lb_page *page, const char *fmt, ...)
{
  char text[CELL];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  lb_page_cell(page, text);
}

/* Two decimals, as the benchmark's tables have; small ones in full. */
static void rounded(struct lb_page *page, double v)
{
  if (isfinite(v))
    cell(page, fabs(v) >= 1 || v == 0 ? "%.2f" : "%.3g", v);
  else
    lb_page_cell(page, NULL);
}

static void exact(struct lb_page *page, double v)
{
  if (isfinite(v))
    cell(page, "%.4g", v);
  else
    lb_page_cell(page, NULL);
}

/* ---- one line for each group ---- */

static void overview(struct lb_page *page, const struct lb_mlperf_report *r)
{
  static const char *const columns[] = {
      "State",        "Organisation", "System",    "Workload",
      "Accelerators", "AU %",         "samples/s", "read GiB/s",
      "saved GiB/s",  "loaded GiB/s", "Note",      NULL};
  static const enum lb_report_figure figures[] = {
      LB_FIGURE_AU, LB_FIGURE_SAMPLES, LB_FIGURE_READ, LB_FIGURE_SAVE_RATE,
      LB_FIGURE_LOAD_RATE};
  lb_page_table(page, "Means of all groups", columns);
  for (size_t i = 0; i < r->n_shown; i++) {
    const struct lb_report_group *g = r->shown[i];
    cell(page, "%s", lb_report_state_names[g->state]);
    cell(page, "%s", g->place.org);
    cell(page, "%s", g->place.system);
    cell(page, "%s %s %s", lb_mlperf_kind_names[g->place.kind], g->place.model,
         g->place.kind == LB_MLPERF_TRAINING ? g->accelerator : "");
    cell(page, "%" PRId64, g->accelerators);
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
      rounded(page, g->value[figures[f]].mean.mean);
    cell(page, "%s%s%s", lb_mlperf_is_rehearsal(&g->scale) ? "rehearsal" : "",
         lb_mlperf_is_rehearsal(&g->scale) && *g->verdict ? "; " : "",
         g->verdict);
  }
}

/* ---- one group ---- */

static void figures(struct lb_page *page, const struct lb_report_group *g)
{
  static const char *const columns[] = {"Figure", "Unit",  "Values", "Mean",
                                        "Stdev",  "Min",   "Max",    "95 % +-",
                                        "per RU", "per W", NULL};
  lb_page_table(page, "Means and spread", columns);
  for (int f = 0; f < LB_N_FIGURES; f++) {
    const struct lb_report_figure_row *row = &lb_report_figures[f];
    const struct lb_report_values *v = &g->value[f];
    bool per = row->rate || f == LB_FIGURE_SAMPLES || f == LB_FIGURE_READ;
    if (row->kind != g->place.kind)
      continue;
    cell(page, "%s", row->label);
    cell(page, "%s", row->unit);
    cell(page, "%zu", v->mean.n);
    rounded(page, v->mean.mean);
    exact(page, v->mean.stdev);
    exact(page, v->min);
    exact(page, v->max);
    exact(page, v->half_width);
    exact(page, per ? lb_report_per_unit(g, f) : NAN);
    exact(page, per ? lb_report_per_watt(g, f) : NAN);
  }
}

static void training_runs(struct lb_page *page, const struct lb_report_group *g)
{
  static const char *const columns[] = {"Run",        "Role", "AU %",
                                        "AU again %", "from", "samples/s",
                                        "read GiB/s", NULL};
  lb_page_table(page, "Runs", columns);
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    if (r->role == LB_RUN_LEFT_OUT)
      continue;
    cell(page, "%s", r->leaf->place.stamp);
    cell(page, "%s", lb_report_role_names[r->role]);
    rounded(page, r->au);
    rounded(page, r->again.source ? r->again.au : NAN);
    lb_page_cell(page, r->again.source);
    rounded(page, r->samples_per_s);
    rounded(page, r->gib_per_s);
  }
}

static void checkpoints(struct lb_page *page, const struct lb_report_group *g)
{
  static const char *const columns[] = {
      "Run",   "Kind", "GiB", "seconds", "GiB/s", "accelerator 0, seconds",
      "GiB/s", NULL};
  lb_page_table(page, "Checkpoints, by the slowest process and as DLIO",
                columns);
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    for (size_t k = 0; r->role == LB_RUN_TAKEN && k < r->n_ops; k++) {
      const struct lb_report_op *o = &r->op[k];
      cell(page, "%s", r->leaf->place.stamp);
      cell(page, "%s", o->load ? "load" : "save");
      exact(page, o->bytes / LB_GIB);
      exact(page, o->seconds);
      exact(page, o->bytes / LB_GIB / o->seconds);
      exact(page, o->first_seconds);
      exact(page, o->bytes / LB_GIB / o->first_seconds);
    }
  }
}

static void left_out(struct lb_page *page, const struct lb_report_group *g)
{
  static const char *const columns[] = {"Run", "Reason", NULL};
  bool any = false;
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    for (size_t k = 0; k < json_array_size(r->problem); k++) {
      if (!any)
        lb_page_table(page, "Left out, not averaged", columns);
      any = true;
      cell(page, "%s", r->leaf->place.stamp);
      lb_page_cell(page, json_string_value(json_array_get(r->problem, k)));
    }
  }
}

static void notes(struct lb_page *page, const struct lb_report_group *g)
{
  for (size_t i = 0; i < json_array_size(g->note); i++)
    lb_page_say(page, "Note: %s.",
                json_string_value(json_array_get(g->note, i)));
  if (isfinite(lb_report_recovery(g)) &&
      g->place.kind == LB_MLPERF_CHECKPOINTING)
    lb_page_say(page,
                "Recovery: %.2f s, the mean load and %" PRId64
                " s to remap, as the system's description says.",
                lb_report_recovery(g), g->system.remap_seconds);
}

/* ---- pictures ---- */

/* Values of the runs, or checkpoints, in their order. */
struct plot {
  double *x, *y, *first;
  const char **word;
  size_t n;
};

static bool new_plot(struct plot *p, const struct lb_report_group *g)
{
  size_t most = g->n + 1;
  for (size_t i = 0; i < g->n; i++)
    most += g->run[i].n_ops;
  p->n = 0;
  p->x = calloc(most, sizeof *p->x);
  p->y = calloc(most, sizeof *p->y);
  p->first = calloc(most, sizeof *p->first);
  p->word = calloc(most, sizeof *p->word);
  return p->x && p->y && p->first && p->word;
}

static void free_plot(struct plot *p)
{
  free(p->x);
  free(p->y);
  free(p->first);
  free(p->word);
}

static void plot_runs(struct plot *p, const struct lb_report_group *g, bool au)
{
  p->n = 0;
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    if (r->role == LB_RUN_LEFT_OUT)
      continue;
    p->x[p->n] = (double)p->n;
    p->y[p->n] = au ? r->au : r->gib_per_s * LB_GIB;
    /* The time of day: six of them fit. */
    p->word[p->n] =
        r->role == LB_RUN_WARM_UP ? "warm-up" : r->leaf->place.stamp + 9;
    p->n++;
  }
}

static void au_picture(struct lb_page *page, const struct lb_report_group *g,
                       struct plot *p, size_t number)
{
  char text[48], name[40];
  plot_runs(p, g, true);
  snprintf(text, sizeof text, "at least %g %%", g->threshold);
  snprintf(name, sizeof name, "g%zu-au", number);
  struct lb_mark mark = {.at = g->threshold, .name = text};
  struct lb_series series = {.x = p->x, .y = p->y, .n = p->n};
  struct lb_picture picture = {
      .kind = &lb_picture_bars,
      .id = name,
      .title = "AU of the runs",
      .x = {.label = "run", .words = p->word, .n_words = p->n},
      .y = {.label = "AU", .measure = LB_PERCENT, .fixed = true, .high = 100},
      .series = &series,
      .n_series = 1,
      .marks = &mark,
      .n_marks = isfinite(g->threshold)};
  lb_page_picture(page, &picture, "The first run warms up and does not count.");
}

static void rate_picture(struct lb_page *page, const struct lb_report_group *g,
                         struct plot *p, size_t number)
{
  char name[40];
  plot_runs(p, g, false);
  snprintf(name, sizeof name, "g%zu-read", number);
  struct lb_series series = {.x = p->x, .y = p->y, .n = p->n};
  struct lb_picture picture = {
      .kind = &lb_picture_bars,
      .id = name,
      .title = "Read throughput of the runs",
      .x = {.label = "run", .words = p->word, .n_words = p->n},
      .y = {.label = "read", .measure = LB_BYTES_PER_S, .from_zero = true},
      .series = &series,
      .n_series = 1};
  lb_page_picture(page, &picture,
                  "Samples of a second times the nominal size of a sample.");
}

static void duration_picture(struct lb_page *page,
                             const struct lb_report_group *g, struct plot *p,
                             size_t number, bool load)
{
  char name[40];
  snprintf(name, sizeof name, "g%zu-%s", number, load ? "load" : "save");
  p->n = 0;
  for (size_t i = 0; i < g->n; i++)
    for (size_t k = 0; g->run[i].role == LB_RUN_TAKEN && k < g->run[i].n_ops;
         k++) {
      const struct lb_report_op *o = &g->run[i].op[k];
      if (o->load != load)
        continue;
      p->x[p->n] = (double)p->n + 1;
      p->y[p->n] = o->seconds;
      p->first[p->n++] = o->first_seconds;
    }
  struct lb_series series[] = {
      {.name = "slowest process", .x = p->x, .y = p->y, .n = p->n},
      {.name = "accelerator 0 (DLIO)", .x = p->x, .y = p->first, .n = p->n}};
  struct lb_picture picture = {
      .kind = &lb_picture_bars,
      .id = name,
      .title = load ? "Checkpoints loaded" : "Checkpoints saved",
      .x = {.label = "checkpoint", .measure = LB_COUNT},
      .y = {.label = "duration", .measure = LB_SECONDS, .from_zero = true},
      .series = series,
      .n_series = 2};
  if (p->n)
    lb_page_picture(page, &picture, NULL);
}

static void pictures(struct lb_page *page, const struct lb_report_group *g,
                     size_t number)
{
  struct plot p;
  if (new_plot(&p, g) && lb_report_group_first(g)) {
    if (g->place.kind == LB_MLPERF_TRAINING) {
      au_picture(page, g, &p, number);
      rate_picture(page, g, &p, number);
    } else {
      duration_picture(page, g, &p, number, false);
      duration_picture(page, g, &p, number, true);
    }
  }
  free_plot(&p);
}

static void group(struct lb_page *page, const struct lb_report_group *g,
                  size_t number)
{
  char title[TITLE];
  bool training = g->place.kind == LB_MLPERF_TRAINING;
  snprintf(title, sizeof title, "%s %s/%s/%s: %s %s%s%s",
           lb_report_state_names[g->state], lb_mlperf_mode_names[g->place.mode],
           g->place.org, g->place.system, lb_mlperf_kind_names[g->place.kind],
           g->place.model, training ? " " : "", training ? g->accelerator : "");
  lb_page_section(page, 1, title);
  if (*g->verdict)
    lb_page_say(page, "This is %s.", g->verdict);
  notes(page, g);
  if (lb_report_group_first(g)) {
    figures(page, g);
    if (training)
      training_runs(page, g);
    else
      checkpoints(page, g);
  }
  left_out(page, g);
  pictures(page, g, number);
}

void lb_mlperf_report_page(const struct lb_mlperf_report *r,
                           struct lb_page *page)
{
  lb_page_say(page,
              "%s: for sizing, rehearsal and comparison. A submission has to "
              "be made with the official tool.",
              LB_MLPERF_STYLE);
  overview(page, r);
  for (size_t i = 0; i < r->n_shown; i++)
    group(page, r->shown[i], i + 1);
}
