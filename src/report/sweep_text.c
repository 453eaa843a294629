/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep's runs as CSV (a line a run) and for people (a line a point). */
#include "lb-config.h"

#include "loadbank/sweep_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/units.h"
#include "report/sweep_impl.h"

/* ---- CSV, as RFC 4180 has it ---- */

static void field(struct lb_buf *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    lb_buf_printf(out, "%s,", text);
    return;
  }
  lb_buf_puts(out, "\"");
  for (; *text; text++)
    lb_buf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  lb_buf_puts(out, "\",");
}

static void number(struct lb_buf *out, double v)
{
  char text[LB_REAL_LEN] = "";
  if (isfinite(v))
    lb_format_real(v, text);
  field(out, text);
}

/* The last field's comma becomes the end of the line. */
static void end_line(struct lb_buf *out)
{
  if (out->len)
    out->data[out->len - 1] = '\n';
}

/* These have a column of their own where they are not swept. */
static bool swept(const struct lb_sweep *s, const char *name)
{
  return lb_sweep_value_of(s, 0, name) != NULL;
}

static void csv_head(const struct lb_sweep_record *r, struct lb_buf *out)
{
  const struct lb_sweep *s = r->sweep;
  lb_buf_puts(out, "point,repeat,order,status,reason,start,seconds,folder,");
  for (size_t i = 0; i < s->n_keys; i++)
    field(out, s->key[i].name);
  lb_buf_puts(out, swept(s, "ranks") ? "" : "ranks,");
  lb_buf_puts(out, swept(s, "accelerators") ? "" : "accelerators,");
  lb_buf_puts(out, "limited_by,");
  for (size_t i = 0; lb_metrics_table[i].key; i++)
    if (lb_sweep_has(r, i))
      field(out, lb_metrics_table[i].key);
  end_line(out);
}

static void csv_run(const struct lb_sweep_record *r, size_t n,
                    struct lb_buf *out)
{
  const struct lb_sweep *s = r->sweep;
  const struct lb_sweep_run *run = &r->run[n];
  size_t point = lb_sweep_point_of(s, n);
  char folder[LB_SWEEP_FOLDER];
  lb_sweep_run_folder(s, n, folder);
  lb_buf_printf(out, "%zu,%zu,%lld,%s,", point + 1,
                lb_sweep_repeat_of(s, n) + 1, (long long)run->order,
                lb_sweep_status_names[run->status]);
  field(out, run->reason ? run->reason : "");
  field(out, run->start);
  number(out, run->seconds);
  field(out, folder);
  for (size_t i = 0; i < s->n_keys; i++)
    field(out, lb_sweep_value(s, point, i));
  if (!swept(s, "ranks"))
    lb_buf_printf(out, "%d,", run->ranks);
  if (!swept(s, "accelerators"))
    lb_buf_printf(out, "%d,", run->accelerators);
  field(out, run->limited_by);
  for (size_t i = 0; lb_metrics_table[i].key; i++)
    if (lb_sweep_has(r, i))
      number(out, run->metric ? run->metric[i] : NAN);
  end_line(out);
}

void lb_sweep_csv(const struct lb_sweep_record *r, struct lb_buf *out)
{
  csv_head(r, out);
  for (size_t i = 0; i < r->sweep->n_runs; i++)
    if (r->run[i].status != LB_SWEEP_OPEN)
      csv_run(r, i, out);
}

/* ---- the table ---- */

/* What people look for first. */
static const struct shown {
  const char *key, *head, *unit;
} shown[] = {
    {"train_au_mean_percentage", "AU (%)", "% AU"},
    {"train_throughput_mean_samples_per_second", "samples/s", "samples/s"},
    {"train_io_mean_MB_per_second", "MiB/s", "MiB/s"},
    {"eval_au_mean_percentage", "eval AU (%)", "% eval AU"},
    {"save_checkpoint_io_mean_GB_per_second", "save (GiB/s)", "GiB/s saved"},
    {"load_checkpoint_io_mean_GB_per_second", "load (GiB/s)", "GiB/s loaded"},
};
enum {
  N_SHOWN = sizeof shown / sizeof *shown,
  CELL = 48,     /* bytes of a cell: longer values are cut */
  MAX_KEYS = 40, /* that are shown */
  MAX_COLUMNS = MAX_KEYS + N_SHOWN + 3
};

static size_t metric_index(const char *key)
{
  size_t i = 0;
  while (lb_metrics_table[i].key && strcmp(lb_metrics_table[i].key, key) != 0)
    i++;
  return i;
}

