/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of what results are compared by.  Definitions: docs/metrics.md. */
#include "lb-config.h"

#include "loadbank/results.h"

#define ROW(path_, label_, unit_, phase_, work_, ...)               \
  {                                                                 \
    .path = path_, .label = label_, .unit = unit_, .phase = phase_, \
    .work = work_, __VA_ARGS__                                      \
  }

/* Of training and of evaluation. */
#define SET_ROW(set, path, label, unit, ...) \
  ROW(path, label, unit, set, "loadbank." set "_samples", __VA_ARGS__)
#define SET_ROWS(set, what)                                                    \
  SET_ROW(set, "metric." set "_au_mean_percentage", what " AU", "%",           \
          .higher = true, .counts = true,                                      \
          .parts = "metric." set "_au_percentage"),                            \
      SET_ROW(set, "metric." set "_throughput_mean_samples_per_second",        \
              what " throughput", "samples/s", .higher = true, .counts = true, \
              .parts = "metric." set "_throughput_samples_per_second"),        \
      SET_ROW(set, "loadbank." set "_throughput_wall_mean_samples_per_second", \
              what " throughput, wall", "samples/s", .higher = true,           \
              .parts = "loadbank." set "_throughput_wall_samples_per_second"), \
      SET_ROW(set, "loadbank.steps." set ".load.mean_seconds",                 \
              what " load, mean", "s", .higher = false),                       \
      SET_ROW(set, "loadbank.steps." set ".load.p99_seconds",                  \
              what " load, p99", "s", .higher = false)

/* Of saves and of loads. */
#define CHECKPOINT_ROW(kind, what)                                          \
  ROW("metric." kind "_checkpoint_duration_mean_seconds", what " duration", \
      "s", "checkpoint_" kind,                                              \
      "loadbank." kind "_checkpoint_duration_seconds", .higher = false,     \
      .counts = true,                                                       \
      .parts = "loadbank." kind "_checkpoint_duration_seconds")

const struct lb_quantity lb_quantities[] = {
    SET_ROWS("train", "Training"),
    SET_ROWS("eval", "Evaluation"),
    CHECKPOINT_ROW("save", "Checkpoint save"),
    CHECKPOINT_ROW("load", "Checkpoint load"),
    ROW("loadbank.generate.MiB_per_second", "Generation", "MiB/s", "generate",
        "loadbank.generate.files", .higher = true),
    {.path = NULL},
};
