/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer's side of the targets (tools/fuzz): LB_FUZZ names the one. */
#include "lb-config.h"

#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct fixture x;
  static const struct fuzz_target *target;
  if (!target) {
    const char *name = getenv("LB_FUZZ");
    target = name ? fuzz_target_find(name) : NULL;
    if (!target || !fixture_init(&x) || !fuzz_make(&x, target)) {
      fprintf(stderr, "LB_FUZZ: no such target, or not in this build\n");
      _Exit(2);
    }
  }
  fuzz_read(&x, target, data, size);
  return 0;
}
