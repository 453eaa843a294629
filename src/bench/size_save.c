/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing for checkpoints: what a save costs that is made every so often. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "loadbank/units.h"
#include "size_impl.h"

/* Of a run; the first is left out, for it makes folders and warms up. */
enum { SAVES = 5 };
static const char *const saving[] = {
    "workflow.generate_data=false",
    "workflow.train=false",
    "workflow.evaluation=false",
    "workflow.checkpoint=true",
    "checkpoint.num_checkpoints_write=5", /* SAVES */
    "checkpoint.num_checkpoints_read=0",
    "checkpoint.time_between_checkpoints=0",
    "checkpoint.keep_last=1",
    NULL,
};

/* ---- pure ---- */

static enum lb_size_side side(const struct lb_size_saves *s, bool last)
{
  if (s->cost_high <= s->pace.at_most)
    return LB_SIDE_MEETS;
  if (s->cost_low > s->pace.at_most)
    return LB_SIDE_MISSES;
  return last ? LB_SIDE_UNDECIDED : LB_SIDE_OPEN;
}

void lb_size_judge_saves(struct lb_size_saves *s, const double *seconds, int n,
                         bool last)
{
  double sum = 0, squares = 0, half = INFINITY;
  for (int i = 0; i < n; i++)
    sum += seconds[i];
  s->n = n;
  s->mean_s = sum / n;
  for (int i = 0; i < n; i++)
    squares += (seconds[i] - s->mean_s) * (seconds[i] - s->mean_s);
  if (n > 1)
    half = lb_size_student(n - 1) * sqrt(squares / (n - 1) / n);
  s->low_s = fmax(0, s->mean_s - half);
  s->high_s = s->mean_s + half;
  s->cost = 100 * s->mean_s / s->pace.every_s;
  s->cost_low = 100 * s->low_s / s->pace.every_s;
  s->cost_high = 100 * s->high_s / s->pace.every_s;
  s->bytes_per_s = s->mean_s > 0 ? s->bytes / s->mean_s : 0;
  s->needed_bytes_per_s = s->bytes / (s->pace.every_s * s->pace.at_most / 100);
  s->least_every_s = s->mean_s * 100 / s->pace.at_most;
  s->side = side(s, last);
}

/* ---- measuring ---- */

struct saver {
  struct lb_world *w;
  const struct lb_size_ask *a;
  struct lb_size_saves *s;
  lb_size_keep_saves *keep;
  const char *folder;  /* for results */
  struct lb_buf saves; /* where the saves go, as an override */
  uint64_t begin_ns;
};

/* A folder of its own, for all but the last save of a folder are removed. */
static void name_folder(struct saver *v, const struct lb_workload *w)
{
  char *path = v->s->folder;
  size_t size = sizeof v->s->folder;
  const char *of = w->checkpoint.checkpoint_folder;
  snprintf(path, size, "%.*s/loadbank-size", (int)size - 16, of);
  lb_buf_puts(&v->saves, "checkpoint.checkpoint_folder=");
  lb_yaml_quote(path, &v->saves);
}

/* What rank 0 saw, for all. */
struct seen {
  double seconds[SAVES], bytes;
  int n;
};

static struct seen read_saves(const struct lb_summary *s)
{
  struct seen seen = {.n = 0};
  for (size_t i = 1; i < s->n_checkpoints && seen.n < SAVES; i++) {
    const struct lb_checkpoint_summary *c = &s->checkpoint[i];
    if (c->load || isnan(c->seconds))
      continue;
    seen.seconds[seen.n++] = c->seconds;
    seen.bytes = (double)c->bytes;
  }
  return seen;
}

