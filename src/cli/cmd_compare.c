/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank compare: two sets of results, or one and a baseline. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include "loadbank/compare.h"
#include "loadbank/report.h"

static int check_arguments(const struct lb_cli *cli, struct lb_err *err)
{
  const struct lb_args *a = &cli->args;
  bool baseline = a->baseline[0];
  if (a->format == LB_OUTPUT_CSV)
    return lb_err_set(err, LB_USAGE,
                      "compare: --format csv is for results; text and json are "
                      "allowed");
  if (baseline && cli->n_operands == 2)
    return lb_err_set(err, LB_USAGE,
                      "compare: --baseline stands for A; give one set of "
                      "results");
  if (!baseline && cli->n_operands == 1)
    return lb_err_set(err, LB_USAGE,
                      "compare: with what? give two sets of results, or one "
                      "and --baseline");
  if (!baseline && a->keep)
    return lb_err_set(err, LB_USAGE, "compare: --keep needs --baseline");
  return 0;
}

/* The names of both sides; with a baseline that is still to come, the first is
 * NULL. */
static int name_sides(const struct lb_cli *cli, char newest[PATH_MAX],
                      struct lb_compared *c, struct lb_err *err)
{
  struct lb_err none = LB_ERR_INIT;
  c->name[0] = cli->operand[0];
  c->name[1] = cli->operand[cli->n_operands - 1];
  if (cli->n_operands == 2)
    return 0;
  c->name[0] = newest;
  if (!lb_baseline_newest(cli->args.baseline, newest, &none))
    return 0;
  c->name[0] = NULL;
  if (cli->args.keep && none.sys == 0)
    return 0;
  *err = none;
  return -err->code;
}

static int read_sides(const struct lb_compared *c, struct lb_results set[2],
                      struct lb_err *err)
{
  for (int i = 0; i < 2; i++)
    if (c->name[i] && lb_results_read(&set[i], c->name[i], err))
      return -err->code;
  return 0;
}

static int show(struct lb_cli *cli, const struct lb_compared *c,
                struct lb_err *err)
{
  struct lb_buf text;
  int rc = 0;
  lb_buf_init(&text, (size_t)1 << 28);
  if (cli->args.format == LB_OUTPUT_JSON)
    rc = lb_comparison_json(c, &text, err);
  else
    lb_comparison_text(c, &text);
  rc = rc ? rc : lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}

int lb_cmd_compare(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_results set[2] = {{.n = 0}, {.n = 0}};
  struct lb_comparison result = {.n = 0};
  struct lb_compared c = {.set = {&set[0], &set[1]}, .result = &result};
  const struct lb_compare_options options = {
      .tolerance = cli->args.tolerance / 100,
      .allow_mismatch = cli->args.allow_mismatch};
  char newest[PATH_MAX], kept[PATH_MAX];
  if (cli->silent) /* one process does it */
    return 0;
  int rc = check_arguments(cli, err);
  rc = rc ? rc : name_sides(cli, newest, &c, err);
  rc = rc ? rc : read_sides(&c, set, err);
  if (rc == 0 && c.name[0])
    rc = lb_compare(&set[0], &set[1], &options, &result, err);
  else if (rc == 0)
    rc = lb_results_need_complete(&set[1], err);
  bool worse = result.verdict == LB_VERDICT_WORSE;
  if (rc == 0 && cli->args.keep && !worse) {
    rc = lb_baseline_keep(cli->args.baseline, &set[1], kept, err);
    c.kept = kept;
  }
  rc = rc ? rc : show(cli, &c, err);
  lb_comparison_fini(&result);
  lb_results_fini(&set[0]);
  lb_results_fini(&set[1]);
  return rc ? rc : worse ? LB_FAILED : 0;
}
