/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder and the reduction in a world of one rank, with accelerators of
 * different speed; numbers by hand. */
#include "lb-config.h"

#include <math.h>
#include <string.h>

#include "loadbank/metric_table.h"
#include "loadbank/metrics_detail.h"
#include "loadbank/summary.h"
#include "loadbank/world.h"
#include "tap.h"

enum { MS = 1000000 };
static const uint64_t t0 = UINT64_C(5000000000);

static struct lb_world world; /* of one rank */

static struct lb_metrics *recorder(int k, int64_t start, int64_t end)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_metrics *m;
  struct lb_metrics_config c = {.k = k,
                                .exclude_start = start,
                                .exclude_end = end,
                                .batch = {4, 2},
                                .detail = k};
  is_int(lb_metrics_new(&m, &c, &err), 0, "recorder of %d", k);
  return m;
}

static struct lb_summary reduce(struct lb_metrics *m, int k)
{
  struct lb_err err = LB_ERR_INIT;
  lb_world_accelerators(&world, k, &err);
  struct lb_rank_cost cost = {.wall_ns = 1000 * MS, .cpu_ns = 250 * MS};
  struct lb_summary s;
  is_int(lb_metrics_reduce(m, &world, &cost, 1048576, &s, &err), 0,
         "reduced %s", err.msg);
  return s;
}

/* n steps of `compute' ms after `load' ms; accelerator a waits a ms more for
 * its batch, all meet at the gate. */
static uint64_t block(struct lb_metrics *m, int k, int64_t number, int n,
                      uint64_t load, uint64_t compute, uint64_t t)
{
  lb_metrics_block_begin(m, number, t);
  for (int i = 0; i < n; i++) {
    for (int a = 0; a < k; a++) {
      uint64_t own = load + (uint64_t)a;
      struct lb_step s = {
          .load_ns = own * MS,
          .compute_ns = compute * MS,
          .requested_ns = compute * MS,
          .gate_ns = ((uint64_t)k - 1 - (uint64_t)a) * MS,
      };
      lb_metrics_step(m, a, &s);
    }
    t += (load + compute + (uint64_t)k - 1) * MS;
  }
  lb_metrics_block_end(m, t);
  return t;
}

static void save(struct lb_metrics *m, int64_t number, int64_t epoch,
                 int64_t step, uint64_t t, uint64_t ns, uint64_t bytes)
{
  const struct lb_checkpoint_share share[2] = {{.ns = ns, .bytes = bytes}};
  const struct lb_checkpoint_event e = {.number = number,
                                        .epoch = epoch,
                                        .step = step,
                                        .start_ns = t,
                                        .end_ns = t + ns,
                                        .size_bytes = bytes,
                                        .share = share};
  lb_metrics_checkpoint(m, &e);
}

/* 30 steps, checkpoints every 10: three blocks an epoch. */
static void blocks(void)
{
  struct lb_metrics *m = recorder(1, 1, 0);
  uint64_t t = t0;
  static const uint64_t loads[] = {5, 10, 30};
  for (int64_t epoch = 1; epoch <= 2; epoch++) {
    lb_metrics_epoch_begin(m, LB_SET_TRAIN, epoch, t);
    for (int64_t b = 1; b <= 3; b++) {
      t = block(m, 1, b, 10, loads[b - 1], 20, t);
      save(m, 3 * (epoch - 1) + b, epoch, 10 * b, t, 50 * MS, 1 << 30);
      t += 50 * MS;
    }
    lb_metrics_epoch_end(m, t);
  }
  struct lb_summary s = reduce(m, 1);
  const struct lb_set_summary *set = &s.set[LB_SET_TRAIN];
  is_int(set->n_epochs, 2, "two epochs");
  is_int(set->epoch[0].steps, 30, "30 steps each");
  is_int(set->epoch[0].blocks, 3, "in 3 blocks");
  double want = (100.0 * 20 / 25 + 100.0 * 20 / 30 + 100.0 * 20 / 50) / 3;
  is_near(set->epoch[0].au, want, 1e-9, "mean of the blocks' AU");
  is_near(set->au, want, 1e-9, "mean over epochs");
  is_near(set->au_stdev, 0, 1e-9, "equal epochs");
  is_near(set->nominal_au, want, 1e-9, "nominal AU");
  is_near(set->samples_per_s, (4 / 0.025 + 4 / 0.030 + 4 / 0.050) / 3, 1e-6,
          "samples per second");
  is_near(set->epoch[1].seconds, 0.25 + 0.3 + 0.5, 1e-9,
          "checkpoints are in no block");
  is_int(s.n_checkpoints, 6, "six checkpoints");
  is_int(s.checkpoint[5].number, 6, "numbered");
  is_near(s.checkpoint[5].seconds, 0.05, 1e-12, "duration");
  is_near(s.checkpoint[5].first_seconds, 0.05, 1e-12, "accelerator 0's own");
  is_int(s.checkpoint[5].bytes, 1 << 30, "bytes");
  is_int(set->time[LB_TIME_LOAD].count, 60, "60 loads in the histogram");
  is_near(set->window_s, 2 * 9 * (0.025 + 0.03 + 0.05), 1e-9, "sum of T");
  is_near(set->load_s, 2 * 9 * (0.005 + 0.01 + 0.03), 1e-9, "sum of load");
  size_t n;
  const struct lb_block_record *b = lb_metrics_blocks(m, &n);
  is_int(n, 6, "six blocks kept");
  is_int(b[4].first_step, 40, "the fifth begins at step 40");
  is_int(b[4].duration_ns, 300 * MS, "and takes 0.3 s");
  is_near(lb_au_percent(lb_metrics_block(m, 4, 0)), 100.0 * 20 / 30, 1e-9,
          "its AU");
  lb_summary_fini(&s);
  lb_metrics_free(m);
}

