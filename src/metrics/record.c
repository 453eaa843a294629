/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder of one rank.  Step by step only sums, histograms and a ring are
 * touched; lists grow at the end of blocks, epochs and checkpoints, outside
 * the timed intervals.  No communication: see reduce.c. */
#include "lb-config.h"

#include "metrics/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"

const char *const lb_time_names[LB_N_TIMES] = {
    [LB_TIME_LOAD] = "load", [LB_TIME_COMPUTE] = "compute",
    [LB_TIME_GATE] = "gate", [LB_TIME_LAG] = "lag",
    [LB_TIME_LATE] = "late",
};
/* Steps of the rings of all accelerators of a rank. */
static const int64_t max_ring_steps = 1 << 24;

static int no_memory(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory for the metrics");
}

static void init_totals(struct lb_metrics *m)
{
  for (int set = 0; set < LB_N_SETS; set++) {
    for (int i = 0; i < LB_N_TIMES; i++)
      lb_histogram_init(&m->total[set].time[i]);
  }
}

static int init_accelerators(struct lb_metrics *m, struct lb_err *err)
{
  size_t k = (size_t)m->c.k, e = (size_t)m->c.exclude_end;
  m->acc = calloc(k, sizeof *m->acc);
  m->rings = e ? calloc(k * e, sizeof *m->rings) : NULL;
  if (!m->acc || (e && !m->rings))
    return no_memory(err);
  for (size_t a = 0; a < k; a++) {
    m->acc[a].window.exclude_start = m->c.exclude_start;
    m->acc[a].window.exclude_end = m->c.exclude_end;
    m->acc[a].window.ring = e ? m->rings + a * e : NULL;
  }
  return 0;
}

int lb_metrics_new(struct lb_metrics **out, const struct lb_metrics_config *c,
                   struct lb_err *err)
{
  *out = NULL;
  if (c->k < 1 || c->exclude_start < 0 || c->exclude_end < 0)
    return lb_err_set(err, LB_USAGE,
                      "metrics: accelerators and excluded steps must not be "
                      "negative");
  if (c->exclude_end > max_ring_steps / c->k)
    return lb_err_set(err, LB_USAGE,
                      "output.metric.exclude_end_steps: %lld is more than the "
                      "%lld that can be held for %d accelerators of a rank",
                      (long long)c->exclude_end,
                      (long long)(max_ring_steps / c->k), c->k);
  struct lb_metrics *m = calloc(1, sizeof *m);
  if (!m)
    return no_memory(err);
  m->c = *c;
  m->c.steps_spool = NULL;
  if (m->c.accelerators < m->c.k)
    m->c.accelerators = m->c.k;
  m->c.detail = c->detail < 0 ? 0 : c->detail > c->k ? c->k : c->detail;
  init_totals(m);
  int rc = init_accelerators(m, err);
  if (!rc && c->steps_spool)
    rc = lb_spool_new(&m->spool, c->steps_spool, err);
  if (rc) {
    lb_metrics_free(m);
    return rc;
  }
  *out = m;
  return 0;
}

void lb_metrics_free(struct lb_metrics *m)
{
  if (!m)
    return;
  lb_spool_free(m->spool);
  free(m->acc);
  free(m->rings);
  free(m->epoch);
  free(m->blocks);
  free(m->detail);
  free(m->checkpoint);
  free(m->shares);
  free(m);
}

uint64_t lb_record_utc(uint64_t t_ns)
{
  return lb_clock_utc_ns() - (lb_clock_ns() - t_ns);
}

bool lb_record_grow(void **v, size_t n, size_t *cap, size_t max, size_t size)
{
  if (n < *cap)
    return true;
  size_t more = *cap ? *cap * 2 : 64;
  if (more > max)
    more = max;
  if (n >= more)
    return false;
  void *p = realloc(*v, more * size);
  if (!p)
    return false;
  *v = p;
  *cap = more;
  return true;
}

