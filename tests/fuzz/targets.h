/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers that meet bytes of any origin.  A target is a file of a format, or
 * one that goes with it, or a text: it is made as `make' does, damaged or
 * replaced, and read, every sample of it, verified.  Whatever the format says
 * of it is fine; a crash, a hang or a sanitizer's word is not. */
#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H

#include <stdint.h>

#include "unit/format_fixture.h"

struct fuzz_target {
  const char *name; /* of the row, and of its folder of inputs */
  const char *format;
  const char *ending; /* of the sidecar that is fuzzed; NULL: the file is */
  int64_t samples, sample_bytes;
  const char *dtype, *compression; /* NULL: uint8, none */
  const void *options;             /* of the format */
  bool in_order;                   /* as the tensorflow loader reads */
  bool decode;                     /* images, where the library is there */
  bool lean;                       /* reader.call_profile */
  const struct fuzz_text *text;    /* no format's: all the above is unset */
};
/* A text that something other than a format reads.  folder: of its file. */
struct fuzz_text {
  const char *file;
  bool (*make)(const char *folder);
  void (*read)(const char *folder, const uint8_t *bytes, size_t n);
};
extern const struct fuzz_text fuzz_manifest, fuzz_mark, fuzz_config,
    fuzz_override, fuzz_mlperf_line, fuzz_mlperf_history, fuzz_system;
extern const struct fuzz_target fuzz_targets[]; /* no name at the end */
const struct fuzz_target *fuzz_target_find(const char *name); /* or NULL */

/* The file that is fuzzed. */
void fuzz_path(struct fixture *x, const struct fuzz_target *t, char path[600]);
/* Makes the target's files; false: this build lacks the format. */
bool fuzz_make(struct fixture *x, const struct fuzz_target *t);
/* Reads them with `bytes' in place of the one that is fuzzed. */
void fuzz_read(struct fixture *x, const struct fuzz_target *t,
               const uint8_t *bytes, size_t n);

#endif
