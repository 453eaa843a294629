/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row of results.json has below `loadbank': everything in full. */
#include "lb-config.h"

#include <math.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/config.h"
#include "mlperf/report_impl.h"

enum { SCHEMA_VERSION = 1 };

double lb_report_rounded(double v)
{
  return round(100 * v) / 100;
}

json_t *lb_report_count(int64_t n)
{
  return n > 0 ? json_integer(n) : json_null();
}

json_t *lb_report_watts(const struct lb_report_group *g)
{
  return g->system.watts > 0 ? lb_json_number(g->system.watts) : json_null();
}

static json_t *figure_json(const struct lb_report_group *g,
                           enum lb_report_figure f)
{
  const struct lb_report_values *v = &g->value[f];
  const struct lb_report_figure_row *row = &lb_report_figures[f];
  json_t *o = json_object();
  lb_json_put_text(o, "unit", row->unit);
  lb_json_put_int(o, "values", (int64_t)v->mean.n);
  lb_json_put_number(o, "mean", v->mean.mean);
  lb_json_put_number(o, "mean_rounded", lb_report_rounded(v->mean.mean));
  lb_json_put_number(o, "stdev", v->mean.stdev);
  lb_json_put_number(o, "min", v->min);
  lb_json_put_number(o, "max", v->max);
  lb_json_put_number(o, "interval_95_low", v->mean.mean - v->half_width);
  lb_json_put_number(o, "interval_95_high", v->mean.mean + v->half_width);
  if (row->rate || f == LB_FIGURE_SAMPLES || f == LB_FIGURE_READ) {
    lb_json_put_number(o, "per_rack_unit", lb_report_per_unit(g, f));
    lb_json_put_number(o, "per_watt", lb_report_per_watt(g, f));
  }
  return o;
}

static json_t *figures_json(const struct lb_report_group *g)
{
  json_t *o = json_object();
  for (int f = 0; f < LB_N_FIGURES; f++)
    if (lb_report_figures[f].kind == g->place.kind)
      json_object_set_new(o, lb_report_figures[f].key, figure_json(g, f));
  return o;
}

static json_t *ops_json(const struct lb_report_run *r)
{
  json_t *list = json_array();
  for (size_t i = 0; i < r->n_ops; i++) {
    const struct lb_report_op *op = &r->op[i];
    json_t *o = json_object();
    lb_json_put_text(o, "kind", op->load ? "load" : "save");
    lb_json_put_number(o, "bytes", op->bytes);
    lb_json_put_number(o, "seconds", op->seconds);
    lb_json_put_number(o, "GiB_per_second", op->bytes / LB_GIB / op->seconds);
    lb_json_put_number(o, "first_accelerator_seconds", op->first_seconds);
    lb_json_put_number(o, "first_accelerator_GiB_per_second",
                       op->bytes / LB_GIB / op->first_seconds);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *again_json(const struct lb_mlperf_again *a)
{
  json_t *o = json_object();
  lb_json_put_text(o, "source", a->source);
  lb_json_put_text(o, "reason", a->source ? NULL : a->why);
  lb_json_put_number(o, "au_percentage", a->source ? a->au : NAN);
  lb_json_put_number(o, "au_tolerance_points", a->source ? a->au_slack : NAN);
  lb_json_put_number(o, "samples_per_second",
                     a->source ? a->samples_per_s : NAN);
  return o;
}

static json_t *run_json(const struct lb_report_run *r)
{
  json_t *o = json_object();
  lb_json_put_text(o, "run", r->leaf->name);
  lb_json_put_text(o, "role", lb_report_role_names[r->role]);
  json_object_set(o, "reasons", r->problem);
  json_object_set_new(o, "version", lb_json_filled(r->version));
  json_object_set_new(o, "rehearsal", lb_mlperf_rehearsal_json(&r->scale));
  json_object_set_new(o, "accelerators", lb_report_count(r->accelerators));
  json_object_set_new(o, "hosts", lb_report_count(r->hosts));
  if (r->leaf->place.kind == LB_MLPERF_CHECKPOINTING) {
    json_object_set_new(o, "checkpoints", ops_json(r));
    return o;
  }
  lb_json_put_number(o, "au_percentage", r->au);
  lb_json_put_number(o, "samples_per_second", r->samples_per_s);
  lb_json_put_number(o, "read_GiB_per_second", r->gib_per_s);
  json_object_set_new(o, "recomputed", again_json(&r->again));
  return o;
}

json_t *lb_report_details(const struct lb_report_group *g)
{
  bool training = g->place.kind == LB_MLPERF_TRAINING;
  json_t *o = json_object(), *runs = json_array();
  lb_json_put_int(o, "schema_version", SCHEMA_VERSION);
  lb_json_put_text(o, "style", LB_MLPERF_STYLE);
  lb_json_put_text(o, "written_by", PACKAGE_STRING);
  lb_json_put_text(o, "state", lb_report_state_names[g->state]);
  lb_json_put_bool(o, "result", g->result);
  json_object_set_new(o, "reason", lb_json_filled(g->verdict));
  json_object_set(o, "notes", g->note);
  json_object_set_new(o, "rehearsal", lb_mlperf_rehearsal_json(&g->scale));
  json_object_set_new(o, "accelerators", lb_report_count(g->accelerators));
  if (training)
    lb_json_put_number(o, "au_threshold_percentage", g->threshold);
  json_object_set_new(o, "figures", figures_json(g));
  json_object_set_new(o, "rack_units", lb_report_count(g->system.rack_units));
  json_object_set_new(o, "watts", lb_report_watts(g));
  if (!training) {
    json_object_set_new(o, "remap_seconds",
                        g->described && g->system.remap_seconds >= 0
                            ? json_integer(g->system.remap_seconds)
                            : json_null());
    lb_json_put_number(o, "recovery_seconds", lb_report_recovery(g));
  }
  for (size_t i = 0; i < g->n; i++)
    json_array_append_new(runs, run_json(&g->run[i]));
  json_object_set_new(o, "runs", runs);
  return o;
}
