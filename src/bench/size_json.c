/* SPDX-License-Identifier: GPL-3.0-or-later */
/* size.json: the findings of a sizing for programs.  docs/sizing.md defines
 * every key.  Pure. */
#include "lb-config.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "size_impl.h"

enum { SCHEMA = 1 };
static void put_rate(json_t *o, const struct lb_size_load *l, double rate)
{
  lb_json_put_number(o, "samples_per_second", rate);
  lb_json_put_number(o, "GiB_per_second", rate * l->sample_bytes / LB_GIB);
  lb_json_put_number(o, "read_GiB_per_second", rate * l->read_bytes / LB_GIB);
}

static json_t *json_load(const struct lb_size_load *l)
{
  json_t *o = json_object();
  lb_json_put_text(o, "workload", l->workload);
  lb_json_put_text(o, "model", l->model);
  lb_json_put_text(o, "storage_type", l->storage);
  lb_json_put_text(o, "data_folder", l->folder);
  lb_json_put_number(o, "compute_seconds", l->compute_s);
  lb_json_put_number(o, "batch", l->batch);
  lb_json_put_number(o, "sample_bytes", l->sample_bytes);
  lb_json_put_number(o, "sample_read_bytes", l->read_bytes);
  return o;
}

static json_t *json_point(const struct lb_size_result *r, int i)
{
  const struct lb_size_point *p = &r->search.point[i];
  const struct lb_size_measured *at = &r->at[i];
  json_t *o = json_object();
  lb_json_put_int(o, "accelerators", p->n);
  lb_json_put_int(o, "ranks", at->ranks);
  lb_json_put_int(o, "runs", p->repeats);
  lb_json_put_int(o, "first_run", at->first_run);
  lb_json_put_int(o, "windows", p->windows);
  lb_json_put_number(o, "au_percentage", p->au);
  lb_json_put_number(o, "au_low_percentage", p->low);
  lb_json_put_number(o, "au_high_percentage", p->high);
  lb_json_put_text(o, "verdict", lb_size_side_names[p->side]);
  put_rate(o, &r->load, lb_size_rate(r, i));
  lb_json_put_text(o, "limited_by", lb_limit_names[at->limit]);
  lb_json_put_number(o, "late_percentage",
                     at->window_s > 0 ? 100 * at->late_s / at->window_s : NAN);
  lb_json_put_bool(o, "reused", at->reused);
  return o;
}

static json_t *json_points(const struct lb_size_result *r)
{
  json_t *a = json_array();
  for (int i = 0; i < r->search.n_points; i++)
    if (r->search.point[i].windows)
      json_array_append_new(a, json_point(r, i));
  return a;
}

static json_t *json_knee(const struct lb_size_result *r)
{
  int decisive = r->answer.decisive;
  if (decisive < 0)
    return json_null();
  json_t *o = json_object();
  lb_json_put_number(o, "accelerators", r->answer.knee);
  put_rate(o, &r->load, lb_size_rate(r, decisive));
  return o;
}

static json_t *json_rise(const struct lb_size_answer *a)
{
  json_t *o = json_array();
  for (int i = 0; i < 2 && a->rose[0]; i++)
    json_array_append_new(o, json_integer(a->rose[i]->n));
  return o;
}

static const char *limit_name(const struct lb_size_result *r, int decisive)
{
  bool client = lb_size_blames_client(r, decisive);
  return lb_limit_names[client ? LB_LIMIT_CLIENT : r->at[decisive].limit];
}

static json_t *json_answer(const struct lb_size_result *r)
{
  const struct lb_size_answer *a = &r->answer;
  int meets = lb_size_find(r, a->meets), decisive = r->answer.decisive;
  json_t *o = json_object();
  lb_json_put_int(o, "accelerators", a->meets);
  lb_json_put_bool(o, "at_least", a->meets == r->search.max || !a->complete);
  json_object_set_new(o, "misses",
                      a->misses ? json_integer(a->misses) : json_null());
  lb_json_put_int(o, "undecided", a->undecided);
  put_rate(o, &r->load, meets < 0 ? NAN : lb_size_rate(r, meets));
  json_object_set_new(o, "knee", json_knee(r));
  lb_json_put_text(o, "limited_by",
                   decisive < 0 ? NULL : limit_name(r, decisive));
  json_object_set_new(o, "rose", json_rise(a));
  return o;
}

static json_t *json_others(const struct lb_size_result *r,
                           const struct lb_size_other *others, int n)
{
  bool at_least;
  json_t *a = json_array();
  lb_size_capacity(r, &at_least);
  for (int i = 0; i < n; i++) {
    json_t *o = json_object();
    lb_json_put_text(o, "workload", others[i].workload);
    lb_json_put_number(o, "compute_seconds", others[i].compute_s);
    lb_json_put_number(o, "au_percentage", others[i].au);
    lb_json_put_int(o, "accelerators", others[i].accelerators);
    lb_json_put_bool(o, "at_least", at_least);
    json_array_append_new(a, o);
  }
  return a;
}

