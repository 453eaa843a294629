/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups as rows of results.json and results.csv: one table of columns.  The
 * first ones have the names of the benchmark's own tables; those that only this
 * program fills follow. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/image.h"
#include "mlperf/report_impl.h"

enum { MOST_TEXT = 1 << 20 };

typedef json_t *fact(const struct lb_report_group *g); /* null: not known */
typedef double stat(const struct lb_report_group *g, enum lb_report_figure f);

/* Either a fact, or a statistic of a figure. */
struct column {
  const char *name;
  fact *fact;
  enum lb_report_figure figure;
  stat *stat;
  bool rounded; /* the benchmark's tables have two decimals */
};

/* ---- statistics ---- */

static double mean(const struct lb_report_group *g, enum lb_report_figure f)
{
  return g->value[f].mean.mean;
}

static double stdev(const struct lb_report_group *g, enum lb_report_figure f)
{
  return g->value[f].mean.stdev;
}

/* ---- facts ---- */

static json_t *id(const struct lb_report_group *g)
{
  return lb_json_filled(g->id);
}

static json_t *organisation(const struct lb_report_group *g)
{
  return lb_json_filled(g->place.org);
}

static json_t *division(const struct lb_report_group *g)
{
  return lb_json_filled(lb_mlperf_mode_names[g->place.mode]);
}

static json_t *kind(const struct lb_report_group *g)
{
  return lb_json_filled(lb_mlperf_kind_names[g->place.kind]);
}

static json_t *model(const struct lb_report_group *g)
{
  return lb_json_filled(g->place.model);
}

static json_t *name(const struct lb_report_group *g)
{
  return lb_json_filled(g->place.system);
}

static json_t *description(const struct lb_report_group *g)
{
  return lb_json_filled(g->system.friendly_description);
}

/* "Shared remote file" */
static json_t *type(const struct lb_report_group *g)
{
  const struct lb_mlperf_system *s = &g->system;
  char text[120];
  bool both = s->simultaneous_write > 0 && s->simultaneous_read > 0;
  if (!g->described || !*s->storage_location || !*s->product_api ||
      s->simultaneous_write < 0 || s->simultaneous_read < 0)
    return json_null();
  snprintf(text, sizeof text, "%s %s %s", both ? "Shared" : "Failover",
           strcmp(s->storage_location, "remote_and_local") != 0
               ? s->storage_location
               : "remote and local",
           s->product_api);
  return lb_json_filled(text);
}

static json_t *protocol(const struct lb_report_group *g)
{
  if (!*g->system.benchmark_api)
    return json_null();
  return lb_json_filled(!strcmp(g->system.benchmark_api, "file") ? "POSIX"
                                                                 : "S3");
}

/* The description has no such field: for people to fill in. */
static json_t *blank(const struct lb_report_group *g)
{
  (void)g;
  return json_null();
}

static json_t *rack_units(const struct lb_report_group *g)
{
  return lb_report_count(g->system.rack_units);
}

static bool is_training(const struct lb_report_group *g)
{
  return g->place.kind == LB_MLPERF_TRAINING;
}

static json_t *accelerator(const struct lb_report_group *g)
{
  return is_training(g) ? lb_json_filled(g->accelerator) : json_null();
}

static json_t *count_if(bool here, int64_t n)
{
  return here ? lb_report_count(n) : json_null();
}

static json_t *training_nodes(const struct lb_report_group *g)
{
  return count_if(is_training(g), g->hosts);
}

static json_t *checkpoint_nodes(const struct lb_report_group *g)
{
  return count_if(!is_training(g), g->hosts);
}

static json_t *accelerators(const struct lb_report_group *g)
{
  return count_if(is_training(g), g->accelerators);
}

/* "code-images/code-XXXXXXXX/", from the first run's provenance. */
static json_t *code(const struct lb_report_group *g)
{
  const struct lb_report_run *r = lb_report_group_first(g);
  char name[64], path[66];
  const char *image =
      r ? lb_json_text_at(r->leaf->file[LB_MLPERF_PROVENANCE].json,
                          "tool.code_image")
        : NULL;
  const char *hash = image ? strchr(image, ':') : NULL;
  if (!hash)
    return json_null();
  lb_mlperf_image_name(hash + 1, name);
  snprintf(path, sizeof path, "%s/", name);
  return lb_json_filled(path);
}

static json_t *training_code(const struct lb_report_group *g)
{
  return is_training(g) ? code(g) : json_null();
}

static json_t *checkpoint_code(const struct lb_report_group *g)
{
  return is_training(g) ? json_null() : code(g);
}

/* The folder of its leaves. */
static json_t *logs(const struct lb_report_group *g)
{
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX];
  return lb_mlperf_group_path(&g->place, path, &err) ? json_null()
                                                     : lb_json_filled(path);
}

static json_t *training_logs(const struct lb_report_group *g)
{
  return is_training(g) ? logs(g) : json_null();
}

static json_t *checkpoint_logs(const struct lb_report_group *g)
{
  return is_training(g) ? json_null() : logs(g);
}

