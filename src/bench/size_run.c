/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a sizing: what becomes of the workload in them. */
#include "lb-config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/report.h"
#include "loadbank/units.h"
#include "size_impl.h"

const char *const lb_size_end_names[LB_N_SIZE_ENDS] = {
    [LB_SIZE_COMPLETE] = "complete",       [LB_SIZE_TIME] = "time limit",
    [LB_SIZE_INTERRUPTED] = "interrupted", [LB_SIZE_DRY] = "dry run",
    [LB_SIZE_FAILED] = "failed",           [LB_SIZE_OPEN] = "incomplete",
};

int size_lines_init(struct size_lines *l, const struct lb_size_ask *a,
                    const char *const *fixed, struct lb_err *err)
{
  size_t most = (size_t)a->n_overrides + 2 * SIZE_LINES;
  *l = (struct size_lines){.line = calloc(most, sizeof *l->line)};
  if (!l->line)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (; l->n < a->n_overrides; l->n++)
    l->line[l->n] = a->overrides[l->n];
  for (int i = 0; i < SIZE_LINES && fixed[i]; i++)
    l->line[l->n++] = fixed[i];
  return 0;
}

void size_lines_add(struct size_lines *l, const char *fmt, ...)
{
  va_list ap;
  if (l->n_own == SIZE_LINES)
    return;
  va_start(ap, fmt);
  vsnprintf(l->own[l->n_own], SIZE_LINE_LEN, fmt, ap);
  va_end(ap);
  l->line[l->n++] = l->own[l->n_own++];
}

void size_lines_lend(struct size_lines *l, const char *line)
{
  l->line[l->n++] = line;
}

void size_lines_fini(struct size_lines *l)
{
  free(l->line);
}

int size_load(const struct lb_size_ask *a, const struct size_lines *l,
              struct lb_workload **w, struct lb_err *err)
{
  if (lb_workload_load(a->yaml, a->yaml_len, a->name, l->line, l->n, w, err) ||
      lb_workload_read_files(*w, err) || lb_workload_check_run(*w, err))
    return -err->code;
  return 0;
}

void size_describe(struct lb_size_load *load, const struct lb_workload *w,
                   const struct lb_plan *plan)
{
  const struct lb_plan_set *set = &plan->set[LB_SET_TRAIN];
  *load = (struct lb_size_load){.compute_s = lb_dist_mean(w->derived.compute),
                                .batch = (double)w->reader.batch_size,
                                .sample_bytes = set->sample_bytes,
                                .read_bytes = set->read_bytes,
                                .is_virtual = w->derived.backend->is_virtual};
  snprintf(load->workload, sizeof load->workload, "%s", w->name);
  snprintf(load->model, sizeof load->model, "%s", w->model.name);
  snprintf(load->storage, sizeof load->storage, "%s", w->storage.storage_type);
  snprintf(load->folder, sizeof load->folder, "%s", w->derived.data_folder);
}

int size_folder(char out[PATH_MAX], const char *folder, struct lb_err *err,
                const char *fmt, ...)
{
  va_list ap;
  int n = snprintf(out, PATH_MAX, "%s/", folder), m = 0;
  if (n < PATH_MAX) {
    va_start(ap, fmt);
    m = vsnprintf(out + n, (size_t)(PATH_MAX - n), fmt, ap);
    va_end(ap);
  }
  if (n + m < PATH_MAX)
    return 0;
  return lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "%s", folder);
}

int size_point(struct lb_world *w, const struct lb_point *p,
               struct lb_point_result *out, struct lb_err *err)
{
  int rc = lb_point_run(w, p, out, err);
  if (rc || out->code == 0)
    return rc;
  return lb_err_set(err, (enum lb_code)out->code,
                    "with %" PRId64 " accelerator%s: %s", p->accelerators,
                    lb_plural(p->accelerators), out->reason);
}
