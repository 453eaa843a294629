/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See mlperf_rig.h. */
#include "lb-config.h"

#include "mlperf_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "loadbank/json.h"
#include "mlperf/report.h"
#include "result_rig.h"
#include "tap.h"

enum { PATH_LEN = 600 };

static int tree; /* number of the one at work: each has a folder of its own */

void rig_new_tree(void)
{
  tree++;
}

const char *rig_root(void)
{
  static char path[PATH_LEN];
  snprintf(path, sizeof path, "%s/tree%d", tap_tmpdir(), tree);
  return path;
}

/* Within the tree: a folder's name for the rig. */
const char *rig_below(const char *folder)
{
  static char path[4][PATH_LEN + 20];
  static int next;
  char *out = path[next++ % 4];
  snprintf(out, sizeof path[0], "tree%d/%s", tree, folder);
  return out;
}

/* ---- leaves ---- */

const char *rig_leaf(const char *group, int i)
{
  static char path[PATH_LEN];
  snprintf(path, sizeof path, "%s/20261130_1000%02d", group, i);
  return path;
}

void rig_json(const char *folder, const char *file, json_t *v)
{
  char *text = json_dumps(v, 0);
  rig_text(rig_below(folder), file, text);
  free(text);
  json_decref(v);
}

json_t *rig_metadata(const char *kind, const char *model, int i,
                     json_t *metrics)
{
  char stamp[32];
  snprintf(stamp, sizeof stamp, "20261130_1000%02d", i);
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:{s:{s:i}, s:{s:i}}, "
                   "s:O}",
                   "benchmark_type", kind, "model", model, "run_datetime",
                   stamp, "status", "complete", "num_processes", 2,
                   "verification", "closed", "accelerator", "b200",
                   "parameters", "dataset", "num_files_train", 100, "reader",
                   "batch_size", 4, "metrics", metrics);
}

json_t *rig_run_summary(int i, json_t *metrics)
{
  char start[48], end[48];
  snprintf(start, sizeof start, "2026-11-30T10:%02d:00.5+00:00", i);
  snprintf(end, sizeof end, "2026-11-30T10:%02d:50.5+00:00", i);
  return json_pack("{s:s, s:s, s:i, s:i, s:i, s:O, s:{s:s, s:{s:s}, s:f}}",
                   "start", start, "end", end, "num_accelerators", 2,
                   "num_hosts", 1, "num_files_train", 100, "metric", metrics,
                   "loadbank", "status", "complete", "versions", "loadbank",
                   "0.1.0", "au_threshold", 0.9);
}

/* Two epochs of accelerator a: their AU are 1 apart, one accelerator's 2 above
 * the other's; a short block counts for less. */
static json_t *output_of(int a, double au, double rate)
{
  double mine = au + (a ? -1 : 1);
  return json_pack(
      "{s:{s:{s:i, s:i}, s:{s:f, s:f}, s:{s:f, s:f}}, s:{s:{s:i}, s:{s:f}, "
      "s:{s:f}}, s:i}",
      "1", "steps", "block1", 30, "block2", 10, "au", "block1", mine - 1.5,
      "block2", mine + 2.5, "throughput", "block1", rate / 2, "block2",
      rate / 2, "2", "steps", "block1", 40, "au", "block1", mine + 0.5,
      "throughput", "block1", rate / 2, "num_accelerators", 2);
}

/* The leaf is the i-th of its group; its read throughput is gib GiB/s. */
void rig_training(int i, double au, double gib)
{
  const char *leaf = rig_leaf(TRAINING, i);
  double rate = 10 * gib;
  json_t *metrics = json_pack("{s:f, s:f, s:f}", "train_au_mean_percentage", au,
                              "train_throughput_mean_samples_per_second", rate,
                              "train_io_mean_MB_per_second", 1024 * gib);
  rig_json(leaf, "training_x_metadata.json",
           rig_metadata("training", "unet3d", i, metrics));
  rig_json(leaf, "summary.json", rig_run_summary(i, metrics));
  rig_json(leaf, "0_output.json", output_of(0, au, rate));
  rig_json(leaf, "1_output.json", output_of(1, au, rate));
  json_decref(metrics);
}

