/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run among several of a job, in a world of its own, which takes with it
 * what a run leaves behind: shared memory, and the time limit of a failure. */
#include "lb-config.h"

#include "loadbank/point.h"

#include <stdio.h>
#include <stdlib.h>

#include "loadbank/buf.h"
#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/log.h"

enum { MAX_FOLDER = 1 << 16, END_S = 60 };

int lb_point_ranks(int ranks, int64_t accelerators)
{
  return accelerators < ranks ? (int)accelerators : ranks;
}

/* The overrides, and the one that the folder stands for. */
struct lines {
  const char **line;
  int n;
  struct lb_buf folder;
};

static int lines_init(struct lines *l, const struct lb_point *p,
                      struct lb_err *err)
{
  *l = (struct lines){.n = p->n_overrides};
  lb_buf_init(&l->folder, MAX_FOLDER);
  l->line = calloc((size_t)p->n_overrides + 1, sizeof *l->line);
  if (p->folder) {
    lb_buf_puts(&l->folder, "output.folder=");
    lb_yaml_quote(p->folder, &l->folder);
  }
  if (!l->line || l->folder.failed)
    return lb_err_set(err, LB_FAILED, "out of memory");
  for (int i = 0; i < l->n; i++)
    l->line[i] = p->overrides[i];
  if (p->folder)
    l->line[l->n++] = l->folder.data;
  return 0;
}

static void lines_fini(struct lines *l)
{
  free(l->line);
  lb_buf_fini(&l->folder);
}

/* Rank-local. */
static int prepare(struct lb_world *w, const struct lb_point *p,
                   const struct lines *l, uint64_t seed,
                   struct lb_workload **out, struct lb_plan *plan,
                   struct lb_err *err)
{
  if (lb_workload_load(p->yaml, p->yaml_len, p->name, l->line, l->n, out,
                       err) ||
      lb_workload_read_files(*out, err))
    return -err->code;
  if ((*out)->derived.seed_is_random)
    lb_workload_set_seed(*out, seed);
  if (lb_workload_check_run(*out, err) ||
      lb_plan_make(*out, w->n_ranks, w->accelerators, plan, err) ||
      lb_plan_check_threads(plan, p->run.max_threads, err) ||
      lb_plan_check_crew(plan, p->run.max_threads, err))
    return -err->code;
  return 0;
}

/* Collective over the ranks that take part. */
static int carry_out(struct lb_world *w, const struct lb_point *p,
                     struct lb_point_result *out, struct lb_err *err)
{
  struct lines l;
  struct lb_workload *workload = NULL;
  uint64_t seed = lb_random_seed();
  lb_world_bcast(w, &seed, sizeof seed);
  /* All ranks refuse the same number. */
  int64_t accelerators = p->accelerators ? p->accelerators : w->n_ranks;
  lb_world_spread(w, accelerators, err);
  if (!lines_init(&l, p, err) && !lb_err_is_set(err))
    prepare(w, p, &l, seed, &workload, &out->plan, err);
  int rc = lb_bench_agree(w, err);
  if (!rc) {
    struct lb_run_options o = p->run;
    o.overrides = l.line;
    o.n_overrides = l.n;
    o.plan = &out->plan;
    o.output = o.out ? LB_OUTPUT_TEXT : LB_OUTPUT_NONE;
    rc = lb_bench_measure(w, workload, &o, &out->summary, err);
  }
  lb_workload_free(workload);
  lines_fini(&l);
  return rc;
}

/* Collective.  All ranks learn how it went. */
static void tell(const struct lb_world *job, int rc, const struct lb_err *of,
                 struct lb_point_result *out)
{
  out->code = rc < 0 ? of->code : rc;
  snprintf(out->reason, sizeof out->reason, "%s", of->msg);
  lb_world_bcast(job, &out->code, sizeof out->code);
  lb_world_bcast(job, out->reason, sizeof out->reason);
  lb_world_bcast(job, &out->seconds, sizeof out->seconds);
}

int lb_point_run(struct lb_world *job, const struct lb_point *p,
                 struct lb_point_result *out, struct lb_err *err)
{
  struct lb_world part;
  struct lb_err own = LB_ERR_INIT;
  uint64_t begin_ns = lb_clock_ns();
  int rc = 0;
  *out = (struct lb_point_result){.reason = ""};
  lb_bench_catch_signals();
  out->code = lb_bench_signal(job);
  if (out->code)
    return out->code;
  if (lb_world_sub(job, p->ranks ? p->ranks : job->n_ranks, &part, err))
    return -err->code;
  lb_log_quiet(true);
  if (p->aloud)
    lb_log_quiet(false);
  if (part.n_ranks)
    rc = carry_out(&part, p, out, &own);
  lb_world_sub_fini(job, &part);
  lb_log_quiet(false);
  out->seconds = (double)(lb_clock_ns() - begin_ns) / LB_NS_PER_S;
  tell(job, rc, &own, out);
  int stopped = lb_bench_signal(job);
  if (stopped)
    lb_world_deadline(job, END_S, stopped, NULL);
  return stopped;
}

void lb_point_result_fini(struct lb_point_result *r)
{
  lb_summary_fini(&r->summary);
}
