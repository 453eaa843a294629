/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results tree with values that are known beforehand: what is averaged, and
 * what is left out and why. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/json.h"
#include "mlperf/report.h"
#include "mlperf_rig.h"
#include "result_rig.h"
#include "tap.h"

static const char *role(const json_t *rows, size_t run)
{
  return json_string_value(json_object_get(rig_run_at(rows, 0, run), "role"));
}

static const char *reason(const json_t *rows, size_t run, size_t k)
{
  const char *text = json_string_value(
      json_array_get(json_object_get(rig_run_at(rows, 0, run), "reasons"), k));
  return text ? text : "";
}

/* ---- training ---- */

static void test_six(void)
{
  rig_training_tree(RUNS);
  json_t *rows = rig_report();
  is_int(json_array_size(rows), 1, "one row");
  is_str(rig_text_at(rows, 0, "State"), "CLOSED", "closed");
  is_str(rig_text_at(rows, 0, "Verdict"), "a result", "complete");
  is_str(role(rows, 0), "warm-up", "the first run warms up");
  is_str(role(rows, 5), "taken", "the last one counts");
  is_near(rig_real(rows, 0, "loadbank.figures.au_percentage.mean"), 93, 1e-9,
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
    is_near(rig_real(rows, 0, path), want[i].want, 1e-9, "%s", path);
  }
  is_near(rig_real(rows, 0, "loadbank.figures.samples_per_second.mean"), 30,
          1e-9, "samples/s");
  is_near(rig_real(rows, 0, "Training - Read B/W (GiB/s)"), 3, 0,
          "in the benchmark's column, too");
  is_str(rig_text_at(rows, 0, "Training - Accelerator Type"), "b200",
         "its accelerator");
  is_int((int)rig_real(rows, 0, "Training - # Simulated Accelerators"), 2,
         "how many");
  is_str(json_string_value(
             lb_json_at(rig_run_at(rows, 0, 2), "recomputed.source")),
         "<a>_output.json", "AU was computed again");
  is_near(lb_json_real(
              lb_json_at(rig_run_at(rows, 0, 2), "recomputed.au_percentage")),
          92, 1e-9, "and is the same");
  is_str(rig_text_at(rows, 0, "loadbank.style"), LB_MLPERF_STYLE, "its style");
  is_int(json_array_size(rig_at(rows, 0, "loadbank.notes")), 1,
         "the only note is of the description");
  json_decref(rows);
}