/* Collective.  One run; its saves are added to those before. */
static int run(struct saver *v, struct lb_err *err)
{
  const struct lb_size_ask *a = v->a;
  struct lb_size_saves *s = v->s;
  struct size_lines l;
  char path[PATH_MAX];
  struct lb_point p = {.yaml = a->yaml,
                       .yaml_len = a->yaml_len,
                       .name = a->name,
                       .accelerators = a->max,
                       .ranks = s->ranks,
                       .folder = path,
                       .run = a->run};
  p.run.force = true; /* what is there was cut off, or failed */
  if (!size_lines_init(&l, a, saving, err)) {
    size_lines_lend(&l, v->saves.data);
    size_folder(path, v->folder, err, "saves-%02d", s->runs);
  }
  if (lb_bench_agree(v->w, err))
    return -err->code;
  p.overrides = l.line;
  p.n_overrides = l.n;
  struct lb_point_result out;
  int rc = size_point(v->w, &p, &out, err);
  struct seen seen = read_saves(&out.summary);
  lb_point_result_fini(&out);
  size_lines_fini(&l);
  if (rc)
    return rc;
  lb_world_bcast(v->w, &seen, sizeof seen);
  for (int i = 0; i < seen.n && s->n < LB_SIZE_SAVES; i++)
    s->save_s[s->n++] = seen.seconds[i];
  s->runs++;
  s->bytes = seen.bytes;
  s->longest_s = fmax(s->longest_s, out.seconds);
  if (s->n == 0)
    return lb_err_set(err, LB_FAILED, "no save was measured");
  return 0;
}

/* Collective.  What is saved, and where. */
static int prepare(struct saver *v, struct lb_err *err)
{
  const struct lb_size_ask *a = v->a;
  struct size_lines l;
  struct lb_workload *w = NULL;
  struct lb_plan plan;
  if (!size_lines_init(&l, a, saving, err) && !size_load(a, &l, &w, err) &&
      !lb_plan_make(w, v->s->ranks, a->max, &plan, err)) {
    size_describe(&v->s->load, w, &plan);
    v->s->synced = w->checkpoint.fsync;
    name_folder(v, w);
    if (v->saves.failed)
      lb_err_set(err, LB_FAILED, "out of memory");
  }
  lb_workload_free(w);
  size_lines_fini(&l);
  return lb_bench_agree(v->w, err);
}

/* Collective.  Is there time for another run as long as the longest? */
static bool has_time(const struct saver *v)
{
  double so_far = (double)(lb_clock_ns() - v->begin_ns) / LB_NS_PER_S;
  double limit_s = v->a->time_limit_s;
  int enough = limit_s <= 0 || so_far + v->s->longest_s <= limit_s;
  lb_world_bcast(v->w, &enough, sizeof enough);
  return enough;
}

static void judge(struct saver *v)
{
  struct lb_size_saves *s = v->s;
  if (s->n)
    lb_size_judge_saves(s, s->save_s, s->n, s->runs >= v->a->max_repeats);
}

/* Collective. */
static int keep(struct saver *v, struct lb_err *err)
{
  if (v->w->rank == 0)
    v->keep(v->a->arg, v->s, err);
  return lb_bench_agree(v->w, err);
}

/* Collective. */
static int save(struct saver *v, struct lb_err *err)
{
  struct lb_size_saves *s = v->s;
  int rc = 0;
  judge(v);
  while (!rc && s->runs < v->a->max_repeats && s->side == LB_SIDE_OPEN) {
    if (!has_time(v)) {
      s->end = LB_SIZE_TIME;
      return 0;
    }
    rc = run(v, err);
    judge(v);
    if (!rc)
      rc = keep(v, err);
  }
  if (!rc)
    s->end = LB_SIZE_COMPLETE;
  return rc;
}

/* Rank 0.  What an earlier job has left in the folder. */
static int read_earlier(struct saver *v, struct lb_err *err)
{
  struct size_record record;
  struct lb_size_saves *s = v->s;
  int rc = size_record_read(v->folder, s->sizing, &record, err);
  size_t n = rc ? 0 : json_array_size(record.runs);
  for (size_t i = 0; i < n && i < LB_SIZE_SAVES; i++)
    s->save_s[s->n++] = json_number_value(json_array_get(record.runs, i));
  if (n) {
    s->runs = s->earlier_runs =
        (int)json_integer_value(json_object_get(record.root, "runs"));
    s->bytes = json_number_value(json_object_get(record.root, "bytes"));
    s->longest_s =
        lb_json_real(json_object_get(record.root, "longest_run_seconds"));
  }
  size_record_fini(&record);
  return rc;
}

/* Collective. */
static int go_on(struct saver *v, struct lb_err *err)
{
  struct lb_size_saves *s = v->s;
  if (v->w->rank == 0)
    read_earlier(v, err);
  int rc = lb_bench_agree(v->w, err);
  lb_world_bcast(v->w, s->save_s, sizeof s->save_s);
  lb_world_bcast(v->w, &s->n, sizeof s->n);
  lb_world_bcast(v->w, &s->runs, sizeof s->runs);
  lb_world_bcast(v->w, &s->bytes, sizeof s->bytes);
  return rc;
}

