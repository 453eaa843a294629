/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank run: loads, plans, and hands over to src/bench. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include "loadbank/bench.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/plan.h"
#include "loadbank/world.h"

static struct lb_run_options options(const struct lb_cli *cli,
                                     const struct lb_loaded *l,
                                     const char *command_line)
{
  const struct lb_args *a = &cli->args;
  return (struct lb_run_options){
      .overrides = l->overrides,
      .n_overrides = l->n_overrides,
      .command_line = command_line,
      .require_au = a->require_au,
      .allow_mismatch = a->allow_mismatch,
      .force = a->force,
      .regenerate = a->regenerate,
      .progress = a->progress,
      .gate_timeout_s = a->gate_timeout,
      .max_threads = a->max_threads,
      .output = a->format,
  };
}

/* Collective, but for what it prints: every rank finds the same. */
static int prepare(struct lb_cli *cli, struct lb_loaded *l,
                   struct lb_plan *plan, struct lb_err *err)
{
  struct lb_world *w = cli->world;
  bool show = cli->args.dry_run || cli->args.format == LB_OUTPUT_TEXT;
  if (lb_loaded_init(l, cli, 0, err) < 0)
    return -err->code;
  if (lb_world_accelerators(w, cli->args.accelerators, err) < 0 ||
      lb_workload_check_run(l->workload, err) < 0 ||
      lb_plan_make(l->workload, w->n_ranks, w->accelerators, plan, err) < 0 ||
      lb_plan_check_threads(plan, cli->args.max_threads, err) < 0 ||
      lb_plan_check_crew(plan, cli->args.max_threads, err) < 0)
    return -err->code;
  if (cli->args.regenerate && !l->workload->workflow.generate_data)
    return lb_err_set(err, LB_USAGE,
                      "--regenerate: workflow.generate_data is off");
  if (show && lb_plan_show(cli, l->workload, plan, err) < 0)
    return -err->code;
  lb_plan_warn(plan);
  return 0;
}

/* Collective. */
int lb_cmd_run(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_loaded loaded;
  struct lb_plan plan;
  struct lb_buf line;
  lb_buf_init(&line, 1 << 20);
  lb_log_verbose(cli->args.verbose);
  prepare(cli, &loaded, &plan, err);
  int rc = lb_err_agree(cli->world, err, NULL);
  if (rc == 0 && !cli->args.dry_run) {
    lb_command_line(cli, &line);
    struct lb_run_options o =
        options(cli, &loaded, line.data ? line.data : "loadbank");
    o.plan = &plan;
    rc = lb_bench_run(cli->world, loaded.workload, &o, err);
  }
  lb_buf_fini(&line);
  lb_loaded_fini(&loaded);
  return rc;
}
