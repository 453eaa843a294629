/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tfrecord_index.h. */
#include "lb-config.h"

#include "format/tfrecord_index.h"

#include <inttypes.h>

static int refuse(const struct lb_tfr_index *x, const char *path,
                  struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED,
                    "%s: line %" PRId64 " of the index is not \"offset "
                    "length\", two numbers below 2^62",
                    path, x->lines + 1);
}

/* A line has ended: its numbers stay until the next one begins. */
static int end_line(struct lb_tfr_index *x)
{
  x->lines++;
  x->field = 0;
  x->digits = false;
  return 1;
}

int lb_tfr_index_next(struct lb_tfr_index *x, const unsigned char **at,
                      const unsigned char *end, const char *path,
                      struct lb_err *err)
{
  for (const unsigned char *p = *at; p < end; p++) {
    unsigned digit = (unsigned)*p - '0';
    if (digit < 10) {
      uint64_t before = x->digits ? x->number[x->field] : 0;
      if (before > INT64_MAX / 2 / 10 - 1)
        return refuse(x, path, err);
      x->number[x->field] = before * 10 + digit;
      x->digits = true;
    } else if (!x->digits || *p != (x->field ? '\n' : ' ')) {
      return refuse(x, path, err);
    } else if (x->field == 0) {
      x->field = 1;
      x->digits = false;
    } else {
      *at = p + 1;
      return end_line(x);
    }
  }
  *at = end;
  return 0;
}

int lb_tfr_index_last(struct lb_tfr_index *x, const char *path,
                      struct lb_err *err)
{
  if (x->field == 0 && !x->digits)
    return 0;
  return x->field && x->digits ? end_line(x) : refuse(x, path, err);
}
