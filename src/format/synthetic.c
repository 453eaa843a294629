/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No data: nothing is made and nothing is read, so that a run shows what all
 * the rest costs. */
#include "lb-config.h"

#include "format/format_impl.h"

static int synthetic_check(const struct lb_format_params *p, struct lb_err *err)
{
  return lb_check_plain(p, "synthetic", err);
}

static int synthetic_sizes(const struct lb_format_params *p,
                           const struct lb_file *f, struct lb_file_sizes *out,
                           struct lb_err *err)
{
  int64_t dims[LB_MAX_DIMS];
  int n;
  *out = (struct lb_file_sizes){.file_bytes = 0};
  return lb_sample_dims(p, f, dims, &n, err);
}

static int synthetic_make(const struct lb_format_params *p,
                          const struct lb_file *f, struct lb_sink *sink,
                          struct lb_err *err)
{
  (void)p, (void)f, (void)sink, (void)err;
  return 0;
}

static int synthetic_plan(struct lb_reader *r, const struct lb_sample *s,
                          int stage, struct lb_iolist *list, struct lb_err *err)
{
  (void)r, (void)s, (void)stage, (void)list, (void)err;
  return 0;
}

const struct lb_format lb_format_synthetic = {
    .name = "synthetic",
    .doc = "No data: nothing is made or read.",
    .extension = "synthetic",
    .no_data = true,
    .check = synthetic_check,
    .sizes = synthetic_sizes,
    .make = synthetic_make,
    .plan = synthetic_plan,
};
