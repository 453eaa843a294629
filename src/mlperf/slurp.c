/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See slurp.h. */
#include "lb-config.h"

#include "mlperf/slurp.h"

#include <errno.h>
#include <sys/stat.h>

#include "loadbank/slurp.h"

static const size_t max_bytes = (size_t)256 << 20;

int lb_mlperf_slurp(const char *path, enum lb_code code, char **text,
                    size_t *len, struct lb_err *err)
{
  struct stat st;
  *text = NULL;
  *len = 0;
  int sys = stat(path, &st) ? errno : 0;
  if (!sys && !S_ISREG(st.st_mode))
    sys = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
  if (!sys)
    sys = lb_slurp_file(path, max_bytes, text, len);
  return sys ? lb_err_sys(err, code, sys, "%.800s: read", path) : 0;
}
