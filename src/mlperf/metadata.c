/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See metadata.h.  The keys are those that the benchmark's own checker reads,
 * and a few of ours; docs/mlperf.md, "Running", lists them. */
#include "lb-config.h"

#include "mlperf/metadata.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "loadbank/path.h"
#include "mlperf/probe.h"
#include "mlperf/provenance.h"
#include "mlperf/slurp.h"

static void put(json_t *o, const char *key, json_t *v)
{
  json_object_set_new(o, key, v ? v : json_null());
}

/* ---- names ---- */

void lb_leaf_stem(const struct lb_leaf *l, char out[LB_LEAF_STEM])
{
  snprintf(out, LB_LEAF_STEM, "%s_%s", lb_mlperf_kind_names[l->place.kind],
           lb_mlperf_command_names[l->place.command]);
}

void lb_leaf_file(const struct lb_leaf *l, const char *what,
                  char out[LB_LEAF_FILE])
{
  snprintf(out, LB_LEAF_FILE, "%s_%s_%s.json",
           lb_mlperf_kind_names[l->place.kind], l->place.stamp, what);
}

/* ---- args ---- */

/* "a,b:4 c": words between blanks and commas. */
static json_t *host_list(const char *hosts)
{
  static const char between[] = " ,\t";
  json_t *list = json_array();
  for (const char *p = *hosts ? hosts : "127.0.0.1"; *p;) {
    p += strspn(p, between);
    size_t n = strcspn(p, between);
    if (n)
      json_array_append_new(list, json_stringn(p, n));
    p += n;
  }
  return list;
}

static json_t *param_list(const struct lb_mlperf_args *a)
{
  json_t *list = json_array();
  for (int i = 0; i < a->n_params; i++)
    json_array_append_new(list, lb_json_string(a->params[i]));
  return list;
}

static json_t *args_json(const struct lb_leaf *l)
{
  const struct lb_mlperf_args *a = l->args;
  const struct lb_mlperf_config *c = l->config;
  json_t *o = json_object();
  lb_json_put_text(o, "mode", lb_mlperf_mode_names[a->mode]);
  lb_json_put_text(o, "benchmark", lb_mlperf_kind_names[a->kind]);
  lb_json_put_text(o, "command", lb_mlperf_command_names[a->command]);
  lb_json_put_text(o, "model", c->row->model);
  put(o, "hosts", host_list(a->hosts));
  lb_json_put_int(o, "num_client_hosts", c->hosts);
  put(o, "data_dir", lb_json_filled(a->data_dir));
  lb_json_put_text(o, "results_dir", a->results_dir);
  put(o, "checkpoint_folder", lb_json_filled(a->checkpoint_folder));
  lb_json_put_text(o, "systemname", a->systemname);
  lb_json_put_int(o, "num_processes", c->accelerators);
  put(o, "max_accelerators",
      a->max_accelerators ? json_integer(a->max_accelerators) : NULL);
  put(o, "accelerator_type", lb_json_filled(a->accelerator_type));
  put(o, "client_host_memory_in_gb",
      a->client_host_memory_in_gb > 0
          ? lb_json_number(a->client_host_memory_in_gb)
          : NULL);
  if (a->kind == LB_MLPERF_CHECKPOINTING) {
    lb_json_put_int(o, "num_checkpoints_write", c->checkpoints_write);
    lb_json_put_int(o, "num_checkpoints_read", c->checkpoints_read);
  }
  lb_json_put_bool(o, "o_direct", a->o_direct);
  lb_json_put_int(o, "loops", a->loops > 0 ? a->loops : 1);
  lb_json_put_bool(o, "allow_invalid_params", a->allow_invalid_params);
  lb_json_put_bool(o, "skip_fs_separation_gate", a->skip_fs_separation_gate);
  put(o, "params", param_list(a));
  return o;
}

/* ---- findings ---- */

static json_t *findings(const struct lb_mlperf_findings *f)
{
  json_t *list = json_array();
  for (int i = 0; i < f->n; i++) {
    json_t *o = json_object();
    lb_json_put_text(o, "rule", f->f[i].rule);
    lb_json_put_text(o, "verdict", lb_mlperf_verdict_names[f->f[i].verdict]);
    lb_json_put_text(o, "key", f->f[i].key);
    lb_json_put_text(o, "message", f->f[i].message);
    json_array_append_new(list, o);
  }
  return list;
}

/* "closed" in lower case, which is what checkers compare with. */
static const char *verdict(const struct lb_mlperf_findings *f)
{
  return lb_mlperf_verdict_names[f->verdict ? f->verdict : LB_MLPERF_IS_CLOSED];
}

