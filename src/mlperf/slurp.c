/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See slurp.h. */
#include "lb-config.h"

#include "mlperf/slurp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/slurp.h"

static const size_t max_bytes = (size_t)256 << 20;

int lb_mlperf_slurp(const char *path, enum lb_code code, char **text,
                    size_t *len, struct lb_err *err)
{
  int sys = lb_slurp_plain(path, max_bytes, text, len);
  return sys ? lb_err_sys(err, code, sys, "%.800s: read", path) : 0;
}

json_t *lb_mlperf_slurp_json(const char *path, char why[LB_MLPERF_UNREAD])
{
  json_error_t bad;
  struct stat st;
  json_t *v = NULL;
  *why = '\0';
  if (stat(path, &st))
    snprintf(why, LB_MLPERF_UNREAD, "%s", strerror(errno));
  else if (!S_ISREG(st.st_mode))
    snprintf(why, LB_MLPERF_UNREAD, "no plain file");
  else if (!(v = json_load_file(path, JSON_REJECT_DUPLICATES, &bad)))
    snprintf(why, LB_MLPERF_UNREAD, "line %d: %s", bad.line, bad.text);
  return v;
}
