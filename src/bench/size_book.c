/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runs of a sizing amount to, whether they were made now or by a job
 * before this one.  Pure. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/units.h"
#include "size_impl.h"

static double seconds_of(uint64_t ns)
{
  return (double)ns / LB_NS_PER_S;
}

void size_add_windows(struct lb_size_measured *at,
                      const struct lb_size_run *run)
{
  for (int i = 0; i < LB_WINDOWS; i++) {
    at->window_s += seconds_of(run->ns[i]);
    at->compute_s += seconds_of(run->compute_ns[i]) / (double)run->n;
    at->late_s += seconds_of(run->late_ns[i]);
  }
}

static int keep(struct lb_size_result *r, const struct lb_size_run *run,
                struct lb_err *err)
{
  size_t n = (size_t)r->runs + 1;
  struct lb_size_run *more = realloc(r->run, n * sizeof *more);
  if (!more)
    return lb_err_set(err, LB_FAILED, "out of memory");
  r->run = more;
  r->run[r->runs++] = *run;
  return 0;
}

int size_book(struct lb_size_result *r, const struct lb_size_run *run,
              struct lb_err *err)
{
  int point = r->search.n_points - 1, n = (int)run->n;
  struct lb_size_measured *at = &r->at[point];
  double au[LB_WINDOWS], in_time[LB_WINDOWS];
  int number = r->runs;
  if (keep(r, run, err))
    return -err->code;
  for (int i = 0; i < LB_WINDOWS; i++) {
    double ns = (double)run->ns[i], compute_ns = (double)run->compute_ns[i];
    au[i] = lb_windows_au(compute_ns, ns, n);
    in_time[i] = lb_windows_au(compute_ns, ns - (double)run->late_ns[i], n);
  }
  size_add_windows(at, run);
  at->samples +=
      (double)LB_WINDOWS * (double)r->steps.window * r->load.batch * (double)n;
  at->reused |= run->reused;
  at->ranks = run->ranks;
  at->limit = run->limit;
  at->first_run = at->runs++ ? at->first_run : number;
  r->reused_runs += run->reused;
  r->read_bytes += run->read_bytes;
  lb_size_add(&r->search, au, in_time, LB_WINDOWS);
  return 0;
}

int size_replay(struct lb_size_result *r, const struct lb_size_run *run, int n,
                struct lb_err *err)
{
  for (int i = 0; i < n; i++) {
    int64_t next = lb_size_next(&r->search);
    if (run[i].n != next)
      return lb_err_set(err, LB_USAGE,
                        "run %d in it is of %" PRId64
                        " accelerator%s, to be next were %" PRId64,
                        i + 1, run[i].n, lb_plural(run[i].n), next);
    int64_t most = r->files.files - lb_size_need(&r->files, next);
    if (run[i].first_file < 0 || run[i].first_file > most)
      return lb_err_set(err, LB_USAGE, "run %d in it begins with file %" PRId64,
                        i + 1, run[i].first_file);
    r->files.again |= run[i].reused;
    r->files.next = run[i].first_file + lb_size_need(&r->files, next);
    if (size_book(r, &run[i], err))
      return -err->code;
  }
  r->earlier_runs = n;
  return 0;
}

double size_overhead_s(const struct lb_size_result *r)
{
  double most = 0;
  for (int i = 0; i < r->runs; i++) {
    struct lb_size_measured at = {.runs = 0};
    size_add_windows(&at, &r->run[i]);
    double step_s = at.window_s / (double)(LB_WINDOWS * r->steps.window);
    double beside = r->run[i].seconds - step_s * (double)r->steps.all;
    most = beside > most ? beside : most;
  }
  return most;
}

void lb_size_result_fini(struct lb_size_result *r)
{
  free(r->run);
  free(r->sizing);
  r->run = NULL;
  r->sizing = NULL;
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
