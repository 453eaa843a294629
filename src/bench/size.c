/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing for accelerators: one run after another, as the search says.  Every
 * rank goes the same way, by figures that all are told. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/host.h"
#include "loadbank/log.h"
#include "loadbank/units.h"
#include "loadbank/windows.h"
#include "size_impl.h"

/* What a run measures, and nothing beside it. */
static const char *const measuring[] = {
    "workflow.generate_data=false",
    "workflow.train=true",
    "workflow.evaluation=false",
    "workflow.checkpoint=false",
    "dataset.keep_files=true",
    "train.epochs=1",
    "train.total_training_steps=-1",
    "output.steps=none",
    NULL,
};
static const char *const generating[] = {
    "workflow.train=false",
    "workflow.evaluation=false",
    "workflow.checkpoint=false",
    "dataset.keep_files=true",
    NULL,
};

struct sizing {
  struct lb_world *w;
  const struct lb_size_ask *a;
  struct lb_size_result *r;
  struct lb_workload *workload; /* as it is measured */
  struct size_lines lines;      /* that make it so */
  const char *folder;           /* for results */
  bool is_cached;               /* the dataset has just been written */
  bool own_drops;               /* storage.drop_caches says when */
  bool cut;        /* the job before this one may have begun a run more */
  double before_s; /* that jobs before this one took */
  uint64_t begin_ns;
};

/* ---- before the first run ---- */

/* Collective. */
static void count_memory(const struct lb_world *w, uint64_t *bytes)
{
  struct lb_host h;
  *bytes = 0;
  if (w->host_first) {
    lb_host_probe(&h);
    bool limited = h.limit_bytes && h.limit_bytes < h.memory_bytes;
    *bytes = limited ? h.limit_bytes : h.memory_bytes;
  }
  lb_world_sum_u64(w, bytes, 1);
}

static int choose_steps(struct sizing *z, struct lb_err *err)
{
  const struct lb_workload *w = z->workload;
  struct lb_size_wish wish = {
      .compute_s = lb_dist_mean(w->derived.compute),
      .min_seconds = z->a->min_seconds,
      .min_steps = z->a->min_steps,
      .warm_up = w->output.metric.exclude_start_steps,
      .batch = w->reader.batch_size,
      .pace = w->derived.pace,
  };
  if (wish.compute_s <= 0)
    return lb_workload_error(w, "train.computation_time", err,
                             "without compute there is no utilisation to size "
                             "for");
  return lb_size_steps_make(&wish, &z->r->steps, err);
}

/* The dataset as it is; a model of storage has as many files as are needed. */
static int choose_files(struct sizing *z, struct lb_err *err)
{
  const struct lb_workload_dataset *d = &z->workload->dataset;
  z->r->files = (struct lb_size_files){
      .files = d->num_files_train,
      .samples_per_file = d->num_samples_per_file,
  };
  if (__builtin_mul_overflow(z->r->steps.read, z->workload->reader.batch_size,
                             &z->r->files.batch_reads))
    return lb_err_set(err, LB_USAGE,
                      "reader.batch_size: too large to count %" PRId64
                      " batches of it",
                      z->r->steps.read);
  int64_t need = lb_size_need(&z->r->files, z->r->search.max);
  if (!z->workload->derived.backend->is_virtual || need <= z->r->files.files)
    return 0;
  z->r->files.files = need;
  size_lines_add(&z->lines, "dataset.num_files_train=%" PRId64, need);
  lb_workload_free(z->workload);
  return size_load(z->a, &z->lines, &z->workload, err);
}

/* With fewer files the largest points cannot be. */
static int limit_by_files(struct sizing *z, struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  int64_t fits = lb_size_fits(&z->r->files);
  if (fits == 0)
    return lb_workload_error(
        z->workload, "dataset.num_files_train", err,
        "to size, an accelerator reads %" PRId64 " batches of %" PRId64
        ": %" PRId64 " file%s %s needed, there are %" PRId64
        " (or fewer steps: --min-steps, --min-seconds)",
        r->steps.read, z->workload->reader.batch_size,
        lb_size_need(&z->r->files, 1), lb_plural(lb_size_need(&z->r->files, 1)),
        lb_are(lb_size_need(&z->r->files, 1)), z->r->files.files);
  if (fits >= r->search.max)
    return 0;
  if (z->w->rank == 0)
    lb_warn("the dataset, %" PRId64 " file%s, is enough for points of at most "
            "%" PRId64 " accelerator%s, for %" PRId64 " it takes %" PRId64
            " (dataset.num_files_train, or fewer steps: --min-steps, "
            "--min-seconds)",
            z->r->files.files, lb_plural(z->r->files.files), fits,
            lb_plural(fits), r->search.max,
            lb_size_need(&z->r->files, r->search.max));
  r->wished = r->search.max;
  r->search.max = fits;
  return 0;
}

