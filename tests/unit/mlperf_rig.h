/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results trees for tests of the report: leaves with values that are known, and
 * what the report says of them. */
#ifndef TESTS_MLPERF_RIG_H
#define TESTS_MLPERF_RIG_H

#include <jansson.h>

#include "loadbank/err.h"

enum { RUNS = 6 };
#define TRAINING "closed/acme/results/box/training/unet3d/run"
#define CHECKPOINTS "closed/acme/results/box/checkpointing/llama3-8b"

/* A tree of its own for what follows. */
void rig_new_tree(void);
const char *rig_root(void); /* its path */
/* A folder of it, as result_rig.h wants names; static, one of the last four. */
const char *rig_below(const char *folder);
/* The i-th leaf of a group: "GROUP/20261130_1000II"; static. */
const char *rig_leaf(const char *group, int i);

/* Writes, and takes the reference. */
void rig_json(const char *folder, const char *file, json_t *v);
/* Of two accelerators, complete, closed; the metrics are borrowed. */
json_t *rig_metadata(const char *kind, const char *model, int i,
                     json_t *metrics);
json_t *rig_run_summary(int i, json_t *metrics);
/* A run of gib GiB/s, 10 x gib samples/s and this AU, %. */
void rig_training(int i, double au, double gib);
/* A new tree of n runs: one to warm up, then GiB/s of 1, 2 ... and AU of 91, 92
 * ... */
void rig_training_tree(int n);
/* Saves and loads of 8 GiB; the i-th of each takes i s (from 1), accelerator 0
 * half of that. */
void rig_checkpoints(int i, int saves, int loads);
/* Changes a value in a file of the i-th leaf; takes its reference. */
void rig_change(const char *group, int i, const char *file, const char *path,
                json_t *value);

/* The rows of the report; NULL: there is none. */
json_t *rig_report(void);
const json_t *rig_at(const json_t *rows, size_t row, const char *path);
double rig_real(const json_t *rows, size_t row, const char *path);
const char *rig_text_at(const json_t *rows, size_t row, const char *path);
const json_t *rig_run_at(const json_t *rows, size_t row, size_t run);

#endif