void lb_metrics_epoch_begin(struct lb_metrics *m, enum lb_set set,
                            int64_t epoch, uint64_t t_ns)
{
  m->in_epoch = true;
  m->set = set;
  m->epoch_start_ns = t_ns;
  m->now = (struct lb_epoch_record){.set = set,
                                    .epoch = epoch,
                                    .accelerators = m->c.k,
                                    .start_utc_ns = lb_record_utc(t_ns),
                                    .au_min = NAN,
                                    .au_max = NAN};
  for (int a = 0; a < m->c.k; a++) {
    memset(&m->acc[a].epoch, 0, sizeof m->acc[a].epoch);
    m->acc[a].epoch_ns = 0;
  }
}

static void close_accelerator(struct lb_epoch_record *e,
                              const struct lb_acc *acc)
{
  if ((double)acc->epoch_ns / 1e9 > e->seconds)
    e->seconds = (double)acc->epoch_ns / 1e9;
  double rate = lb_au_epoch_rate(&acc->epoch);
  if (!isnan(rate)) {
    e->with_rate++;
    e->samples_per_s += rate;
  }
  double au = lb_au_epoch_au(&acc->epoch);
  if (isnan(au))
    return;
  e->with_window++;
  e->au += au;
  e->nominal += lb_au_epoch_nominal(&acc->epoch);
  e->au_min = fmin(e->au_min, au); /* fmin and fmax pass over NAN */
  e->au_max = fmax(e->au_max, au);
}

void lb_metrics_epoch_end(struct lb_metrics *m, uint64_t t_ns)
{
  if (!m->in_epoch)
    return;
  if (m->in_block)
    lb_metrics_block_end(m, t_ns);
  m->in_epoch = false;
  struct lb_epoch_record *e = &m->now;
  e->duration_ns = t_ns > m->epoch_start_ns ? t_ns - m->epoch_start_ns : 0;
  for (int a = 0; a < m->c.k; a++) {
    const struct lb_acc *acc = &m->acc[a];
    close_accelerator(e, acc);
    if (acc->epoch.windowless > e->windowless)
      e->windowless = acc->epoch.windowless;
  }
  if (!lb_record_grow((void **)&m->epoch, m->n_epochs, &m->cap_epochs,
                      LB_MAX_EPOCHS, sizeof *m->epoch)) {
    m->epochs_lost++;
    return;
  }
  m->epoch[m->n_epochs++] = *e;
}

void lb_metrics_block_begin(struct lb_metrics *m, int64_t block, uint64_t t_ns)
{
  m->in_block = true;
  m->block = block;
  m->block_start_ns = t_ns;
  for (int a = 0; a < m->c.k; a++) {
    lb_window_begin(&m->acc[a].window);
    m->acc[a].own_end_ns = 0;
  }
}

void lb_metrics_step(struct lb_metrics *m, int a, const struct lb_step *s)
{
  struct lb_acc *acc = &m->acc[a];
  struct lb_set_record *t = &m->total[m->set];
  lb_window_step(&acc->window, s);
  const uint64_t ns[LB_N_TIMES] = {[LB_TIME_LOAD] = s->load_ns,
                                   [LB_TIME_COMPUTE] = s->compute_ns,
                                   [LB_TIME_GATE] = s->gate_ns,
                                   [LB_TIME_LAG] = s->lag_ns,
                                   [LB_TIME_LATE] = s->late_ns};
  for (int i = 0; i < LB_N_TIMES; i++)
    lb_histogram_add(&t->time[i], ns[i]);
  if (s->stall) {
    t->stalled[s->stall]++;
    t->held_s += (double)s->held_ns / 1e9;
  }
  if (m->set == LB_SET_TRAIN) {
    acc->behind.load_ns += s->load_ns;
    acc->behind.gate_ns += s->gate_ns;
  }
  if (m->spool) {
    struct lb_spool_record r = {
        .acc = 2 * (uint32_t)a + (uint32_t)m->set,
        .step = acc->steps[m->set],
        .v = {[LB_COLUMN_LOAD] = lb_step_units(s->load_ns),
              [LB_COLUMN_COMPUTE] = lb_step_units(s->compute_ns),
              [LB_COLUMN_GATE] = lb_step_units(s->gate_ns),
              [LB_COLUMN_REQUESTED] = lb_step_units(s->requested_ns),
              [LB_COLUMN_LATE] = lb_step_units(s->late_ns),
              [LB_COLUMN_STALL] = s->stall},
    };
    lb_spool_put(m->spool, &r);
  }
  acc->steps[m->set]++;
}

