/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results tree with values that are known beforehand: what is averaged, what
 * is left out and why, what is written and what is left alone. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/json.h"
#include "loadbank/mlperf_report.h"
#include "loadbank/page.h"
#include "loadbank/world.h"
#include "result_rig.h"
#include "tap.h"

enum { RUNS = 6, PATH_LEN = 600 };
#define TRAINING "closed/acme/results/box/training/unet3d/run"
#define CHECKPOINTS "closed/acme/results/box/checkpointing/llama3-8b"

static int tree; /* number of the one at work: each has a folder of its own */

static const char *root(void)
{
  static char path[PATH_LEN];
  snprintf(path, sizeof path, "%s/tree%d", tap_tmpdir(), tree);
  return path;
}

/* Within the tree: a folder's name for the rig. */
static const char *below(const char *folder)
{
  static char path[4][PATH_LEN + 20];
  static int next;
  char *out = path[next++ % 4];
  snprintf(out, sizeof path[0], "tree%d/%s", tree, folder);
  return out;
}

/* ---- leaves ---- */

static const char *leaf_of(const char *group, int i)
{
  static char path[PATH_LEN];
  snprintf(path, sizeof path, "%s/20261130_1000%02d", group, i);
  return path;
}

static void put_json(const char *folder, const char *file, json_t *v)
{
  char *text = json_dumps(v, 0);
  rig_text(below(folder), file, text);
  free(text);
  json_decref(v);
}

