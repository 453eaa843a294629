/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank config keys|show */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

#include "loadbank/config.h"

static int show_keys(struct lb_cli *cli, struct lb_buf *text,
                     struct lb_err *err)
{
  const char *pattern = cli->n_operands > 1 ? cli->operand[1] : NULL;
  if (cli->n_operands > 2)
    return lb_err_set(err, LB_USAGE,
                      "config keys: unexpected argument "
                      "'%.200s'",
                      cli->operand[2]);
  lb_config_keys_text(text, pattern);
  if (pattern && text->len == 0)
    return lb_err_set(err, LB_USAGE, "config keys: no key contains '%.200s'",
                      pattern);
  return 0;
}

static int show_workload(struct lb_cli *cli, struct lb_buf *text,
                         struct lb_err *err)
{
  struct lb_loaded loaded;
  int rc = lb_loaded_init(&loaded, cli, 1, err);
  if (rc == 0)
    lb_workload_print(loaded.workload, text);
  lb_loaded_fini(&loaded);
  return rc;
}

int lb_cmd_config(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_buf text;
  int rc;
  lb_buf_init(&text, 1 << 22);
  if (!strcmp(cli->operand[0], "keys"))
    rc = show_keys(cli, &text, err);
  else if (!strcmp(cli->operand[0], "show"))
    rc = show_workload(cli, &text, err);
  else
    rc = lb_err_set(err, LB_USAGE, "config: '%.60s' is none of keys, show",
                    cli->operand[0]);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}
