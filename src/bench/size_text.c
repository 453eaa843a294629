/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a sizing for people.  Pure. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "loadbank/units.h"
#include "size_impl.h"

static const double gib = 1 << 30;
/* More accelerators got so much less: that is no knee of a constant rate. */
static const double falls_off = 0.95;

/* ---- the table of points ---- */

struct row {
  const struct lb_size_result *r;
  int point;
};

static int by_number(const void *a, const void *b)
{
  const struct row *x = a, *y = b;
  int64_t n = x->r->search.point[x->point].n;
  int64_t m = y->r->search.point[y->point].n;
  return (n > m) - (n < m);
}

static void text_point(const struct lb_size_result *r, int i,
                       struct lb_buf *out)
{
  const struct lb_size_point *p = &r->search.point[i];
  const struct lb_size_measured *at = &r->at[i];
  double rate = lb_size_rate(r, i);
  lb_buf_printf(out,
                "%12" PRId64 " %5d %5d %7.2f %7.2f .. %6.2f %10.1f %9.3f %-8s "
                "%s%s\n",
                p->n, at->ranks, p->repeats, p->au, p->low, p->high, rate,
                rate * r->load.sample_bytes / gib, lb_limit_names[at->limit],
                lb_size_side_names[p->side], at->reused ? ", reused" : "");
}

static void text_points(const struct lb_size_result *r, struct lb_buf *out)
{
  struct row row[LB_SIZE_POINTS] = {{0}};
  size_t n = 0;
  for (int i = 0; i < r->search.n_points; i++)
    if (r->search.point[i].windows)
      row[n++] = (struct row){r, i};
  qsort(row, n, sizeof *row, by_number);
  lb_buf_puts(out, "accelerators ranks  runs    AU %   95 % interval  samples/s"
                   "     GiB/s limit    verdict\n");
  for (size_t i = 0; i < n; i++)
    text_point(r, row[i].point, out);
}

/* ---- the answer ---- */

void size_text_end(enum lb_size_end end, const char *reason, int earlier_runs,
                   struct lb_buf *out)
{
  if (earlier_runs)
    lb_buf_printf(out, "%-19s%d run%s of an earlier job %s in it\n", "",
                  earlier_runs, lb_plural(earlier_runs), lb_are(earlier_runs));
  if (end == LB_SIZE_COMPLETE)
    return;
  lb_buf_printf(out, "%-19snot complete: %s%s%s\n", "", lb_size_end_names[end],
                reason[0] ? ": " : "", reason);
  lb_buf_printf(out, "%-19sthe same command goes on from here\n", "");
}

static void text_number(const struct lb_size_result *r, struct lb_buf *out)
{
  const struct lb_size_answer *a = &r->answer;
  bool all = a->meets == r->search.max;
  bool open = a->meets == 0 && !a->complete; /* "at least 0" says nothing */
  if (open)
    lb_buf_printf(out, "%-19snot known", "answer");
  else
    lb_buf_printf(out, "%-19s%s%" PRId64 " accelerator%s", "answer",
                  all ? ">= " : "", a->meets, lb_plural(a->meets));
  if (open && a->misses)
    lb_buf_printf(out, ", fewer than %" PRId64, a->misses);
  else if (open)
    lb_buf_puts(out, ": no number was found to meet or to miss it");
  else if (all)
    lb_buf_puts(out, r->wished ? ", as many as the files are enough for"
                               : ", as many as were asked for");
  else if (a->misses && a->complete)
    lb_buf_printf(out, ", %" PRId64 " miss%s it", a->misses,
                  a->misses == 1 ? "es" : "");
  else if (a->misses)
    lb_buf_printf(out, " at least, fewer than %" PRId64, a->misses);
  else if (!a->complete)
    lb_buf_puts(out, " at least");
  if (a->undecided)
    lb_buf_printf(out, "; %d number%s above it undecided", a->undecided,
                  lb_plural(a->undecided));
  lb_buf_puts(out, "\n");
  size_text_end(r->end, r->reason, r->earlier_runs, out);
}

static void text_rate(const char *what, const struct lb_size_load *l,
                      double rate, struct lb_buf *out)
{
  lb_buf_printf(out, "%-19s%.1f samples/s, %.3f GiB/s", what, rate,
                rate * l->sample_bytes / gib);
  if (fabs(l->read_bytes - l->sample_bytes) > 0.01 * l->sample_bytes)
    lb_buf_printf(out, " (%.3f GiB/s are read)", rate * l->read_bytes / gib);
}

static void text_rates(const struct lb_size_result *r, struct lb_buf *out)
{
  int meets = lb_size_find(r, r->answer.meets), decisive = r->answer.decisive;
  char what[40];
  if (meets >= 0) {
    snprintf(what, sizeof what, "with %" PRId64, r->answer.meets);
    text_rate(what, &r->load, lb_size_rate(r, meets), out);
    lb_buf_puts(out, "\n");
  }
  if (decisive < 0)
    return;
  text_rate("knee", &r->load, lb_size_rate(r, decisive), out);
  lb_buf_printf(out, ": %.2f accelerators, from there on AU falls\n",
                r->answer.knee);
  if (meets >= 0 &&
      lb_size_rate(r, decisive) < falls_off * lb_size_rate(r, meets))
    lb_buf_printf(out,
                  "%-19swith %" PRId64 " it gave less than with %" PRId64
                  ": it varies, or falls off when too much is asked\n",
                  "", r->search.point[decisive].n, r->answer.meets);
}

