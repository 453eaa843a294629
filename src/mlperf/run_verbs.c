/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sub-commands datasize, datagen and run. */
#include "lb-config.h"

#include "mlperf/run.h"

#include <stdlib.h>

#include "loadbank/mlperf_cli.h"
#include "loadbank/plan.h"

/* Collective.  Rank 0 finds the workload's text, every rank loads it. */
static int load_config(struct lb_mlperf_call *call, struct lb_mlperf_config *c,
                       struct lb_err *err)
{
  char *text = NULL, path[PATH_MAX] = "";
  size_t len = 0;
  if (call->world->rank == 0)
    lb_mlperf_config_find(&call->args, &text, &len, path, err);
  int rc = lb_world_bcast_text(call->world, &text, &len, err);
  if (!rc) {
    lb_world_bcast(call->world, path, sizeof path);
    lb_mlperf_config_load(&call->args, text, len, path, c, err);
    rc = lb_err_agree(call->world, err, NULL);
  }
  free(text);
  return rc;
}

int lb_mlperf_verb_run(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_mlperf_config c = {.row = NULL};
  int rc = load_config(call, &c, err);
  if (!rc)
    rc = lb_mlperf_carry_out(call->world, &call->args, &c, call->org,
                             call->command_line, err);
  lb_mlperf_config_fini(&c);
  return rc;
}

int lb_mlperf_verb_datasize(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_mlperf_config c = {.row = NULL};
  char path[PATH_MAX] = "";
  int rc = lb_mlperf_config_make(&call->args, &c, err);
  if (!rc)
    rc = lb_mlperf_config_check(&call->args, &c, err);
  /* Every leaf of checkpointing is a run: it gets none. */
  if (!rc && !call->args.dry_run && call->args.kind == LB_MLPERF_TRAINING)
    rc = lb_mlperf_datasize_leaf(&call->args, &c, call->org, call->command_line,
                                 path, err);
  if (!rc && *path)
    lb_plan_row(&call->out, "leaf", "%s", path);
  if (!rc)
    lb_mlperf_datasize_text(&call->args, &c, &call->out);
  lb_mlperf_config_fini(&c);
  return rc;
}
