/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for content that is not what was made: damage, or something else that
 * stands there.  For messages only. */
#ifndef LOADBANK_DIFFERS_H
#define LOADBANK_DIFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/format.h"

struct lb_differs {
  const struct lb_format_params *params;
  const struct lb_file *file;
  uint64_t in_payload; /* of the file: where the first wrong byte belongs */
  const char *place;   /* the same in words: "byte 17 of the file" */
  const unsigned char *got; /* n bytes of content, from the wrong one on */
  size_t n;
};

/* Sets err: file, sample, place, both values, and what stands there. */
int lb_differs_say(const struct lb_differs *d, struct lb_err *err);

/* What got[0..n) is instead, in words; false: nothing that loadbank makes, or
 * it may be encoded. */
bool lb_differs_traced(const struct lb_format_params *p,
                       const unsigned char *got, size_t n, char *text,
                       size_t size);

#endif