/* Every rank for itself. */
static int prepare(struct sizing *z, struct lb_err *err)
{
  struct lb_plan plan;
  if (size_lines_init(&z->lines, z->a, measuring, err) ||
      size_load(z->a, &z->lines, &z->workload, err))
    return -err->code;
  double au = z->a->au > 0 ? z->a->au : 100 * z->workload->metric.au;
  z->r->search = lb_size_search_make(z->a->max, au, z->a->max_repeats);
  if (au <= 0)
    return lb_workload_error(z->workload, "metric.au", err,
                             "0 is met by any number of accelerators");
  if (choose_steps(z, err) || choose_files(z, err) || limit_by_files(z, err) ||
      lb_plan_make(z->workload, 1, 1, &plan, err))
    return -err->code;
  size_describe(&z->r->load, z->workload, &plan);
  z->own_drops = z->workload->storage.drop_caches != LB_DROP_NEVER;
  return 0;
}

/* Collective.  Makes the dataset, if the workload says so. */
static int generate(struct sizing *z, struct lb_err *err)
{
  struct size_lines l;
  struct lb_workload *w = NULL;
  char folder[PATH_MAX];
  struct lb_point p = {.yaml = z->a->yaml,
                       .yaml_len = z->a->yaml_len,
                       .name = z->a->name,
                       .accelerators = z->w->n_ranks,
                       .folder = folder,
                       .run = z->a->run};
  p.run.force = true; /* what is there was cut off, or of an earlier job */
  if (!size_lines_init(&l, z->a, generating, err) &&
      !size_load(z->a, &l, &w, err))
    size_folder(folder, z->folder, err, "generate");
  int rc = lb_bench_agree(z->w, err);
  p.overrides = l.line;
  p.n_overrides = l.n;
  if (!rc && w && w->workflow.generate_data &&
      !w->derived.backend->is_virtual) {
    struct lb_point_result out;
    rc = size_point(z->w, &p, &out, err);
    lb_point_result_fini(&out);
    z->is_cached = true;
  }
  lb_workload_free(w);
  size_lines_fini(&l);
  return rc;
}

/* ---- a run ---- */

/* Collective.  The windows of all accelerators; times are rank 0's, for clocks
 * of nodes differ. */
static int read_windows(struct sizing *z, struct lb_windows *windows,
                        struct lb_size_run *run)
{
  int done = lb_windows_done(windows);
  lb_world_bcast(z->w, &done, sizeof done);
  lb_world_bcast(z->w, windows->ns, sizeof windows->ns);
  lb_world_bcast(z->w, windows->late_ns, sizeof windows->late_ns);
  lb_world_sum_u64(z->w, windows->compute_ns, LB_WINDOWS);
  memcpy(run->ns, windows->ns, sizeof run->ns);
  memcpy(run->late_ns, windows->late_ns, sizeof run->late_ns);
  memcpy(run->compute_ns, windows->compute_ns, sizeof run->compute_ns);
  return done;
}

/* Bytes that requests of training read. */
static double bytes_read(const struct lb_summary *s)
{
  const struct lb_iostat *c = s->io.cell[LB_PHASE_TRAIN][LB_OP_READ];
  return c ? (double)c->bytes : 0;
}

/* By the rule of summaries, but with all that the windows waited in place of
 * the accelerators' own wait for data: those that have theirs wait at the gate
 * for those that have not.  best: the share of its time that an accelerator
 * computes if nobody waits for data. */
