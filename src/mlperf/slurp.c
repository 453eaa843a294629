/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small file that a user has written. */
#include "lb-config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mlperf/parse_impl.h"

static const size_t max_bytes = 4 << 20;

int lb_mlperf_slurp(const char *path, char **text, size_t *len,
                    struct lb_err *err)
{
  struct lb_buf b;
  char part[4096];
  FILE *f = fopen(path, "re");
  *text = NULL;
  if (!f)
    return lb_err_sys(err, LB_USAGE, errno, "%.800s", path);
  lb_buf_init(&b, max_bytes);
  lb_buf_puts(&b, "");
  for (size_t n; !b.failed && (n = fread(part, 1, sizeof part, f)) > 0;)
    lb_buf_add(&b, part, n);
  if (ferror(f))
    lb_err_sys(err, LB_USAGE, errno, "%.800s: read", path);
  else if (b.failed)
    lb_err_set(err, LB_USAGE, "%.800s: larger than %zu bytes", path, max_bytes);
  fclose(f);
  *len = b.len;
  *text = err->code ? NULL : lb_buf_take(&b);
  lb_buf_fini(&b);
  return -err->code;
}
