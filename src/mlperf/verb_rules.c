/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank mlperf validate, and rules. */
#include "lb-config.h"

#include "loadbank/json.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/report.h"
#include "mlperf/rules.h"

static int check_format(const struct lb_mlperf_call *call, struct lb_err *err)
{
  return call->args.format == LB_OUTPUT_CSV
             ? lb_err_set(err, LB_USAGE,
                          "mlperf %s: --format csv is for reports; text and "
                          "json are allowed",
                          call->verb->words)
             : 0;
}

static int put_json(struct lb_mlperf_call *call, json_t *v, struct lb_err *err)
{
  if (!v)
    return lb_err_set(err, LB_FAILED, "out of memory");
  lb_json_text(&call->out, v);
  json_decref(v);
  return 0;
}

int lb_mlperf_rules_verb(struct lb_mlperf_call *call, struct lb_err *err)
{
  if (check_format(call, err))
    return -err->code;
  if (call->args.format == LB_OUTPUT_JSON)
    return put_json(call, lb_mlperf_rules_json(), err);
  lb_mlperf_rules_text(&call->out);
  return 0;
}

static int show(struct lb_mlperf_call *call,
                const struct lb_mlperf_validation *v, struct lb_err *err)
{
  if (call->args.format == LB_OUTPUT_JSON)
    return put_json(call, lb_mlperf_validation_json(v), err);
  lb_mlperf_validation_text(v, &call->out);
  return 0;
}

int lb_mlperf_validate_verb(struct lb_mlperf_call *call, struct lb_err *err)
{
  struct lb_mlperf_tree tree = {.n = 0};
  struct lb_mlperf_validation v = {.n = 0};
  const char *reference = call->args.reference_checksum;
  struct lb_mlperf_validate_options o = {.reference =
                                             *reference ? reference : NULL};
  int rc = check_format(call, err);
  rc = rc ? rc : lb_mlperf_tree_read(call->operand[0], &tree, err);
  rc = rc ? rc : lb_mlperf_validate(&tree, &o, &v, err);
  rc = rc ? rc : show(call, &v, err);
  if (rc == 0 && v.total[LB_MLPERF_ERROR])
    rc = LB_FAILED;
  lb_mlperf_validation_fini(&v);
  lb_mlperf_tree_fini(&tree);
  return rc;
}
