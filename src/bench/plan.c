/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload's plan: gathers what schedule.c, demand.c, memory.c, the format
 * and the dataset's sizes say about it. */
#include "lb-config.h"

#include "plan_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "loadbank/config.h"
#include "loadbank/dataset.h"
#include "loadbank/format_cost.h"
#include "loadbank/loader.h"
#include "loadbank/spool.h"
#include "loadbank/units.h"

/* Up to here sizes with a standard deviation are summed file by file (some
 * microseconds each); the mean of more is within stdev / 256 of what was asked
 * for, two times of three. */
enum { EXACT_FILES = 65536 };

int lb_plan_divide(struct lb_plan_set *set, int accelerators,
                   struct lb_err *err)
{
  int64_t samples, step;
  if (__builtin_mul_overflow(set->files, set->samples_per_file, &samples) ||
      __builtin_mul_overflow(set->batch, (int64_t)accelerators, &step))
    return lb_err_set(err, LB_USAGE,
                      "%" PRId64 " files x %" PRId64 " samples, batch %" PRId64
                      " on %d accelerators: too large to count",
                      set->files, set->samples_per_file, set->batch,
                      accelerators);
  set->samples = samples;
  set->steps = samples / step;
  set->dropped = samples - set->steps * step;
  return 0;
}

/* *sum += n x each, up to 2^63. */
static bool add_product(uint64_t *sum, uint64_t each, int64_t n)
{
  uint64_t product;
  return !__builtin_mul_overflow(each, (uint64_t)n, &product) &&
         !__builtin_add_overflow(*sum, product, sum) && *sum <= INT64_MAX;
}

/* Adds up n files like f. */
static int add_files(const struct lb_workload *w,
                     const struct lb_format_params *params,
                     const struct lb_file *f, int64_t n,
                     struct lb_plan_set *set, struct lb_err *err)
{
  struct lb_file_sizes one = {0};
  if (w->derived.format &&
      lb_format_sizes(w->derived.format, params, f, &one, err) < 0)
    return lb_err_wrap(err, "sizes of %s files", w->dataset.format);
  if (!w->derived.format &&
      __builtin_mul_overflow((uint64_t)f->samples, (uint64_t)f->sample_bytes,
                             &one.payload_bytes))
    one.payload_bytes = UINT64_MAX;
  if (!add_product(&set->payload_bytes, one.payload_bytes, n) ||
      !add_product(&set->file_bytes, one.file_bytes, n) ||
      !add_product(&set->file_bytes, one.beside_bytes, n) ||
      !add_product(&set->memory_bytes, one.memory_bytes, n))
    return lb_err_set(err, LB_USAGE,
                      "%" PRId64 " files x %" PRId64 " samples x %" PRId64
                      " bytes are more than 2^63 bytes",
                      set->files, f->samples, f->sample_bytes);
  return 0;
}

static int measure_set(const struct lb_workload *w,
                       const struct lb_format_params *params,
                       const struct lb_sizes *sizes, enum lb_set which,
                       struct lb_plan_set *set, struct lb_err *err)
{
  struct lb_file f = {.set = which,
                      .samples = set->samples_per_file,
                      .sample_bytes = w->derived.sample_bytes,
                      .path = "file"};
  set->known = w->derived.format != NULL;
  set->exact = sizes->stdev <= 0 || set->files <= EXACT_FILES;
  set->sample_bytes = (double)w->derived.sample_bytes;
  if (set->known && set->files > 0) {
    struct lb_sample s = {.file = f};
    if (lb_format_cost(w->derived.format, params, &s, set->ops, set->op_bytes,
                       err) < 0)
      return lb_err_wrap(err, "cost of a sample");
  }
  if (sizes->stdev <= 0 || !set->exact)
    return add_files(w, params, &f, set->files, set, err);
  for (f.index = 0; f.index < set->files; f.index++) {
    f.sample_bytes = lb_sizes_sample_bytes(sizes, which, f.index);
    if (add_files(w, params, &f, 1, set, err) < 0)
      return -err->code;
  }
  return 0;
}

