/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for programs; keys: docs/compare.md. */
#include "lb-config.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "loadbank/compare.h"
#include "loadbank/json.h"

static json_t *mean(const struct lb_mean *m)
{
  json_t *o = json_object();
  lb_json_put_int(o, "n", (int64_t)m->n);
  lb_json_put_number(o, "mean", m->mean);
  lb_json_put_number(o, "stdev", m->stdev);
  lb_json_put_number(o, "half_width_95", lb_mean_half_width(m, 0.95));
  return o;
}

static json_t *cause(const struct lb_cause *c)
{
  if (!c->phase)
    return json_null();
  json_t *o = json_object();
  lb_json_put_text(o, "phase", c->phase);
  lb_json_put_text(o, "operation", c->operation);
  lb_json_put_text(o, "files", c->files);
  lb_json_put_number(o, "extra_seconds", c->extra_s);
  lb_json_put_number(o, "share", c->share);
  lb_json_put_number(o, "count_ratio", c->count_ratio);
  lb_json_put_number(o, "latency_a_seconds", c->latency_s[0]);
  lb_json_put_number(o, "latency_b_seconds", c->latency_s[1]);
  return o;
}

static json_t *judgement(const struct lb_judgement *j)
{
  const struct lb_quantity *q = j->quantity;
  json_t *o = json_object();
  lb_json_put_text(o, "path", q->path);
  lb_json_put_text(o, "label", q->label);
  lb_json_put_text(o, "unit", q->unit);
  lb_json_put_text(o, "better", q->higher ? "higher" : "lower");
  lb_json_put_bool(o, "counts", j->counts);
  json_object_set_new(o, "a", mean(&j->a));
  json_object_set_new(o, "b", mean(&j->b));
  lb_json_put_text(o, "basis", lb_basis_names[j->basis]);
  lb_json_put_number(o, "ratio", j->ratio);
  lb_json_put_number(o, "ratio_low_95", j->ends[0]);
  lb_json_put_number(o, "ratio_high_95", j->ends[1]);
  bool known = j->basis != LB_BASIS_NONE;
  lb_json_put_number(o, "p_worse", known ? j->p_worse : NAN);
  lb_json_put_number(o, "p_better", known ? j->p_better : NAN);
  lb_json_put_number(o, "p_same", known ? j->p_same : NAN);
  lb_json_put_number(o, "p_adjusted", known ? j->p : NAN);
  lb_json_put_text(o, "verdict", lb_verdict_names[j->verdict]);
  json_object_set_new(o, "cause", cause(&j->cause));
  return o;
}

static json_t *group(const struct lb_group *g)
{
  const struct lb_result *r = g->run[0];
  json_t *o = json_object(), *runs = json_array();
  lb_json_put_text(o, "workload", r->workload);
  lb_json_put_text(o, "version", r->version);
  lb_json_put_text(o, "fingerprint", r->fingerprint);
  lb_json_put_text(o, "config_hash", r->config_hash);
  lb_json_put_int(o, "accelerators", r->accelerators);
  lb_json_put_int(o, "ranks", r->ranks);
  lb_json_put_int(o, "nodes", r->nodes);
  lb_json_put_int(o, "client_bound", (int64_t)(lb_group_client_bound(g)));
  for (size_t i = 0; i < g->n; i++)
    json_array_append_new(runs, lb_json_string(g->run[i]->path));
  json_object_set_new(o, "results", runs);
  return o;
}

static json_t *match(const struct lb_match *m)
{
  json_t *o = json_object(), *differs = json_array(), *rows = json_array();
  for (size_t i = 0; i < m->n_differs; i++) {
    json_t *d = json_object();
    lb_json_put_text(d, "key", m->differs[i].key);
    lb_json_put_text(d, "a", m->differs[i].a);
    lb_json_put_text(d, "b", m->differs[i].b);
    json_array_append_new(differs, d);
  }
  for (size_t i = 0; i < m->n; i++)
    json_array_append_new(rows, judgement(&m->judgement[i]));
  lb_json_put_text(o, "verdict", lb_verdict_names[m->verdict]);
  json_object_set_new(o, "a", group(&m->a));
  json_object_set_new(o, "b", group(&m->b));
  json_object_set_new(o, "differs", differs);
  json_object_set_new(o, "metrics", rows);
  return o;
}

static json_t *set(const struct lb_compared *c, int side)
{
  const struct lb_results *s = c->set[side];
  json_t *o = json_object(), *out = json_array(), *alone = json_array();
  size_t complete = 0;
  for (size_t i = 0; i < s->n; i++) {
    const struct lb_result *r = &s->result[i];
    if (r->state == LB_RESULT_COMPLETE) {
      complete++;
      continue;
    }
    json_t *one = json_object();
    lb_json_put_text(one, "path", r->path);
    lb_json_put_text(one, "state", lb_result_state_names[r->state]);
    lb_json_put_text(one, "reason", r->reason);
    json_array_append_new(out, one);
  }
  for (size_t i = 0; i < c->result->n_alone[side]; i++)
    json_array_append_new(alone,
                          lb_json_string(c->result->alone[side][i]->path));
  lb_json_put_text(o, "path", c->name[side]);
  lb_json_put_int(o, "complete", (int64_t)complete);
  json_object_set_new(o, "left_out", out);
  json_object_set_new(o, "without_counterpart", alone);
  return o;
}

int lb_comparison_json(const struct lb_compared *c, struct lb_buf *out,
                       struct lb_err *err)
{
  json_t *o = json_object(), *matches = json_array();
  for (size_t i = 0; i < c->result->n; i++)
    json_array_append_new(matches, match(&c->result->match[i]));
  lb_json_put_int(o, "schema_version", 1);
  lb_json_put_text(o, "verdict",
                   c->name[0] ? lb_verdict_names[c->result->verdict] : NULL);
  lb_json_put_number(o, "tolerance_percentage", 100 * c->result->tolerance);
  lb_json_put_text(o, "kept", c->kept);
  json_object_set_new(o, "a", set(c, 0));
  json_object_set_new(o, "b", set(c, 1));
  json_object_set_new(o, "comparisons", matches);
  char *dump = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  json_decref(o);
  if (!dump)
    return lb_err_set(err, LB_FAILED, "no memory for the comparison");
  lb_buf_puts(out, dump);
  lb_buf_puts(out, "\n");
  free(dump);
  return 0;
}
