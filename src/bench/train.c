/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The epochs of a run: training in blocks, checkpoints between them,
 * evaluation after.  What happens when was decided by the plan. */
#include "lb-config.h"

#include <inttypes.h>

#include "background.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"

/* The longest request that reader.transfer_size does not cut. */
enum { WHOLE_REQUEST = 128 << 10 };

/* ---- passes over a set ---- */

static struct lb_loader_pass pass_over(const struct lb_bench *b,
                                       enum lb_set set, int64_t epoch,
                                       int64_t batches)
{
  const struct lb_plan_set *s = &b->plan.set[set];
  const struct lb_derived *d = &b->w->derived;
  uint64_t order = b->w->train.seed_change_epoch ? (uint64_t)epoch : 1;
  return (struct lb_loader_pass){
      .set = set,
      .phase = set == LB_SET_TRAIN ? LB_PHASE_TRAIN : LB_PHASE_EVAL,
      .epoch = epoch,
      .batch = s->batch,
      .batches = batches,
      .stride = s->steps,
      .sampler = lb_sampler_make(
          (uint64_t)s->files, (uint64_t)s->samples_per_file, d->file_shuffle,
          d->sample_shuffle && d->index_sampler, d->order_seed, order, set),
  };
}

/* Of training, an epoch of the run's part of the files.  Where windows are
 * looked at, readers go on behind the last step: storage that has less and less
 * to do would show in them. */
static struct lb_loader_pass training_pass(const struct lb_bench *b,
                                           int64_t epoch)
{
  const struct lb_run_part *part = &b->o->part;
  const struct lb_plan_set *s = &b->plan.set[LB_SET_TRAIN];
  struct lb_loader_pass p =
      pass_over(b, LB_SET_TRAIN, epoch, lb_plan_epoch_steps(&b->plan, epoch));
  if (part->files) {
    p.stride =
        part->files * s->samples_per_file / (s->batch * b->plan.accelerators);
    p.sampler.n_files = (uint64_t)part->files;
    p.sampler.first_file = (uint64_t)part->first;
  }
  if (b->o->windows) {
    p.batches += b->plan.pace.ahead;
    p.batches = p.batches < p.stride ? p.batches : p.stride;
  }
  return p;
}

/* What the loader has read so far, to tell the sets apart. */
static struct lb_set_totals totals_now(struct lb_bench *b)
{
  struct lb_loader_cost c = lb_loader_cost(b->loader, NULL);
  return (struct lb_set_totals){.payload_bytes = c.payload_bytes,
                                .samples = c.samples,
                                .samples_seen = c.samples_seen,
                                .sample_bytes_seen = c.sample_bytes_seen};
}

/* Ends the pass and books what it read.  A failure that shows only now is
 * told at the next gate; one follows the last pass, too. */
static void end_pass(struct lb_bench *b, enum lb_set set,
                     const struct lb_set_totals *before)
{
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_loader_end(b->loader, &err);
  struct lb_set_totals now = totals_now(b);
  b->totals[set].payload_bytes += now.payload_bytes - before->payload_bytes;
  b->totals[set].samples += now.samples - before->samples;
  b->totals[set].samples_seen += now.samples_seen - before->samples_seen;
  b->totals[set].sample_bytes_seen +=
      now.sample_bytes_seen - before->sample_bytes_seen;
  if (rc)
    lb_bench_fail(b, &err);
}

/* ---- training ---- */

/* One block and what follows it; *start_ns: where the next one starts. */
static int run_block(struct lb_bench *b, int64_t epoch, int64_t block,
                     uint64_t *start_ns, int64_t *step, struct lb_err *err)
{
  int64_t steps = lb_plan_block_steps(&b->plan, epoch, block);
  lb_metrics_block_begin(b->metrics, block, *start_ns);
  struct lb_block_end end = lb_conductor_block(&b->conductor, steps, *start_ns);
  lb_metrics_block_end(b->metrics, end.ns);
  *start_ns = end.ns;
  *step += end.steps;
  lb_bench_stopped(b, end.stop);
  if (b->stop == LB_STOP_NONE &&
      lb_plan_checkpoint_after(&b->plan, epoch, block))
    return lb_bench_save(b, epoch, *step, start_ns, err);
  return 0;
}