struct lb_so_far lb_metrics_so_far(const struct lb_metrics *m, enum lb_set set)
{
  const struct lb_histogram *t = m->total[set].time;
  double ns =
      t[LB_TIME_LOAD].sum + t[LB_TIME_COMPUTE].sum + t[LB_TIME_GATE].sum;
  return (struct lb_so_far){.steps = (double)t[LB_TIME_COMPUTE].count / m->c.k,
                            .seconds = ns / m->c.k / 1e9,
                            .au = ns > 0 ? 100 * t[LB_TIME_COMPUTE].sum / ns
                                         : NAN};
}

void lb_metrics_last(struct lb_metrics *m, int acc, uint64_t alone_ns)
{
  m->acc[acc].behind.last++;
  m->acc[acc].behind.alone_ns += alone_ns;
}

void lb_metrics_eval_end(struct lb_metrics *m, int acc, uint64_t t_ns)
{
  m->acc[acc].own_end_ns = t_ns;
}

/* Keeps the block for the files of single accelerators. */
static void keep_block(struct lb_metrics *m, int64_t steps, uint64_t end_ns)
{
  size_t d = m->c.detail > 0 ? (size_t)m->c.detail : 1;
  size_t cap = m->cap_blocks, max = LB_MAX_DETAILS / d;
  if (!lb_record_grow((void **)&m->blocks, m->n_blocks, &cap, max,
                      sizeof *m->blocks)) {
    m->details_lost++;
    return;
  }
  if (cap != m->cap_blocks) {
    void *p = realloc(m->detail, cap * d * sizeof *m->detail);
    if (!p) {
      m->details_lost++;
      return;
    }
    m->detail = p;
    m->cap_blocks = cap;
  }
  m->blocks[m->n_blocks] = (struct lb_block_record){
      .set = m->set,
      .epoch = m->now.epoch,
      .block = m->block,
      .steps = steps,
      .first_step = m->total[m->set].per_acc,
      .start_utc_ns = lb_record_utc(m->block_start_ns),
      .duration_ns = end_ns - m->block_start_ns,
  };
  for (int a = 0; a < m->c.detail; a++)
    m->detail[m->n_blocks * d + (size_t)a] = m->acc[a].window.sums;
  m->n_blocks++;
}

static void close_block(struct lb_metrics *m, struct lb_acc *acc,
                        uint64_t end_ns)
{
  struct lb_set_record *t = &m->total[m->set];
  const struct lb_block_sums *b = &acc->window.sums;
  if (acc->own_end_ns)
    end_ns = acc->own_end_ns;
  lb_window_end(&acc->window,
                end_ns > m->block_start_ns ? end_ns - m->block_start_ns : 0);
  double rate = m->set == LB_SET_EVAL
                    ? lb_au_all_samples_per_s(b, m->c.batch[m->set])
                    : lb_au_samples_per_s(b, m->c.batch[m->set]);
  lb_au_epoch_add(&acc->epoch, b, rate);
  acc->epoch_ns += b->block_ns;
  t->steps += b->steps;
  uint64_t window_ns = lb_au_window_ns(b);
  if (window_ns == 0)
    return;
  t->window_s += (double)window_ns / 1e9;
  t->load_s += (double)b->load_ns / 1e9;
  t->last_load_s += (double)b->last_load_ns / 1e9;
  t->gate_s += (double)b->gate_ns / 1e9;
  t->compute_s += (double)b->compute_ns / 1e9;
  t->late_s += (double)b->late_ns / 1e9;
  t->clipped += (double)b->compute_ns > (double)window_ns * (1 + 1e-6);
}

void lb_metrics_block_end(struct lb_metrics *m, uint64_t t_ns)
{
  if (!m->in_block)
    return;
  m->in_block = false;
  int64_t steps = 0;
  for (int a = 0; a < m->c.k; a++) {
    close_block(m, &m->acc[a], t_ns);
    m->now.all_steps += m->acc[a].window.sums.steps;
    if (m->acc[a].window.sums.steps > steps)
      steps = m->acc[a].window.sums.steps;
  }
  m->now.blocks++;
  m->now.steps += steps;
  keep_block(m, steps, t_ns > m->block_start_ns ? t_ns : m->block_start_ns);
  m->total[m->set].per_acc += steps;
}
