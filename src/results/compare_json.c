/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for programs; keys: docs/compare.md. */
#include "lb-config.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "loadbank/compare.h"

static json_t *text(const char *s)
{
  return s ? json_string(s) : json_null();
}

static json_t *number(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

static json_t *whole(size_t n)
{
  return json_integer((json_int_t)n);
}

static json_t *mean(const struct lb_mean *m)
{
  json_t *o = json_object();
  json_object_set_new(o, "n", whole(m->n));
  json_object_set_new(o, "mean", number(m->mean));
  json_object_set_new(o, "stdev", number(m->stdev));
  json_object_set_new(o, "half_width_95", number(lb_mean_half_width(m, 0.95)));
  return o;
}

static json_t *cause(const struct lb_cause *c)
{
  if (!c->phase)
    return json_null();
  json_t *o = json_object();
  json_object_set_new(o, "phase", text(c->phase));
  json_object_set_new(o, "operation", text(c->operation));
  json_object_set_new(o, "files", text(c->files));
  json_object_set_new(o, "extra_seconds", number(c->extra_s));
  json_object_set_new(o, "share", number(c->share));
  json_object_set_new(o, "count_ratio", number(c->count_ratio));
  json_object_set_new(o, "latency_a_seconds", number(c->latency_s[0]));
  json_object_set_new(o, "latency_b_seconds", number(c->latency_s[1]));
  return o;
}

static json_t *judgement(const struct lb_judgement *j)
{
  const struct lb_quantity *q = j->quantity;
  json_t *o = json_object();
  json_object_set_new(o, "path", text(q->path));
  json_object_set_new(o, "label", text(q->label));
  json_object_set_new(o, "unit", text(q->unit));
  json_object_set_new(o, "better", text(q->higher ? "higher" : "lower"));
  json_object_set_new(o, "counts", json_boolean(j->counts));
  json_object_set_new(o, "a", mean(&j->a));
  json_object_set_new(o, "b", mean(&j->b));
  json_object_set_new(o, "basis", text(lb_basis_names[j->basis]));
  json_object_set_new(o, "ratio", number(j->ratio));
  json_object_set_new(o, "ratio_low_95", number(j->ends[0]));
  json_object_set_new(o, "ratio_high_95", number(j->ends[1]));
  bool known = j->basis != LB_BASIS_NONE;
  json_object_set_new(o, "p_worse", number(known ? j->p_worse : NAN));
  json_object_set_new(o, "p_better", number(known ? j->p_better : NAN));
  json_object_set_new(o, "p_same", number(known ? j->p_same : NAN));
  json_object_set_new(o, "p_adjusted", number(known ? j->p : NAN));
  json_object_set_new(o, "verdict", text(lb_verdict_names[j->verdict]));
  json_object_set_new(o, "cause", cause(&j->cause));
  return o;
}

static json_t *group(const struct lb_group *g)
{
  const struct lb_result *r = g->run[0];
  json_t *o = json_object(), *runs = json_array();
  json_object_set_new(o, "workload", text(r->workload));
  json_object_set_new(o, "version", text(r->version));
  json_object_set_new(o, "fingerprint", text(r->fingerprint));
  json_object_set_new(o, "config_hash", text(r->config_hash));
  json_object_set_new(o, "accelerators", json_integer(r->accelerators));
  json_object_set_new(o, "ranks", json_integer(r->ranks));
  json_object_set_new(o, "nodes", json_integer(r->nodes));
  json_object_set_new(o, "client_bound", whole(lb_group_client_bound(g)));
  for (size_t i = 0; i < g->n; i++)
    json_array_append_new(runs, text(g->run[i]->path));
  json_object_set_new(o, "results", runs);
  return o;
}

static json_t *match(const struct lb_match *m)
{
  json_t *o = json_object(), *differs = json_array(), *rows = json_array();
  for (size_t i = 0; i < m->n_differs; i++) {
    json_t *d = json_object();
    json_object_set_new(d, "key", text(m->differs[i].key));
    json_object_set_new(d, "a", text(m->differs[i].a));
    json_object_set_new(d, "b", text(m->differs[i].b));
    json_array_append_new(differs, d);
  }
  for (size_t i = 0; i < m->n; i++)
    json_array_append_new(rows, judgement(&m->judgement[i]));
  json_object_set_new(o, "verdict", text(lb_verdict_names[m->verdict]));
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
    json_object_set_new(one, "path", text(r->path));
    json_object_set_new(one, "state", text(lb_result_state_names[r->state]));
    json_object_set_new(one, "reason", text(r->reason));
    json_array_append_new(out, one);
  }
  for (size_t i = 0; i < c->result->n_alone[side]; i++)
    json_array_append_new(alone, text(c->result->alone[side][i]->path));
  json_object_set_new(o, "path", text(c->name[side]));
  json_object_set_new(o, "complete", whole(complete));
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
  json_object_set_new(o, "schema_version", json_integer(1));
  json_object_set_new(
      o, "verdict",
      text(c->name[0] ? lb_verdict_names[c->result->verdict] : NULL));
  json_object_set_new(o, "tolerance_percentage",
                      number(100 * c->result->tolerance));
  json_object_set_new(o, "kept", text(c->kept));
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
