/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a summary by their path. */
#include "lb-config.h"

#include "results/results_impl.h"

#include <string.h>

double lb_result_number(const struct lb_result *r, const char *path)
{
  return lb_json_real(lb_json_at(r->summary, path));
}

const char *lb_result_text(const struct lb_result *r, const char *path)
{
  return lb_json_text_at(r->summary, path);
}

size_t lb_result_list(const struct lb_result *r, const char *path, double *out,
                      size_t room)
{
  const json_t *list = lb_json_at(r->summary, path);
  size_t n = json_array_size(list);
  for (size_t i = 0; out && i < n && i < room; i++)
    out[i] = lb_json_real(json_array_get(list, i));
  return n;
}

const struct lb_result_op *lb_result_find_op(const struct lb_result *r,
                                             const char *phase,
                                             const char *operation)
{
  for (size_t i = 0; i < r->n_ops; i++)
    if (!strcmp(r->op[i].phase, phase) &&
        !strcmp(r->op[i].operation, operation))
      return &r->op[i];
  return NULL;
}
