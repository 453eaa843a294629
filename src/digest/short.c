/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result in short: what ran, what came out, and what was said of it. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "digest/story.h"
#include "loadbank/units.h"

#define MIB 0x1p20
#define GIB 0x1p30

static const char *const two[] = {"What", "Value", NULL};

static void text(struct lb_story *s, const char *what, const char *value)
{
  if (!value)
    return;
  lb_page_cell(s->page, what);
  lb_page_cell(s->page, value);
}

static void number(struct lb_story *s, const char *what, enum lb_measure q,
                   double value)
{
  if (!isfinite(value))
    return;
  lb_page_cell(s->page, what);
  lb_page_number(s->page, q, value);
}

static void identity(struct lb_story *s)
{
  const struct lb_result *r = s->r;
  char job[120];
  snprintf(job, sizeof job, "%lld (%lld rank%s, %lld node%s)",
           (long long)r->accelerators, (long long)r->ranks, lb_plural(r->ranks),
           (long long)r->nodes, lb_plural(r->nodes));
  lb_page_table(s->page, "What ran", two);
  text(s, "Workload", r->workload);
  text(s, "Started", r->start);
  text(s, "Accelerators", job);
  text(s, "Storage", r->storage_type);
  text(s, "Format", lb_result_text(r, "loadbank.format"));
  text(s, "Loader", lb_result_text(r, "loadbank.data_loader"));
  number(s, "Dataset", LB_BYTES,
         lb_result_number(r, "loadbank.plan.dataset_bytes"));
  number(s, "Batch, samples", LB_COUNT,
         lb_result_number(r, "loadbank.plan.batch_size_train"));
  number(s, "Readers of each accelerator", LB_COUNT,
         lb_result_number(r, "loadbank.plan.read_threads"));
  text(s, "loadbank", r->version);
  text(s, "Command", lb_result_text(r, "loadbank.command"));
}

/* Rows of two kinds of numbers would not say which is a text: the verdicts are
 * a sentence. */
static void verdict(struct lb_story *s, const char *set, const char *what)
{
  char path[80];
  snprintf(path, sizeof path, "metric.%s_au_meet_expectation", set);
  const char *word = lb_result_text(s->r, path);
  if (!word)
    return;
  snprintf(path, sizeof path, "metric.%s_au_mean_percentage", set);
  double au = lb_result_number(s->r, path);
  char text[LB_MEASURE_LEN];
  lb_measure_text(LB_PERCENT, au, text);
  lb_page_say(s->page, "%s: %s. AU %s, metric.au asks for %g %%.", what, word,
              text, 100 * lb_result_number(s->r, "loadbank.au_threshold"));
}

static void outcome(struct lb_story *s)
{
  static const struct {
    const char *what, *path;
    enum lb_measure q;
    double unit; /* of the key, in the quantity's own */
  } rows[] = {
      {"Training AU", "metric.train_au_mean_percentage", LB_PERCENT, 1},
      {"Training throughput, samples/s",
       "metric.train_throughput_mean_samples_per_second", LB_PLAIN, 1},
      {"Training, file bytes read", "loadbank.train_file_mean_MiB_per_second",
       LB_BYTES_PER_S, MIB},
      {"Training, waiting for data", "loadbank.train_load_wait_percentage",
       LB_PERCENT, 1},
      {"Training, computing", "loadbank.train_compute_percentage", LB_PERCENT,
       1},
      {"Training, at the gate", "loadbank.train_gate_percentage", LB_PERCENT,
       1},
      {"Evaluation AU", "metric.eval_au_mean_percentage", LB_PERCENT, 1},
      {"Evaluation throughput, samples/s",
       "metric.eval_throughput_mean_samples_per_second", LB_PLAIN, 1},
      {"Checkpoint save", "metric.save_checkpoint_duration_mean_seconds",
       LB_SECONDS, 1},
      {"Checkpoint save, rate", "metric.save_checkpoint_io_mean_GB_per_second",
       LB_BYTES_PER_S, GIB},
      {"Checkpoint load", "metric.load_checkpoint_duration_mean_seconds",
       LB_SECONDS, 1},
      {"Checkpoint load, rate", "metric.load_checkpoint_io_mean_GB_per_second",
       LB_BYTES_PER_S, GIB},
      {"Client CPU, cores", "loadbank.client_cpu_cores", LB_PLAIN, 1},
  };
  lb_page_table(s->page, "What came out, means over epochs and checkpoints",
                two);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    number(s, rows[i].what, rows[i].q,
           lb_result_number(s->r, rows[i].path) * rows[i].unit);
}

void lb_section_short(struct lb_story *s)
{
  const char *limit = lb_result_text(s->r, "loadbank.limited_by");
  const json_t *warnings = lb_story_at(s, "loadbank.warnings");
  lb_page_section(s->page, 2, "In short");
  verdict(s, "train", "Training");
  verdict(s, "eval", "Evaluation");
  if (limit)
    lb_page_say(s->page, "Limited by: %s.", limit);
  outcome(s);
  identity(s);
  for (size_t i = 0; i < json_array_size(warnings); i++) {
    const char *w = json_string_value(json_array_get(warnings, i));
    if (w)
      lb_page_say(s->page, "Warning: %s.", w);
  }
}