static int plan_sets(const struct lb_workload *w, struct lb_plan *p,
                     struct lb_err *err)
{
  struct lb_format_params params = {0};
  struct lb_sizes sizes;
  if (lb_sizes_init(&sizes, w->derived.content_seed,
                    (double)w->derived.sample_bytes,
                    w->dataset.record_length_bytes_stdev, err) < 0)
    return -err->code;
  if (w->derived.dtype)
    sizes.unit = w->derived.dtype->bytes;
  if (w->derived.format && w->derived.format->least_bytes)
    sizes.least = w->derived.format->least_bytes;
  p->stdev_asked = w->dataset.record_length_bytes_stdev;
  p->stdev_got = sizes.nearest ? sizes.got_stdev : p->stdev_asked;
  lb_workload_format_params(w, &params);
  params.has_bytes = !w->derived.backend || !w->derived.backend->is_virtual;
  for (int i = 0; i < LB_N_SETS; i++)
    if (lb_plan_divide(&p->set[i], p->accelerators, err) < 0 ||
        measure_set(w, &params, &sizes, i, &p->set[i], err) < 0)
      return -err->code;
  return 0;
}

/* Is there a step at all, and are there as many as asked for? */
static int check_steps(const struct lb_workload *w, const struct lb_plan *p,
                       struct lb_err *err)
{
  const struct lb_plan_set *t = &p->set[LB_SET_TRAIN];
  int64_t all;
  if (!p->train)
    return 0;
  if (t->steps == 0)
    return lb_workload_error(
        w, "dataset.num_files_train", err,
        "an epoch has no step: %" PRId64 " file%s x %" PRId64
        " sample%s = %" PRId64 " %s fewer than batch %" PRId64
        " x %d accelerator%s = %" PRId64,
        t->files, lb_plural(t->files), t->samples_per_file,
        lb_plural(t->samples_per_file), t->samples, lb_are(t->samples),
        t->batch, p->accelerators, lb_plural(p->accelerators),
        t->batch * p->accelerators);
  if (__builtin_mul_overflow(t->steps, p->epochs_asked, &all))
    return lb_workload_error(w, "train.epochs", err,
                             "%" PRId64 " steps x %" PRId64
                             " epochs: too many to count",
                             t->steps, p->epochs_asked);
  if (p->total_steps > all)
    return lb_workload_error(w, "train.total_training_steps", err,
                             "%" PRId64 " is more than the %" PRId64
                             " step%s of %" PRId64 " epoch%s of %" PRId64,
                             p->total_steps, all, lb_plural(all),
                             p->epochs_asked, lb_plural(p->epochs_asked),
                             t->steps);
  return 0;
}

static void plan_schedule(const struct lb_workload *w, struct lb_plan *p)
{
  p->train = w->workflow.train;
  p->checkpoint_asked = w->workflow.checkpoint;
  p->checkpoint = p->checkpoint_asked && p->train;
  p->eval_asked = w->workflow.evaluation;
  p->generate_asked = w->workflow.generate_data;
  p->roots = w->derived.n_roots;
  p->is_virtual = w->derived.backend && w->derived.backend->is_virtual;
  p->epochs_asked = w->train.epochs;
  p->total_steps = w->train.total_training_steps;
  p->checkpoint_after_epoch = w->checkpoint.checkpoint_after_epoch;
  p->epochs_between_checkpoints = w->checkpoint.epochs_between_checkpoints;
  p->steps_between_checkpoints = w->checkpoint.steps_between_checkpoints;
  p->eval_after_epoch = w->evaluation.eval_after_epoch;
  p->epochs_between_evals = w->evaluation.epochs_between_evals;
  p->set[LB_SET_TRAIN] =
      (struct lb_plan_set){.read = p->train && p->pace.readers > 0,
                           .written = p->generate_asked && !p->is_virtual,
                           .files = w->dataset.num_files_train,
                           .samples_per_file = w->dataset.num_samples_per_file,
                           .batch = w->reader.batch_size};
  p->set[LB_SET_EVAL] =
      (struct lb_plan_set){.read = p->set[LB_SET_TRAIN].read && p->eval_asked,
                           .written = p->generate_asked && !p->is_virtual,
                           .files = w->dataset.num_files_eval,
                           .samples_per_file = w->dataset.num_samples_per_file,
                           .batch = w->reader.batch_size_eval};
}

