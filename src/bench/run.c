/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its configuration to its results: the order of the phases.  Each
 * one ends in the same code on every rank, so none is left behind. */
#include "lb-config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

/* 10 times the mean step of training (the longest is not known beforehand), at
 * least a minute. */
static uint64_t gate_timeout_ns(const struct lb_bench *b)
{
  double s = b->o->gate_timeout_s;
  if (s <= 0) {
    s = 10 * lb_dist_mean(b->w->derived.compute);
    s = s < 60 ? 60 : s;
  }
  return (uint64_t)(s * 1e9);
}

/* Nothing is written before the dataset was looked at: a run that is refused
 * leaves no trace, and with --force keeps the older results. */
static int prepare(struct lb_bench *b, struct lb_err *err)
{
  int rc = lb_gate_new(&b->gate, b->world, gate_timeout_ns(b), err);
  if (!rc)
    rc = lb_bench_open(b, err);
  lb_bench_enter(b, LB_PHASE_SETUP);
  if (!rc && b->w->workflow.generate_data)
    rc = lb_bench_check_site(b, err);
  else if (!rc && b->w->workflow.train)
    rc = lb_bench_check_dataset(b, err);
  if (!rc)
    rc = lb_bench_check_apart(b, err);
  if (!rc)
    rc = lb_bench_open_results(b, err);
  if (!rc) {
    lb_bench_say_storage(b);
    rc = lb_bench_place(b, err);
  }
  return rc ? rc : lb_clocks_begin(&b->clocks, b->world, err);
}

static int work(struct lb_bench *b, struct lb_err *err)
{
  int rc = 0;
  if (b->w->workflow.generate_data) {
    rc = lb_bench_generate(b, err);
    if (!rc && b->stop == LB_STOP_NONE && b->w->workflow.train)
      rc = lb_bench_check_dataset(b, err);
  }
  if (!rc && b->stop == LB_STOP_NONE)
    rc = lb_bench_claim_checkpoints(b, err);
  if (!rc && b->stop == LB_STOP_NONE && b->w->workflow.train)
    rc = lb_bench_train(b, err);
  if (!rc && b->stop == LB_STOP_NONE && !b->w->workflow.train &&
      b->plan.checkpoints.scheme)
    rc = lb_bench_checkpoints(b, err);
  if (rc || b->stop != LB_STOP_NONE || b->w->dataset.keep_files ||
      b->w->derived.backend->is_virtual)
    return rc;
  return lb_bench_remove_dataset(b, err);
}

static void clean_up(struct lb_bench *b)
{
  lb_loader_free(b->loader);
  lb_bench_saver_free(b);
  lb_bench_release_checkpoints(b);
  lb_metrics_free(b->metrics);
  lb_conductor_fini(&b->conductor);
  lb_storage_close(b->storage);
  lb_iothread_fini(&b->io);
  lb_gate_free(b->gate);
  lb_clocks_free(&b->clocks);
  lb_placement_free(&b->placement);
  lb_log_file(NULL);
  if (b->log)
    fclose(b->log);
  free(b->folder);
  free(b->mounts);
}

/* The exit status of a run that did what it was told. */
static int verdict(struct lb_bench *b, const struct lb_summary *s)
{
  if (b->stop == LB_STOP_SIGNAL)
    return 128 + b->signal;
  int unmet = b->o->require_au && b->w->workflow.train && b->world->rank == 0 &&
              !lb_summary_meets(s, LB_SET_TRAIN, b->w->metric.au);
  lb_world_bcast(b->world, &unmet, sizeof unmet);
  return unmet ? LB_AU_UNMET : 0;
}

/* The same signal on every rank. */
static void agree_signal(struct lb_bench *b)
{
  int status = lb_bench_signal(b->world);
  b->signal = status ? status - 128 : SIGTERM;
}

static void log_end(const struct lb_bench *b, const struct lb_err *err)
{
  if (lb_err_is_set(err))
    lb_info("the run ends, failed: %s", err->msg);
  else if (b->stop == LB_STOP_SIGNAL)
    lb_info("the run ends, interrupted: %s", strsignal(b->signal));
  else
    lb_info("the run ends, complete");
}

int lb_bench_measure(struct lb_world *world, struct lb_workload *w,
                     const struct lb_run_options *o, struct lb_summary *summary,
                     struct lb_err *err)
{
  struct lb_bench b = {.world = world,
                       .w = w,
                       .o = o,
                       .plan = *o->plan,
                       .claim = -1,
                       .saves_here = {-1, -1}};
  *summary = (struct lb_summary){0};
  lb_bench_catch_signals();
  int rc = lb_bench_describe(&b, err);
  if (!rc)
    rc = prepare(&b, err);
  if (!rc)
    rc = work(&b, err);
  lb_progress_end(&b.progress);
  if (b.stop == LB_STOP_SIGNAL)
    agree_signal(&b);
  /* A run that failed in its phases still says what it had. */
  if (b.folder && (!rc || b.stop == LB_STOP_FAILED)) {
    lb_bench_extend_end(&b);
    struct lb_err report = LB_ERR_INIT;
    int reported = lb_bench_write_results(&b, summary, err, &report);
    if (!rc && reported) {
      *err = report;
      rc = reported;
    }
  }
  if (!rc)
    rc = verdict(&b, summary);
  if (b.folder)
    log_end(&b, err);
  clean_up(&b);
  return rc;
}

int lb_bench_run(struct lb_world *world, struct lb_workload *w,
                 const struct lb_run_options *o, struct lb_err *err)
{
  struct lb_summary summary;
  int rc = lb_bench_measure(world, w, o, &summary, err);
  lb_summary_fini(&summary);
  return rc;
}