/* Collective.  If it is due: before each pass over a set, or before the first.
 */
static int drop_caches(struct lb_bench *b, struct lb_err *err)
{
  int when = b->w->storage.drop_caches;
  if (b->w->derived.backend->is_virtual || when == LB_DROP_NEVER ||
      (when == LB_DROP_RUN && b->drops.times > 0))
    return 0;
  return lb_bench_drop_caches(b, err);
}

static int train_epoch(struct lb_bench *b, int64_t epoch, struct lb_err *err)
{
  int rc = drop_caches(b, err);
  if (rc)
    return rc;
  struct lb_set_totals before = totals_now(b);
  lb_bench_enter(b, LB_PHASE_TRAIN);
  struct lb_loader_pass pass = training_pass(b, epoch);
  struct lb_release r = lb_gate_meet(b->gate);
  uint64_t at = r.ns;
  int64_t step = 0;
  lb_bench_stopped(b, r.stop);
  if (b->stop != LB_STOP_NONE)
    return 0;
  b->conductor.compute = lb_compute_make(
      b->w->derived.compute, b->w->derived.order_seed, LB_RNG_COMPUTE);
  b->conductor.compute.scale = b->o->scale;
  lb_metrics_epoch_begin(b->metrics, LB_SET_TRAIN, epoch, at);
  lb_loader_begin(b->loader, &pass);
  for (int64_t block = 1; block <= lb_plan_blocks(&b->plan, epoch) && !rc &&
                          b->stop == LB_STOP_NONE;
       block++)
    rc = run_block(b, epoch, block, &at, &step, err);
  lb_metrics_epoch_end(b->metrics, at);
  end_pass(b, LB_SET_TRAIN, &before);
  return rc;
}

/* ---- evaluation ---- */

static int evaluate(struct lb_bench *b, int64_t epoch, struct lb_err *err)
{
  int rc = drop_caches(b, err);
  if (rc)
    return rc;
  int64_t steps = b->plan.set[LB_SET_EVAL].steps;
  struct lb_set_totals before = totals_now(b);
  lb_bench_enter(b, LB_PHASE_EVAL);
  lb_info("evaluation after epoch %" PRId64 " starts", epoch);
  struct lb_loader_pass pass = pass_over(b, LB_SET_EVAL, epoch, steps);
  struct lb_compute train = b->conductor.compute;
  uint64_t train_step = b->conductor.step;
  struct lb_release r = lb_gate_meet(b->gate);
  lb_bench_stopped(b, r.stop);
  if (b->stop != LB_STOP_NONE)
    return 0;
  b->conductor.compute = lb_compute_make(b->w->derived.eval,
                                         b->w->derived.order_seed, LB_RNG_EVAL);
  b->conductor.step = (uint64_t)(epoch * steps);
  lb_metrics_epoch_begin(b->metrics, LB_SET_EVAL, epoch, r.ns);
  lb_loader_begin(b->loader, &pass);
  lb_metrics_block_begin(b->metrics, 1, r.ns);
  struct lb_block_end end = lb_conductor_eval(&b->conductor, steps, r.ns);
  lb_metrics_block_end(b->metrics, end.ns);
  lb_metrics_epoch_end(b->metrics, end.ns);
  end_pass(b, LB_SET_EVAL, &before);
  lb_bench_stopped(b, end.stop);
  b->conductor.compute = train;
  b->conductor.step = train_step;
  return 0;
}

/* ---- set-up ---- */

