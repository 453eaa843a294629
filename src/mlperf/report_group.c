/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runs of one group add up to. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/hash.h"
#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/config.h"
#include "mlperf/report_impl.h"

enum { MOST_FINDINGS = 5 };
static const double confidence = 0.95;

#define TRAINING .kind = LB_MLPERF_TRAINING
#define SAVE .kind = LB_MLPERF_CHECKPOINTING
#define LOAD .kind = LB_MLPERF_CHECKPOINTING, .load = true
const struct lb_report_figure_row lb_report_figures[LB_N_FIGURES] = {
    [LB_FIGURE_AU] = {"au_percentage", "AU", "%", TRAINING},
    [LB_FIGURE_SAMPLES] = {"samples_per_second", "samples/s", "samples/s",
                           TRAINING},
    [LB_FIGURE_READ] = {"read_GiB_per_second", "read", "GiB/s", TRAINING},
    [LB_FIGURE_SAVE_RATE] = {"save_GiB_per_second", "saved", "GiB/s", SAVE,
                             .rate = true},
    [LB_FIGURE_SAVE_SECONDS] = {"save_seconds", "a save", "s", SAVE},
    [LB_FIGURE_SAVE_RATE_FIRST] = {"save_first_accelerator_GiB_per_second",
                                   "saved, by accelerator 0 (DLIO)", "GiB/s",
                                   SAVE, .rate = true, .first = true},
    [LB_FIGURE_SAVE_SECONDS_FIRST] = {"save_first_accelerator_seconds",
                                      "a save, accelerator 0 (DLIO)", "s", SAVE,
                                      .first = true},
    [LB_FIGURE_LOAD_RATE] = {"load_GiB_per_second", "loaded", "GiB/s", LOAD,
                             .rate = true},
    [LB_FIGURE_LOAD_SECONDS] = {"load_seconds", "a load", "s", LOAD},
    [LB_FIGURE_LOAD_RATE_FIRST] = {"load_first_accelerator_GiB_per_second",
                                   "loaded, by accelerator 0 (DLIO)", "GiB/s",
                                   LOAD, .rate = true, .first = true},
    [LB_FIGURE_LOAD_SECONDS_FIRST] = {"load_first_accelerator_seconds",
                                      "a load, accelerator 0 (DLIO)", "s", LOAD,
                                      .first = true},
};
#undef TRAINING
#undef SAVE
#undef LOAD

const char *const lb_report_state_names[] = {
    [LB_REPORT_INVALID] = "INVALID",
    [LB_REPORT_CLOSED] = "CLOSED",
    [LB_REPORT_OPEN] = "OPEN",
    [LB_REPORT_WHATIF] = "WHATIF",
};

void lb_report_group_note(struct lb_report_group *g, const char *fmt, ...)
{
  char text[1200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  json_array_append_new(g->note, lb_json_string(text));
}

const struct lb_report_run *
lb_report_group_first(const struct lb_report_group *g)
{
  for (size_t i = 0; i < g->n; i++)
    if (g->run[i].role != LB_RUN_LEFT_OUT)
      return &g->run[i];
  return NULL;
}

/* ---- values ---- */

static double of_run(const struct lb_report_run *r, enum lb_report_figure f)
{
  return f == LB_FIGURE_AU        ? r->au
         : f == LB_FIGURE_SAMPLES ? r->samples_per_s
                                  : r->gib_per_s;
}

/* Bytes are the checkpoint's, for both: what all of it took that long. */
static double of_op(const struct lb_report_op *o,
                    const struct lb_report_figure_row *row)
{
  double seconds = row->first ? o->first_seconds : o->seconds;
  return row->rate ? o->bytes / LB_GIB / seconds : seconds;
}

/* The values that a figure is the mean of, out of the runs that are taken. */
static size_t collect(const struct lb_report_group *g, enum lb_report_figure f,
                      double *out)
{
  const struct lb_report_figure_row *row = &lb_report_figures[f];
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    if (r->role != LB_RUN_TAKEN)
      continue;
    if (row->kind == LB_MLPERF_TRAINING)
      out[n++] = of_run(r, f);
    else
      for (size_t k = 0; k < r->n_ops; k++)
        if (r->op[k].load == row->load)
          out[n++] = of_op(&r->op[k], row);
  }
  return n;
}