static void test_more_and_fewer(void)
{
  rig_training_tree(8);
  json_t *rows = rig_report();
  is_str(role(rows, 1), "left out", "of eight runs, the second");
  is_str(reason(rows, 1, 0), "not among the last 6 in a row", "why");
  is_str(role(rows, 2), "warm-up", "the last six: the first of them");
  is_near(rig_real(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 5,
          1e-9, "mean of 3 .. 7");
  json_decref(rows);
  rig_training_tree(3);
  rows = rig_report();
  is_str(rig_text_at(rows, 0, "Verdict"), "not a result: 3 of 6 runs", "three");
  is_str(rig_text_at(rows, 0, "State"), "INVALID", "no result");
  ok(json_is_null(rig_at(rows, 0, "Public ID")), "no ID");
  is_near(rig_real(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 1.5,
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
    rig_training_tree(RUNS);
    rig_change(TRAINING, 3, changes[i].file, changes[i].path,
               json_loads(changes[i].value, JSON_DECODE_ANY, NULL));
    json_t *rows = rig_report();
    is_str(reason(rows, 3, 0), changes[i].reason, "%s", changes[i].path);
    is_str(reason(rows, 3, 1), "", "nothing else");
    is_str(role(rows, 3), "left out", "left out");
    is_str(rig_text_at(rows, 0, "Verdict"), "not a result: 3 of 6 runs",
           "the three before it are the longest in a row");
    is_near(rig_real(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 1.5,
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
    rig_training_tree(RUNS);
    const char *leaf = rig_below(rig_leaf(TRAINING, 3));
    if (broken[i].text)
      rig_text(leaf, broken[i].file, broken[i].text);
    else
      unlink(rig_path(leaf, broken[i].file));
    json_t *rows = rig_report();
    is_int(json_array_size(rows), 1, "still one group");
    ok(!strncmp(reason(rows, 3, 0), broken[i].reason, strlen(broken[i].reason)),
       "%s", reason(rows, 3, 0));
    is_str(reason(rows, 3, 1), "", "nothing else");
    json_decref(rows);
  }
}

static void test_no_second_source(void)
{
  rig_training_tree(RUNS);
  unlink(rig_path(rig_below(rig_leaf(TRAINING, 3)), "1_output.json"));
  json_t *rows = rig_report();
  is_str(rig_text_at(rows, 0, "Verdict"), "a result",
         "without raw steps and files of all accelerators it stays in");
  const json_t *note = json_array_get(rig_at(rows, 0, "loadbank.notes"), 1);
  is_str(json_string_value(note),
         "20261130_100003: AU was not computed again: no steps.h5; "
         "1_output.json, of 2 accelerators, is missing or says no AU",
         "but that is said");
  json_decref(rows);
}

static void test_au(void)
{
  rig_training_tree(RUNS);
  rig_training(2, 89.5, 2);
  json_t *rows = rig_report();
  is_str(rig_text_at(rows, 0, "State"), "INVALID", "a run below the threshold");
  const json_t *note = json_array_get(rig_at(rows, 0, "loadbank.notes"), 1);
  is_str(json_string_value(note),
         "20261130_100002: AU 89.50 % is below 90.00 % (rule 3.3.2)", "why");
  json_decref(rows);
  for (int i = 0; i < RUNS; i++)
    rig_change(
        TRAINING, i, "training_x_metadata.json", "rehearsal",
        json_pack("{s:f, s:i, s:i}", "files", 0.01, "bytes", 1, "time", 1));
  rows = rig_report();
  is_str(rig_text_at(rows, 0, "State"), "CLOSED",
         "in a rehearsal it is a note");
  is_near(rig_real(rows, 0, "loadbank.rehearsal.files"), 0.01, 0,
          "which is marked");
  is_str(rig_text_at(rows, 0, "Rehearsal"), "files 0.01 bytes 1 time 1",
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
    rig_training_tree(RUNS);
    rig_change(TRAINING, 4, "training_x_metadata.json", "verification",
               json_string(want[i].word));
    json_t *rows = rig_report();
    is_str(rig_text_at(rows, 0, "State"), want[i].state, "'%s'", want[i].word);
    is_str(rig_text_at(rows, 0, "Verdict"), "a result", "with all runs");
    json_decref(rows);
  }
}

/* Files as DLIO writes them: single steps instead of their number; the summary
 * and the metadata have nothing of ours. */
static void test_dlio(void)
{
  rig_training_tree(1);
  const char *leaf = rig_leaf(TRAINING, 0);
  json_t *steps[2] = {json_array(), json_array()};
  for (int i = 0; i < 40; i++)
    json_array_append_new(steps[i < 30 ? 0 : 1], json_real(0.1));
  json_t *epoch =
      json_pack("{s:{s:o, s:o}, s:{s:f, s:f}, s:{s:f, s:f}}", "proc", "block1",
                steps[0], "block2", steps[1], "au", "block1", 80.0, "block2",
                100.0, "throughput", "block1", 8.0, "block2", 8.0);
  rig_json(leaf, "0_output.json",
           json_pack("{s:o, s:[f], s:s}", "1", epoch, "host_memory_GB", 64.0,
                     "hostname", "h"));
  json_t *metrics = json_pack("{s:f, s:f, s:f}", "train_au_mean_percentage",
                              85.0, "train_throughput_mean_samples_per_second",
                              8.0, "train_io_mean_MB_per_second", 512.0);
  json_t *metadata = rig_metadata("training", "unet3d", 0, metrics);
  json_t *summary = rig_run_summary(0, metrics);
  json_object_del(metadata, "status");
  json_object_del(metadata, "metrics");
  json_object_del(summary, "loadbank");
  rig_set(metadata, "num_processes", json_integer(1));
  rig_set(metadata, "parameters.metric", json_pack("{s:f}", "au", 0.9));
  rig_set(summary, "num_accelerators", json_integer(1));
  rig_set(summary, "start", json_string("2026-11-30T10:00:00.123456"));
  rig_json(leaf, "training_x_metadata.json", metadata);
  rig_json(leaf, "summary.json", summary);
  json_decref(metrics);
  json_t *rows = rig_report();
  is_str(reason(rows, 0, 0), "", "nothing speaks against it");
  is_near(lb_json_real(
              lb_json_at(rig_run_at(rows, 0, 0), "recomputed.au_percentage")),
          85, 1e-9, "weighted by the steps that are listed");
  is_near(rig_real(rows, 0, "loadbank.au_threshold_percentage"), 90, 1e-9,
          "the threshold of its parameters");
  json_decref(rows);
}

/* Two kinds of accelerators share a folder; one group is no result. */
static void test_accelerators(void)
{
  rig_training_tree(RUNS);
  rig_training(20, 92, 7);
  rig_change(TRAINING, 20, "training_x_metadata.json", "accelerator",
             json_string("mi355"));
  json_t *rows = rig_report();
  is_int(json_array_size(rows), 2, "two rows");
  is_str(rig_text_at(rows, 0, "Training - Accelerator Type"), "mi355",
         "INVALID comes first");
  is_str(rig_text_at(rows, 0, "Verdict"), "not a result: 1 of 6 runs",
         "one run");
  is_near(rig_real(rows, 0, "loadbank.figures.read_GiB_per_second.mean"), 7,
          1e-9, "which is all that is known");
  is_str(rig_text_at(rows, 1, "Verdict"), "a result", "the other is one");
  json_decref(rows);
}

/* ---- checkpoints ---- */

static void check_ten(const json_t *rows)
{
  static const double harmonic = 2.9289682539682538; /* 1 + 1/2 ... 1/10 */
  is_str(rig_text_at(rows, 0, "Verdict"), "a result", "ten and ten");
  static const char *const kind[] = {"save", "load"};
  for (int i = 0; i < 2; i++) {
    char path[100];
    snprintf(path, sizeof path, "loadbank.figures.%s_seconds.mean", kind[i]);
    is_near(rig_real(rows, 0, path), 5.5, 1e-9, "%s", path);
    snprintf(path, sizeof path, "loadbank.figures.%s_GiB_per_second.mean",
             kind[i]);
    is_near(rig_real(rows, 0, path), 0.8 * harmonic, 1e-9, "%s", path);
    snprintf(path, sizeof path,
             "loadbank.figures.%s_first_accelerator_seconds.mean", kind[i]);
    is_near(rig_real(rows, 0, path), 2.75, 1e-9, "%s", path);
    snprintf(path, sizeof path,
             "loadbank.figures.%s_first_accelerator_GiB_per_second.mean",
             kind[i]);
    is_near(rig_real(rows, 0, path), 1.6 * harmonic, 1e-9, "%s", path);
  }
  is_near(rig_real(rows, 0, "Checkpointing - Write B/W (GiB/s)"), 2.34, 1e-12,
          "rounded in the benchmark's column");
}

static void test_checkpoints(void)
{
  rig_new_tree();
  rig_checkpoints(0, 3, 3);
  json_t *rows = rig_report();
  is_str(rig_text_at(rows, 0, "Verdict"),
         "not a result: 3 of 10 saves, 3 of 10 loads", "three");
  is_near(rig_real(rows, 0, "loadbank.figures.save_seconds.mean"), 2, 1e-9,
          "their mean");
  json_decref(rows);
  rig_checkpoints(1, 10, 10);
  rows = rig_report();
  check_ten(rows);
  is_str(role(rows, 0), "left out", "the first run");
  is_str(reason(rows, 0, 0), "a later run is taken", "why");
  json_decref(rows);
  rig_checkpoints(2, 10, 0);
  rig_checkpoints(3, 0, 10);
  rows = rig_report();
  check_ten(rows);
  is_str(role(rows, 1), "left out", "a later pair is taken");
  ok(!strcmp(role(rows, 2), "taken") && !strcmp(role(rows, 3), "taken"),
     "both of it");
  json_decref(rows);
  rig_change(CHECKPOINTS, 2, "summary.json",
             "metric.save_checkpoint_duration_mean_seconds", json_real(5));
  rig_change(CHECKPOINTS, 2, "checkpointing_x_metadata.json",
             "metrics.save_checkpoint_duration_mean_seconds", json_real(5));
  rows = rig_report();
  is_str(reason(rows, 2, 0),
         "summary.json says metric.save_checkpoint_duration_mean_seconds 5, "
         "its single checkpoints give 5.5",
         "a mean that is another");
  is_str(role(rows, 1), "taken", "the run before it is taken");
  json_decref(rows);
}

int main(void)
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
  return done();
}
