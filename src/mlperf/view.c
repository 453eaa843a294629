/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What would be started, and with which configuration. */
#include "lb-config.h"

#include "loadbank/mlperf_launch.h"

#include <stdio.h>

static int count(const char *const *word)
{
  int n = 0;
  while (word[n])
    n++;
  return n;
}

int lb_mlperf_configview(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_mlperf_site site;
  const char **argv;
  if (lb_mlperf_site_find(call, &site, err) ||
      lb_mlperf_launch_argv(call, &site, &argv, err))
    return -err->code;
  lb_buf_puts(&call->out, "command  ");
  lb_mlperf_quote(argv, count(argv), &call->out);
  lb_buf_puts(&call->out, "\n");
  return 0;
}
