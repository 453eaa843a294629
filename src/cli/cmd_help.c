/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank help [COMMAND|TOPIC] */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

#include "loadbank/nearest.h"

static int explain(const char *name, struct lb_buf *out, struct lb_err *err)
{
  struct lb_nearest near = {.word = name};
  char hint[LB_NEAREST_LEN];
  for (const struct lb_command *c = lb_commands; c->name; c++) {
    if (!strcmp(c->name, name)) {
      lb_help_command(c, out);
      return 0;
    }
    lb_nearest_try(&near, c->name);
  }
  for (const struct lb_topic *t = lb_topics; t->name; t++) {
    if (!strcmp(t->name, name)) {
      lb_buf_puts(out, t->text);
      return 0;
    }
    lb_nearest_try(&near, t->name);
  }
  lb_nearest_hint(&near, "; see loadbank --help", hint);
  return lb_err_set(err, LB_USAGE, "help: no command or topic '%.60s'%s", name,
                    hint);
}

int lb_cmd_help(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_buf text;
  int rc = 0;
  lb_buf_init(&text, 1 << 20);
  if (cli->n_operands > 0)
    rc = explain(cli->operand[0], &text, err);
  else
    lb_help_index(&text);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}