static int make_loader(struct lb_bench *b, struct lb_err *err)
{
  const struct lb_workload *w = b->w;
  size_t longest = (size_t)w->derived.longest_request;
  struct lb_loader_config c = {
      .pace = b->plan.pace,
      .k = b->world->k,
      .first = b->world->first,
      .max_threads = b->o->max_threads,
      /* Some requests are not cut: the heads of files. */
      .scratch_bytes = longest > WHOLE_REQUEST ? longest : WHOLE_REQUEST,
      .scratch_used = (size_t)b->plan.memory.buffer_bytes,
      .format = w->derived.format,
      .params = &b->params,
      .leaves_files = w->derived.leaves_files,
      .layout = b->mounts,
      .n_layouts = b->w->derived.n_roots,
      .sizes = &b->sizes,
      .storage = b->storage,
      .preprocess = w->derived.preprocess,
      .request = w->derived.request,
      .longest_request = (uint32_t)longest,
      .seed = w->derived.order_seed,
      .verify = (enum lb_verify)w->reader.verify,
  };
  return lb_loader_new(&b->loader, &c, err);
}

int lb_bench_make_metrics(struct lb_bench *b, struct lb_err *err)
{
  const struct lb_workload *w = b->w;
  char spool[PATH_MAX];
  lb_report_spool(spool, sizeof spool, b->folder, b->world->rank);
  struct lb_metrics_config c = {
      .k = b->world->k,
      .first = b->world->first,
      .accelerators = b->world->accelerators,
      .exclude_start = w->output.metric.exclude_start_steps,
      .exclude_end = w->output.metric.exclude_end_steps,
      .batch = {w->reader.batch_size, w->reader.batch_size_eval},
      .steps_spool = w->workflow.train && w->output.steps == LB_STEPS_ALL &&
                             b->folder_everywhere
                         ? spool
                         : NULL,
      .detail = lb_report_detail(b->world, w->output.per_accelerator),
  };
  return lb_metrics_new(&b->metrics, &c, err);
}

static int set_up(struct lb_bench *b, struct lb_err *err)
{
  struct lb_conductor *c = &b->conductor;
  if (make_loader(b, err) || lb_bench_make_metrics(b, err) ||
      lb_conductor_init(c, b->world->k, b->world->first, err))
    return lb_bench_agree(b->world, err);
  c->loader = b->loader;
  c->gate = b->gate;
  c->metrics = b->metrics;
  c->windows = b->o->windows;
  c->hooks = (struct lb_conductor_hooks){.arg = b,
                                         .stopping = lb_bench_stopping,
                                         .fail = lb_bench_fail,
                                         .passed = lb_background_passed,
                                         .tick = lb_bench_progress_step};
  return lb_bench_agree(b->world, err);
}

int lb_bench_train(struct lb_bench *b, struct lb_err *err)
{
  int rc = set_up(b, err);
  if (rc)
    return rc;
  if (b->plan.checkpoints.count > 0)
    rc = lb_bench_saver_new(b, err);
  if (rc)
    return rc;
  b->train_start_ns = lb_clock_ns();
  lb_clock_precise_thread();
  lb_bench_cost_begin(b);
  for (b->epoch = 1;
       b->epoch <= lb_plan_epochs(&b->plan) && b->stop == LB_STOP_NONE && !rc;
       b->epoch++) {
    lb_info("epoch %" PRId64 " of %" PRId64 " starts", b->epoch,
            lb_plan_epochs(&b->plan));
    rc = train_epoch(b, b->epoch, err);
    if (!rc && b->stop == LB_STOP_NONE &&
        lb_plan_eval_after(&b->plan, b->epoch))
      rc = evaluate(b, b->epoch, err);
  }
  if (b->stop == LB_STOP_NONE && !rc)
    lb_bench_stopped(b, lb_gate_meet(b->gate).stop);
  uint64_t end_ns = 0;
  lb_background_finish(b, &end_ns, err);
  if (b->stop == LB_STOP_FAILED && !lb_err_is_set(err))
    lb_gate_reason(b->gate, err);
  lb_bench_cost_end(b);
  return -err->code;
}