struct table {
  size_t metric[N_SHOWN]; /* their rows in the table of metrics */
  bool on[N_SHOWN];
  int columns, width[MAX_COLUMNS];
  char cell[MAX_COLUMNS][CELL]; /* of the line that is made */
};

static void put(struct table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct table *t, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  char *cell = t->cell[t->columns];
  int n = vsnprintf(cell, CELL, fmt, ap);
  va_end(ap);
  if (n >= CELL)
    memcpy(cell + CELL - 4, "...", 4);
  int width = (int)strlen(cell);
  if (width > t->width[t->columns])
    t->width[t->columns] = width;
  t->columns++;
}

static void put_head(struct table *t, const struct lb_sweep_record *r)
{
  t->columns = 0;
  put(t, "point");
  for (size_t i = 0; i < r->sweep->n_keys && i < MAX_KEYS; i++)
    put(t, "%s", r->sweep->key[i].name);
  put(t, "runs");
  for (int i = 0; i < N_SHOWN; i++)
    if (t->on[i])
      put(t, "%s", shown[i].head);
}

static void put_mean(struct table *t, const struct lb_mean *m)
{
  if (m->n == 0)
    put(t, "-");
  else if (m->n == 1)
    put(t, "%.2f", m->mean);
  else
    put(t, "%.2f +- %.2f", m->mean, lb_mean_half_width(m, 0.95));
}

static void put_point(struct table *t, const struct lb_sweep_record *r,
                      size_t point)
{
  t->columns = 0;
  put(t, "%zu", point + 1);
  for (size_t i = 0; i < r->sweep->n_keys && i < MAX_KEYS; i++)
    put(t, "%s", lb_sweep_value(r->sweep, point, i));
  put(t, "%zu of %lld", lb_sweep_n_with(r, point, LB_SWEEP_COMPLETE),
      (long long)r->sweep->repeat);
  for (int i = 0; i < N_SHOWN; i++)
    if (t->on[i]) {
      struct lb_mean m = lb_sweep_mean(r, point, t->metric[i]);
      put_mean(t, &m);
    }
}

static void print_line(const struct table *t, struct lb_buf *out)
{
  for (int i = 0; i < t->columns; i++)
    lb_buf_printf(out, "%s%*s", i ? "  " : "", t->width[i], t->cell[i]);
  lb_buf_puts(out, "\n");
}

/* Each reason once a point. */
static void add_failures(const struct lb_sweep_record *r, struct lb_buf *out)
{
  const char *last = NULL;
  size_t of = 0;
  for (size_t i = 0; i < r->sweep->n_runs; i++) {
    const struct lb_sweep_run *run = &r->run[i];
    size_t point = lb_sweep_point_of(r->sweep, i);
    if (run->status != LB_SWEEP_FAILED ||
        (last && of == point && !strcmp(last, run->reason)))
      continue;
    lb_buf_printf(out, "point %zu failed: %s\n", point + 1, run->reason);
    last = run->reason;
    of = point;
  }
}

void lb_sweep_table(const struct lb_sweep_record *r, struct lb_buf *out)
{
  struct table t = {.columns = 0};
  for (int i = 0; i < N_SHOWN; i++) {
    t.metric[i] = metric_index(shown[i].key);
    t.on[i] = lb_sweep_has(r, t.metric[i]);
  }
  put_head(&t, r);
  for (size_t p = 0; p < r->sweep->n_points; p++)
    put_point(&t, r, p); /* how wide it gets */
  put_head(&t, r);
  print_line(&t, out);
  for (size_t p = 0; p < r->sweep->n_points; p++) {
    put_point(&t, r, p);
    print_line(&t, out);
  }
  if (r->sweep->repeat > 1)
    lb_buf_puts(out, "(mean +- half of the 95 % interval of the mean)\n");
  add_failures(r, out);
}

void lb_sweep_line(const struct lb_sweep_run *run, struct lb_buf *out)
{
  const char *comma = "";
  if (run->status == LB_SWEEP_FAILED)
    lb_buf_printf(out, "failed: %s", run->reason);
  for (int i = 0; run->metric && i < N_SHOWN; i++) {
    double v = run->metric[metric_index(shown[i].key)];
    if (!isfinite(v))
      continue;
    lb_buf_printf(out, "%s%.2f %s", comma, v, shown[i].unit);
    comma = ", ";
  }
}