static enum lb_limit_by limit_of(const struct lb_size_measured *at, int n,
                                 double best, struct lb_limit_input in)
{
  double wait_s = at->window_s - at->compute_s / best - at->late_s;
  in.window_s = at->window_s * n;
  in.load_s = fmax(0, wait_s) * n;
  in.late_s = at->late_s * n;
  return lb_limited_by(&in).by;
}

/* Collective.  Of the point, this run included; rank 0 has the plan and the
 * summary. */
static void read_limit(struct sizing *z, const struct lb_point_result *p,
                       struct lb_size_run *run)
{
  struct lb_size_measured at = z->r->at[z->r->search.n_points - 1];
  int by = LB_LIMIT_UNKNOWN;
  size_add_windows(&at, run);
  if (z->w->rank == 0)
    by =
        limit_of(&at, (int)run->n, p->plan.spread.best_au, p->summary.limit.in);
  lb_world_bcast(z->w, &by, sizeof by);
  run->limit = (enum lb_limit_by)by;
}

/* Collective. */
static int take_result(struct sizing *z, const struct lb_point_result *p,
                       struct lb_windows *windows, struct lb_size_run *run,
                       struct lb_err *err)
{
  int done = read_windows(z, windows, run);
  if (done < LB_WINDOWS)
    return lb_err_set(err, LB_FAILED,
                      "with %" PRId64 " accelerator%s: only %d of %d windows "
                      "were measured",
                      run->n, lb_plural(run->n), done, LB_WINDOWS);
  read_limit(z, p, run);
  run->read_bytes = bytes_read(&p->summary);
  run->seconds = p->seconds;
  size_book(z->r, run, err);
  return lb_bench_agree(z->w, err);
}

/* Collective.  The next run, with so many accelerators. */
static int run(struct sizing *z, int64_t accelerators, struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  struct lb_windows windows = {.skip = r->steps.warm_up,
                               .steps = r->steps.window};
  struct size_lines l;
  char folder[PATH_MAX];
  struct lb_point p = {.yaml = z->a->yaml,
                       .yaml_len = z->a->yaml_len,
                       .name = z->a->name,
                       .accelerators = accelerators,
                       .ranks = lb_point_ranks(z->w->n_ranks, accelerators),
                       .folder = folder,
                       .run = z->a->run};
  p.run.part = lb_size_take(&r->files, accelerators);
  p.run.windows = &windows;
  p.run.force = true; /* what is there was cut off, or failed */
  p.run.regenerate = false;
  struct lb_size_run this = {.n = accelerators,
                             .ranks = p.ranks,
                             .first_file = p.run.part.first,
                             .reused = r->files.again && !r->load.is_virtual};
  if (!size_lines_init(&l, z->a, measuring, err))
    size_folder(folder, z->folder, err, "run-%02d-of-%" PRId64, r->runs,
                accelerators);
  if (lb_bench_agree(z->w, err))
    return -err->code;
  size_lines_add(&l, "dataset.num_files_train=%" PRId64, r->files.files);
  size_lines_add(&l, "train.total_training_steps=%" PRId64, r->steps.all);
  if ((this.reused || z->is_cached) && !z->own_drops)
    size_lines_add(&l, "storage.drop_caches=run");
  p.overrides = l.line;
  p.n_overrides = l.n;
  struct lb_point_result out;
  int rc = size_point(z->w, &p, &out, err);
  if (!rc)
    rc = take_result(z, &out, &windows, &this, err);
  lb_point_result_fini(&out);
  size_lines_fini(&l);
  return rc;
}

/* ---- the search ---- */

/* Seconds that a run will take, by those so far.  Beyond the knee steps last
 * as much longer as there are more accelerators. */
static double expected_s(const struct sizing *z, int64_t n)
{
  const struct lb_size_result *r = z->r;
  struct lb_size_answer a = lb_size_answer(&r->search);
  double longer = isnan(a.knee) ? 1 : fmax(1, (double)n / a.knee);
  return size_overhead_s(r) + (double)r->steps.all * r->load.compute_s * longer;
}

/* Collective. */
static bool has_time(struct sizing *z, int64_t n)
{
  double so_far = (double)(lb_clock_ns() - z->begin_ns) / LB_NS_PER_S;
  int enough = z->a->time_limit_s <= 0 ||
               so_far + expected_s(z, n) <= z->a->time_limit_s;
  lb_world_bcast(z->w, &enough, sizeof enough);
  return enough;
}

