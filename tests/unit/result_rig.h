/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results on disk for tests: one that report has written, and changed copies
 * of it. */
#ifndef TESTS_RESULT_RIG_H
#define TESTS_RESULT_RIG_H

#include <jansson.h>

#include "loadbank/world.h"

/* A whole result of a made-up run, in a new folder below tap_tmpdir(). */
void rig_write(const struct lb_world *world, const char *name);
/* The path of a folder below tap_tmpdir(), or of a file in it; static, one of
 * the last four. */
const char *rig_path(const char *name, const char *file);
/* Its summary; json_decref it. */
json_t *rig_summary(const char *name);
/* Takes the reference of value: v at a path of keys with dots between. */
void rig_set(json_t *v, const char *path, json_t *value);
/* A result that consists of this summary and of the files that it needs: of one
 * accelerator, without raw steps.  Makes the folders. */
void rig_copy(const char *name, const json_t *summary);
void rig_text(const char *name, const char *file, const char *text);

#endif
