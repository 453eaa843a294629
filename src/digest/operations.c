/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on the storage, by phase and operation. */
#include "lb-config.h"

#include "digest/story.h"

void lb_section_operations(struct lb_story *s)
{
  static const char *const columns[] = {
      "Phase", "Operation", "requests", "errors", "bytes", "mean",
      "p50",   "p90",       "p99",      "p99.9",  "max",   NULL};
  if (s->r->n_ops == 0)
    return;
  lb_page_section(s->page, 2, "Operations on the storage");
  lb_page_table(s->page, "Requests and their latencies", columns);
  for (size_t i = 0; i < s->r->n_ops; i++) {
    const struct lb_result_op *o = &s->r->op[i];
    const double times[] = {o->mean_s, o->p50_s,  o->p90_s,
                            o->p99_s,  o->p999_s, o->max_s};
    lb_page_cell(s->page, o->phase);
    lb_page_cell(s->page, o->operation);
    lb_page_number(s->page, LB_COUNT, o->count);
    lb_page_number(s->page, LB_COUNT, o->errors);
    lb_page_number(s->page, LB_BYTES, o->bytes);
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
      lb_page_number(s->page, LB_SECONDS, times[k]);
  }
}