static struct lb_report_values values_of(const double *v, size_t n)
{
  struct lb_report_values out = {
      .mean = lb_mean_of(v, n), .min = NAN, .max = NAN, .half_width = NAN};
  for (size_t i = 0; i < n; i++) {
    out.min = fmin(out.min, v[i]); /* NAN loses */
    out.max = fmax(out.max, v[i]);
  }
  if (out.mean.n > 1)
    out.half_width = lb_mean_half_width(&out.mean, confidence);
  return out;
}

static int fill_values(struct lb_report_group *g, struct lb_err *err)
{
  size_t most = g->n;
  for (size_t i = 0; i < g->n; i++)
    most += g->run[i].n_ops;
  double *v = calloc(most + 1, sizeof *v);
  if (!v)
    return lb_err_set(err, LB_FAILED, "no memory for the report");
  for (int f = 0; f < LB_N_FIGURES; f++) {
    size_t n =
        lb_report_figures[f].kind == g->place.kind ? collect(g, f, v) : 0;
    g->value[f] = values_of(v, n);
  }
  free(v);
  return 0;
}

/* ---- is it a result? ---- */

static size_t count_role(const struct lb_report_group *g,
                         enum lb_report_role role)
{
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++)
    n += g->run[i].role == role;
  return n;
}

static void judge_training(struct lb_report_group *g)
{
  size_t in_a_row = count_role(g, LB_RUN_TAKEN) + count_role(g, LB_RUN_WARM_UP);
  g->result = in_a_row == LB_MLPERF_RUNS;
  if (!g->result)
    snprintf(g->verdict, sizeof g->verdict, "not a result: %zu of %d runs",
             in_a_row, LB_MLPERF_RUNS);
}

static void judge_checkpoints(struct lb_report_group *g, size_t want)
{
  size_t saves = 0, loads = 0;
  for (size_t i = 0; i < g->n; i++)
    if (g->run[i].role == LB_RUN_TAKEN) {
      saves += g->run[i].n_saves;
      loads += g->run[i].n_loads;
    }
  g->result = want ? saves == want && loads == want : saves > 0 && loads > 0;
  if (!g->result)
    snprintf(g->verdict, sizeof g->verdict,
             "not a result: %zu of %zu saves, %zu of %zu loads", saves,
             want ? want : 1, loads, want ? want : 1);
}

/* The run that says the worst of itself; NULL: none says anything. */
static const struct lb_report_run *worst_run(const struct lb_report_group *g)
{
  const struct lb_report_run *worst = NULL;
  for (size_t i = 0; i < g->n; i++)
    if (g->run[i].role != LB_RUN_LEFT_OUT &&
        g->run[i].verdict > (worst ? worst->verdict : 0))
      worst = &g->run[i];
  return worst;
}

/* Without a word from the runs, the folder's. */
static enum lb_report_state state_of_runs(const struct lb_report_group *g)
{
  const struct lb_report_run *worst = worst_run(g);
  int verdict = worst ? worst->verdict : 0;
  if (g->place.mode == LB_MLPERF_WHATIF)
    return LB_REPORT_WHATIF;
  if (verdict == LB_MLPERF_IS_INVALID)
    return LB_REPORT_INVALID;
  return verdict == LB_MLPERF_IS_OPEN || g->place.mode == LB_MLPERF_OPEN
             ? LB_REPORT_OPEN
             : LB_REPORT_CLOSED;
}

static const char *member(const json_t *o, const char *key)
{
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

/* What keeps the runs from being closed, by the run that says the most. */
static void note_findings(struct lb_report_group *g)
{
  const struct lb_report_run *r = worst_run(g);
  if (!r)
    return;
  const json_t *list = lb_json_at(r->leaf->file[LB_MLPERF_METADATA].json,
                                  "verification_findings");
  size_t n = json_array_size(list);
  for (size_t i = 0; i < n && i < MOST_FINDINGS; i++) {
    const json_t *f = json_array_get(list, i);
    lb_report_group_note(g, "%s: %s by rule %s: %.100s: %.600s",
                         r->leaf->place.stamp, member(f, "verdict"),
                         member(f, "rule"), member(f, "key"),
                         member(f, "message"));
  }
  if (n > MOST_FINDINGS)
    lb_report_group_note(g, "%s: %zu more of these", r->leaf->place.stamp,
                         n - MOST_FINDINGS);
}

/* Each of the runs must reach it, not only their mean. */
static void judge_au(struct lb_report_group *g)
{
  bool rehearsal = lb_mlperf_is_rehearsal(&g->scale);
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    if (r->role != LB_RUN_TAKEN || !(r->au < r->threshold))
      continue;
    lb_report_group_note(g, "%s: AU %.2f %% is below %.2f %% (rule 3.3.2)%s",
                         r->leaf->place.stamp, r->au, r->threshold,
                         rehearsal ? ", in a rehearsal" : "");
    if (!rehearsal)
      g->state = LB_REPORT_INVALID;
  }
}

