/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sizing that goes on from the runs of an earlier job: whatever was made by
 * then, it ends as one that was never cut off. */
#include "lb-config.h"

#include <string.h>

#include "bench/size_impl.h"
#include "tap.h"

enum { COMPUTE_NS = 100000000, STEPS = 4 };

/* Storage that is enough for 6.76 accelerators; 1000 files of 2 samples. */
static struct lb_size_result start(void)
{
  return (struct lb_size_result){
      .load = {.batch = 3},
      .steps = {.warm_up = STEPS, .window = STEPS, .all = 9 * STEPS},
      .files = {.files = 1000, .samples_per_file = 2, .batch_reads = 30},
      .search = lb_size_search_make(32, 90, 3)};
}

/* What a run with n of them measures: beyond the knee steps are longer. */
static struct lb_size_run measure(struct lb_size_result *r, int64_t n)
{
  double longer = (double)n > 6.76 ? (double)n / 6.76 : 1;
  struct lb_run_part part = lb_size_take(&r->files, n);
  struct lb_size_run run = {.n = n,
                            .ranks = 2,
                            .first_file = part.first,
                            .reused = r->files.again,
                            .limit = LB_LIMIT_STORAGE,
                            .read_bytes = 1000 * (double)n,
                            .seconds = 9 * STEPS * 0.1 * longer + 0.5};
  for (int i = 0; i < LB_WINDOWS; i++) {
    run.compute_ns[i] = (uint64_t)n * STEPS * COMPUTE_NS;
    run.ns[i] = (uint64_t)(STEPS * COMPUTE_NS * longer) + (uint64_t)i * 1000;
    run.late_ns[i] = (uint64_t)i * 100;
  }
  return run;
}

static void go_on(struct lb_size_result *r)
{
  struct lb_err err = LB_ERR_INIT;
  int64_t n;
  while ((n = lb_size_next(&r->search)) > 0) {
    struct lb_size_run run = measure(r, n);
    size_book(r, &run, &err);
  }
}

static bool same_point(const struct lb_size_point *a,
                       const struct lb_size_point *b)
{
  return a->n == b->n && a->repeats == b->repeats && a->windows == b->windows &&
         a->au == b->au && a->low == b->low && a->high == b->high &&
         a->side == b->side;
}

static bool same_measured(const struct lb_size_measured *a,
                          const struct lb_size_measured *b)
{
  return a->ranks == b->ranks && a->runs == b->runs &&
         a->first_run == b->first_run && a->reused == b->reused &&
         a->samples == b->samples && a->window_s == b->window_s &&
         a->compute_s == b->compute_s && a->late_s == b->late_s &&
         a->limit == b->limit;
}

/* But for what tells of the earlier job. */
static bool same(const struct lb_size_result *a, const struct lb_size_result *b)
{
  for (int i = 0; i < a->search.n_points; i++)
    if (!same_point(&a->search.point[i], &b->search.point[i]) ||
        !same_measured(&a->at[i], &b->at[i]))
      return false;
  return a->runs == b->runs && a->search.n_points == b->search.n_points &&
         a->files.next == b->files.next && a->files.again == b->files.again &&
         a->reused_runs == b->reused_runs && a->read_bytes == b->read_bytes;
}

static void every_cut(const struct lb_size_result *whole)
{
  for (int cut = 0; cut <= whole->runs; cut++) {
    struct lb_size_result r = start();
    struct lb_err err = LB_ERR_INIT;
    int rc = size_replay(&r, whole->run, cut, &err);
    go_on(&r);
    ok(!rc && same(&r, whole), "cut off after run %d %s", cut, err.msg);
    is_int(r.earlier_runs, cut, "which is said");
    lb_size_result_fini(&r);
  }
}

/* Changes one value of the second run. */
static void refused(const struct lb_size_result *whole, int64_t n,
                    int64_t first_file, const char *word)
{
  struct lb_size_result r = start();
  struct lb_err err = LB_ERR_INIT;
  struct lb_size_run run[2] = {whole->run[0], whole->run[1]};
  run[1].n = n;
  run[1].first_file = first_file;
  int rc = size_replay(&r, run, 2, &err);
  ok(rc == -LB_USAGE && strstr(err.msg, word), "refused: %s", err.msg);
  lb_size_result_fini(&r);
}

static void as_json(const struct lb_size_result *whole)
{
  struct lb_size_run back;
  json_t *o = size_run_json(&whole->run[2]);
  ok(size_run_read(o, &back) && back.n == whole->run[2].n &&
         back.first_file == whole->run[2].first_file &&
         back.limit == LB_LIMIT_STORAGE &&
         !memcmp(back.ns, whole->run[2].ns, sizeof back.ns) &&
         !memcmp(back.late_ns, whole->run[2].late_ns, sizeof back.ns) &&
         !memcmp(back.compute_ns, whole->run[2].compute_ns, sizeof back.ns),
     "a run to JSON and back");
  json_array_remove(json_object_get(o, "late_ns"), 3);
  ok(!size_run_read(o, &back), "one that lacks a window is none");
  json_decref(o);
}

int main(void)
{
  struct lb_size_result whole = start();
  go_on(&whole);
  struct lb_size_answer a = lb_size_answer(&whole.search);
  is_int(a.meets, 7, "7 accelerators meet 90 %%"); /* 6.76 / 0.9 = 7.51 */
  is_int(a.misses, 8, "8 do not");
  ok(whole.runs >= 4, "in several runs");
  is_near(size_overhead_s(&whole), 0.5, 0.01, "half a second beside the steps");
  every_cut(&whole);
  refused(&whole, 3, whole.run[1].first_file, "to be next were 2");
  refused(&whole, 2, 990, "begins with file 990");
  refused(&whole, 2, -1, "begins with file -1");
  as_json(&whole);
  lb_size_result_fini(&whole);
  return done();
}
