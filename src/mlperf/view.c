/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What would be started, with which configuration, and what speaks against it.
 */
#include "lb-config.h"

#include "loadbank/mlperf_launch.h"

#include "loadbank/log.h"
#include "mlperf/config.h"

static int put_command(struct lb_mlperf_call *call, struct lb_err *err)
{
  const char **argv;
  int n = 0;
  if (lb_mlperf_launch_make(call, &argv, err))
    return -err->code;
  while (argv[n])
    n++;
  lb_buf_puts(&call->out, "command     ");
  lb_mlperf_quote(argv, n, &call->out);
  lb_buf_puts(&call->out, "\n");
  return 0;
}

/* A refusal is said after all that was asked for has been shown. */
int lb_mlperf_configview(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_mlperf_config c = {0};
  struct lb_err refused = LB_ERR_INIT;
  int rc = lb_mlperf_config_make(&call->args, &c, err);
  if (!rc)
    rc = put_command(call, err);
  if (!rc) {
    lb_mlperf_config_text(&call->args, &c, &call->out);
    if (lb_mlperf_config_check(&call->args, &c, &refused)) {
      lb_error("%s", refused.msg);
      rc = refused.code;
    }
  }
  lb_mlperf_config_fini(&c);
  return rc;
}

int lb_mlperf_check(const struct lb_mlperf_args *a, struct lb_err *err)
{
  struct lb_mlperf_config c = {0};
  int rc = lb_mlperf_config_make(a, &c, err);
  if (!rc)
    rc = lb_mlperf_config_check(a, &c, err);
  lb_mlperf_config_fini(&c);
  return rc;
}
