/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about what lies between leaves: idle time between runs, and from the
 * phase that writes checkpoints to the one that reads them. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <math.h>
#include <time.h>

#include "mlperf/params.h"

enum { CALLOUT_S = 30 }; /* from the end of writing to the start of reading */

/* ---- 2.1.18: between the runs of training ---- */

static void judge_gap(struct lb_mlperf_check *c, size_t before, size_t after,
                      double shortest)
{
  const struct lb_mlperf_leaf *l = c->tree->leaf;
  const struct lb_mlperf_facts *b = &c->facts[before], *a = &c->facts[after];
  double idle = a->start - b->end;
  double apart = difftime(lb_mlperf_stamp_time(l[after].place.stamp),
                          lb_mlperf_stamp_time(l[before].place.stamp));
  int severity = lb_mlperf_unless_rehearsal(a);
  if (idle < -LB_MLPERF_CLOCK_S)
    lb_mlperf_say(c, LB_MLPERF_ERROR, l[after].name, NULL,
                  "it began %.1f s before the run ahead of it ended: they "
                  "overlapped, or the clock was set back between them",
                  -idle);
  else if (idle >= shortest)
    lb_mlperf_say(c, severity, l[after].name, NULL,
                  "%.1f s of idle time lie before it; less than the shortest "
                  "run (%.1f s) is allowed",
                  idle, shortest);
  else if (apart >= 2 * shortest)
    lb_mlperf_say(c, severity == LB_MLPERF_ERROR ? LB_MLPERF_WARNING : severity,
                  l[after].name, NULL,
                  "it began %.0f s after the run ahead of it began, with %.1f "
                  "s of idle time: the benchmark's own checker wants less than "
                  "twice the shortest run (%.1f s)",
                  apart, idle, 2 * shortest);
}

static bool timed(struct lb_mlperf_check *c, size_t i)
{
  const struct lb_mlperf_facts *f = &c->facts[i];
  if (isnan(f->start) || isnan(f->end))
    lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->leaf[i].name,
                  LB_MLPERF_SUMMARY_NAME,
                  "start or end is missing: the gaps cannot be told");
  else if (f->end < f->start)
    lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->leaf[i].name,
                  LB_MLPERF_SUMMARY_NAME,
                  "it ended %.1f s before it started: the clock was set back "
                  "meanwhile",
                  f->start - f->end);
  else
    return true;
  return false;
}

/* Something in the folder that may have been a run once. */
static bool has_unknown(const struct lb_mlperf_check *c)
{
  size_t in = lb_mlperf_folder_in(c->tree, c->folder, "run");
  if (in == LB_MLPERF_NOWHERE)
    return false;
  const struct lb_mlperf_folder *f = &c->tree->folder[in];
  for (size_t i = 0; i < f->n_entries; i++) {
    bool stamp = lb_mlperf_is_stamp(f->entry[i]);
    if (f->entry[i][0] != '.' &&
        (stamp ? f->type[i] != 'd' : f->type[i] == 'd'))
      return true;
  }
  return false;
}

void lb_mlperf_check_run_gaps(struct lb_mlperf_check *c)
{
  double shortest = INFINITY;
  size_t before = c->end;
  if (has_unknown(c)) /* 2.1.17 */
    return;
  for (LB_MLPERF_EACH_WHOLE(i, c, LB_MLPERF_RUN))
    if (timed(c, i))
      shortest = fmin(shortest, c->facts[i].end - c->facts[i].start);
  for (size_t i = c->first; i < c->end; i++) {
    const struct lb_mlperf_facts *f = &c->facts[i];
    if (c->tree->leaf[i].place.command != LB_MLPERF_RUN)
      continue;
    bool judged = f->whole && f->end >= f->start;
    if (judged && before != c->end)
      judge_gap(c, before, i, shortest);
    before = judged ? i : c->end;
  }
}

/* ---- 2.1.24, 4.7.x: between writing and reading checkpoints ---- */

/* The leaf that writes and the one that reads, which may be one.  False: they
 * are not whole, or not like that. */
static bool phases(const struct lb_mlperf_check *c,
                   const struct lb_mlperf_facts **writes,
                   const struct lb_mlperf_facts **reads)
{
  size_t n = c->end - c->first;
  if (n < 1 || n > 2 || !c->facts[c->first].whole ||
      !c->facts[c->end - 1].whole)
    return false;
  *writes = &c->facts[c->first];
  *reads = &c->facts[c->end - 1];
  return true;
}

