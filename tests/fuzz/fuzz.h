/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fuzz targets share: bytes become a file, which a format reads all
 * of through local_fs, as a loader would. */
#ifndef FUZZ_H
#define FUZZ_H

#include "unit/format_fixture.h"

/* Required by libFuzzer; each target has its own. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads each sample of a file with these bytes; f->path is set.  Errors are
 * fine; that a message is missing is not. */
void fuzz_read(const struct lb_format *format, const struct lb_format_params *p,
               struct lb_file *f, const uint8_t *data, size_t size,
               bool verify);

#endif