static int dump(json_t *o, struct lb_buf *out, struct lb_err *err)
{
  if (!o)
    return lb_err_set(err, LB_FAILED, "size.json: out of memory");
  lb_json_text(out, o);
  json_decref(o);
  return 0;
}

static json_t *measurements(const struct lb_size_result *r)
{
  json_t *a = json_array();
  for (int i = 0; i < r->runs; i++)
    json_array_append_new(a, size_run_json(&r->run[i]));
  return a;
}

static json_t *head(const char *kind, enum lb_size_end end, const char *reason,
                    const char *sizing)
{
  json_t *o = json_object();
  lb_json_put_int(o, "schema_version", SCHEMA);
  lb_json_put_text(o, "version", PACKAGE_VERSION);
  lb_json_put_text(o, "kind", kind);
  lb_json_put_text(o, "status", lb_size_end_names[end]);
  lb_json_put_text(o, "reason", reason[0] ? reason : NULL);
  json_object_set_new(o, "sizing",
                      sizing ? json_loads(sizing, 0, NULL) : json_null());
  return o;
}

int lb_size_json(const struct lb_size_result *r,
                 const struct lb_size_other *others, int n_others,
                 struct lb_buf *out, struct lb_err *err)
{
  json_t *o = head("accelerators", r->end, r->reason, r->sizing);
  json_object_set_new(o, "load", json_load(&r->load));
  lb_json_put_number(o, "au_threshold_percentage", r->search.threshold);
  lb_json_put_int(o, "max_accelerators", r->search.max);
  lb_json_put_int(o, "ranks", r->ranks);
  lb_json_put_int(o, "steps", r->steps.all);
  lb_json_put_int(o, "warm_up_steps", r->steps.warm_up);
  lb_json_put_int(o, "window_steps", r->steps.window);
  json_object_set_new(o, "answer", json_answer(r));
  json_object_set_new(o, "points", json_points(r));
  json_object_set_new(o, "others", json_others(r, others, n_others));
  lb_json_put_int(o, "runs", r->runs);
  lb_json_put_int(o, "earlier_runs", r->earlier_runs);
  lb_json_put_int(o, "reused_runs", r->reused_runs);
  lb_json_put_int(o, "read_bytes", (int64_t)r->read_bytes);
  lb_json_put_int(o, "memory_bytes", (int64_t)r->memory_bytes);
  lb_json_put_number(o, "seconds", r->seconds);
  json_object_set_new(o, "measurements", measurements(r));
  return dump(o, out, err);
}

static json_t *save_times(const struct lb_size_saves *s)
{
  json_t *a = json_array();
  for (int i = 0; i < s->n; i++)
    json_array_append_new(a, json_real(s->save_s[i]));
  return a;
}

int lb_size_saves_json(const struct lb_size_saves *s, struct lb_buf *out,
                       struct lb_err *err)
{
  json_t *o = head("checkpoint", s->end, s->reason, s->sizing);
  json_object_set_new(o, "load", json_load(&s->load));
  lb_json_put_int(o, "accelerators", s->accelerators);
  lb_json_put_int(o, "ranks", s->ranks);
  lb_json_put_number(o, "every_seconds", s->pace.every_s);
  lb_json_put_number(o, "at_most_percentage", s->pace.at_most);
  lb_json_put_int(o, "saves", s->n);
  lb_json_put_int(o, "bytes", (int64_t)s->bytes);
  lb_json_put_bool(o, "fsync", s->synced);
  lb_json_put_number(o, "save_seconds", s->mean_s);
  lb_json_put_number(o, "save_low_seconds", s->low_s);
  lb_json_put_number(o, "save_high_seconds", s->high_s);
  lb_json_put_number(o, "cost_percentage", s->cost);
  lb_json_put_number(o, "cost_low_percentage", s->cost_low);
  lb_json_put_number(o, "cost_high_percentage", s->cost_high);
  lb_json_put_text(o, "verdict", lb_size_side_names[s->side]);
  lb_json_put_number(o, "needed_GiB_per_second",
                     s->needed_bytes_per_s / LB_GIB);
  lb_json_put_number(o, "GiB_per_second", s->bytes_per_s / LB_GIB);
  lb_json_put_number(o, "least_every_seconds", s->least_every_s);
  lb_json_put_int(o, "runs", s->runs);
  lb_json_put_int(o, "earlier_runs", s->earlier_runs);
  lb_json_put_number(o, "longest_run_seconds", s->longest_s);
  json_object_set_new(o, "measurements", save_times(s));
  return dump(o, out, err);
}