static void unequal(void)
{
  struct lb_metrics *m = recorder(3, 1, 0);
  lb_metrics_epoch_begin(m, LB_SET_TRAIN, 1, t0);
  uint64_t t = block(m, 3, 1, 11, 10, 20, t0);
  lb_metrics_epoch_end(m, t);
  struct lb_summary s = reduce(m, 3);
  const struct lb_epoch_summary *e = &s.set[LB_SET_TRAIN].epoch[0];
  /* Steps of 32 ms; the excluded one takes 30 + a out, its gate stays. */
  double au[3], rate = 0;
  for (int a = 0; a < 3; a++) {
    double T = 11 * 32 - (30 + a);
    au[a] = 100 * 200 / T;
    rate += 10 * 4 / (T / 1000);
  }
  is_near(e->au, (au[0] + au[1] + au[2]) / 3, 1e-9,
          "AU: mean over accelerators");
  is_near(e->au_min, au[0], 1e-9, "lowest accelerator");
  is_near(e->au_max, au[2], 1e-9, "highest accelerator");
  is_near(e->samples_per_s, rate, 1e-6, "throughput: sum over accelerators");
  is_near(e->wall_samples_per_s, 11 * 4 * 3 / 0.352, 1e-6,
          "over the whole time");
  is_int(s.set[LB_SET_TRAIN].steps, 33, "33 steps");
  is_int(s.set[LB_SET_TRAIN].samples, 132, "132 samples");
  lb_summary_fini(&s);
  lb_metrics_free(m);
}

/* Two accelerators, no gate, different ends. */
static void evaluation(void)
{
  struct lb_metrics *m = recorder(2, 1, 0);
  lb_metrics_epoch_begin(m, LB_SET_EVAL, 1, t0);
  lb_metrics_block_begin(m, 1, t0);
  for (int a = 0; a < 2; a++) {
    uint64_t each = a ? 40 : 20; /* ms a step, half of it compute */
    for (int i = 0; i < 5; i++) {
      struct lb_step s = {.load_ns = each / 2 * MS,
                          .compute_ns = each / 2 * MS,
                          .requested_ns = each / 2 * MS};
      lb_metrics_step(m, a, &s);
    }
    lb_metrics_eval_end(m, a, t0 + 5 * each * MS);
  }
  lb_metrics_block_end(m, t0 + 250 * MS);
  lb_metrics_epoch_end(m, t0 + 250 * MS);
  struct lb_summary s = reduce(m, 2);
  const struct lb_epoch_summary *e = &s.set[LB_SET_EVAL].epoch[0];
  is_near(e->au, 50, 1e-9, "AU of both is 50 %% of its own time");
  is_near(e->samples_per_s, 5 * 2 / 0.1 + 5 * 2 / 0.2, 1e-9,
          "all steps x batch / own time, summed");
  is_near(e->wall_samples_per_s, 20 / 0.2, 1e-9, "over the slowest");
  is_int(s.set[LB_SET_TRAIN].n_epochs, 0, "no training");
  ok(!lb_metric_present(&s, LB_METRIC_TRAIN), "no train keys");
  ok(lb_metric_present(&s, LB_METRIC_EVAL), "but eval keys");
  ok(isnan(s.set[LB_SET_TRAIN].au), "training's AU is no number");
  lb_summary_fini(&s);

  /* One step only: no window, but a throughput. */
  lb_metrics_epoch_begin(m, LB_SET_EVAL, 2, t0);
  lb_metrics_block_begin(m, 1, t0);
  for (int a = 0; a < 2; a++)
    lb_metrics_step(m, a, &(struct lb_step){.compute_ns = 10 * MS});
  lb_metrics_block_end(m, t0 + 20 * MS);
  lb_metrics_epoch_end(m, t0 + 20 * MS);
  s = reduce(m, 2);
  ok(isnan(s.set[LB_SET_EVAL].epoch[1].au), "one step: AU unknown");
  is_near(s.set[LB_SET_EVAL].epoch[1].samples_per_s, 2 * 2 / 0.02, 1e-9,
          "its throughput is known");
  is_near(s.set[LB_SET_EVAL].au, 50, 1e-9, "the mean takes the known one");
  lb_summary_fini(&s);
  lb_metrics_free(m);
}