static json_t *checkpoint_mode(const struct lb_report_group *g)
{
  const struct lb_report_run *r = lb_report_group_first(g);
  if (is_training(g) || !r)
    return json_null();
  const char *mode = lb_json_text_at(r->parameters, "checkpoint.mode");
  return lb_json_filled(mode && !strcmp(mode, "subset") ? "Subset" : "Full");
}

/* Accelerators / (tensor x pipeline). */
static json_t *instances(const struct lb_report_group *g)
{
  const struct lb_report_run *r = lb_report_group_first(g);
  static const char *const part[] = {"model.parallelism.tensor",
                                     "model.parallelism.pipeline"};
  double group = 1;
  for (int i = 0; r && i < 2; i++) {
    double n = lb_json_real(lb_json_at(r->parameters, part[i]));
    group *= n > 0 ? n : 1;
  }
  return count_if(!is_training(g), (int64_t)((double)g->accelerators / group));
}

static json_t *recovery(const struct lb_report_group *g)
{
  return lb_json_number(lb_report_recovery(g));
}

static json_t *state(const struct lb_report_group *g)
{
  return lb_json_filled(lb_report_state_names[g->state]);
}

static json_t *verdict(const struct lb_report_group *g)
{
  return lb_json_filled(*g->verdict ? g->verdict : "a result");
}

/* Stamps of the runs with a role, blanks between. */
static json_t *stamps(const struct lb_report_group *g, enum lb_report_role role)
{
  struct lb_buf b;
  lb_buf_init(&b, MOST_TEXT);
  for (size_t i = 0; i < g->n; i++)
    if (g->run[i].role == role)
      lb_buf_printf(&b, "%s%s", b.len ? " " : "", g->run[i].leaf->place.stamp);
  json_t *v = lb_json_filled(b.data);
  lb_buf_fini(&b);
  return v;
}

static json_t *warm_up(const struct lb_report_group *g)
{
  return stamps(g, LB_RUN_WARM_UP);
}

static json_t *taken(const struct lb_report_group *g)
{
  return stamps(g, LB_RUN_TAKEN);
}

static json_t *left_out(const struct lb_report_group *g)
{
  return stamps(g, LB_RUN_LEFT_OUT);
}

static json_t *rehearsal_text(const struct lb_report_group *g)
{
  char text[100];
  if (!lb_mlperf_is_rehearsal(&g->scale))
    return json_null();
  snprintf(text, sizeof text, "files %g bytes %g time %g", g->scale.files,
           g->scale.bytes, g->scale.time);
  return lb_json_filled(text);
}

static json_t *style(const struct lb_report_group *g)
{
  (void)g;
  return lb_json_filled(LB_MLPERF_STYLE);
}

#define STYLE_COLUMN "Style"
#define SPREAD(label, figure)                    \
  {label, NULL, figure, mean, false},            \
  {                                              \
    label " (Stdev)", NULL, figure, stdev, false \
  }
#define FIGURES(label, figure)                                    \
  SPREAD(label, figure),                                          \
      {label " per RU", NULL, figure, lb_report_per_unit, false}, \
  {                                                               \
    label " per W", NULL, figure, lb_report_per_watt, false       \
  }

