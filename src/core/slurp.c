/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of /proc and /sys as text. */
#include "lb-config.h"

#include "loadbank/slurp.h"

#include <stdio.h>

#include "loadbank/buf.h"

static const size_t max_bytes = 1 << 20;

char *lb_slurp(const char *path)
{
  FILE *f = fopen(path, "re");
  if (!f)
    return NULL;
  struct lb_buf b;
  lb_buf_init(&b, max_bytes);
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
    lb_buf_add(&b, part, n);
  fclose(f);
  char *text = b.failed ? NULL : lb_buf_take(&b);
  lb_buf_fini(&b);
  return text;
}
