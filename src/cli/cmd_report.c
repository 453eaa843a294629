/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank report: results as a page for people or for other programs. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/digest.h"
#include "loadbank/page.h"
#include "loadbank/wholefile.h"

static const size_t max_page = (size_t)1 << 28;

static bool to_stdout(const char *file)
{
  return !*file || !strcmp(file, "-");
}

/* What --format says, else the ending of the file's name, else text. */
static int choose(const struct lb_args *a, const struct lb_page_format **f,
                  struct lb_err *err)
{
  *f = lb_page_formats[0];
  if (a->page_format > 0) {
    *f = lb_page_formats[a->page_format - 1];
    return 0;
  }
  if (to_stdout(a->file))
    return 0;
  *f = lb_page_format_of(a->file);
  return *f ? 0
            : lb_err_set(err, LB_USAGE,
                         "report: %s: its ending names no format (txt, md, "
                         "csv, json, html); --format does",
                         a->file);
}

static int write_out(struct lb_cli *cli, struct lb_buf *text,
                     struct lb_err *err)
{
  const char *file = cli->args.file;
  if (to_stdout(file))
    return lb_print(cli, text, err);
  return cli->silent ? 0 : lb_write_path(file, text->data, text->len, err);
}

static int make(struct lb_cli *cli, const struct lb_page_format *format,
                const struct lb_results *results, struct lb_err *err)
{
  struct lb_buf text;
  char title[200];
  const char *workload = results->n ? results->result[0].workload : NULL;
  bool one = results->n == 1;
  snprintf(title, sizeof title, "loadbank: %s",
           one && workload ? workload
           : one           ? "a result"
                           : "results");
  struct lb_page *page = lb_page_new(title);
  lb_buf_init(&text, max_page);
  int rc = page ? lb_digest(page, results, (const char *const *)cli->operand,
                            (size_t)cli->n_operands, err)
                : lb_err_set(err, LB_FAILED, "no memory for the report");
  if (!rc)
    rc = lb_page_write(page, format, &text, err);
  if (!rc)
    rc = write_out(cli, &text, err);
  lb_page_free(page);
  lb_buf_fini(&text);
  return rc;
}

int lb_cmd_report(struct lb_cli *cli, struct lb_err *err)
{
  struct lb_results results = {0};
  const struct lb_page_format *format;
  int rc = choose(&cli->args, &format, err);
  for (int i = 0; i < cli->n_operands && !rc; i++)
    rc = lb_results_read(&results, cli->operand[i], err);
  if (!rc)
    rc = make(cli, format, &results, err);
  lb_results_fini(&results);
  return rc;
}
