/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizing for checkpoints: what a save costs that is made every so often. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>

#include "loadbank/clock.h"
#include "size_impl.h"

/* Of a run; the first is left out, for it makes folders and warms up. */
enum { SAVES = 5, MAX_SAVES = 1024 };
static const double gib = 1 << 30;

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

/* Collective.  One run; its saves are added to seconds. */
static int run(struct lb_world *w, const struct lb_size_ask *a,
               const char *folder, int number, struct lb_size_saves *s,
               double *seconds, struct lb_err *err)
{
  struct size_lines l;
  char path[PATH_MAX];
  struct lb_point p = {.yaml = a->yaml,
                       .yaml_len = a->yaml_len,
                       .name = a->name,
                       .accelerators = a->max,
                       .ranks = lb_size_ranks(a->max, w->n_ranks),
                       .folder = path,
                       .run = a->run};
  if (!size_lines_init(&l, a, saving, err))
    size_folder(path, folder, err, "saves-%02d", number);
  if (lb_bench_agree(w, err))
    return -err->code;
  p.overrides = l.line;
  p.n_overrides = l.n;
  struct lb_point_result out;
  int rc = size_point(w, &p, &out, err);
  struct seen seen = read_saves(&out.summary);
  lb_point_result_fini(&out);
  size_lines_fini(&l);
  if (rc)
    return rc;
  lb_world_bcast(w, &seen, sizeof seen);
  for (int i = 0; i < seen.n && s->n < MAX_SAVES; i++)
    seconds[s->n++] = seen.seconds[i];
  s->bytes = seen.bytes;
  s->ranks = p.ranks;
  if (s->n == 0)
    return lb_err_set(err, LB_FAILED, "no save was measured");
  return 0;
}

/* What is saved, and that anything is. */
static int prepare(struct lb_world *w, const struct lb_size_ask *a,
                   struct lb_size_saves *s, struct lb_err *err)
{
  struct size_lines l;
  struct lb_workload *workload = NULL;
  struct lb_plan plan;
  int ranks = lb_size_ranks(a->max, w->n_ranks);
  if (!size_lines_init(&l, a, saving, err) &&
      !size_load(a, &l, &workload, err) &&
      !lb_plan_make(workload, ranks, a->max, &plan, err)) {
    size_describe(&s->load, workload, &plan);
    s->synced = workload->checkpoint.fsync;
  }
  lb_workload_free(workload);
  size_lines_fini(&l);
  return lb_bench_agree(w, err);
}

/* Collective.  Is there time for another run as long as the longest? */
static bool has_time(const struct lb_world *w, const struct lb_size_ask *a,
                     uint64_t begin_ns, double run_s)
{
  double so_far = (double)(lb_clock_ns() - begin_ns) / LB_NS_PER_S;
  int enough = a->time_limit_s <= 0 || so_far + run_s <= a->time_limit_s;
  lb_world_bcast(w, &enough, sizeof enough);
  return enough;
}

int lb_size_save(struct lb_world *w, const struct lb_size_ask *a,
                 const struct lb_size_pace *pace, struct lb_size_saves *s,
                 struct lb_err *err)
{
  double seconds[MAX_SAVES], longest_s = 0;
  uint64_t begin_ns = lb_clock_ns();
  *s = (struct lb_size_saves){.pace = *pace, .accelerators = (int)a->max};
  int rc = prepare(w, a, s, err);
  const char *folder = rc ? NULL : a->open(a->arg, err);
  if (!rc && !folder)
    rc = -err->code;
  for (int i = 0; !rc && i < a->max_repeats && s->side == LB_SIDE_OPEN; i++) {
    if (!has_time(w, a, begin_ns, longest_s)) {
      s->end = LB_SIZE_TIME;
      break;
    }
    uint64_t from_ns = lb_clock_ns();
    rc = run(w, a, folder, i, s, seconds, err);
    longest_s =
        fmax(longest_s, (double)(lb_clock_ns() - from_ns) / LB_NS_PER_S);
    if (s->n)
      lb_size_judge_saves(s, seconds, s->n, i + 1 == a->max_repeats);
  }
  if (rc > 0)
    s->end = LB_SIZE_INTERRUPTED;
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
  lb_buf_printf(out, "%-19scheckpoints of %s by %d accelerators on %d rank%s\n",
                "sizing of", s->load.workload, s->accelerators, s->ranks,
                s->ranks == 1 ? "" : "s");
  lb_buf_printf(out, "%-19sa save every %.4g min costs at most %.4g %%\n",
                "asked", s->pace.every_s / 60, s->pace.at_most);
  if (s->n == 0) {
    lb_buf_printf(out, "%-19sno save: %s\n", "measured",
                  lb_size_end_names[s->end]);
    return;
  }
  lb_buf_printf(out, "%-19s%d saves of %.3f GiB: %.4g s (%.4g .. %.4g)\n",
                "measured", s->n, s->bytes / gib, s->mean_s, s->low_s,
                s->high_s);
  lb_buf_printf(out, "%-19s%.3f GiB/s, needed are %.3f GiB/s\n", "bandwidth",
                s->bytes_per_s / gib, s->needed_bytes_per_s / gib);
  lb_buf_printf(out, "%-19s%.4g %% (%.4g .. %.4g): %s\n", "cost", s->cost,
                s->cost_low, s->cost_high, verdicts[s->side]);
  lb_buf_printf(out, "%-19severy %.4g min costs %.4g %%\n", "a save",
                s->least_every_s / 60, s->pace.at_most);
  if (!s->synced && !s->load.is_virtual)
    lb_buf_printf(out,
                  "%-19scheckpoint.fsync is off: a save is over when the "
                  "page cache has it\n",
                  "mind");
}
