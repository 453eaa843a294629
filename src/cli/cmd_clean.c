/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank clean: removes the dataset of a workload. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include "loadbank/clean.h"
#include "loadbank/config.h"

int lb_cmd_clean(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_loaded loaded;
  struct lb_buf text;
  lb_buf_init(&text, 1 << 20);
  if (cli->silent) /* one process does it */
    return 0;
  int rc = lb_loaded_init(&loaded, cli, 0, err);
  if (rc == 0)
    rc = lb_bench_clean(loaded.workload, cli->args.dry_run, &text, err);
  if (rc == 0)
    rc = lb_print(cli, &text, err);
  lb_buf_fini(&text);
  lb_loaded_fini(&loaded);
  return rc;
}
