/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduction and report on any number of ranks: ranks of different speed, and
 * the same results folder; test_reduce FOLDER. */
#include "lb-config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/report.h"
#include "mpitap.h"

enum { K = 2, STEPS = 5, BATCH = 4, MS = 1000000 };

/* Accelerator g (of all) waits g + 1 ms and computes 20 ms; all meet at the
 * gate. */
static void record(struct lb_metrics *m, const struct lb_world *w)
{
  uint64_t t = 1000 * (uint64_t)MS + (uint64_t)w->rank * 77 * MS;
  uint64_t step_ns = (20 + (uint64_t)w->accelerators) * MS;
  lb_metrics_epoch_begin(m, LB_SET_TRAIN, 1, t);
  lb_metrics_block_begin(m, 1, t);
  for (int i = 0; i < STEPS; i++)
    for (int a = 0; a < K; a++) {
      uint64_t load = (uint64_t)(w->first + a + 1) * MS;
      struct lb_step s = {.load_ns = load,
                          .compute_ns = 20 * MS,
                          .requested_ns = 20 * MS,
                          .gate_ns = step_ns - load - 20 * MS};
      lb_metrics_step(m, a, &s);
    }
  t += STEPS * step_ns;
  lb_metrics_block_end(m, t);
  lb_metrics_epoch_end(m, t);
  /* Accelerator g writes 500 bytes in (g + 1) x 50 ms, most of it an fsync. */
  struct lb_checkpoint_share share[K];
  for (int a = 0; a < K; a++)
    share[a] = (struct lb_checkpoint_share){
        .ns = (uint64_t)(w->first + a + 1) * 50 * MS,
        .bytes = 500,
        .part_ns = {[LB_PART_SYNC] = (uint64_t)(w->first + a + 1) * 40 * MS}};
  const struct lb_checkpoint_event e = {
      .number = 1,
      .epoch = 1,
      .step = STEPS,
      .start_ns = t,
      .end_ns = t + (uint64_t)w->accelerators * 50 * MS,
      .visible_ns = 10 * MS,
      .waited_ns = (uint64_t)w->rank * MS,
      .durable_ns = (uint64_t)(w->n_ranks - w->rank) * 70 * MS,
      .size_bytes = 500 * (uint64_t)w->accelerators,
      .share = share};
  lb_metrics_checkpoint(m, &e);
}

static void check_checkpoint(const struct lb_world *w,
                             const struct lb_checkpoint_summary *c)
{
  int n = w->accelerators;
  is_near(c->seconds, 0.05 * n, 1e-9, "as long as the slowest accelerator's");
  is_near(c->first_seconds, 0.05, 1e-9, "accelerator 0's own");
  is_int(c->bytes, 500 * n, "bytes of all");
  is_int(c->size_bytes, 500 * n, "size");
  is_int(c->busy, n, "all took part");
  is_int(c->straggler, n - 1, "who was the slowest");
  is_int(c->rank, w->n_ranks - 1, "on which rank");
  is_near(c->part_s[LB_PART_SYNC], 0.04 * n, 1e-9, "and what took its time");
  is_near(c->mean_seconds, 0.05 * (n + 1) / 2, 1e-6, "mean duration");
  is_near(c->p99_seconds, 0.05 * n, 1e-6, "99th percentile of these few");
  is_near(c->rate_min, 500 / (0.05 * n), 1e-6, "slowest rate");
  is_near(c->rate_max, 500 / 0.05, 1e-6, "fastest rate");
  double waited = 0.001 * (w->n_ranks - 1);
  is_near(c->waited_seconds, waited, 1e-9, "the longest wait");
  is_near(c->visible_seconds, 0.01 + waited, 1e-9, "which training sees");
  is_near(c->durable_seconds, 0.07 * w->n_ranks, 1e-9, "the last to be done");
}

