/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank mlperf init. */
#include "lb-config.h"

#include "loadbank/mlperf_launch.h"

int lb_mlperf_init(struct lb_mlperf_call *call, struct lb_err *err)
{
  const char *org = call->operand[0], *results = call->operand[1];
  bool dry = call->args.dry_run;
  int rc = lb_mlperf_sentinel_write(results, org, dry, err);
  if (rc < 0)
    return rc;
  lb_buf_printf(&call->out, "%s %s the results folder of %s\n", results,
                rc    ? "is already"
                : dry ? "would become"
                      : "is now",
                org);
  return 0;
}
