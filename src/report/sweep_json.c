/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.json: written after every run, read by the job that goes on.  What the
 * sweep is stands in its object `sweep', which has to be the same then. */
#include "lb-config.h"

#include "loadbank/sweep_record.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/hash.h"
#include "loadbank/path.h"
#include "loadbank/wholefile.h"
#include "report/json.h"
#include "report/sweep_impl.h"

enum { SCHEMA = 1, MAX_TEXT = 1 << 30 };
static const char file_name[] = "sweep.json";

/* ---- what the sweep is ---- */

static json_t *texts(const struct lb_texts *t)
{
  json_t *list = json_array();
  for (size_t i = 0; i < t->n; i++)
    json_array_append_new(list, lb_json_string(t->text[i]));
  return list;
}

static json_t *keys(const struct lb_sweep *s)
{
  json_t *list = json_array();
  for (size_t i = 0; i < s->n_keys; i++) {
    json_t *one = json_object();
    lb_json_put_text(one, "key", s->key[i].name);
    json_object_set_new(one, "values", texts(&s->key[i].values));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *description(const struct lb_sweep_record *r)
{
  json_t *o = json_object();
  char hash[24];
  snprintf(hash, sizeof hash, "%016" PRIx64, r->text_hash);
  json_object_set_new(o, "loadbank", json_string(PACKAGE_VERSION));
  lb_json_put_text(o, "workload", r->workload);
  json_object_set_new(o, "workload_hash", json_string(hash));
  json_object_set_new(o, "overrides", texts(&r->sweep->fixed));
  json_object_set_new(o, "keys", keys(r->sweep));
  lb_json_put_int(o, "repeat", r->sweep->repeat);
  lb_json_put_int(o, "seed", (int64_t)r->sweep->seed);
  lb_json_put_int(o, "ranks", r->ranks);
  lb_json_put_int(o, "nodes", r->nodes);
  lb_json_put_int(o, "accelerators", r->accelerators);
  return o;
}

void lb_sweep_folder(const struct lb_sweep_record *r, struct lb_buf *out)
{
  json_t *o = description(r);
  char *text = json_dumps(o, JSON_COMPACT);
  json_decref(o);
  uint64_t hash = text ? lb_hash(LB_HASH_START, text, strlen(text)) : 0;
  free(text);
  lb_buf_printf(out, "results/%s/sweep-%08" PRIx32, r->workload,
                (uint32_t)(hash ^ hash >> 32));
}

/* ---- writing ---- */

static json_t *values(const struct lb_sweep *s, size_t point)
{
  json_t *o = json_object();
  for (size_t i = 0; i < s->n_keys; i++)
    lb_json_put_text(o, s->key[i].name, lb_sweep_value(s, point, i));
  return o;
}

static json_t *metrics_of(const struct lb_sweep_run *run)
{
  json_t *o = json_object();
  for (size_t i = 0; lb_metrics_table[i].key; i++)
    if (isfinite(run->metric[i]))
      json_object_set_new(o, lb_metrics_table[i].key,
                          json_real(run->metric[i]));
  return o;
}

static json_t *one_run(const struct lb_sweep_record *r, size_t number)
{
  const struct lb_sweep *s = r->sweep;
  const struct lb_sweep_run *run = &r->run[number];
  size_t point = lb_sweep_point_of(s, number);
  char folder[LB_SWEEP_FOLDER];
  json_t *o = json_object();
  lb_sweep_run_folder(s, number, folder);
  lb_json_put_int(o, "point", (int64_t)point + 1);
  lb_json_put_int(o, "repeat", (int64_t)lb_sweep_repeat_of(s, number) + 1);
  json_object_set_new(o, "values", values(s, point));
  lb_json_put_int(o, "order", run->order);
  json_object_set_new(o, "status",
                      json_string(lb_sweep_status_names[run->status]));
  lb_json_put_text(o, "reason", run->reason);
  json_object_set_new(o, "start", json_string(run->start));
  lb_json_put_number(o, "seconds", run->seconds);
  json_object_set_new(o, "folder", json_string(folder));
  lb_json_put_int(o, "ranks", run->ranks);
  lb_json_put_int(o, "accelerators", run->accelerators);
  json_object_set_new(o, "limited_by",
                      *run->limited_by ? json_string(run->limited_by)
                                       : json_null());
  json_object_set_new(o, "metric",
                      run->metric ? metrics_of(run) : json_object());
  return o;
}

static json_t *mean_json(const struct lb_mean *m)
{
  json_t *o = json_object();
  lb_json_put_number(o, "mean", m->mean);
  lb_json_put_number(o, "stdev", m->stdev);
  lb_json_put_number(o, "half_width_95", lb_mean_half_width(m, 0.95));
  return o;
}

static json_t *one_point(const struct lb_sweep_record *r, size_t point)
{
  json_t *o = json_object(), *metric = json_object();
  lb_json_put_int(o, "point", (int64_t)point + 1);
  json_object_set_new(o, "values", values(r->sweep, point));
  for (int i = LB_SWEEP_OPEN; i <= LB_SWEEP_FAILED; i++)
    lb_json_put_int(
        o, lb_sweep_status_names[i],
        (int64_t)lb_sweep_n_with(r, point, (enum lb_sweep_status)i));
  for (size_t i = 0; lb_metrics_table[i].key; i++) {
    struct lb_mean m = lb_sweep_mean(r, point, i);
    if (m.n)
      json_object_set_new(metric, lb_metrics_table[i].key, mean_json(&m));
  }
  json_object_set_new(o, "metric", metric);
  return o;
}

static json_t *whole(const struct lb_sweep_record *r)
{
  const struct lb_sweep *s = r->sweep;
  json_t *o = json_object(), *runs = json_array(), *points = json_array();
  bool open = false;
  for (size_t i = 0; i < s->n_runs; i++)
    if (r->run[i].status == LB_SWEEP_OPEN)
      open = true;
    else
      json_array_append_new(runs, one_run(r, i));
  for (size_t p = 0; p < s->n_points; p++)
    json_array_append_new(points, one_point(r, p));
  lb_json_put_int(o, "schema_version", SCHEMA);
  json_object_set_new(o, "sweep", description(r));
  json_object_set_new(o, "status",
                      json_string(open ? "incomplete" : "complete"));
  json_object_set_new(o, "runs", runs);
  json_object_set_new(o, "points", points);
  return o;
}

void lb_sweep_json(const struct lb_sweep_record *r, struct lb_buf *out)
{
  json_t *o = whole(r);
  lb_json_text(out, o);
  json_decref(o);
}

int lb_sweep_record_write(const struct lb_sweep_record *r, const char *folder,
                          struct lb_err *err)
{
  struct lb_buf csv;
  lb_buf_init(&csv, MAX_TEXT);
  lb_sweep_csv(r, &csv);
  int rc = csv.failed
               ? lb_err_set(err, LB_FAILED, "sweep.csv: no memory")
               : lb_write_file(folder, "sweep.csv", csv.data, csv.len, err);
  lb_buf_fini(&csv);
  return rc ? rc : lb_json_write(folder, file_name, whole(r), err);
}

/* ---- reading ---- */

static int check_same(const struct lb_sweep_record *r, const json_t *root,
                      const char *path, struct lb_err *err)
{
  struct lb_buf text;
  json_t *here = description(r);
  lb_buf_init(&text, 4096);
  if (json_integer_value(json_object_get(root, "schema_version")) != SCHEMA)
    lb_buf_puts(&text, "its schema_version is none that is known here");
  else
    lb_json_differences(json_object_get(root, "sweep"), here, &text);
  if (text.len)
    lb_err_set(err, LB_USAGE,
               "%s: of another sweep: %s; choose another folder (--results), "
               "or --force begins anew",
               path, text.data);
  json_decref(here);
  lb_buf_fini(&text);
  return -err->code;
}

static const char *text_of(const json_t *o, const char *key)
{
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static int64_t count_of(const json_t *o, const char *key)
{
  return json_integer_value(json_object_get(o, key));
}

static double *read_metrics(const json_t *o)
{
  double *v = malloc(lb_sweep_n_metrics() * sizeof *v);
  for (size_t i = 0; v && lb_metrics_table[i].key; i++) {
    const json_t *one = json_object_get(o, lb_metrics_table[i].key);
    v[i] = json_is_number(one) ? json_number_value(one) : NAN;
  }
  return v;
}

/* false: it is not what this program writes. */
static bool read_run(struct lb_sweep_record *r, const json_t *o)
{
  const struct lb_sweep *s = r->sweep;
  int64_t point = count_of(o, "point"), repeat = count_of(o, "repeat");
  if (point < 1 || point > (int64_t)s->n_points || repeat < 1 ||
      repeat > s->repeat)
    return false;
  struct lb_sweep_run *run =
      &r->run[(size_t)((point - 1) * s->repeat + repeat - 1)];
  bool failed = !strcmp(text_of(o, "status"), "failed");
  if (run->status != LB_SWEEP_OPEN ||
      (!failed && strcmp(text_of(o, "status"), "complete") != 0))
    return false;
  run->status = failed ? LB_SWEEP_FAILED : LB_SWEEP_COMPLETE;
  run->order = count_of(o, "order");
  run->seconds = json_number_value(json_object_get(o, "seconds"));
  run->ranks = (int)count_of(o, "ranks");
  run->accelerators = (int)count_of(o, "accelerators");
  snprintf(run->start, sizeof run->start, "%s", text_of(o, "start"));
  snprintf(run->limited_by, sizeof run->limited_by, "%s",
           text_of(o, "limited_by"));
  if (failed)
    run->reason = strdup(text_of(o, "reason"));
  else
    run->metric = read_metrics(json_object_get(o, "metric"));
  r->made = run->order > r->made ? run->order : r->made;
  return run->reason || run->metric;
}

static int read_all(struct lb_sweep_record *r, const json_t *root,
                    const char *path, struct lb_err *err)
{
  const json_t *runs = json_object_get(root, "runs");
  bool good = json_is_array(runs);
  int rc = check_same(r, root, path, err);
  for (size_t i = 0; !rc && good && i < json_array_size(runs); i++)
    good = read_run(r, json_array_get(runs, i));
  if (!rc && !good)
    rc = lb_err_set(err, LB_FAILED,
                    "%s: damaged, or no memory for it; --force begins anew",
                    path);
  return rc;
}

int lb_sweep_record_read(struct lb_sweep_record *r, const char *folder,
                         struct lb_err *err)
{
  char path[PATH_MAX];
  json_error_t why;
  if (lb_path_join(folder, file_name, path, LB_USAGE, err))
    return -err->code;
  if (access(path, F_OK))
    return 0;
  json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
  if (!root && why.line < 1) /* not opened */
    return lb_err_set(err, LB_FAILED, "%s", why.text);
  if (!root)
    return lb_err_set(err, LB_FAILED,
                      "%s:%d: %s; --force begins the sweep anew", path,
                      why.line, why.text);
  int rc = read_all(r, root, path, err);
  json_decref(root);
  return rc;
}
