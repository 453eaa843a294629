/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a sweep, one after another.  Rank 0 keeps the record and says
 * which is next; what came of it is written before that. */
#include "lb-config.h"

#include "loadbank/sweep_job.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/claim.h"
#include "loadbank/clock.h"
#include "loadbank/log.h"
#include "loadbank/path.h"
#include "loadbank/point.h"
#include "loadbank/report.h"
#include "loadbank/units.h"
#include "sweep_impl.h"

struct session {
  struct lb_world *world;
  const struct lb_sweep_job *job;
  const struct lb_sweep *sweep;
  struct lb_sweep_plan plan;
  char *folder; /* on every rank */
  /* Rank 0: */
  struct lb_sweep_record record;
  size_t *order;
  size_t at;       /* the next of them to look at */
  size_t passed;   /* over, for the time limit */
  int lock;        /* or -1 */
  size_t existing; /* of the folder's path, bytes that were there before */
};

/* ---- the folder; rank 0 ---- */

static const char lock_name[] = "sweep.lock";

static int take_lock(struct session *s, struct lb_err *err)
{
  char holder[LB_CLAIM_TEXT];
  int rc = lb_claim_take(s->folder, lock_name, &s->lock, holder, err);
  if (rc > 0)
    return lb_err_set(err, LB_USAGE,
                      "%s: another job makes the runs of a sweep here now (%s)",
                      s->folder, holder);
  return rc;
}

/* Somebody may have removed the results of a run since. */
static bool has_results(const struct session *s, size_t run)
{
  char folder[LB_SWEEP_FOLDER], path[PATH_MAX];
  lb_sweep_run_folder(s->sweep, run, folder);
  int n = snprintf(path, sizeof path, "%s/%s/summary.json", s->folder, folder);
  return n >= PATH_MAX || access(path, F_OK) == 0;
}

/* What failed before is tried again, and what is no longer there. */
static void reopen(struct session *s)
{
  size_t lost = 0;
  for (size_t i = 0; i < s->sweep->n_runs; i++) {
    enum lb_sweep_status status = s->record.run[i].status;
    bool gone = status == LB_SWEEP_COMPLETE && !has_results(s, i);
    lost += gone;
    if (gone || status == LB_SWEEP_FAILED)
      lb_sweep_run_reset(&s->record.run[i]);
  }
  if (lost)
    lb_warn("%s: %zu run%s no summary.json any more, and %s made again",
            s->folder, lost, lost == 1 ? " has" : "s have",
            lb_are((int64_t)lost));
}

static int open_folder(struct session *s, struct lb_err *err)
{
  struct lb_buf folder;
  lb_buf_init(&folder, PATH_MAX);
  if (lb_sweep_new_record(s->world, s->job, &s->plan, &s->record, err))
    return -err->code;
  if (s->job->folder[0])
    lb_buf_puts(&folder, s->job->folder);
  else
    lb_sweep_folder(&s->record, &folder);
  int rc = 0;
  if (folder.failed)
    rc = lb_err_sys(err, LB_USAGE, ENAMETOOLONG, "the sweep's folder");
  else
    s->existing = lb_results_existing(folder.data);
  if (!rc)
    rc = lb_results_folder(&s->folder, folder.data, NULL, 0, err);
  lb_buf_fini(&folder);
  if (!rc)
    rc = take_lock(s, err);
  if (!rc && !s->job->force)
    rc = lb_sweep_record_read(&s->record, s->folder, err);
  if (rc)
    return rc;
  reopen(s);
  s->order = lb_sweep_order(s->sweep);
  if (!s->order)
    return lb_err_set(err, LB_FAILED, "out of memory");
  return lb_sweep_record_write(&s->record, s->folder, err);
}

/* Collective. */
static int begin(struct session *s, struct lb_err *err)
{
  size_t len = 0;
  lb_sweep_plan(s->world, s->job, &s->plan, err);
  int rc = lb_bench_agree(s->world, err);
  if (rc)
    return rc;
  if (s->world->rank == 0) {
    open_folder(s, err);
    len = s->folder ? strlen(s->folder) : 0;
  }
  rc = lb_bench_agree(s->world, err);
  return rc ? rc : lb_world_bcast_text(s->world, &s->folder, &len, err);
}

/* ---- which is next; rank 0 ---- */

static bool fits(const struct session *s, size_t run)
{
  const struct lb_sweep_job *job = s->job;
  if (job->limit_s <= 0 ||
      s->plan.point[lb_sweep_point_of(s->sweep, run)].fault)
    return true;
  struct lb_sweep_pace pace = lb_sweep_pace_of(&s->plan, &s->record);
  double used = (double)(lb_clock_ns() - job->begin_ns) / LB_NS_PER_S;
  return used + lb_sweep_expected(&s->plan, &s->record, &pace, run) <=
         job->limit_s;
}

static int64_t next_run(struct session *s)
{
  for (; s->at < s->sweep->n_runs; s->at++) {
    size_t run = s->order[s->at];
    if (s->record.run[run].status != LB_SWEEP_OPEN)
      continue;
    if (fits(s, run)) {
      s->at++;
      return (int64_t)run;
    }
    s->passed++;
  }
  return -1;
}