/* clang-format off */
static const struct column columns[] = {
    {"Public ID", id, 0, NULL, false},
    {"Organization", organisation, 0, NULL, false},
    {"Division", division, 0, NULL, false},
    {"Benchmark Type", kind, 0, NULL, false},
    {"Model", model, 0, NULL, false},
    {"Name", name, 0, NULL, false},
    {"Description", description, 0, NULL, false},
    {"Type", type, 0, NULL, false},
    {"Access Protocol", protocol, 0, NULL, false},
    {"Availability", blank, 0, NULL, false},
    {"RU's", rack_units, 0, NULL, false},
    {"Integrated Client Storage (TiB)", blank, 0, NULL, false},
    {"Usable Capacity (TiB)", blank, 0, NULL, false},
    {"Provisioned Power (W)", blank, 0, NULL, false},
    {"Training - Accelerator Type", accelerator, 0, NULL, false},
    {"Training - # Client Nodes", training_nodes, 0, NULL, false},
    {"Training - Code", training_code, 0, NULL, false},
    {"Training - Logs", training_logs, 0, NULL, false},
    {"Training - # Simulated Accelerators", accelerators, 0, NULL, false},
    {"Training - Read B/W (GiB/s)", NULL, LB_FIGURE_READ, mean, true},
    {"Checkpointing - Checkpoint Mode", checkpoint_mode, 0, NULL, false},
    {"Checkpointing - # Client Nodes", checkpoint_nodes, 0, NULL, false},
    {"Checkpointing - DP Instances", instances, 0, NULL, false},
    {"Checkpointing - Code", checkpoint_code, 0, NULL, false},
    {"Checkpointing - Logs", checkpoint_logs, 0, NULL, false},
    {"Checkpointing - Write B/W (GiB/s)", NULL, LB_FIGURE_SAVE_RATE, mean, true},
    {"Checkpointing - Write Duration (secs)", NULL, LB_FIGURE_SAVE_SECONDS, mean, true},
    {"Checkpointing - Read B/W (GiB/s)", NULL, LB_FIGURE_LOAD_RATE, mean, true},
    {"Checkpointing - Read Duration (secs)", NULL, LB_FIGURE_LOAD_SECONDS, mean, true},
    /* Ours. */
    {"State", state, 0, NULL, false},
    {"Verdict", verdict, 0, NULL, false},
    {"Rehearsal", rehearsal_text, 0, NULL, false},
    {"Active Power (W)", lb_report_watts, 0, NULL, false},
    SPREAD("AU (%)", LB_FIGURE_AU),
    FIGURES("Samples/s", LB_FIGURE_SAMPLES),
    FIGURES("Read GiB/s", LB_FIGURE_READ),
    FIGURES("Saved GiB/s", LB_FIGURE_SAVE_RATE),
    SPREAD("Save s", LB_FIGURE_SAVE_SECONDS),
    SPREAD("Saved GiB/s by Accelerator 0", LB_FIGURE_SAVE_RATE_FIRST),
    SPREAD("Save s of Accelerator 0", LB_FIGURE_SAVE_SECONDS_FIRST),
    FIGURES("Loaded GiB/s", LB_FIGURE_LOAD_RATE),
    SPREAD("Load s", LB_FIGURE_LOAD_SECONDS),
    SPREAD("Loaded GiB/s by Accelerator 0", LB_FIGURE_LOAD_RATE_FIRST),
    SPREAD("Load s of Accelerator 0", LB_FIGURE_LOAD_SECONDS_FIRST),
    {"Recovery s", recovery, 0, NULL, false},
    {"Warm-up Run", warm_up, 0, NULL, false},
    {"Runs Taken", taken, 0, NULL, false},
    {"Runs Left Out", left_out, 0, NULL, false},
    {STYLE_COLUMN, style, 0, NULL, false},
};
/* clang-format on */
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static json_t *value(const struct lb_report_group *g, const struct column *c)
{
  if (c->fact)
    return c->fact(g);
  double v = c->stat(g, c->figure);
  return lb_json_number(c->rounded ? lb_report_rounded(v) : v);
}

/* ---- CSV ---- */

static void csv_text(struct lb_buf *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    lb_buf_puts(out, text);
    return;
  }
  lb_buf_puts(out, "\"");
  for (; *text; text++)
    lb_buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
  lb_buf_puts(out, "\"");
}

static void csv_value(struct lb_buf *out, const json_t *v)
{
  char number[LB_REAL_LEN];
  if (json_is_string(v)) {
    csv_text(out, json_string_value(v));
  } else if (json_is_integer(v)) {
    lb_buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  } else if (json_is_real(v)) {
    lb_format_real(json_real_value(v), number);
    lb_buf_puts(out, number);
  }
}

void lb_report_rows_csv(const struct lb_report_group *const *g, size_t n,
                        struct lb_buf *out)
{
  for (int c = 0; c < N_COLUMNS; c++) {
    lb_buf_puts(out, c ? "," : "");
    csv_text(out, columns[c].name);
  }
  lb_buf_puts(out, "\n");
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < N_COLUMNS; c++) {
      json_t *v = value(g[i], &columns[c]);
      csv_value(out, v);
      lb_buf_puts(out, c + 1 < N_COLUMNS ? "," : "\n");
      json_decref(v);
    }
}

/* ---- JSON ---- */

void lb_report_rows_json(const struct lb_report_group *const *g, size_t n,
                         struct lb_buf *out)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < n; i++) {
    json_t *row = json_object();
    for (int c = 0; c < N_COLUMNS; c++)
      json_object_set_new(row, columns[c].name, value(g[i], &columns[c]));
    json_object_set_new(row, "loadbank", lb_report_details(g[i]));
    json_array_append_new(rows, row);
  }
  lb_json_text(out, rows);
  json_decref(rows);
}

/* ---- whose is a file? ---- */

static bool is_our_json(const char *text, size_t len)
{
  json_t *rows = json_loadb(text, len, 0, NULL), *row;
  size_t i;
  bool ours = json_array_size(rows) > 0;
  json_array_foreach(rows, i, row) ours &=
      json_is_string(lb_json_at(row, "loadbank.style"));
  json_decref(rows);
  return ours;
}

static bool is_our_csv(const char *text, size_t len)
{
  static const char last[] = "," STYLE_COLUMN "\n";
  size_t n = sizeof last - 1;
  const char *end = memchr(text, '\n', len);
  size_t header = end ? (size_t)(end - text) + 1 : 0;
  return header >= n && !memcmp(text + header - n, last, n);
}

bool lb_report_is_ours(const char *file, const char *text, size_t len)
{
  const char *dot = strrchr(file, '.');
  return dot && !strcmp(dot, ".csv") ? is_our_csv(text, len)
                                     : is_our_json(text, len);
}
