/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From raw steps back to utilisation and throughput. */
#include "lb-config.h"

#include "loadbank/steps_au.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "loadbank/spool.h"

static bool known(uint32_t units)
{
  return units < LB_STEP_LONGEST;
}

static uint64_t ns(uint32_t units)
{
  return units == LB_STEP_MISSING ? 0 : (uint64_t)units * LB_STEP_UNIT_NS;
}

struct lb_block_sums lb_steps_block_sums(const struct lb_steps_file *f,
                                         const struct lb_steps_row *row,
                                         const struct lb_steps_block *b)
{
  struct lb_block_sums s = {.steps = b->steps};
  for (int64_t i = 0; i < b->steps; i++) {
    int64_t k = b->first + i;
    uint64_t load = ns(row->load[k]), compute = ns(row->compute[k]);
    s.all_load_ns += load;
    s.all_compute_ns += compute;
    s.gate_ns += ns(row->gate[k]);
    if (i < f->exclude_start || i >= b->steps - f->exclude_end) {
      s.excluded_ns += load + compute;
      continue;
    }
    s.window++;
    s.load_ns += load;
    s.compute_ns += compute;
  }
  s.block_ns = s.all_load_ns + s.all_compute_ns + s.gate_ns;
  return s;
}

/* Blocks of an epoch, weighted by their steps. */
struct epoch {
  double weight, au, rate;
};

static void add_block(struct epoch *e, const struct lb_block_sums *s,
                      int64_t batch)
{
  double au = lb_au_percent(s), n = (double)s->steps;
  if (isnan(au))
    return;
  e->weight += n;
  e->au += n * au;
  e->rate += n * lb_au_samples_per_s(s, batch);
}

static int64_t count_lost(const struct lb_steps_file *f,
                          const struct lb_steps_row *row)
{
  int64_t lost = 0;
  for (int64_t i = 0; i < f->steps; i++)
    lost +=
        !known(row->load[i]) || !known(row->compute[i]) || !known(row->gate[i]);
  return lost;
}

struct lb_steps_au lb_steps_row_au(const struct lb_steps_file *f,
                                   const struct lb_steps_row *row,
                                   int64_t batch)
{
  struct lb_steps_au a = {.accelerators = 1, .steps = f->steps};
  double epochs = 0, au = 0, rate = 0;
  for (size_t k = 0; k < f->n_blocks;) {
    int64_t number = f->block[k].epoch;
    struct epoch e = {0};
    for (; k < f->n_blocks && f->block[k].epoch == number; k++) {
      struct lb_block_sums s = lb_steps_block_sums(f, row, &f->block[k]);
      add_block(&e, &s, batch);
      a.seconds += (double)s.block_ns / 1e9;
    }
    if (e.weight <= 0)
      continue;
    epochs++;
    au += e.au / e.weight;
    rate += e.rate / e.weight;
  }
  a.lost = count_lost(f, row);
  a.au = epochs > 0 ? au / epochs : NAN;
  a.samples_per_s = epochs > 0 ? rate / epochs : NAN;
  return a;
}

static int read_row(struct lb_steps_file *f, int64_t a, uint32_t *column[3],
                    struct lb_err *err)
{
  static const enum lb_step_column what[] = {LB_COLUMN_LOAD, LB_COLUMN_COMPUTE,
                                             LB_COLUMN_GATE};
  int rc = 0;
  for (int i = 0; i < 3 && !rc; i++)
    rc = lb_steps_file_row(f, lb_step_column_names[what[i]], a, column[i], err);
  return rc;
}

static int all_rows(struct lb_steps_file *f, int64_t batch, uint32_t *column[3],
                    struct lb_steps_au *out, struct lb_err *err)
{
  struct lb_steps_row row = {column[0], column[1], column[2]};
  for (int64_t a = 0; a < f->accelerators; a++) {
    if (read_row(f, a, column, err))
      return -err->code;
    struct lb_steps_au one = lb_steps_row_au(f, &row, batch);
    out->au += one.au / (double)f->accelerators;
    out->samples_per_s += one.samples_per_s;
    out->seconds = fmax(out->seconds, one.seconds);
    out->lost += one.lost;
  }
  return 0;
}

int lb_steps_au(const char *path, int64_t batch, struct lb_steps_au *out,
                struct lb_err *err)
{
  struct lb_steps_file f;
  uint32_t *column[3] = {NULL};
  *out = (struct lb_steps_au){.au = NAN, .samples_per_s = NAN};
  if (lb_steps_file_open(&f, path, LB_SET_TRAIN, err))
    return -err->code;
  out->accelerators = f.accelerators;
  out->steps = f.steps;
  int rc = 0;
  for (int i = 0; i < 3; i++) {
    column[i] = malloc((size_t)f.steps * sizeof *column[i] + 1);
    if (!column[i])
      rc = lb_err_set(err, LB_FAILED, "%s: no memory for its steps", path);
  }
  if (!rc && f.accelerators > 0 && f.steps > 0) {
    out->au = out->samples_per_s = 0;
    rc = all_rows(&f, batch, column, out, err);
  }
  for (int i = 0; i < 3; i++)
    free(column[i]);
  lb_steps_file_close(&f);
  return rc;
}