static void plan_counts(const struct lb_workload *w, struct lb_plan *p)
{
  double eval_steps = (double)p->set[LB_SET_EVAL].steps;
  p->evals = lb_plan_eval_count(p);
  p->full_s = (double)lb_plan_steps(p) * lb_dist_mean(w->derived.compute) +
              (double)p->evals * eval_steps * lb_dist_mean(w->derived.eval);
}

/* Files that one reader meets in a pass over the set, at most.  If samples are
 * in the files' order, an accelerator's share is one run of it. */
static uint64_t files_met(const struct lb_plan *p, const struct lb_plan_set *s,
                          bool samples_permuted)
{
  int64_t per_file = s->samples_per_file > 0 ? s->samples_per_file : 1;
  int64_t readers = p->pace.readers > 0 ? p->pace.readers : 1;
  int64_t samples = s->steps * s->batch, run = samples / per_file + 2;
  int64_t met = p->pace.deal->whole
                    ? (s->steps + readers - 1) / readers * s->batch
                    : (samples + readers - 1) / readers + s->steps;
  if (p->pace.by_file)
    run = (run + readers - 1) / readers;
  if (!samples_permuted && run < met)
    met = run;
  return s->read ? (uint64_t)(met < s->files ? met : s->files) : 0;
}

/* What each sample costs on average that a reader takes in the order of the
 * file: a request may do for many, and several may be in hand.  1: that; 0:
 * they are not in order, or it makes no difference. */
enum { RUN_SAMPLES = 65536 };
static int plan_run(const struct lb_workload *w,
                    const struct lb_format_params *params,
                    const struct lb_file *f, struct lb_plan_set *t,
                    struct lb_err *err)
{
  bool in_order = params->in_order && w->reader.read_type != LB_READ_MEMORY;
  struct lb_format_run run = {.in_hand = false};
  int rc = 0;
  if (!in_order && w->derived.sample_shuffle)
    return 0;
  if (!in_order)
    rc = lb_format_cost_run(w->derived.format, params, f, 1, &run, err);
  if (!rc && (in_order || run.in_hand))
    rc = lb_format_cost_run(w->derived.format, params, f, RUN_SAMPLES, &run,
                            err);
  if (rc < 0)
    return lb_err_wrap(err, "cost of a file");
  if (!in_order && !run.in_hand)
    return 0;
  t->read_bytes = (double)run.bytes[LB_OP_READ] / (double)run.samples;
  t->requests = 0;
  for (int op = 0; op < LB_N_OPS; op++)
    t->requests += (double)run.count[op] / (double)run.samples;
  return 1;
}

/* Does each sample have a place of its own in the order? */
static bool permuted(const struct lb_workload *w)
{
  return w->derived.sample_shuffle && w->derived.index_sampler;
}

/* Bytes read for a sample: with read_type memory, and with an iterative
 * sampler, a reader reads a file, or its metadata, once in an epoch. */