/* ---- one run ---- */

static void say(const struct session *s, size_t run)
{
  const struct lb_sweep_run *r = &s->record.run[run];
  struct lb_buf line;
  if (!s->job->say || s->job->run.output != LB_OUTPUT_TEXT)
    return;
  lb_buf_init(&line, 1 << 16);
  lb_buf_printf(&line, "run %lld: point %zu of %zu, repeat %zu of %lld: ",
                (long long)r->order, lb_sweep_point_of(s->sweep, run) + 1,
                s->sweep->n_points, lb_sweep_repeat_of(s->sweep, run) + 1,
                (long long)s->sweep->repeat);
  lb_sweep_describe(s->sweep, lb_sweep_point_of(s->sweep, run), &line);
  lb_buf_puts(&line, s->sweep->n_keys ? ": " : "");
  lb_sweep_line(r, &line);
  if (r->status == LB_SWEEP_COMPLETE)
    lb_buf_printf(&line, ", %.1f s", r->seconds);
  lb_buf_puts(&line, "\n");
  s->job->say(s->job->say_arg, line.data ? line.data : "");
  lb_buf_fini(&line);
}

/* Rank 0.  In the record and on disk. */
static int keep(struct session *s, size_t run, const char *fault,
                const struct lb_point_result *of, uint64_t start_utc_ns,
                struct lb_err *err)
{
  const struct lb_sweep_point *p =
      &s->plan.point[lb_sweep_point_of(s->sweep, run)];
  struct lb_sweep_run *r = &s->record.run[run];
  lb_sweep_run_reset(r);
  int rc = fault ? lb_sweep_run_failed(r, fault, err)
                 : lb_sweep_run_complete(r, &of->summary, err);
  r->order = ++s->record.made;
  lb_clock_utc_iso(start_utc_ns, r->start);
  r->seconds = of ? of->seconds : 0;
  r->ranks = p->ranks;
  r->accelerators = p->accelerators;
  if (!rc)
    rc = lb_sweep_record_write(&s->record, s->folder, err);
  if (rc) /* it is in no file, so it will be made again */
    lb_sweep_run_reset(r);
  else
    say(s, run);
  return rc;
}

/* Collective.  A run with these overrides more. */
static int run_point(struct session *s, size_t point, const char *const *more,
                     size_t n_more, const char *where, bool of_data,
                     struct lb_point_result *out, struct lb_err *err)
{
  const struct lb_sweep_job *job = s->job;
  const struct lb_sweep_point *p = &s->plan.point[point];
  struct lb_texts lines;
  char folder[PATH_MAX];
  struct lb_point what = {.yaml = job->yaml,
                          .yaml_len = job->yaml_len,
                          .name = job->name,
                          .ranks = of_data ? 0 : p->ranks,
                          .accelerators = of_data ? 0 : p->accelerators,
                          .folder = folder,
                          .run = job->run};
  *out = (struct lb_point_result){.code = 0};
  what.run.force = true; /* what is there was cut off, or failed */
  what.run.regenerate = p->generates;
  lb_path_join(s->folder, where, folder, LB_USAGE, err);
  lb_sweep_overrides(job, &s->plan, point, more, n_more, &lines, err);
  what.overrides = (const char *const *)lines.text;
  what.n_overrides = (int)lines.n;
  int rc = lb_bench_agree(s->world, err);
  if (!rc)
    rc = lb_point_run(s->world, &what, out, err);
  lb_texts_fini(&lines);
  return rc;
}

/* Collective.  A dataset before its first point: d->fault when there is none.
 */
static int make_dataset(struct session *s, struct lb_sweep_dataset *d,
                        struct lb_err *err)
{
  static const char *const more[] = {"workflow.train=false",
                                     "workflow.evaluation=false",
                                     "workflow.checkpoint=false"};
  struct lb_point_result r;
  char where[LB_SWEEP_FOLDER];
  snprintf(where, sizeof where, "dataset-%td", d - s->plan.dataset + 1);
  int rc = run_point(s, d->point, more, sizeof more / sizeof *more, where, true,
                     &r, err);
  d->tried = true;
  if (rc >= 0 && r.reason[0]) {
    struct lb_buf text;
    lb_buf_init(&text, sizeof r.reason + 64);
    lb_buf_printf(&text, "its dataset was not made: %s", r.reason);
    d->fault = lb_buf_take(&text);
  }
  lb_point_result_fini(&r);
  return rc;
}

