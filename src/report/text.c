/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metric block: what a person reads at the end of a run. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>

#include "loadbank/metric_table.h"
#include "loadbank/units.h"
#include "report/report_impl.h"

static const char *const red = "\033[31m", *const plain = "\033[0m";
static const char *const bar =
    "==========================================================";

static void number(FILE *out, double v)
{
  if (isnan(v))
    fputs("none", out);
  else if (v != 0 && fabs(v) < 0.01)
    fprintf(out, "%.3g", v);
  else
    fprintf(out, "%.4f", v);
}

static void print_line(FILE *out, const struct lb_metric *m,
                       const struct lb_summary *s)
{
  if (!m->label || !lb_metric_present(s, m->group))
    return;
  fprintf(out, "[METRIC] %-40s ", m->label);
  number(out, m->get(s, lb_metric_set(m), 0));
  if (m->stdev) {
    fputs(" (", out);
    number(out, m->stdev(s, lb_metric_set(m), 0));
    fputs(")", out);
  }
  fputc('\n', out);
}

static void generated(FILE *out, const struct lb_rank_cost *c)
{
  if (!c->generated_files)
    return;
  double seconds = (double)c->generate_ns / 1e9;
  fprintf(out, "[METRIC] %-40s %" PRIu64 " file%s, %.2f MiB in %.2f s",
          "Generated", c->generated_files,
          lb_plural((int64_t)c->generated_files),
          (double)c->generated_bytes / LB_MIB, seconds);
  if (seconds > 0)
    fprintf(out, " (%.1f MiB/s)",
            (double)c->generated_bytes / LB_MIB / seconds);
  fputc('\n', out);
}

static void limit(FILE *out, bool colour, const struct lb_summary *s)
{
  const struct lb_limit *l = &s->limit;
  const struct lb_set_summary *set =
      &s->set[s->set[LB_SET_TRAIN].n_epochs ? LB_SET_TRAIN : LB_SET_EVAL];
  if (l->by == LB_LIMIT_UNKNOWN)
    return;
  bool client = l->by == LB_LIMIT_CLIENT;
  fprintf(out, "[METRIC] %-40s %s%s%s", "Limited by",
          client && colour ? red : "", lb_limit_names[l->by],
          client && colour ? plain : "");
  fprintf(out, " (of the time, waiting for data %.1f %%", l->load_percent);
  if (l->load_percent >= 0.05)
    fprintf(out, ", %.0f %% of that the client's own doing",
            100 * l->client_share);
  fprintf(out, ", at the gate %.1f %%; client late %.2f %%)\n",
          100 * set->gate_s / set->window_s, l->late_percent);
}

static void verdict(FILE *out, const struct lb_summary *s, enum lb_set set,
                    const char *what, double threshold)
{
  enum lb_metric_group g =
      set == LB_SET_EVAL ? LB_METRIC_EVAL : LB_METRIC_TRAIN;
  if (!lb_metric_present(s, g))
    return;
  bool pass = lb_summary_meets(s, set, threshold);
  fprintf(out, "[METRIC] %-40s %s: AU ", what, pass ? "success" : "fail");
  double au = s->set[set].au;
  if (isnan(au))
    fputs("none, no metric window", out);
  else
    fprintf(out, "%.4f %%", au);
  fprintf(out, ", metric.au asks for %.4g %%\n", 100 * threshold);
}

/* Where the first host's ranks run; summary.json has the others. */
static void processors(FILE *out, const struct lb_placement *p)
{
  if (!p || !p->n_hosts)
    return;
  const struct lb_host_place *h = &p->host[0];
  int cpus = CPU_COUNT(&h->cpus);
  fprintf(out, "[METRIC] %-40s %d for %d thread%s of %d rank%s", "Processors",
          cpus, h->threads, lb_plural(h->threads), h->ranks,
          lb_plural(h->ranks));
  int cores = lb_cpu_map_count(&h->map, &h->cpus, LB_CPU_CORE),
      nodes = lb_cpu_map_count(&h->map, &h->cpus, LB_CPU_NUMA);
  if (cores)
    fprintf(out, " (%d core%s, %d NUMA node%s)", cores, lb_plural(cores), nodes,
            lb_plural(nodes));
  fputs(p->n_hosts > 1 ? " on the first host\n" : "\n", out);
}

void lb_report_text(FILE *out, bool colour, const struct lb_report *r,
                    const struct lb_summary *s)
{
  fprintf(out, "[METRIC] %s\n", bar);
  fprintf(out, "[METRIC] %-40s %d (%d rank%s, %d node%s, %d host%s)\n",
          "Accelerators", s->accelerators, s->n_ranks, lb_plural(s->n_ranks),
          s->n_nodes, lb_plural(s->n_nodes), s->n_hosts, lb_plural(s->n_hosts));
  processors(out, r->placement);
  generated(out, &s->cost);
  for (const struct lb_metric *m = lb_metrics_table; m->key; m++)
    print_line(out, m, s);
  limit(out, colour, s);
  verdict(out, s, LB_SET_TRAIN, "Training AU expectation", r->au_threshold);
  verdict(out, s, LB_SET_EVAL, "Evaluation AU expectation", r->au_threshold);
  if (r->status != LB_STATUS_COMPLETE)
    fprintf(out, "[METRIC] %-40s %s%s%s\n", "Incomplete run",
            r->status == LB_STATUS_INTERRUPTED ? "interrupted" : "failed",
            r->reason ? ": " : "", r->reason ? r->reason : "");
  fprintf(out, "[METRIC] %s\n", bar);
  char whole[LB_PATH_TEXT];
  if (r->folder)
    fprintf(out, "Results: %s\n", lb_report_path(r->folder, whole));
}