static int plan_reads(const struct lb_workload *w, struct lb_plan *p,
                      struct lb_err *err)
{
  struct lb_plan_set *t = &p->set[LB_SET_TRAIN];
  struct lb_format_params params = {0};
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  struct lb_sample s = {.file = {.set = LB_SET_TRAIN,
                                 .samples = t->samples_per_file,
                                 .sample_bytes = w->derived.sample_bytes,
                                 .path = "file"}};
  double first = (double)t->op_bytes[LB_OP_READ];
  double samples = (double)t->steps * (double)t->batch;
  lb_workload_format_params(w, &params);
  t->read_bytes = t->known ? first : t->sample_bytes;
  for (int op = 0; op < LB_N_OPS; op++)
    t->requests += (double)t->ops[op];
  if (!t->known || !(samples > 0))
    return 0;
  int runs = plan_run(w, &params, &s.file, t, err);
  if (runs)
    return runs < 0 ? runs : 0;
  if (!params.memory)
    return 0;
  if (lb_format_cost_again(w->derived.format, &params, &s, count, bytes, err) <
      0)
    return lb_err_wrap(err, "cost of a sample");
  double met = (double)files_met(p, t, permuted(w)) * (double)p->pace.readers;
  double share = met < samples ? met / samples : 1;
  t->read_bytes = share * first + (1 - share) * (double)bytes[LB_OP_READ];
  return 0;
}

static void plan_readers(const struct lb_workload *w, const struct lb_plan *p,
                         struct lb_memory_in *in)
{
  const struct lb_format *f = w->derived.format;
  struct lb_format_params params = {0};
  const struct lb_plan_set *set = p->set;
  lb_workload_format_params(w, &params);
  params.has_bytes = !in->is_virtual;
  in->reader_bytes = lb_loader_reader_bytes(&p->pace);
  if (f)
    in->reader_bytes += lb_format_reader_bytes(f, &params);
  in->reader_bytes = (in->reader_bytes + 1023) / 1024 * 1024;
  if (w->reader.read_type == LB_READ_MEMORY)
    in->real_bytes =
        set[LB_SET_TRAIN].memory_bytes + set[LB_SET_EVAL].memory_bytes;
  if (!f || !f->keeps_open || !f->keeps_open(&params))
    return;
  for (int i = 0; i < LB_N_SETS; i++) {
    uint64_t met = files_met(p, &set[i], permuted(w));
    if (w->derived.leaves_files && met > 1)
      met = 1;
    in->kept_files = met > in->kept_files ? met : in->kept_files;
  }
  if (f->kept_files)
    in->kept_files *= (uint64_t)f->kept_files;
}

/* A request is as long as transfer_size allows, but not longer than a file:
 * twice the mean where sizes vary. */
static uint64_t longest_request(const struct lb_workload *w,
                                const struct lb_plan *p)
{
  double most = 0;
  for (int i = 0; i < LB_N_SETS; i++) {
    const struct lb_plan_set *s = &p->set[i];
    double file =
        s->read && s->files > 0 ? (double)s->file_bytes / (double)s->files : 0;
    most = file > most ? file : most;
  }
  if (p->stdev_got > 0)
    most *= 2;
  double request = (double)w->derived.longest_request;
  const uint64_t page = 4096;
  if (!(most > 0 && most < request))
    return (uint64_t)request;
  uint64_t whole = ((uint64_t)most + page) / page * page;
  return whole < (uint64_t)request ? whole : (uint64_t)request;
}

/* That real readers of an accelerator hold when they are as far as they may
 * be. */
static int64_t samples_ahead(const struct lb_plan *p)
{
  const struct lb_plan_set *t = &p->set[LB_SET_TRAIN];
  int64_t batches = p->pace.ahead > 0 ? p->pace.ahead : 1;
  if (batches > t->steps)
    batches = t->steps;
  int64_t n = batches * t->batch + p->pace.buffer;
  return n < t->steps * t->batch ? n : t->steps * t->batch;
}

struct lb_ring_shape lb_plan_ring(const struct lb_workload *w)
{
  const struct lb_derived *d = &w->derived;
  return d->backend && d->backend->ring ? d->backend->ring(d->backend_options)
                                        : (struct lb_ring_shape){0};
}