static bool split(const struct lb_mlperf_check *c,
                  const struct lb_mlperf_facts **writes,
                  const struct lb_mlperf_facts **reads)
{
  return phases(c, writes, reads) && *writes != *reads &&
         (*writes)->writes > 0 && (*writes)->reads == 0 &&
         (*reads)->reads > 0 && (*reads)->writes == 0;
}

/* A phase begins and ends with its process, where that is recorded: what comes
 * before and after the checkpoints is no idle time. */
static double begin_of(const struct lb_mlperf_facts *f)
{
  return isnan(f->invoked) ? f->start : f->invoked;
}

static double end_of(const struct lb_mlperf_facts *f)
{
  return isnan(f->left) ? f->end : f->left;
}

/* 2.1.24 */
void lb_mlperf_check_save_gap(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *w, *r;
  if (!split(c, &w, &r))
    return;
  double gap = begin_of(r) - end_of(w);
  double slower = fmax(end_of(w) - begin_of(w), end_of(r) - begin_of(r));
  if (gap >= slower)
    lb_mlperf_say(c, lb_mlperf_unless_rehearsal(r), lb_mlperf_here(c)->name,
                  NULL,
                  "%.1f s lie between writing and reading; less than the "
                  "slower of both (%.1f s) is allowed",
                  gap, slower);
}

static bool is_ten_and_ten(const struct lb_mlperf_facts *w,
                           const struct lb_mlperf_facts *r)
{
  if (w == r)
    return w->writes == LB_MLPERF_CHECKPOINTS &&
           w->reads == LB_MLPERF_CHECKPOINTS;
  return w->writes == LB_MLPERF_CHECKPOINTS && w->reads == 0 &&
         r->writes == 0 && r->reads == LB_MLPERF_CHECKPOINTS;
}

/* 4.7.1 */
void lb_mlperf_check_invocations(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *w, *r;
  const char *where = lb_mlperf_here(c)->name;
  if (!phases(c, &w, &r))
    return;
  if (c->place.mode == LB_MLPERF_CLOSED && !is_ten_and_ten(w, r)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "%lld writes and %lld reads%s; in CLOSED %d and %d in one "
                  "leaf, or %d and 0 and then 0 and %d are allowed",
                  (long long)w->writes, (long long)w->reads,
                  w == r ? "" : " in the first of two leaves",
                  LB_MLPERF_CHECKPOINTS, LB_MLPERF_CHECKPOINTS,
                  LB_MLPERF_CHECKPOINTS, LB_MLPERF_CHECKPOINTS);
    return;
  }
  if (!split(c, &w, &r))
    return;
  double gap = begin_of(r) - end_of(w);
  if (r->start < w->end)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "reading began %.1f s before writing ended: they overlapped, "
                  "or the clocks of the hosts differ",
                  w->end - r->start);
  else if (gap > CALLOUT_S)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "%.1f s lie between the end of writing and the start of "
                  "reading; %d s are allowed",
                  gap, CALLOUT_S);
  else if (gap < 0)
    lb_mlperf_say(c, LB_MLPERF_WARNING, where, NULL,
                  "the reading process was started %.1f s before the writing "
                  "one ended: the clocks of their hosts differ",
                  -gap);
}

/* 4.7.2 */
void lb_mlperf_check_duration(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *w, *r;
  const char *where = lb_mlperf_here(c)->name;
  if (!phases(c, &w, &r))
    return;
  double total = r->end - w->start;
  if (isnan(total) || isnan(w->end) || isnan(r->start))
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "start or end is missing in summary.json: the duration of "
                  "the test cannot be told");
  else if (w == r)
    lb_mlperf_say(c, LB_MLPERF_INFO, where, NULL,
                  "the test took %.1f s from the first write to the last read",
                  total);
  else
    lb_mlperf_say(c, LB_MLPERF_INFO, where, NULL,
                  "the test took %.1f s from the first write to the last read, "
                  "with %.1f s between writing and reading",
                  total, r->start - w->end);
}

/* 4.7.3 */
void lb_mlperf_check_remap(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *w, *r;
  long long remap = c->described ? c->system.remap_seconds : 0;
  if (split(c, &w, &r) && remap > 0 && r->start - w->end < (double)remap / 2)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%.1f s lie between writing and reading, the description "
                  "says remap_time_in_seconds: %lld; half of that is needed",
                  r->start - w->end, remap);
}