static void judge_gap(struct lb_report_group *g)
{
  const struct lb_report_run *last = NULL;
  for (size_t i = 0; i < g->n; i++) {
    const struct lb_report_run *r = &g->run[i];
    if (r->role == LB_RUN_LEFT_OUT)
      continue;
    if (last && r->start_s < last->end_s)
      lb_report_group_note(g,
                           "%s begins %.1f s before %s ends: clocks differ or "
                           "were set back",
                           r->leaf->place.stamp, last->end_s - r->start_s,
                           last->leaf->place.stamp);
    last = r;
  }
}

static void note_sources(struct lb_report_group *g)
{
  for (size_t i = 0; i < g->n; i++)
    if (g->run[i].role != LB_RUN_LEFT_OUT && !g->run[i].again.source)
      lb_report_group_note(g, "%s: AU was not computed again: %s",
                           g->run[i].leaf->place.stamp, g->run[i].again.why);
}

static void note_scale(struct lb_report_group *g)
{
  char text[200];
  lb_mlperf_rehearsal_text(&g->scale, text, sizeof text);
  if (*text)
    lb_report_group_note(g, "%s; says nothing of the system at full scale",
                         text);
}

/* ---- per rack unit, per watt ---- */

double lb_report_per_unit(const struct lb_report_group *g,
                          enum lb_report_figure f)
{
  return g->system.rack_units > 0
             ? g->value[f].mean.mean / (double)g->system.rack_units
             : NAN;
}

double lb_report_per_watt(const struct lb_report_group *g,
                          enum lb_report_figure f)
{
  return g->system.watts > 0 ? g->value[f].mean.mean / g->system.watts : NAN;
}

double lb_report_recovery(const struct lb_report_group *g)
{
  return g->described && g->system.remap_seconds >= 0
             ? g->value[LB_FIGURE_LOAD_SECONDS].mean.mean +
                   (double)g->system.remap_seconds
             : NAN;
}

/* ---- all of it ---- */

/* The same whatever else is in the tree, and for ever. */
static void make_id(struct lb_report_group *g)
{
  char text[4 * LB_MLPERF_NAME + 64];
  int n = snprintf(text, sizeof text, "%s/%s/%s/%s/%s/%s",
                   lb_mlperf_mode_names[g->place.mode], g->place.org,
                   g->place.system, lb_mlperf_kind_names[g->place.kind],
                   g->place.model, g->accelerator);
  uint64_t h = lb_hash(LB_HASH_START, text, (size_t)n);
  snprintf(g->id, sizeof g->id, "loadbank-%08" PRIx32,
           (uint32_t)(h ^ (h >> 32)));
}

static void take_settings(struct lb_report_group *g)
{
  const struct lb_report_run *first = lb_report_group_first(g);
  g->threshold = NAN;
  g->scale = (struct lb_mlperf_scale){1, 1, 1};
  if (!first)
    return;
  g->accelerators = first->accelerators;
  g->hosts = first->hosts;
  g->scale = first->scale;
  g->threshold = first->threshold;
}

int lb_report_group_sum_up(struct lb_report_group *g, struct lb_err *err)
{
  bool training = g->place.kind == LB_MLPERF_TRAINING;
  size_t want = g->place.mode == LB_MLPERF_CLOSED ? LB_MLPERF_CHECKPOINTS : 0;
  lb_report_choose(g->run, g->n, g->place.kind, want, want);
  take_settings(g);
  if (fill_values(g, err))
    return -err->code;
  if (training)
    judge_training(g);
  else
    judge_checkpoints(g, want);
  g->state = g->result ? state_of_runs(g) : LB_REPORT_INVALID;
  note_scale(g);
  note_findings(g);
  if (training) {
    judge_au(g);
    note_sources(g);
  }
  judge_gap(g);
  if (g->state != LB_REPORT_INVALID)
    make_id(g);
  return 0;
}

void lb_report_group_fini(struct lb_report_group *g)
{
  for (size_t i = 0; i < g->n; i++)
    lb_report_run_fini(&g->run[i]);
  free(g->run);
  json_decref(g->note);
}