static void all_finite(const struct lb_summary *s)
{
  for (const struct lb_metric *r = lb_metrics_table; r->key; r++) {
    enum lb_set set = lb_metric_set(r);
    size_t n = r->count ? r->count(s, set) : 1;
    for (size_t i = 0; i < n; i++) {
      double v = r->get(s, set, i);
      ok(isnan(v) || (isfinite(v) && v >= 0), "%s is none or a number", r->key);
    }
  }
}

static void nothing(void)
{
  struct lb_metrics *m = recorder(2, 1, 1);
  lb_metrics_epoch_begin(m, LB_SET_TRAIN, 1, t0);
  uint64_t t = block(m, 2, 1, 2, 1, 1, t0);
  lb_metrics_epoch_end(m, t);
  save(m, 1, 1, 2, t, 0, 0);
  struct lb_summary s = reduce(m, 2);
  ok(isnan(s.set[LB_SET_TRAIN].au), "no window at all: AU unknown");
  ok(!lb_summary_meets(&s, LB_SET_TRAIN, 0), "and fail even against 0");
  is_int(s.limit.by, LB_LIMIT_UNKNOWN, "limit unknown");
  is_int(s.set[LB_SET_TRAIN].epoch[0].windowless, 1, "one block without");
  all_finite(&s);
  lb_summary_fini(&s);
  lb_metrics_free(m);

  s = reduce(NULL, 2);
  all_finite(&s);
  is_int(s.set[LB_SET_TRAIN].n_epochs, 0, "no recorder: no epochs");
  is_int(s.cost.cpu_ns, 250 * MS, "but costs");
  lb_summary_fini(&s);
}

static void thresholds(void)
{
  struct lb_summary s = {.set = {[LB_SET_TRAIN] = {.au = 87}}};
  ok(lb_summary_meets(&s, LB_SET_TRAIN, 0.85), "87 against 0.85: success");
  ok(!lb_summary_meets(&s, LB_SET_TRAIN, 0.90), "87 against 0.90: fail");
  s.set[LB_SET_TRAIN].au = 90;
  ok(lb_summary_meets(&s, LB_SET_TRAIN, 0.90), "90 against 0.90: success");
  s.set[LB_SET_TRAIN].au = 29;
  ok(lb_summary_meets(&s, LB_SET_TRAIN, 0.29), "29 against 0.29 (rounding)");
}

static void refused(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_metrics *m;
  struct lb_metrics_config c = {.k = 1024, .exclude_end = 1 << 20};
  is_int(lb_metrics_new(&m, &c, &err), -LB_USAGE, "a ring of 2^30 steps");
  ok(m == NULL && strstr(err.msg, "exclude_end_steps"), "%s", err.msg);
}

static void table(void)
{
  for (const struct lb_metric *r = lb_metrics_table; r->key; r++) {
    ok(r->get && r->doc[strlen(r->doc) - 1] == '.', "%s has getter and doc",
       r->key);
    for (const struct lb_metric *o = lb_metrics_table; o != r; o++)
      if (!strcmp(o->key, r->key))
        ok(false, "%s stands twice", r->key);
  }
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  blocks();
  unequal();
  evaluation();
  nothing();
  thresholds();
  refused();
  table();
  lb_world_fini(&world);
  return done();
}
