/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loadbank mlperf report: the tree's files, a page, and what stdout gets. */
#include "lb-config.h"

#include "loadbank/log.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/page.h"
#include "loadbank/wholefile.h"
#include "mlperf/report.h"

static const size_t max_page = (size_t)1 << 28;

static int make_page(const struct lb_mlperf_report *r,
                     const struct lb_page_format *format, struct lb_buf *out,
                     struct lb_err *err)
{
  struct lb_page *page = lb_page_new("loadbank: MLPerf-style results");
  if (!page)
    return lb_err_set(err, LB_FAILED, "no memory for the report");
  lb_mlperf_report_page(r, page);
  int rc = lb_page_write(page, format, out, err);
  lb_page_free(page);
  return rc;
}

/* The ending of its name says what the page is. */
static int check_page(const char *path, const struct lb_page_format **format,
                      struct lb_err *err)
{
  *format = *path ? lb_page_format_of(path) : NULL;
  return *format || !*path
             ? 0
             : lb_err_set(err, LB_USAGE,
                          "mlperf report: --output %s: its ending names no "
                          "format (html, md, txt, csv, json)",
                          path);
}

static int write_page(const struct lb_mlperf_report *r, const char *path,
                      const struct lb_page_format *format, struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, max_page);
  int rc = make_page(r, format, &text, err);
  if (!rc)
    rc = lb_write_path(path, text.data, text.len, err);
  lb_buf_fini(&text);
  return rc;
}

typedef int print(const struct lb_mlperf_report *r, struct lb_buf *out,
                  struct lb_err *err);

static int print_text(const struct lb_mlperf_report *r, struct lb_buf *out,
                      struct lb_err *err)
{
  return make_page(r, lb_page_formats[0], out, err);
}

static int print_json(const struct lb_mlperf_report *r, struct lb_buf *out,
                      struct lb_err *err)
{
  (void)err;
  lb_mlperf_report_json(r, out);
  return 0;
}

static int print_csv(const struct lb_mlperf_report *r, struct lb_buf *out,
                     struct lb_err *err)
{
  (void)err;
  lb_mlperf_report_csv(r, out);
  return 0;
}

/* By the words of --format. */
static print *const prints[] = {print_text, print_json, print_csv};

int lb_mlperf_report(struct lb_mlperf_call *call, struct lb_err *err)
{
  const char *root =
      call->n_operands ? call->operand[0] : call->args.results_dir;
  const char *file = call->args.output;
  const struct lb_page_format *format;
  struct lb_mlperf_report *r = NULL;
  if (!*root)
    return lb_err_set(err, LB_USAGE,
                      "mlperf report: which results folder? Name it, or set "
                      "--results-dir or MLPERF_RESULTS_DIR");
  int rc = check_page(file, &format, err);
  if (!rc)
    rc = lb_mlperf_report_make(root, &r, err);
  if (!rc && *call->args.systemname)
    rc = lb_mlperf_report_only(r, call->args.systemname, err);
  if (!rc)
    rc = prints[call->args.format](r, &call->out, err);
  if (!rc && format)
    rc = write_page(r, file, format, err);
  /* Files that cannot be written are no reason to print nothing. */
  if (!rc && lb_mlperf_report_write(r, err)) {
    rc = err->code;
    lb_error("%s", err->msg);
    *err = (struct lb_err)LB_ERR_INIT;
  }
  lb_mlperf_report_free(r);
  return rc;
}
