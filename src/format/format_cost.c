/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans samples as a reader would, without reading them, and adds up. */
#include "lb-config.h"

#include "loadbank/format_cost.h"

/* Adds what the reader plans for the sample. */
static int add_cost(struct lb_reader *r, const struct lb_sample *s,
                    uint64_t count[LB_N_OPS], uint64_t bytes[LB_N_OPS],
                    struct lb_err *err)
{
  struct lb_iolist list;
  int more = 1;
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = r->format->plan(r, s, stage, &list, err);
    if (more > 0)
      lb_iolist_cost(&list, count, bytes);
  }
  lb_iolist_fini(&list);
  return more;
}

/* A reader of storage without bytes, of one file of each set. */
static int planning_reader(struct lb_reader *r, const struct lb_format *f,
                           struct lb_format_params *p, struct lb_err *err)
{
  p->has_bytes = false;
  for (int set = 0; set < LB_N_SETS; set++)
    if (p->n_files[set] > 0)
      p->n_files[set] = 1;
  return lb_reader_init(r, f, p, err);
}

/* again: after the same sample was read, which does not count. */
static int cost(const struct lb_format *f, const struct lb_format_params *p,
                const struct lb_sample *s, bool again, uint64_t count[LB_N_OPS],
                uint64_t bytes[LB_N_OPS], struct lb_err *err)
{
  struct lb_format_params planned = *p;
  struct lb_sample first = *s;
  first.file.index = 0;
  struct lb_reader r;
  if (planning_reader(&r, f, &planned, err) < 0)
    return -err->code;
  uint64_t unused[2][LB_N_OPS] = {{0}};
  int rc = again ? add_cost(&r, &first, unused[0], unused[1], err) : 0;
  if (!rc)
    rc = add_cost(&r, &first, count, bytes, err);
  lb_reader_fini(&r);
  return rc;
}

int lb_format_cost_run(const struct lb_format *f,
                       const struct lb_format_params *p,
                       const struct lb_file *file, int64_t most,
                       struct lb_format_run *run, struct lb_err *err)
{
  struct lb_format_params planned = *p;
  struct lb_sample s = {.file = *file};
  s.file.index = 0;
  struct lb_reader r;
  *run = (struct lb_format_run){0};
  if (planning_reader(&r, f, &planned, err) < 0)
    return -err->code;
  int rc = 0;
  for (int64_t i = 0; !rc && i < most && s.in_file < file->samples; i++) {
    rc = add_cost(&r, &s, run->count, run->bytes, err);
    s.in_file = r.in_hand.end ? r.in_hand.end : s.in_file + 1;
  }
  run->samples = s.in_file;
  run->in_hand = r.in_hand.end > 0;
  lb_reader_fini(&r);
  return rc;
}

int lb_format_cost(const struct lb_format *f, const struct lb_format_params *p,
                   const struct lb_sample *s, uint64_t count[LB_N_OPS],
                   uint64_t bytes[LB_N_OPS], struct lb_err *err)
{
  return cost(f, p, s, false, count, bytes, err);
}

int lb_format_cost_again(const struct lb_format *f,
                         const struct lb_format_params *p,
                         const struct lb_sample *s, uint64_t count[LB_N_OPS],
                         uint64_t bytes[LB_N_OPS], struct lb_err *err)
{
  return cost(f, p, s, true, count, bytes, err);
}
