/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank plan: what a run would do, without MPI and without touching data. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include "loadbank/bench.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/plan.h"

void lb_plan_warn(const struct lb_plan *p)
{
  lb_plan_warnings(p, lb_warn_text, NULL);
}

int lb_plan_show(struct lb_cli *cli, const struct lb_workload *w,
                 const struct lb_plan *p, struct lb_err *err)
{
  struct lb_buf text;
  int rc = 0;
  lb_buf_init(&text, 1 << 20);
  if (cli->args.format == LB_OUTPUT_JSON)
    rc = lb_plan_json(p, w, &text, err);
  else
    lb_plan_text(p, w, &text);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}

int lb_cmd_plan(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_loaded loaded;
  struct lb_plan plan;
  int ranks = cli->args.ranks > 0 ? (int)cli->args.ranks : cli->launched;
  if (cli->args.format == LB_OUTPUT_CSV)
    return lb_err_set(err, LB_USAGE,
                      "plan: --format csv is for results; text and json are "
                      "allowed");
  lb_log_speaker(!cli->silent, "");
  int rc = lb_loaded_init(&loaded, cli, 0, err);
  if (rc == 0)
    rc = lb_plan_check_even(ranks, cli->args.accelerators, err);
  if (rc == 0)
    rc = lb_plan_make(loaded.workload, ranks, cli->args.accelerators, &plan,
                      err);
  if (rc == 0)
    rc = lb_plan_check_threads(&plan, cli->args.max_threads, err);
  if (rc == 0)
    rc = lb_plan_show(cli, loaded.workload, &plan, err);
  if (rc == 0) {
    struct lb_err crew = LB_ERR_INIT;
    lb_plan_warn(&plan);
    if (lb_plan_check_crew(&plan, cli->args.max_threads, &crew) < 0)
      lb_warn("run would refuse this: %s", crew.msg);
  }
  lb_loaded_fini(&loaded);
  return rc;
}
