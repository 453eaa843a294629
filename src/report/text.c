/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metric block: what a person reads at the end of a run. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/report.h"

static const char *const red = "\033[31m", *const plain = "\033[0m";
static const char *const bar =
    "==========================================================";

/* A line of the block: a metric and the deviation that belongs to it. */
static const struct line {
  const char *label, *key, *stdev_key;
} lines[] = {
    {"Training AU (%)", "train_au_mean_percentage",
     "train_au_stdev_percentage"},
    {"Training nominal AU (%)", "train_nominal_au_mean_percentage",
     "train_nominal_au_stdev_percentage"},
    {"Training throughput (samples/s)",
     "train_throughput_mean_samples_per_second",
     "train_throughput_stdev_samples_per_second"},
    {"Training I/O, nominal (MiB/s)", "train_io_mean_MB_per_second",
     "train_io_stdev_MB_per_second"},
    {"Training I/O, payload read (MiB/s)", "train_payload_mean_MiB_per_second",
     NULL},
    {"Training I/O, file bytes read (MiB/s)", "train_file_mean_MiB_per_second",
     NULL},
    {"Evaluation AU (%)", "eval_au_mean_percentage",
     "eval_au_stdev_percentage"},
    {"Evaluation nominal AU (%)", "eval_nominal_au_mean_percentage",
     "eval_nominal_au_stdev_percentage"},
    {"Evaluation throughput (samples/s)",
     "eval_throughput_mean_samples_per_second",
     "eval_throughput_stdev_samples_per_second"},
    {"Evaluation I/O, nominal (MiB/s)", "eval_io_mean_MB_per_second",
     "eval_io_stdev_MB_per_second"},
    {"Checkpoint size (GiB)", "checkpoint_size_GB", NULL},
    {"Checkpoint save (GiB/s)", "save_checkpoint_io_mean_GB_per_second",
     "save_checkpoint_io_stdev_GB_per_second"},
    {"Checkpoint save duration (s)", "save_checkpoint_duration_mean_seconds",
     "save_checkpoint_duration_stdev_seconds"},
    {"Checkpoint load (GiB/s)", "load_checkpoint_io_mean_GB_per_second",
     "load_checkpoint_io_stdev_GB_per_second"},
    {"Checkpoint load duration (s)", "load_checkpoint_duration_mean_seconds",
     "load_checkpoint_duration_stdev_seconds"},
    {"Client CPU (cores, all ranks)", "client_cpu_cores", NULL},
    {"Gate lateness (s, mean)", "client_gate_late_mean_seconds", NULL},
};

static const char *plural(int n)
{
  return n == 1 ? "" : "s";
}

static const struct lb_metric *find(const char *key)
{
  for (const struct lb_metric *m = lb_metrics_table; m->key; m++)
    if (!strcmp(m->key, key))
      return m;
  return NULL;
}

static void number(FILE *out, double v)
{
  if (isnan(v))
    fputs("none", out);
  else if (v != 0 && fabs(v) < 0.01)
    fprintf(out, "%.3g", v);
  else
    fprintf(out, "%.4f", v);
}

static void print_line(FILE *out, const struct line *l,
                       const struct lb_summary *s)
{
  const struct lb_metric *m = find(l->key);
  if (!m || !lb_metric_present(s, m->group))
    return;
  fprintf(out, "[METRIC] %-38s ", l->label);
  number(out, m->get(s, lb_metric_set(m), 0));
  const struct lb_metric *d = l->stdev_key ? find(l->stdev_key) : NULL;
  if (d) {
    fputs(" (", out);
    number(out, d->get(s, lb_metric_set(d), 0));
    fputs(")", out);
  }
  fputc('\n', out);
}

static void generated(FILE *out, const struct lb_rank_cost *c)
{
  if (!c->generated_files)
    return;
  double seconds = (double)c->generate_ns / 1e9;
  fprintf(out, "[METRIC] %-38s %" PRIu64 " files, %.2f MiB in %.2f s",
          "Generated", c->generated_files,
          (double)c->generated_bytes / (1 << 20), seconds);
  if (seconds > 0)
    fprintf(out, " (%.1f MiB/s)",
            (double)c->generated_bytes / (1 << 20) / seconds);
  fputc('\n', out);
}

static void limit(FILE *out, bool colour, const struct lb_limit *l)
{
  if (l->by == LB_LIMIT_UNKNOWN)
    return;
  bool client = l->by == LB_LIMIT_CLIENT;
  fprintf(out, "[METRIC] %-38s %s%s%s", "Limited by",
          client && colour ? red : "", lb_limit_names[l->by],
          client && colour ? plain : "");
  fprintf(out, " (of the time, waiting for data %.1f %%", l->load_percent);
  if (l->load_percent >= 0.05)
    fprintf(out, ", %.0f %% of that the client's own doing",
            100 * l->client_share);
  fprintf(out, "; client late %.2f %%)\n", l->late_percent);
}

static void verdict(FILE *out, const struct lb_summary *s, enum lb_set set,
                    const char *what, double threshold)
{
  enum lb_metric_group g =
      set == LB_SET_EVAL ? LB_METRIC_EVAL : LB_METRIC_TRAIN;
  if (!lb_metric_present(s, g))
    return;
  bool pass = lb_summary_meets(s, set, threshold);
  fprintf(out, "[METRIC] %-38s %s: AU ", what, pass ? "success" : "fail");
  double au = s->set[set].au;
  if (isnan(au))
    fputs("none, no metric window", out);
  else
    fprintf(out, "%.4f %%", au);
  fprintf(out, ", metric.au asks for %.4g %%\n", 100 * threshold);
}

void lb_report_text(FILE *out, bool colour, const struct lb_report *r,
                    const struct lb_summary *s)
{
  fprintf(out, "[METRIC] %s\n", bar);
  fprintf(out, "[METRIC] %-38s %d (%d rank%s, %d node%s, %d host%s)\n",
          "Accelerators", s->accelerators, s->n_ranks, plural(s->n_ranks),
          s->n_nodes, plural(s->n_nodes), s->n_hosts, plural(s->n_hosts));
  generated(out, &s->cost);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    print_line(out, &lines[i], s);
  limit(out, colour, &s->limit);
  verdict(out, s, LB_SET_TRAIN, "Training AU expectation", r->au_threshold);
  verdict(out, s, LB_SET_EVAL, "Evaluation AU expectation", r->au_threshold);
  if (r->status != LB_STATUS_COMPLETE)
    fprintf(out, "[METRIC] %-38s %s%s%s\n", "Incomplete run",
            r->status == LB_STATUS_INTERRUPTED ? "interrupted" : "failed",
            r->reason ? ": " : "", r->reason ? r->reason : "");
  fprintf(out, "[METRIC] %s\n", bar);
  if (r->folder)
    fprintf(out, "Results: %s\n", r->folder);
}
