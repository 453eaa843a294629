/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank workloads: the workloads that are known by name. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include "loadbank/config.h"

static void put_workload(void *arg, const char *name, const char *path,
                         const char *line)
{
  (void)path;
  lb_buf_printf(arg, "%-20s %s\n", name, line ? line : "");
}

int lb_cmd_workloads(struct lb_cli *cli, struct lb_err *err)
{
  const char *dir = cli->args.config_dir;
  struct lb_buf text;
  lb_buf_init(&text, 1 << 20);
  int rc = lb_workload_each(&dir, dir[0] != '\0', put_workload, &text, err);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  return rc;
}