/* Collective. */
static int carry_out(struct saver *v, struct lb_err *err)
{
  struct lb_size_saves *s = v->s;
  v->folder = v->a->open(v->a->arg, s->sizing ? size_hash(s->sizing) : 0, err);
  if (!v->folder)
    return -err->code;
  s->end = LB_SIZE_OPEN;
  int rc = go_on(v, err);
  if (!rc)
    rc = save(v, err);
  if (rc > 0)
    s->end = LB_SIZE_INTERRUPTED;
  if (rc < 0) {
    s->end = LB_SIZE_FAILED;
    snprintf(s->reason, sizeof s->reason, "%s", err->msg);
  }
  return rc;
}

void lb_size_saves_fini(struct lb_size_saves *s)
{
  free(s->sizing);
  s->sizing = NULL;
}

int lb_size_save(struct lb_world *w, const struct lb_size_ask *a,
                 const struct lb_size_pace *pace, lb_size_keep_saves *keeper,
                 struct lb_size_saves *s, struct lb_err *err)
{
  struct saver v = {
      .w = w, .a = a, .s = s, .keep = keeper, .begin_ns = lb_clock_ns()};
  *s = (struct lb_size_saves){.pace = *pace,
                              .accelerators = (int)a->max,
                              .ranks = lb_point_ranks(w->n_ranks, a->max)};
  lb_buf_init(&v.saves, 2 * PATH_MAX);
  int rc = prepare(&v, err);
  if (!rc && w->rank == 0 && !a->dry)
    size_identity(w, a, pace, &s->sizing, err);
  if (!rc)
    rc = lb_bench_agree(w, err);
  if (a->dry)
    s->end = LB_SIZE_DRY;
  else if (!rc)
    rc = carry_out(&v, err);
  lb_buf_fini(&v.saves);
  return rc;
}

/* ---- saying it ---- */

static const char *const verdicts[LB_N_SIDES] = {
    [LB_SIDE_OPEN] = "not decided yet",
    [LB_SIDE_MEETS] = "the storage carries it",
    [LB_SIDE_MISSES] = "the storage does not carry it",
    [LB_SIDE_UNDECIDED] = "undecided: saves vary too much for it",
};

void lb_size_saves_text(const struct lb_size_saves *s, struct lb_buf *out)
{
  lb_buf_printf(out,
                "%-19scheckpoints of %s by %d accelerator%s on %d rank%s\n",
                "sizing of", s->load.workload, s->accelerators,
                lb_plural(s->accelerators), s->ranks, lb_plural(s->ranks));
  lb_buf_printf(out, "%-19sa save every %.4g min costs at most %.4g %%\n",
                "asked", s->pace.every_s / 60, s->pace.at_most);
  if (s->n == 0) {
    lb_buf_printf(out, "%-19sno save: %s\n", "measured",
                  lb_size_end_names[s->end]);
    return;
  }
  size_text_end(s->end, s->reason, s->earlier_runs, out);
  lb_buf_printf(out, "%-19s%d saves of %.4g GiB: %.4g s (%.4g .. %.4g)\n",
                "measured", s->n, s->bytes / LB_GIB, s->mean_s, s->low_s,
                s->high_s);
  lb_buf_printf(out, "%-19s%.4g GiB/s, needed are %.4g GiB/s\n", "bandwidth",
                s->bytes_per_s / LB_GIB, s->needed_bytes_per_s / LB_GIB);
  lb_buf_printf(out, "%-19s%.4g %% (%.4g .. %.4g): %s\n", "cost", s->cost,
                s->cost_low, s->cost_high, verdicts[s->side]);
  lb_buf_printf(out, "%-19severy %.4g min costs %.4g %%\n", "a save",
                s->least_every_s / 60, s->pace.at_most);
  if (s->load.is_virtual)
    return;
  lb_buf_printf(out, "%-19sthe last save stays in %s\n", "left", s->folder);
  if (!s->synced)
    lb_buf_printf(out,
                  "%-19scheckpoint.fsync is off: a save is over when the "
                  "page cache has it\n",
                  "mind");
}