static void check(const struct lb_world *w, const struct lb_summary *s)
{
  const struct lb_set_summary *set = &s->set[LB_SET_TRAIN];
  int n = w->accelerators;
  double au = 0, rate = 0;
  for (int g = 0; g < n; g++) {
    double T = STEPS * (20.0 + n) - (g + 1 + 20);
    au += 100 * (STEPS - 1) * 20 / T / n;
    rate += (STEPS - 1) * BATCH / (T / 1000);
  }
  is_near(set->au, au, 1e-9, "AU is the mean over all accelerators");
  is_near(set->samples_per_s, rate, 1e-6, "throughput is the sum");
  is_int(set->steps, n * STEPS, "all steps");
  is_int(set->time[LB_TIME_LOAD].count, n * STEPS, "all in one histogram");
  is_int(set->time[LB_TIME_LOAD].max, n * MS, "the longest of any rank");
  is_int(s->n_checkpoints, 1, "one checkpoint");
  check_checkpoint(w, &s->checkpoint[0]);
  is_int(s->io.cell[LB_PHASE_TRAIN][LB_OP_READ]->bytes, 10 * w->n_ranks,
         "I/O statistics are summed");
  is_int(s->cost.cpu_ns, 7 * w->n_ranks, "costs are summed");
  is_int(s->cost.wall_ns, 100 + w->n_ranks - 1, "or the longest");
}

static bool exists(const char *folder, const char *name)
{
  char path[600];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &st) == 0 && st.st_size > 0;
}

static void run(struct lb_world *w, const char *folder)
{
  struct lb_err err = LB_ERR_INIT;
  lb_world_accelerators(w, K * (int64_t)w->n_ranks, &err);
  char spool[600];
  lb_report_spool(spool, sizeof spool, folder, w->rank);
  struct lb_metrics_config c = {.k = w->k,
                                .first = w->first,
                                .accelerators = w->accelerators,
                                .exclude_start = 1,
                                .batch = {BATCH, 1},
                                .steps_spool = spool,
                                .detail = lb_report_detail(w, false)};
  struct lb_metrics *m;
  all_ok(lb_metrics_new(&m, &c, &err) == 0, "a recorder %s", err.msg);
  record(m, w);
  struct lb_iostats io;
  lb_iostats_init(&io);
  lb_iostats_add(&io, LB_PHASE_TRAIN, LB_OP_READ, 1000, 10, false);
  struct lb_rank_cost cost = {
      .io = &io, .cpu_ns = 7, .wall_ns = 100 + (uint64_t)w->rank};
  struct lb_summary s;
  all_ok(lb_metrics_reduce(m, w, &cost, 1024, &s, &err) == 0, "reduced %s",
         err.msg);
  if (w->rank == 0)
    check(w, &s);
  struct lb_report r = {.folder = folder, .au_threshold = 0.5};
  all_ok(lb_report_write(w, m, &r, &s, &err) == 0, "written %s", err.msg);
  lb_metrics_free(m);
  char last[64];
  snprintf(last, sizeof last, "%d_output.json", w->accelerators - 1);
  all_ok(exists(folder, "summary.json") && exists(folder, last),
         "summary and the last accelerator's file");
#ifdef HAVE_HDF5
  all_ok(exists(folder, "steps.h5"), "steps.h5");
  all_ok(exists(folder, "steps-node1.h5") == (w->n_nodes > 1),
         "and a file a node if there are several");
#endif
  lb_summary_fini(&s);

  r.folder = "/nonexistent";
  r.steps = LB_STEPS_NONE;
  all_ok(lb_metrics_reduce(NULL, w, &cost, 0, &s, &err) == 0, "no recorder");
  all_ok(lb_report_write(w, NULL, &r, &s, &err) == -LB_FAILED,
         "no folder: all ranks fail");
  all_ok(strstr(err.msg, "/nonexistent") != NULL, "with the path: %s", err.msg);
  lb_summary_fini(&s);
  lb_iostats_fini(&io);
}

int main(int argc, char **argv)
{
  struct lb_world w;
  struct lb_err err = LB_ERR_INIT;
  if (lb_world_init(&w, &argc, &argv, &err) || argc != 2)
    return 99;
  int rank = w.rank;
  run(&w, argv[1]);
  lb_world_fini(&w);
  return all_done(rank);
}