static const char *const limits[LB_N_LIMITS] = {
    [LB_LIMIT_UNKNOWN] = "not known",
    [LB_LIMIT_COMPUTE] = ("the workload itself: its computes vary, or it "
                          "preprocesses longer than it reads"),
    [LB_LIMIT_STORAGE] = "storage",
    [LB_LIMIT_CLIENT] = "the CLIENT: this is no answer about the storage",
};

static void text_limit(const struct lb_size_result *r, struct lb_buf *out)
{
  int decisive = r->answer.decisive;
  if (decisive >= 0)
    lb_buf_printf(
        out, "%-19s%s\n", "limited by",
        limits[lb_size_blames_client(r, decisive) ? LB_LIMIT_CLIENT
                                                  : r->at[decisive].limit]);
  const struct lb_size_point *const *rose = r->answer.rose;
  if (rose[0])
    lb_buf_printf(out,
                  "%-19sAU rose from %.2f %% with %" PRId64 " to %.2f %% with "
                  "%" PRId64 ": something else changed (caches?)\n",
                  "doubtful", rose[0]->au, rose[0]->n, rose[1]->au, rose[1]->n);
}

static void text_reads(const struct lb_size_result *r, struct lb_buf *out)
{
  if (r->load.is_virtual) {
    lb_buf_printf(out, "%-19sof a model of storage: no bytes moved\n", "read");
    return;
  }
  double memory = (double)r->memory_bytes;
  lb_buf_printf(out,
                "%-19s%.2f GiB in %d run%s, %.2f x the memory of %d host%s "
                "(%.2f GiB)\n",
                "read", r->read_bytes / gib, r->runs, lb_plural(r->runs),
                memory > 0 ? r->read_bytes / memory : 0, r->hosts,
                lb_plural(r->hosts), memory / gib);
  if (r->reused_runs)
    lb_buf_printf(out,
                  "%-19s%" PRId64 " run%s read files again, after caches were "
                  "dropped on every host\n",
                  "", r->reused_runs, lb_plural(r->reused_runs));
}

static void text_others(const struct lb_size_result *r,
                        const struct lb_size_other *o, int n,
                        struct lb_buf *out)
{
  bool at_least;
  double capacity = lb_size_capacity(r, &at_least);
  if (n == 0)
    return;
  lb_buf_printf(out, "the same %.3f GiB/s would be enough for (estimates)\n",
                capacity / gib);
  for (int i = 0; i < n; i++)
    lb_buf_printf(out, "  %-17s%s%" PRId64 " at AU %.4g %%, %.4g s a step\n",
                  o[i].workload, at_least ? ">= " : "", o[i].accelerators,
                  o[i].au, o[i].compute_s);
}

static void text_head(const struct lb_size_result *r, struct lb_buf *out)
{
  const struct lb_size_steps *s = &r->steps;
  lb_buf_printf(out, "%-19s%s on %s", "sizing of", r->load.workload,
                r->load.storage);
  if (!r->load.is_virtual)
    lb_buf_printf(out, " in %s", r->load.folder);
  lb_buf_printf(out,
                "\n%-19sAU of at least %.4g %%, with up to %" PRId64
                " accelerator%s on %d rank%s\n",
                "asked", r->search.threshold, r->search.max,
                lb_plural(r->search.max), r->ranks, lb_plural(r->ranks));
  lb_buf_printf(out,
                "%-19s%" PRId64 " steps of %.4g s, of which %d x %" PRId64
                " count\n",
                "a run", s->all, r->load.compute_s, LB_WINDOWS, s->window);
}

static void text_plan(const struct lb_size_result *r, struct lb_buf *out)
{
  lb_buf_printf(out, "%-19s%.4g s, longer when accelerators wait\n", "it takes",
                (double)r->steps.all * r->load.compute_s);
  lb_buf_printf(out,
                "%-19s%" PRId64 " of %" PRId64 " files with 1 accelerator, "
                "%" PRId64 " with %" PRId64 "\n",
                "it reads", lb_size_need(&r->files, 1), r->files.files,
                lb_size_need(&r->files, r->search.max), r->search.max);
}

void lb_size_text(const struct lb_size_result *r,
                  const struct lb_size_other *others, int n_others,
                  struct lb_buf *out)
{
  text_head(r, out);
  if (r->end == LB_SIZE_DRY) {
    text_plan(r, out);
    return;
  }
  lb_buf_puts(out, "\n");
  if (r->search.n_points && r->search.point[0].windows) {
    text_points(r, out);
    lb_buf_puts(out, "\n");
    lb_size_plot(&r->search, out);
    lb_buf_puts(out, "\n");
  }
  text_number(r, out);
  text_rates(r, out);
  text_limit(r, out);
  text_reads(r, out);
  text_others(r, others, n_others, out);
}