static json_t *metadata_of(const char *kind, const char *model, int i,
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

static json_t *summary_of(int i, json_t *metrics)
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
static void training_leaf(int i, double au, double gib)
{
  const char *leaf = leaf_of(TRAINING, i);
  double rate = 10 * gib;
  json_t *metrics = json_pack("{s:f, s:f, s:f}", "train_au_mean_percentage", au,
                              "train_throughput_mean_samples_per_second", rate,
                              "train_io_mean_MB_per_second", 1024 * gib);
  put_json(leaf, "training_x_metadata.json",
           metadata_of("training", "unet3d", i, metrics));
  put_json(leaf, "summary.json", summary_of(i, metrics));
  put_json(leaf, "0_output.json", output_of(0, au, rate));
  put_json(leaf, "1_output.json", output_of(1, au, rate));
  json_decref(metrics);
}

/* One to warm up, then GiB/s of 1 .. 5 and AU of 91 .. 95. */
static void training_tree(int n)
{
  tree++;
  for (int i = 0; i < n; i++)
    training_leaf(i, i ? 90 + i : 50, i ? i : 100);
}

/* Changes a value of a file; NULL: removes it. */
static void change(const char *group, int i, const char *file, const char *path,
                   json_t *value)
{
  const char *leaf = leaf_of(group, i);
  json_t *v = json_load_file(rig_path(below(leaf), file), 0, NULL);
  rig_set(v, path, value);
  put_json(leaf, file, v);
}

/* ---- what the report says ---- */

static json_t *report(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  struct lb_buf text;
  json_t *rows = NULL;
  is_int(lb_mlperf_report_make(root(), &r, &err), 0, "a report %s", err.msg);
  lb_buf_init(&text, 1 << 24);
  if (r) {
    lb_mlperf_report_json(r, &text);
    rows = json_loadb(text.data, text.len, 0, NULL);
  }
  lb_buf_fini(&text);
  lb_mlperf_report_free(r);
  return rows;
}

static const json_t *at(const json_t *rows, size_t row, const char *path)
{
  return lb_json_at(json_array_get(rows, row), path);
}

static double real_at(const json_t *rows, size_t row, const char *path)
{
  return lb_json_real(at(rows, row, path));
}

static const char *text_at(const json_t *rows, size_t row, const char *path)
{
  const char *text = json_string_value(at(rows, row, path));
  return text ? text : "";
}

static const json_t *run_at(const json_t *rows, size_t row, size_t run)
{
  return json_array_get(at(rows, row, "loadbank.runs"), run);
}

static const char *role(const json_t *rows, size_t run)
{
  return json_string_value(json_object_get(run_at(rows, 0, run), "role"));
}

static const char *reason(const json_t *rows, size_t run, size_t k)
{
  const char *text = json_string_value(
      json_array_get(json_object_get(run_at(rows, 0, run), "reasons"), k));
  return text ? text : "";
}

/* ---- training ---- */

static void test_six(void)
{
  training_tree(RUNS);
  json_t *rows = report();
  is_int(json_array_size(rows), 1, "one row");
  is_str(text_at(rows, 0, "State"), "CLOSED", "closed");
  is_str(text_at(rows, 0, "Verdict"), "a result", "complete");
  is_str(role(rows, 0), "warm-up", "the first run warms up");
  is_str(role(rows, 5), "taken", "the last one counts");
  is_near(real_at(rows, 0, "loadbank.figures.au_percentage.mean"), 93, 1e-9,
          "mean AU of five");
  const char *const f = "loadbank.figures.read_GiB_per_second";
  static const struct {
    const char *key;
    double want;
  } want[] = {{"values", 5},
              {"mean", 3},
              {"stdev", 1.5811388300841898},
              {"min", 1},
              {"max", 5},
              {"interval_95_low", 3 - 1.9632431614775606},
              {"interval_95_high", 3 + 1.9632431614775606}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    char path[100];
    snprintf(path, sizeof path, "%s.%s", f, want[i].key);
    is_near(real_at(rows, 0, path), want[i].want, 1e-9, "%s", path);
  }
  is_near(real_at(rows, 0, "loadbank.figures.samples_per_second.mean"), 30,
          1e-9, "samples/s");
  is_near(real_at(rows, 0, "Training - Read B/W (GiB/s)"), 3, 0,
          "in the benchmark's column, too");
  is_str(text_at(rows, 0, "Training - Accelerator Type"), "b200",
         "its accelerator");
  is_int((int)real_at(rows, 0, "Training - # Simulated Accelerators"), 2,
         "how many");
  is_str(json_string_value(lb_json_at(run_at(rows, 0, 2), "recomputed.source")),
         "<a>_output.json", "AU was computed again");
  is_near(
      lb_json_real(lb_json_at(run_at(rows, 0, 2), "recomputed.au_percentage")),
      92, 1e-9, "and is the same");
  is_str(text_at(rows, 0, "loadbank.style"), LB_MLPERF_STYLE, "its style");
  is_int(json_array_size(at(rows, 0, "loadbank.notes")), 1,
         "the only note is of the description");
  json_decref(rows);
}

static void test_more_and_fewer(void)
{
  training_tree(8);
  json_t *rows = report();
  is_str(role(rows, 1), "left out", "of eight runs, the second");
  is_str(reason(rows, 1, 0), "not among the last 6 in a row", "why");
  is_str(role(rows, 2), "warm-up", "the last six: the first of them");
  is_near(real_at(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 5,
          1e-9, "mean of 3 .. 7");
  json_decref(rows);
  training_tree(3);
  rows = report();
  is_str(text_at(rows, 0, "Verdict"), "not a result: 3 of 6 runs", "three");
  is_str(text_at(rows, 0, "State"), "INVALID", "no result");
  ok(json_is_null(at(rows, 0, "Public ID")), "no ID");
  is_near(real_at(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 1.5,
          1e-9, "the mean of what is there");
  json_decref(rows);
}

/* A change to the fourth of six runs, and what is said of it. */
static const struct {
  const char *file, *path, *value, *reason;
} changes[] = {
    {"summary.json", "loadbank.status", "\"interrupted\"",
     "the run is interrupted"},
    {"training_x_metadata.json", "status", "\"running\"",
     "the metadata's status is 'running', the run did not end"},
    {"training_x_metadata.json", "model", "\"retinanet\"",
     "the metadata's model is 'retinanet', its folder's 'unet3d'"},
    {"training_x_metadata.json", "run_datetime", "\"20261130_100009\"",
     "the metadata's run_datetime is '20261130_100009', its folder's "
     "'20261130_100003'"},
    {"training_x_metadata.json", "num_processes", "3",
     "the metadata's num_processes is 3, summary.json's num_accelerators 2"},
    {"summary.json", "num_files_train", "99",
     "the metadata's parameters.dataset.num_files_train is 100, summary.json's "
     "num_files_train 99"},
    {"training_x_metadata.json", "metrics.train_au_mean_percentage", "94",
     "train_au_mean_percentage is 94 in the metadata, 93 in summary.json"},
    {"summary.json", "end", "\"2026-11-30T10:02:00+00:00\"",
     "it ends 60.5 s before it starts: the clock was set back"},
    {"summary.json", "end", "17", "summary.json has no start or no end"},
    {"training_x_metadata.json", "invocation_start_time",
     "\"2026-11-30T10:05:00Z\"",
     "it starts 119.5 s before it was asked for: the clock was set back"},
    {"training_x_metadata.json", "rehearsal",
     "{\"files\": 0.001, \"bytes\": 1, \"time\": 1}",
     "of scale 0.001 (bytes 1, time 1), not 1 (bytes 1, time 1) as the runs "
     "that are taken"},
    {"summary.json", "loadbank.versions.loadbank", "\"0.0.9\"",
     "made by version 0.0.9, not 0.1.0 as the runs that are taken"},
    {"summary.json", "num_hosts", "2",
     "of 2 accelerators on 2 hosts, not 2 on 1 as the runs that are taken"},
    {"training_x_metadata.json", "parameters.reader.batch_size", "8",
     "with another reader.batch_size as the runs that are taken"},
    {"training_x_metadata.json", "parameters.reader.read_threads", "8",
     "with another reader.read_threads as the runs that are taken"},
    {"0_output.json", "2.au.block1", "97",
     "summary.json says AU 93.0000 %, <a>_output.json gives 93.6250 % (they "
     "may differ by 0.0500)"},
    {"1_output.json", "2.throughput.block1", "15.8",
     "summary.json says 30.0000 samples/s, <a>_output.json gives 30.4000 (they "
     "may differ by 0.0152)"},
    {"summary.json", "metric", "[]",
     "summary.json lacks AU, samples/s or MB/s of training"},
    {"summary.json", "metric.train_io_mean_MB_per_second", "[3072]",
     "summary.json lacks AU, samples/s or MB/s of training"},
};

static void test_left_out(void)
{
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    training_tree(RUNS);
    change(TRAINING, 3, changes[i].file, changes[i].path,
           json_loads(changes[i].value, JSON_DECODE_ANY, NULL));
    json_t *rows = report();
    is_str(reason(rows, 3, 0), changes[i].reason, "%s", changes[i].path);
    is_str(reason(rows, 3, 1), "", "nothing else");
    is_str(role(rows, 3), "left out", "left out");
    is_str(text_at(rows, 0, "Verdict"), "not a result: 3 of 6 runs",
           "the three before it are the longest in a row");
    is_near(real_at(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 1.5,
            1e-9, "and it is not averaged");
    json_decref(rows);
  }
}

static void test_files(void)
{
  static const struct {
    const char *file, *text, *reason;
  } broken[] = {
      {"summary.json", NULL, "there is no file *summary.json in it"},
      {"training_x_metadata.json", NULL, "there is no file *metadata* in it"},
      {"summary.json", "{\"start\":", "summary.json: line 1: "},
      {"training_x_metadata.json", "[]",
       "training_x_metadata.json: no JSON object"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    training_tree(RUNS);
    const char *leaf = below(leaf_of(TRAINING, 3));
    if (broken[i].text)
      rig_text(leaf, broken[i].file, broken[i].text);
    else
      unlink(rig_path(leaf, broken[i].file));
    json_t *rows = report();
    is_int(json_array_size(rows), 1, "still one group");
    ok(!strncmp(reason(rows, 3, 0), broken[i].reason, strlen(broken[i].reason)),
       "%s", reason(rows, 3, 0));
    is_str(reason(rows, 3, 1), "", "nothing else");
    json_decref(rows);
  }
}

static void test_no_second_source(void)
{
  training_tree(RUNS);
  unlink(rig_path(below(leaf_of(TRAINING, 3)), "1_output.json"));
  json_t *rows = report();
  is_str(text_at(rows, 0, "Verdict"), "a result",
         "without raw steps and files of all accelerators it stays in");
  const json_t *note = json_array_get(at(rows, 0, "loadbank.notes"), 1);
  is_str(json_string_value(note),
         "20261130_100003: AU was not computed again: no steps.h5; "
         "1_output.json, of 2 accelerators, is missing or says no AU",
         "but that is said");
  json_decref(rows);
}

static void test_au(void)
{
  training_tree(RUNS);
  training_leaf(2, 89.5, 2);
  json_t *rows = report();
  is_str(text_at(rows, 0, "State"), "INVALID", "a run below the threshold");
  const json_t *note = json_array_get(at(rows, 0, "loadbank.notes"), 1);
  is_str(json_string_value(note),
         "20261130_100002: AU 89.50 % is below 90.00 % (rule 3.3.2)", "why");
  json_decref(rows);
  for (int i = 0; i < RUNS; i++)
    change(TRAINING, i, "training_x_metadata.json", "rehearsal",
           json_pack("{s:f, s:i, s:i}", "files", 0.01, "bytes", 1, "time", 1));
  rows = report();
  is_str(text_at(rows, 0, "State"), "CLOSED", "in a rehearsal it is a note");
  is_near(real_at(rows, 0, "loadbank.rehearsal.files"), 0.01, 0,
          "which is marked");
  is_str(text_at(rows, 0, "Rehearsal"), "files 0.01 bytes 1 time 1",
         "in a column, too");
  json_decref(rows);
}

/* What the runs say of themselves; the worst word counts. */
static void test_divisions(void)
{
  static const struct {
    const char *word, *state;
  } want[] = {{"CLOSED", "CLOSED"}, {"open", "OPEN"}, {"INVALID", "INVALID"}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    training_tree(RUNS);
    change(TRAINING, 4, "training_x_metadata.json", "verification",
           json_string(want[i].word));
    json_t *rows = report();
    is_str(text_at(rows, 0, "State"), want[i].state, "'%s'", want[i].word);
    is_str(text_at(rows, 0, "Verdict"), "a result", "with all runs");
    json_decref(rows);
  }
}

/* Files as DLIO writes them: single steps instead of their number; the summary
 * and the metadata have nothing of ours. */
static void test_dlio(void)
{
  training_tree(1);
  const char *leaf = leaf_of(TRAINING, 0);
  json_t *steps[2] = {json_array(), json_array()};
  for (int i = 0; i < 40; i++)
    json_array_append_new(steps[i < 30 ? 0 : 1], json_real(0.1));
  json_t *epoch =
      json_pack("{s:{s:o, s:o}, s:{s:f, s:f}, s:{s:f, s:f}}", "proc", "block1",
                steps[0], "block2", steps[1], "au", "block1", 80.0, "block2",
                100.0, "throughput", "block1", 8.0, "block2", 8.0);
  put_json(leaf, "0_output.json",
           json_pack("{s:o, s:[f], s:s}", "1", epoch, "host_memory_GB", 64.0,
                     "hostname", "h"));
  json_t *metrics = json_pack("{s:f, s:f, s:f}", "train_au_mean_percentage",
                              85.0, "train_throughput_mean_samples_per_second",
                              8.0, "train_io_mean_MB_per_second", 512.0);
  json_t *metadata = metadata_of("training", "unet3d", 0, metrics);
  json_t *summary = summary_of(0, metrics);
  json_object_del(metadata, "status");
  json_object_del(metadata, "metrics");
  json_object_del(summary, "loadbank");
  rig_set(metadata, "num_processes", json_integer(1));
  rig_set(metadata, "parameters.metric", json_pack("{s:f}", "au", 0.9));
  rig_set(summary, "num_accelerators", json_integer(1));
  rig_set(summary, "start", json_string("2026-11-30T10:00:00.123456"));
  put_json(leaf, "training_x_metadata.json", metadata);
  put_json(leaf, "summary.json", summary);
  json_decref(metrics);
  json_t *rows = report();
  is_str(reason(rows, 0, 0), "", "nothing speaks against it");
  is_near(
      lb_json_real(lb_json_at(run_at(rows, 0, 0), "recomputed.au_percentage")),
      85, 1e-9, "weighted by the steps that are listed");
  is_near(real_at(rows, 0, "loadbank.au_threshold_percentage"), 90, 1e-9,
          "the threshold of its parameters");
  json_decref(rows);
}

/* Two kinds of accelerators share a folder; one group is no result. */
static void test_accelerators(void)
{
  training_tree(RUNS);
  training_leaf(20, 92, 7);
  change(TRAINING, 20, "training_x_metadata.json", "accelerator",
         json_string("mi355"));
  json_t *rows = report();
  is_int(json_array_size(rows), 2, "two rows");
  is_str(text_at(rows, 0, "Training - Accelerator Type"), "mi355",
         "INVALID comes first");
  is_str(text_at(rows, 0, "Verdict"), "not a result: 1 of 6 runs", "one run");
  is_near(real_at(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 7,
          1e-9, "which is all that is known");
  is_str(text_at(rows, 1, "Verdict"), "a result", "the other is one");
  json_decref(rows);
}

/* ---- checkpoints ---- */

/* Of 8 GiB each; the i-th takes i + 1 s, accelerator 0 half of that. */
static void checkpoint_leaf(int i, int saves, int loads)
{
  const char *leaf = leaf_of(CHECKPOINTS, i);
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
  put_json(leaf, "checkpointing_x_metadata.json",
           metadata_of("checkpointing", "llama3-8b", i, metrics));
  json_t *s = summary_of(i, metrics);
  rig_set(s, "loadbank.checkpoints", list);
  rig_set(s, "loadbank.save_checkpoint_first_accelerator_seconds", first[0]);
  rig_set(s, "loadbank.load_checkpoint_first_accelerator_seconds", first[1]);
  put_json(leaf, "summary.json", s);
  json_decref(metrics);
}

static void check_ten(const json_t *rows)
{
  static const double harmonic = 2.9289682539682538; /* 1 + 1/2 ... 1/10 */
  is_str(text_at(rows, 0, "Verdict"), "a result", "ten and ten");
  static const char *const kind[] = {"save", "load"};
  for (int i = 0; i < 2; i++) {
    char path[100];
    snprintf(path, sizeof path, "loadbank.figures.%s_seconds.mean", kind[i]);
    is_near(real_at(rows, 0, path), 5.5, 1e-9, "%s", path);
    snprintf(path, sizeof path, "loadbank.figures.%s_GiB_per_second.mean",
             kind[i]);
    is_near(real_at(rows, 0, path), 0.8 * harmonic, 1e-9, "%s", path);
    snprintf(path, sizeof path,
             "loadbank.figures.%s_first_accelerator_seconds.mean", kind[i]);
    is_near(real_at(rows, 0, path), 2.75, 1e-9, "%s", path);
    snprintf(path, sizeof path,
             "loadbank.figures.%s_first_accelerator_GiB_per_second.mean",
             kind[i]);
    is_near(real_at(rows, 0, path), 1.6 * harmonic, 1e-9, "%s", path);
  }
  is_near(real_at(rows, 0, "Checkpointing - Write B/W (GiB/s)"), 2.34, 1e-12,
          "rounded in the benchmark's column");
}

static void test_checkpoints(void)
{
  tree++;
  checkpoint_leaf(0, 3, 3);
  json_t *rows = report();
  is_str(text_at(rows, 0, "Verdict"),
         "not a result: 3 of 10 saves, 3 of 10 loads", "three");
  is_near(real_at(rows, 0, "loadbank.figures.save_seconds.mean"), 2, 1e-9,
          "their mean");
  json_decref(rows);
  checkpoint_leaf(1, 10, 10);
  rows = report();
  check_ten(rows);
  is_str(role(rows, 0), "left out", "the first run");
  is_str(reason(rows, 0, 0), "a later run is taken", "why");
  json_decref(rows);
  checkpoint_leaf(2, 10, 0);
  checkpoint_leaf(3, 0, 10);
  rows = report();
  check_ten(rows);
  is_str(role(rows, 1), "left out", "a later pair is taken");
  ok(!strcmp(role(rows, 2), "taken") && !strcmp(role(rows, 3), "taken"),
     "both of it");
  json_decref(rows);
  change(CHECKPOINTS, 2, "summary.json",
         "metric.save_checkpoint_duration_mean_seconds", json_real(5));
  change(CHECKPOINTS, 2, "checkpointing_x_metadata.json",
         "metrics.save_checkpoint_duration_mean_seconds", json_real(5));
  rows = report();
  is_str(reason(rows, 2, 0),
         "summary.json says metric.save_checkpoint_duration_mean_seconds 5, "
         "its single checkpoints give 5.5",
         "a mean that is another");
  is_str(role(rows, 1), "taken", "the run before it is taken");
  json_decref(rows);
}

/* ---- the system's description ---- */

/* 2 nodes of 2 units and 4 power supplies, of which 2 must be active, at the
 * mean of 900, 900, 900 and 1500 W; a switch of 1 unit and 300 W. */
enum { UNITS = 5, WATTS = 2 * 2 * 1050 + 300 };
static const char description[] =
    "system_under_test:\n"
    "  solution:\n"
    "    submission_name: box\n"
    "    friendly_description: \"A box, red\"\n"
    "    architecture: {storage_location: remote, benchmark_API: file,\n"
    "      product_API: block, client_footprint: open_source,\n"
    "      client_installation: in_box}\n"
    "    capabilities: {multi_host: true, simultaneous_write: true,\n"
    "      simultaneous_read: false, remap_time_in_seconds: 4}\n"
    "  deployment: onprem\n"
    "  total_rack_units: 5\n"
    "  product_nodes:\n"
    "    - friendly_description: Node\n"
    "      quantity: 2\n"
    "      chassis: {model_name: N, rack_units: 2, cpu_model: C, cpu_qty: 2,\n"
    "        cpu_cores: 64, memory_capacity: 512, power: {min_psus_active: 2,\n"
    "        psus_configured: [{unit_count: 3, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 900, efficiency: Gold},\n"
    "        {unit_count: 1, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 1500, efficiency: Gold}]}}\n"
    "      networking: [{unit_count: 1, type: ethernet, state: up,\n"
    "        speed: 100, traffic: [data]}]\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n"
    "  product_switches:\n"
    "    - {unit_count: 1, vendor_name: V, model_name: S, rack_units: 1,\n"
    "       ports: [{unit_count: 32, type: ethernet, state: up, speed: 400,\n"
    "         traffic: [data]}],\n"
    "       power: {min_psus_active: 1, psus_configured: [{unit_count: 2,\n"
    "         inlet_voltage: 230, nameplate_power_watts: 300,\n"
    "         efficiency: Platinum}]}}\n"
    "  clients:\n"
    "    - friendly_description: Client\n"
    "      quantity: 1\n"
    "      chassis: {model_name: C, rack_units: 1, cpu_model: C, cpu_qty: 1,\n"
    "        cpu_cores: 32, memory_capacity: 256, power: {min_psus_active: 1,\n"
    "        psus_configured: [{unit_count: 2, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 500, efficiency: Bronze}]}}\n"
    "      networking: [{unit_count: 1, type: ethernet, state: up,\n"
    "        speed: 100, traffic: [data]}]\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n";

static void test_description(void)
{
  training_tree(RUNS);
  checkpoint_leaf(0, 10, 10);
  rig_text(below("closed/acme/systems"), "box.yaml", description);
  json_t *rows = report();
  is_int(json_array_size(rows), 2, "two rows");
  for (size_t i = 0; i < 2; i++) {
    is_int(json_array_size(at(rows, i, "loadbank.notes")), 0, "no note");
    is_near(real_at(rows, i, "loadbank.rack_units"), UNITS, 0, "rack units");
    is_near(real_at(rows, i, "loadbank.watts"), WATTS, 0, "watts");
    is_str(text_at(rows, i, "Description"), "A box, red", "its description");
    is_str(text_at(rows, i, "Type"), "Failover remote block", "its type");
    is_str(text_at(rows, i, "Access Protocol"), "POSIX", "its protocol");
  }
  is_near(real_at(rows, 0, "loadbank.recovery_seconds"), 9.5, 1e-9,
          "a load and the remap time");
  is_near(real_at(rows, 1, "Read GiB/s per RU"), 0.6, 1e-12, "per rack unit");
  is_near(real_at(rows, 1, "Samples/s per W"), 30.0 / WATTS, 1e-12, "per watt");
  json_decref(rows);
  rig_text(below("closed/acme/systems"), "box.yaml", "- 1\n");
  rows = report();
  const char *note =
      json_string_value(json_array_get(at(rows, 1, "loadbank.notes"), 0));
  ok(note && strstr(note, "flaw"), "%s", note ? note : "a note");
  ok(json_is_null(at(rows, 1, "loadbank.watts")), "and no watts");
  json_decref(rows);
}

/* ---- files ---- */

static bool exists(const char *name)
{
  return access(rig_path(below(name), NULL), F_OK) == 0;
}

static ino_t number_of(const char *name)
{
  struct stat st;
  return stat(rig_path(below(name), NULL), &st) ? 0 : st.st_ino;
}

static int write_report(struct lb_err *err)
{
  struct lb_mlperf_report *r;
  *err = (struct lb_err)LB_ERR_INIT;
  int rc = lb_mlperf_report_make(root(), &r, err);
  if (!rc)
    rc = lb_mlperf_report_write(r, err);
  lb_mlperf_report_free(r);
  return rc;
}

static void test_writing(void)
{
  struct lb_err err;
  training_tree(RUNS);
  checkpoint_leaf(0, 3, 3);
  is_int(write_report(&err), 0, "written %s", err.msg);
  static const char *const files[] = {
      TRAINING "/results.json",           TRAINING "/results.csv",
      CHECKPOINTS "/results.json",        CHECKPOINTS "/results.csv",
      "closed/acme/results/results.json", "closed/acme/results/results.csv"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    ok(exists(files[i]), "%s", files[i]);
  json_t *one =
      json_load_file(rig_path(below(TRAINING), "results.json"), 0, NULL);
  json_t *all = json_load_file(
      rig_path(below("closed/acme/results"), "results.json"), 0, NULL);
  is_int(json_array_size(one), 1, "a row for the workload");
  is_int(json_array_size(all), 2, "two for the organisation");
  is_str(text_at(all, 1, "Public ID"), text_at(one, 0, "Public ID"),
         "with the same ID");
  ok(strstr(text_at(one, 0, "Public ID"), "loadbank-") != NULL, "of ours");
  ok(json_is_null(at(all, 0, "Public ID")), "none for what is no result");
  json_decref(one);
  json_decref(all);
  ino_t before = number_of(TRAINING "/results.json");
  is_int(write_report(&err), 0, "again %s", err.msg);
  is_int(number_of(TRAINING "/results.json"), before,
         "a file that says the same stays");
  training_leaf(5, 96, 6);
  is_int(write_report(&err), 0, "with another run %s", err.msg);
  ok(number_of(TRAINING "/results.json") != before, "it is replaced");
}

static void test_foreign(void)
{
  struct lb_err err;
  training_tree(RUNS);
  rig_text(below(TRAINING), "results.json", "[{\"Public ID\": \"v3.0-0001\"}]");
  rig_text(below("closed/acme/results"), "results.csv", "Public ID\nx\n");
  is_int(write_report(&err), -LB_FAILED, "files of another program");
  ok(strstr(err.msg, TRAINING "/results.json") != NULL, "%s", err.msg);
  json_t *rows =
      json_load_file(rig_path(below(TRAINING), "results.json"), 0, NULL);
  is_str(text_at(rows, 0, "Public ID"), "v3.0-0001", "they stay");
  ok(exists(TRAINING "/results.csv") &&
         exists("closed/acme/results/results.json"),
     "the others are written");
  json_decref(rows);
}

static void test_nothing(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  tree++;
  rig_text(below("closed"), "notes.txt", "");
  is_int(lb_mlperf_report_make(root(), &r, &err), -LB_USAGE, "no run");
  ok(strstr(err.msg, "no run in it") && !r, "%s", err.msg);
}

static void test_page(void)
{
  static const char *const words[] = {"not a result: 3 of 6 runs",
                                      LB_MLPERF_STYLE, "<svg",
                                      "the run is interrupted"};
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  struct lb_buf text;
  training_tree(RUNS);
  checkpoint_leaf(0, 10, 10);
  change(TRAINING, 3, "summary.json", "loadbank.status",
         json_string("interrupted"));
  lb_mlperf_report_make(root(), &r, &err);
  struct lb_page *page = lb_page_new("a report");
  lb_mlperf_report_page(r, page);
  lb_buf_init(&text, 1 << 24);
  is_int(lb_page_write(page, lb_page_format_of("x.html"), &text, &err), 0,
         "a page %s", err.msg);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    ok(text.data && strstr(text.data, words[i]), "it has '%s'", words[i]);
  lb_buf_fini(&text);
  lb_page_free(page);
  lb_mlperf_report_free(r);
}

/* ---- raw steps ---- */

#ifdef HAVE_HDF5
/* A run that was really recorded: AU of accelerator a is 100 x 100 / (137 - a),
 * T = 137 - a ms for 5 steps of 4 samples. */
static void test_steps(int argc, char **argv)
{
  struct lb_world world;
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_tree t;
  struct lb_mlperf_again again;
  char why[LB_MLPERF_WHY];
  double au = 0, rate = 0;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  tree++;
  const char *leaf = leaf_of(TRAINING, 0);
  rig_text(below(TRAINING), "x", "");
  rig_write(&world, below(leaf));
  for (int a = 0; a < 3; a++) {
    au += 100 * 100.0 / (137 - a) / 3;
    rate += 20 / ((137 - a) / 1e3);
  }
  is_int(lb_mlperf_tree_read(root(), &t, &err), 0, "read %s", err.msg);
  lb_mlperf_again(&t.leaf[0], &again);
  is_str(again.source, "steps.h5", "from raw steps %s", again.why);
  is_near(again.au, au, 1e-9, "AU");
  is_near(again.samples_per_s, rate, 1e-9, "samples/s");
  is_near(again.seconds, 24 * 0.027, 1e-9, "all steps");
  ok(lb_mlperf_again_agrees(&t.leaf[0], &again, why), "agrees %s", why);
  rig_set(t.leaf[0].file[LB_MLPERF_SUMMARY].json,
          "metric.train_au_mean_percentage", json_real(au + 0.06));
  ok(!lb_mlperf_again_agrees(&t.leaf[0], &again, why) &&
         strstr(why, "steps.h5 gives"),
     "0.06 points more: %s", why);
  lb_mlperf_tree_fini(&t);
  lb_world_fini(&world);
}
#endif

int main(int argc, char **argv)
{
  test_six();
  test_more_and_fewer();
  test_left_out();
  test_files();
  test_no_second_source();
  test_au();
  test_divisions();
  test_dlio();
  test_accelerators();
  test_checkpoints();
  test_description();
  test_writing();
  test_foreign();
  test_nothing();
  test_page();
#ifdef HAVE_HDF5
  test_steps(argc, argv);
#else
  (void)argc, (void)argv;
#endif
  return done();
}
