/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing for accelerators: one run after another, as the search says.  Every
 * rank goes the same way, by figures that all are told. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>

#include "loadbank/clock.h"
#include "loadbank/host.h"
#include "loadbank/log.h"
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
  uint64_t begin_ns;
  double overhead_s; /* of a run, beside its steps: the most so far */
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
    return lb_workload_error(z->workload, "dataset.num_files_train", err,
                             "to size, an accelerator reads %" PRId64
                             " batches of %" PRId64 ": %" PRId64
                             " files are needed, there are %" PRId64
                             " (or fewer steps: --min-steps, --min-seconds)",
                             r->steps.read, z->workload->reader.batch_size,
                             lb_size_need(&z->r->files, 1), z->r->files.files);
  if (fits >= r->search.max)
    return 0;
  if (z->w->rank == 0)
    lb_warn("the %" PRId64 " files are enough for points of at most %" PRId64
            " accelerators, for %" PRId64 " it takes %" PRId64
            " (dataset.num_files_train, or fewer steps: --min-steps, "
            "--min-seconds)",
            z->r->files.files, fits, r->search.max,
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

/* Collective.  Utilisation of each window, of all accelerators; times are rank
 * 0's, for clocks of nodes differ. */
static int read_windows(struct sizing *z, struct lb_windows *windows, int n,
                        double au[LB_WINDOWS], double in_time[LB_WINDOWS],
                        struct lb_size_measured *at)
{
  int done = lb_windows_done(windows);
  lb_world_bcast(z->w, &done, sizeof done);
  lb_world_bcast(z->w, windows->ns, sizeof windows->ns);
  lb_world_bcast(z->w, windows->late_ns, sizeof windows->late_ns);
  lb_world_sum_u64(z->w, windows->compute_ns, LB_WINDOWS);
  for (int i = 0; i < done; i++) {
    double ns = (double)windows->ns[i], late_ns = (double)windows->late_ns[i];
    double compute_ns = (double)windows->compute_ns[i];
    au[i] = lb_windows_au(compute_ns, ns, n);
    in_time[i] = lb_windows_au(compute_ns, ns - late_ns, n);
    at->window_s += ns / LB_NS_PER_S;
    at->compute_s += compute_ns / n / LB_NS_PER_S;
    at->late_s += late_ns / LB_NS_PER_S;
  }
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

/* Collective.  Rank 0 has the plan and the summary. */
static void read_limit(struct sizing *z, const struct lb_point_result *p, int n,
                       struct lb_size_measured *at)
{
  int by = LB_LIMIT_UNKNOWN;
  if (z->w->rank == 0)
    by = limit_of(at, n, p->plan.spread.best_au, p->summary.limit.in);
  lb_world_bcast(z->w, &by, sizeof by);
  at->limit = (enum lb_limit_by)by;
}

/* Collective. */
static int take_result(struct sizing *z, const struct lb_point_result *p,
                       struct lb_windows *windows, bool reused,
                       struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  int i = r->search.n_points - 1;
  int n = (int)r->search.point[i].n;
  struct lb_size_measured *at = &r->at[i];
  double au[LB_WINDOWS], in_time[LB_WINDOWS], before_s = at->window_s;
  int done = read_windows(z, windows, n, au, in_time, at);
  if (done < LB_WINDOWS)
    return lb_err_set(err, LB_FAILED,
                      "with %d accelerators: only %d of %d windows were "
                      "measured",
                      n, done, LB_WINDOWS);
  double step_s =
      (at->window_s - before_s) / (double)(LB_WINDOWS * r->steps.window);
  at->samples +=
      (double)LB_WINDOWS * (double)r->steps.window * r->load.batch * (double)n;
  at->reused |= reused;
  at->first_run = at->runs++ ? at->first_run : r->runs - 1;
  read_limit(z, p, n, at);
  r->reused_runs += reused;
  r->read_bytes += bytes_read(&p->summary);
  z->overhead_s =
      fmax(z->overhead_s, p->seconds - step_s * (double)r->steps.all);
  lb_size_add(&r->search, au, in_time, done);
  return 0;
}

/* Collective.  The n-th run, with so many accelerators. */
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
  p.run.part = lb_size_take(&z->r->files, accelerators);
  p.run.windows = &windows;
  p.run.regenerate = false;
  bool reused = z->r->files.again && !r->load.is_virtual;
  if (!size_lines_init(&l, z->a, measuring, err))
    size_folder(folder, z->folder, err, "run-%02d-of-%" PRId64, r->runs,
                accelerators);
  if (lb_bench_agree(z->w, err))
    return -err->code;
  size_lines_add(&l, "dataset.num_files_train=%" PRId64, z->r->files.files);
  size_lines_add(&l, "train.total_training_steps=%" PRId64, r->steps.all);
  if ((reused || z->is_cached) && !z->own_drops)
    size_lines_add(&l, "storage.drop_caches=run");
  p.overrides = l.line;
  p.n_overrides = l.n;
  r->at[r->search.n_points - 1].ranks = p.ranks;
  struct lb_point_result out;
  int rc = size_point(z->w, &p, &out, err);
  r->runs++;
  if (!rc)
    rc = take_result(z, &out, &windows, reused, err);
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
  return z->overhead_s + (double)r->steps.all * r->load.compute_s * longer;
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

/* Collective. */
static int search(struct sizing *z, struct lb_err *err)
{
  struct lb_size_result *r = z->r;
  int64_t n;
  int rc = 0;
  while (!rc && (n = lb_size_next(&r->search)) > 0) {
    if (!has_time(z, n)) {
      r->end = LB_SIZE_TIME;
      break;
    }
    rc = run(z, n, err);
    if (!rc && z->w->rank == 0 && z->a->tell)
      z->a->tell(z->a->arg, r, r->search.n_points - 1);
  }
  return rc;
}

/* Collective. */
static int carry_out(struct sizing *z, struct lb_err *err)
{
  z->folder = z->a->open(z->a->arg, err);
  if (!z->folder)
    return -err->code;
  int rc = generate(z, err);
  return rc ? rc : search(z, err);
}

int lb_size_run(struct lb_world *w, const struct lb_size_ask *a,
                struct lb_size_result *r, struct lb_err *err)
{
  struct sizing z = {.w = w, .a = a, .r = r, .begin_ns = lb_clock_ns()};
  *r = (struct lb_size_result){.hosts = w->n_hosts, .ranks = w->n_ranks};
  count_memory(w, &r->memory_bytes);
  prepare(&z, err);
  int rc = lb_bench_agree(w, err);
  if (a->dry)
    r->end = LB_SIZE_DRY;
  else if (!rc)
    rc = carry_out(&z, err);
  if (rc > 0)
    r->end = LB_SIZE_INTERRUPTED;
  r->answer = lb_size_answer(&r->search);
  r->seconds = (double)(lb_clock_ns() - z.begin_ns) / LB_NS_PER_S;
  lb_workload_free(z.workload);
  size_lines_fini(&z.lines);
  return rc;
}

/* ---- what it says ---- */

double lb_size_rate(const struct lb_size_result *r, int point)
{
  const struct lb_size_measured *at = &r->at[point];
  return at->window_s > 0 ? at->samples / at->window_s : 0;
}

bool lb_size_blames_client(const struct lb_size_result *r, int point)
{
  const struct lb_size_measured *at = &r->at[point];
  double in_time_s = at->window_s - at->late_s;
  double au = r->search.point[point].au;
  return at->limit == LB_LIMIT_CLIENT ||
         au * at->window_s >= r->search.threshold * in_time_s;
}

int lb_size_find(const struct lb_size_result *r, int64_t n)
{
  for (int i = 0; i < r->search.n_points; i++)
    if (r->search.point[i].n == n && r->search.point[i].windows)
      return i;
  return -1;
}