static void sum_up(struct sizing *z)
{
  z->r->answer = lb_size_answer(&z->r->search);
  z->r->seconds =
      z->before_s + (double)(lb_clock_ns() - z->begin_ns) / LB_NS_PER_S;
}

/* Collective. */
static int keep(struct sizing *z, struct lb_err *err)
{
  sum_up(z);
  if (z->w->rank == 0)
    z->a->keep(z->a->arg, z->r, err);
  return lb_bench_agree(z->w, err);
}

/* Collective. */
static int search(struct sizing *z, struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  int64_t n;
  int rc = 0;
  while (!rc && (n = lb_size_next(&r->search)) > 0) {
    if (!has_time(z, n)) {
      r->end = LB_SIZE_TIME;
      return 0;
    }
    if (z->cut) /* it may have read the next files */
      lb_size_take(&r->files, n);
    z->cut = false;
    rc = run(z, n, err);
    if (!rc)
      rc = keep(z, err);
  }
  if (!rc)
    r->end = LB_SIZE_COMPLETE;
  return rc;
}

/* Rank 0's list, as it was read.  malloc'ed. */
static struct lb_size_run *list_runs(const struct size_record *record, int *n)
{
  *n = (int)json_array_size(record->runs);
  struct lb_size_run *run = calloc((size_t)*n + 1, sizeof *run);
  for (int i = 0; run && i < *n; i++)
    if (!size_run_read(json_array_get(record->runs, (size_t)i), &run[i]))
      run[i].n = 0; /* none is */
  return run;
}

/* Collective.  What an earlier job has left in the folder. */
static int go_on(struct sizing *z, struct lb_err *err)
{
  struct size_record record = {.root = NULL};
  struct lb_size_run *run = NULL;
  int n = 0;
  if (z->w->rank == 0 &&
      !size_record_read(z->folder, z->r->sizing, &record, err))
    run = list_runs(&record, &n);
  z->before_s = record.seconds;
  z->cut = record.cut;
  int rc = lb_bench_agree(z->w, err);
  lb_world_bcast(z->w, &n, sizeof n);
  lb_world_bcast(z->w, &z->cut, sizeof z->cut);
  if (!rc && !run)
    run = calloc((size_t)n + 1, sizeof *run);
  if (!rc && !run)
    lb_err_set(err, LB_FAILED, "out of memory");
  if (!rc)
    rc = lb_bench_agree(z->w, err);
  if (!rc && run) {
    lb_world_bcast(z->w, run, (size_t)n * sizeof *run);
    if (size_replay(z->r, run, n, err))
      rc = size_record_damaged(z->folder, err);
  }
  size_record_fini(&record);
  free(run);
  return rc;
}

/* Collective. */
static int carry_out(struct sizing *z, struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  z->folder = z->a->open(z->a->arg, r->sizing ? size_hash(r->sizing) : 0, err);
  if (!z->folder)
    return -err->code;
  r->end = LB_SIZE_OPEN;
  int rc = go_on(z, err);
  if (!rc)
    rc = generate(z, err);
  if (!rc)
    rc = search(z, err);
  if (rc > 0)
    r->end = LB_SIZE_INTERRUPTED;
  if (rc < 0) {
    r->end = LB_SIZE_FAILED;
    snprintf(r->reason, sizeof r->reason, "%s", err->msg);
  }
  return rc;
}

int lb_size_run(struct lb_world *w, const struct lb_size_ask *a,
                struct lb_size_result *r, struct lb_err *err)
{
  struct sizing z = {.w = w, .a = a, .r = r, .begin_ns = lb_clock_ns()};
  *r = (struct lb_size_result){.hosts = w->n_hosts, .ranks = w->n_ranks};
  count_memory(w, &r->memory_bytes);
  if (!prepare(&z, err) && w->rank == 0 && !a->dry)
    size_identity(w, a, NULL, &r->sizing, err);
  int rc = lb_bench_agree(w, err);
  if (a->dry)
    r->end = LB_SIZE_DRY;
  else if (!rc)
    rc = carry_out(&z, err);
  sum_up(&z);
  lb_workload_free(z.workload);
  size_lines_fini(&z.lines);
  return rc;
}
