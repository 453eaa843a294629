/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of what results are compared by.  Definitions: docs/metrics.md. */
#include "lb-config.h"

#include "loadbank/results.h"

/* Of training and of evaluation. */
#define SET_ROWS(set, what)                                                \
  {.path = "metric." set "_au_mean_percentage",                            \
   .label = what " AU",                                                    \
   .unit = "%",                                                            \
   .higher = true,                                                         \
   .counts = true,                                                         \
   .parts = "metric." set "_au_percentage",                                \
   .phase = set},                                                          \
      {.path = "metric." set "_throughput_mean_samples_per_second",        \
       .label = what " throughput",                                        \
       .unit = "samples/s",                                                \
       .higher = true,                                                     \
       .counts = true,                                                     \
       .parts = "metric." set "_throughput_samples_per_second",            \
       .phase = set},                                                      \
      {.path = "loadbank." set "_throughput_wall_mean_samples_per_second", \
       .label = what " throughput, wall",                                  \
       .unit = "samples/s",                                                \
       .higher = true,                                                     \
       .parts = "loadbank." set "_throughput_wall_samples_per_second",     \
       .phase = set},                                                      \
      {.path = "loadbank.steps." set ".load.mean_seconds",                 \
       .label = what " load, mean",                                        \
       .unit = "s",                                                        \
       .phase = set},                                                      \
  {                                                                        \
    .path = "loadbank.steps." set ".load.p99_seconds",                     \
    .label = what " load, p99", .unit = "s", .phase = set                  \
  }

/* Of saves and of loads. */
#define CHECKPOINT_ROWS(kind, what)                             \
  {                                                             \
    .path = "metric." kind "_checkpoint_duration_mean_seconds", \
    .label = what " duration", .unit = "s", .counts = true,     \
    .parts = "loadbank." kind "_checkpoint_duration_seconds",   \
    .phase = "checkpoint_" kind                                 \
  }

const struct lb_quantity lb_quantities[] = {
    SET_ROWS("train", "Training"),
    SET_ROWS("eval", "Evaluation"),
    CHECKPOINT_ROWS("save", "Checkpoint save"),
    CHECKPOINT_ROWS("load", "Checkpoint load"),
    {.path = "loadbank.generate.MiB_per_second",
     .label = "Generation",
     .unit = "MiB/s",
     .higher = true,
     .phase = "generate"},
    {.path = NULL},
};