/* Collective.  After a signal only what was complete is kept. */
static int make_run(struct session *s, size_t run, struct lb_err *err)
{
  static const char *const read_only[] = {"workflow.generate_data=false"};
  size_t point = lb_sweep_point_of(s->sweep, run);
  const struct lb_sweep_point *p = &s->plan.point[point];
  struct lb_sweep_dataset *d =
      p->dataset >= 0 && !p->generates ? &s->plan.dataset[p->dataset] : NULL;
  const char *fault = p->fault;
  struct lb_point_result r = {.code = 0};
  char where[LB_SWEEP_FOLDER];
  int rc = 0;
  if (d && !d->tried)
    rc = make_dataset(s, d, err);
  if (rc)
    return rc;
  uint64_t start = lb_clock_utc_ns();
  fault = d && d->fault ? d->fault : fault;
  lb_sweep_run_folder(s->sweep, run, where);
  if (!fault)
    rc = run_point(s, point, read_only, d != NULL, where, false, &r, err);
  if (rc < 0)
    return rc;
  if (r.reason[0])
    fault = r.reason;
  if (s->world->rank == 0 && (fault || r.code == 0))
    keep(s, run, fault, fault == r.reason || !fault ? &r : NULL, start, err);
  lb_point_result_fini(&r);
  int kept = lb_bench_agree(s->world, err);
  return kept ? kept : rc;
}

/* ---- all of them ---- */

/* Collective. */
static int make_all(struct session *s, struct lb_err *err)
{
  for (;;) {
    int64_t run = s->world->rank == 0 ? next_run(s) : 0;
    lb_world_bcast(s->world, &run, sizeof run);
    if (run < 0)
      return 0;
    int rc = make_run(s, (size_t)run, err);
    if (rc)
      return rc;
  }
}

static size_t count(const struct session *s, enum lb_sweep_status status)
{
  size_t n = 0;
  for (size_t p = 0; p < s->sweep->n_points; p++)
    for (size_t i = 0; i < (size_t)s->sweep->repeat; i++)
      n += s->record.run[p * (size_t)s->sweep->repeat + i].status == status;
  return n;
}

/* Why the job ends with runs left; rc: how it ended. */
static const char *why_left(const struct session *s, int rc)
{
  if (rc > 128)
    return rc == 128 + SIGINT ? "stopped by SIGINT" : "stopped by SIGTERM";
  if (rc == 0 && s->passed)
    return "they would end after --time-limit";
  return "the job could not go on";
}

static void say_left(const struct session *s, int rc, struct lb_buf *out)
{
  size_t open = count(s, LB_SWEEP_OPEN), all = s->sweep->n_runs;
  if (open)
    lb_buf_printf(out,
                  "%zu of %zu run%s %s left: %s; the same command makes %s\n",
                  open, all, lb_plural((int64_t)all), lb_are((int64_t)open),
                  why_left(s, rc), open == 1 ? "it" : "them");
}

/* Rank 0.  A program that reads stdout is not told of what is left there. */
static void show(const struct session *s, int rc, struct lb_buf *out)
{
  const struct lb_sweep_record *r = &s->record;
  struct lb_buf left;
  lb_buf_init(&left, 1 << 10);
  say_left(s, rc, &left);
  switch (s->job->run.output) {
  case LB_OUTPUT_JSON:
    lb_sweep_json(r, out);
    break;
  case LB_OUTPUT_CSV:
    lb_sweep_csv(r, out);
    break;
  default:
    lb_sweep_table(r, out);
    lb_buf_puts(out, left.data ? left.data : "");
    lb_buf_printf(out, "Results: %s\n", s->folder);
    lb_buf_reset(&left);
  }
  if (left.len)
    lb_warn("%.*s", (int)left.len - 1, left.data);
  lb_buf_fini(&left);
}

/* Collective.  The exit status of a job that came to its end. */
static int conclude(const struct session *s, struct lb_err *err)
{
  bool knows = s->world->rank == 0;
  uint64_t failed = knows ? count(s, LB_SWEEP_FAILED) : 0;
  uint64_t left = knows ? s->passed : 0;
  lb_world_bcast(s->world, &failed, sizeof failed);
  lb_world_bcast(s->world, &left, sizeof left);
  if (failed) /* all ranks say so: no one is to blame */
    return lb_err_set(err, LB_FAILED, "%zu of %zu runs failed", (size_t)failed,
                      s->sweep->n_runs);
  return left ? LB_UNFINISHED : 0;
}

static void end(struct session *s)
{
  if (s->record.run)
    lb_sweep_record_fini(&s->record);
  lb_sweep_plan_fini(s->sweep, &s->plan);
  if (s->folder && s->world->rank == 0) {
    lb_claim_give(s->folder, lock_name, &s->lock);
    lb_results_prune(s->folder, s->existing);
  }
  free(s->folder);
  free(s->order);
}

int lb_sweep_carry_out(struct lb_world *world, const struct lb_sweep_job *job,
                       struct lb_buf *out, struct lb_err *err)
{
  struct session s = {
      .world = world, .job = job, .sweep = job->sweep, .lock = -1};
  lb_bench_catch_signals(); /* a full disk is an error from here on */
  int rc = begin(&s, err);
  bool begun = !rc;
  if (!rc)
    rc = make_all(&s, err);
  if (begun && world->rank == 0)
    show(&s, rc, out);
  if (!rc)
    rc = conclude(&s, err);
  end(&s);
  return rc;
}