/* One to warm up, then GiB/s of 1 .. 5 and AU of 91 .. 95. */
void rig_training_tree(int n)
{
  rig_new_tree();
  for (int i = 0; i < n; i++)
    rig_training(i, i ? 90 + i : 50, i ? i : 100);
}

/* Changes a value of a file; NULL: removes it. */
void rig_change(const char *group, int i, const char *file, const char *path,
                json_t *value)
{
  const char *leaf = rig_leaf(group, i);
  json_t *v = json_load_file(rig_path(rig_below(leaf), file), 0, NULL);
  rig_set(v, path, value);
  rig_json(leaf, file, v);
}

/* ---- what the report says ---- */

json_t *rig_report(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  struct lb_buf text;
  json_t *rows = NULL;
  is_int(lb_mlperf_report_make(rig_root(), &r, &err), 0, "a report %s",
         err.msg);
  lb_buf_init(&text, 1 << 24);
  if (r) {
    lb_mlperf_report_json(r, &text);
    rows = json_loadb(text.data, text.len, 0, NULL);
  }
  lb_buf_fini(&text);
  lb_mlperf_report_free(r);
  return rows;
}

const json_t *rig_at(const json_t *rows, size_t row, const char *path)
{
  return lb_json_at(json_array_get(rows, row), path);
}

double rig_real(const json_t *rows, size_t row, const char *path)
{
  return lb_json_real(rig_at(rows, row, path));
}

const char *rig_text_at(const json_t *rows, size_t row, const char *path)
{
  const char *text = json_string_value(rig_at(rows, row, path));
  return text ? text : "";
}

const json_t *rig_run_at(const json_t *rows, size_t row, size_t run)
{
  return json_array_get(rig_at(rows, row, "loadbank.runs"), run);
}

/* Of 8 GiB each; the i-th takes i + 1 s, accelerator 0 half of that. */
void rig_checkpoints(int i, int saves, int loads)
{
  const char *leaf = rig_leaf(CHECKPOINTS, i);
  json_t *metrics = json_object(), *list = json_array();
  json_t *first[2] = {json_array(), json_array()};
  for (int load = 0; load < 2; load++) {
    int n = load ? loads : saves;
    double seconds = 0, rate = 0;
    for (int k = 0; k < n; k++) {
      json_array_append_new(list, json_pack("{s:s, s:f, s:I}", "kind",
                                            load ? "load" : "save", "seconds",
                                            k + 1.0, "size_bytes",
                                            (json_int_t)8 << 30));
      json_array_append_new(first[load], json_real((k + 1) / 2.0));
      seconds += (k + 1.0) / n;
      rate += 8.0 / (k + 1) / n;
    }
    if (n == 0)
      continue;
    rig_set(metrics,
            load ? "load_checkpoint_duration_mean_seconds"
                 : "save_checkpoint_duration_mean_seconds",
            json_real(seconds));
    rig_set(metrics,
            load ? "load_checkpoint_io_mean_GB_per_second"
                 : "save_checkpoint_io_mean_GB_per_second",
            json_real(rate));
  }
  rig_json(leaf, "checkpointing_x_metadata.json",
           rig_metadata("checkpointing", "llama3-8b", i, metrics));
  json_t *s = rig_run_summary(i, metrics);
  rig_set(s, "loadbank.checkpoints", list);
  rig_set(s, "loadbank.save_checkpoint_first_accelerator_seconds", first[0]);
  rig_set(s, "loadbank.load_checkpoint_first_accelerator_seconds", first[1]);
  rig_json(leaf, "summary.json", s);
  json_decref(metrics);
}