/* ---- the whole ---- */

static json_t *whole_path(const char *path)
{
  char real[PATH_MAX];
  return lb_json_string(lb_path_resolve(path, real) ? path : real);
}

static json_t *output_files(const struct lb_leaf *l)
{
  char stem[LB_LEAF_STEM], name[LB_LEAF_STEM + 16];
  json_t *list = json_array(), *o = json_object();
  lb_leaf_stem(l, stem);
  lb_json_put_text(o, "command", stem);
  snprintf(name, sizeof name, "%s.stdout.log", stem);
  lb_json_put_text(o, "stdout", name);
  snprintf(name, sizeof name, "%s.stderr.log", stem);
  lb_json_put_text(o, "stderr", name);
  json_array_append_new(list, o);
  return list;
}

static void put_configuration(json_t *o, const struct lb_leaf *l)
{
  const struct lb_mlperf_config *c = l->config;
  put(o, "parameters",
      l->place.command == LB_MLPERF_DATASIZE ? lb_mlperf_datasize_parameters(c)
                                             : json_incref(c->parameters));
  put(o, "override_parameters", json_incref(c->override_parameters));
  put(o, "own_parameters", json_incref(c->own_parameters));
  put(o, "yaml_params", json_incref(c->template_parameters));
  lb_json_put_text(o, "verification", verdict(&c->findings));
  put(o, "verification_findings", findings(&c->findings));
}

json_t *lb_metadata_new(const struct lb_leaf *l)
{
  const struct lb_mlperf_args *a = l->args;
  json_t *o = json_object();
  lb_json_put_text(o, "status", "running");
  lb_json_put_text(o, "benchmark_type", lb_mlperf_kind_names[a->kind]);
  lb_json_put_text(o, "model", l->config->row->model);
  lb_json_put_text(o, "command", lb_mlperf_command_names[a->command]);
  lb_json_put_text(o, "run_datetime", l->place.stamp);
  lb_json_put_int(o, "num_processes", l->config->accelerators);
  put(o, "accelerator", lb_json_filled(a->accelerator_type));
  put(o, "result_dir", whole_path(l->path));
  put_configuration(o, l);
  put(o, "invocation_start_time", lb_json_time(l->begin_utc_ns));
  lb_json_put_text(o, "executed_command", l->command_line);
  put(o, "runtime", NULL);
  put(o, "args", args_json(l));
  put(o, "provenance_file", lb_json_string(LB_MLPERF_PROVENANCE_NAME));
  put(o, "system_info", NULL);
  put(o, "cluster_snapshots", NULL);
  put(o, "metrics", NULL);
  put(o, "command_output_files", l->ranks ? output_files(l) : json_array());
  if (lb_mlperf_is_rehearsal(&l->scale))
    put(o, "rehearsal", lb_mlperf_rehearsal_json(&l->scale));
  json_t *own = json_object();
  lb_json_put_text(own, "version", PACKAGE_VERSION);
  lb_json_put_text(own, "style",
                   "MLPerf-style, not an official submission: that needs the "
                   "official tool");
  put(own, "ranks", l->ranks ? json_integer(l->ranks) : NULL);
  put(o, "loadbank", own);
  return o;
}

void lb_metadata_end(json_t *o, const char *status, const char *reason,
                     double seconds)
{
  lb_json_put_text(o, "status", status);
  if (reason && *reason)
    lb_json_put_text(o, "reason", reason);
  lb_json_put_number(o, "runtime", seconds);
  put(o, "invocation_end_time", lb_json_time(lb_clock_utc_ns()));
}

void lb_metadata_take_summary(json_t *o, const struct lb_leaf *l)
{
  char path[PATH_MAX], unread[LB_MLPERF_UNREAD];
  if (snprintf(path, sizeof path, "%s/summary.json", l->path) >=
      (int)sizeof path)
    return;
  json_t *summary = lb_mlperf_slurp_json(path, unread);
  json_t *metric = json_object_get(summary, "metric");
  if (metric)
    put(o, "metrics", json_incref(metric));
  const json_t *drops = lb_json_at(summary, "loadbank.notes.drop_caches");
  put(json_object_get(o, "loadbank"), "caches",
      drops ? json_deep_copy(drops) : NULL);
  json_decref(summary);
}

int lb_metadata_write(const struct lb_leaf *l, json_t *o, struct lb_err *err)
{
  char name[LB_LEAF_FILE];
  lb_leaf_file(l, "metadata", name);
  return lb_json_write(l->path, name, json_incref(o), err);
}