static int plan_load(const struct lb_workload *w, struct lb_plan *p,
                     struct lb_err *err)
{
  struct lb_demand_in demand = {
      .compute_s = lb_dist_mean(w->derived.compute),
      .preprocess_s = lb_dist_mean(w->derived.preprocess),
      .au = w->metric.au,
      .sample_bytes = p->set[LB_SET_TRAIN].sample_bytes,
      .read_bytes = p->set[LB_SET_TRAIN].read_bytes,
      .batch = w->reader.batch_size,
      .pace = p->pace,
      .accelerators = p->accelerators,
  };
  bool is_virtual = w->derived.backend && w->derived.backend->is_virtual;
  bool writes = w->workflow.generate_data && !is_virtual;
  struct lb_memory_in memory = {
      .reads = p->set[LB_SET_TRAIN].read,
      .is_virtual = is_virtual,
      .ring = lb_plan_ring(w),
      .k = p->k,
      .readers = p->pace.readers,
      .ahead_samples = samples_ahead(p),
      .sample_bytes = (uint64_t)w->derived.sample_bytes,
      .buffer_bytes = longest_request(w, p),
      .main_bytes = writes ? (uint64_t)w->dataset.generation_buffer_size : 0,
      .steps_bytes =
          p->train && w->output.steps == LB_STEPS_ALL ? lb_spool_bytes() : 0,
  };
  plan_readers(w, p, &memory);
  if (!is_virtual)
    lb_plan_checkpoint_memory(w, p, &memory);
  if (p->train)
    lb_plan_demand(&demand, &p->demand);
  return lb_plan_memory(&memory, &p->memory, err);
}

/* A plan can be made of what cannot run yet; it says so. */
static void plan_refusal(const struct lb_workload *w, struct lb_plan *p)
{
  struct lb_err why = LB_ERR_INIT;
  if (lb_workload_check_run(w, &why) < 0)
    snprintf(p->refused, sizeof p->refused, "%.399s", why.msg);
}

int lb_plan_check_even(int ranks, int64_t accelerators, struct lb_err *err)
{
  if (accelerators >= 0 && accelerators % ranks == 0)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "--accelerators: %" PRId64
                    " is not a multiple of the %d rank%s",
                    accelerators, ranks, lb_plural(ranks));
}

int lb_plan_make(const struct lb_workload *w, int ranks, int64_t accelerators,
                 struct lb_plan *p, struct lb_err *err)
{
  *p = (struct lb_plan){.ranks = ranks};
  if (accelerators == 0)
    accelerators = ranks;
  if (accelerators < ranks || accelerators > INT_MAX)
    return lb_err_set(err, LB_USAGE,
                      "accelerators: %" PRId64
                      " is outside %d, as many as ranks, to %d",
                      accelerators, ranks, INT_MAX);
  if (accelerators % ranks && w->checkpoint.recovery_rank_shift)
    return lb_workload_error(w, "checkpoint.recovery_rank_shift", err,
                             "%" PRId64
                             " accelerators are no multiple of the %d ranks: a "
                             "rank's would not have the same place on another",
                             accelerators, ranks);
  p->accelerators = (int)accelerators;
  p->k = (int)((accelerators + ranks - 1) / ranks);
  p->pace = w->derived.pace;
  p->request_varies = w->derived.request != NULL;
  p->preprocesses = lb_dist_mean(w->derived.preprocess) > 0;
  plan_schedule(w, p);
  if (plan_sets(w, p, err) < 0 || check_steps(w, p, err) < 0)
    return -err->code;
  p->eval = p->train && p->eval_asked && p->set[LB_SET_EVAL].steps > 0;
  plan_counts(w, p);
  if (lb_plan_checkpoints(w, p, err) < 0)
    return -err->code;
  plan_refusal(w, p);
  if (plan_reads(w, p, err) < 0 ||
      lb_plan_spread(w->derived.compute, p->accelerators, &p->spread, err) < 0)
    return -err->code;
  return plan_load(w, p, err);
}
