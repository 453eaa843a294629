/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as JSON for programs: what `plan --format json' prints. */
#include "lb-config.h"

#include "loadbank/plan.h"

#include <jansson.h>
#include <stdlib.h>

#include "loadbank/checkpoint.h"
#include "loadbank/config.h"
#include "loadbank/json.h"
#include "loadbank/units.h"

static json_t *json_cost(const struct lb_plan_set *s)
{
  json_t *o = json_object();
  for (int i = 0; i < LB_N_OPS; i++)
    if (s->ops[i] > 0)
      lb_json_put_int(o, lb_op_names[i], (int64_t)s->ops[i]);
  lb_json_put_int(o, "bytes_read", (int64_t)s->op_bytes[LB_OP_READ]);
  return o;
}

static json_t *json_set(const struct lb_plan_set *s)
{
  json_t *o = json_object();
  lb_json_put_bool(o, "read", s->read);
  lb_json_put_bool(o, "generated", s->written);
  lb_json_put_int(o, "files", s->files);
  lb_json_put_int(o, "samples_per_file", s->samples_per_file);
  lb_json_put_int(o, "samples", s->samples);
  lb_json_put_int(o, "batch", s->batch);
  lb_json_put_int(o, "steps_per_epoch", s->steps);
  lb_json_put_int(o, "samples_dropped", s->dropped);
  lb_json_put_number(o, "sample_mean_bytes", s->sample_bytes);
  lb_json_put_int(o, "payload_bytes", (int64_t)s->payload_bytes);
  if (s->known) {
    lb_json_put_int(o, "file_bytes", (int64_t)s->file_bytes);
    json_object_set_new(o, "sample_operations", json_cost(s));
  }
  lb_json_put_bool(o, "bytes_are_exact", s->exact);
  return o;
}

static json_t *json_demand(const struct lb_plan_demand *d, enum lb_plan_at at)
{
  json_t *o = json_object();
  lb_json_put_number(o, "utilisation", at == LB_AT_FULL ? 1 : d->au);
  lb_json_put_number(o, "accelerator_bytes_per_second",
                     d->accelerator_bytes_per_s[at]);
  lb_json_put_number(o, "job_bytes_per_second", d->job_bytes_per_s[at]);
  lb_json_put_number(o, "job_read_bytes_per_second",
                     d->job_read_bytes_per_s[at]);
  lb_json_put_number(o, "sample_read_seconds", d->read_s[at]);
  return o;
}

static json_t *json_memory(const struct lb_plan_memory *m)
{
  json_t *o = json_object();
  lb_json_put_int(o, "threads_per_rank", m->threads);
  if (m->buffers > m->threads)
    lb_json_put_int(o, "buffers_per_rank", m->buffers);
  lb_json_put_int(o, "buffer_bytes", (int64_t)m->buffer_bytes);
  lb_json_put_int(o, "readers_bytes_per_rank", (int64_t)m->readers_bytes);
  lb_json_put_int(o, "write_buffer_bytes", (int64_t)m->main_bytes);
  lb_json_put_int(o, "checkpoint_buffers_bytes", (int64_t)m->checkpoint_bytes);
  if (m->checkpoint_requests > 0)
    lb_json_put_int(o, "checkpoint_requests_per_rank", m->checkpoint_requests);
  lb_json_put_int(o, "raw_steps_bytes", (int64_t)m->steps_bytes);
  lb_json_put_int(o, "bytes_per_rank", (int64_t)m->rank_bytes);
  lb_json_put_int(o, "open_files_per_rank",
                  m->open_files < INT64_MAX ? (int64_t)m->open_files
                                            : INT64_MAX);
  lb_json_put_number(o, "real_samples_bytes_per_rank",
                     (double)m->real_ahead_bytes);
  if (m->real_bytes > 0)
    lb_json_put_number(o, "real_readers_bytes_per_rank", (double)m->real_bytes);
  return o;
}

static json_t *json_checkpoints(const struct lb_plan_checkpoints *c)
{
  json_t *o = json_object();
  lb_json_put_int(o, "count", c->count);
  lb_json_put_int(o, "reads", c->reads);
  lb_json_put_int(o, "bytes", (int64_t)c->bytes);
  lb_json_put_int(o, "total_bytes", (int64_t)c->total_bytes);
  if (!c->scheme)
    return o;
  json_object_set_new(o, "scheme", json_string(c->scheme->name));
  lb_json_put_int(o, "files", c->files);
  lb_json_put_int(o, "optimizer_bytes", (int64_t)c->optimizer_bytes);
  lb_json_put_number(o, "gib", (double)c->bytes / LB_GIB);
  lb_json_put_int(o, "writers", c->writers);
  lb_json_put_int(o, "accelerator_min_bytes", (int64_t)c->least_bytes);
  lb_json_put_int(o, "accelerator_max_bytes", (int64_t)c->most_bytes);
  lb_json_put_number(o, "read_bytes", (double)c->read_bytes);
  return o;
}

static void add_warning(void *arg, const char *text)
{
  json_array_append_new(arg, json_string(text));
}

/* Below each root of the storage. */
static json_t *json_folders(const struct lb_workload *w)
{
  json_t *list = json_array();
  char path[PATH_MAX];
  for (int i = 0; i < w->derived.n_roots; i++) {
    lb_workload_path(w, i, w->dataset.data_folder, path);
    json_array_append_new(list, json_string(path));
  }
  return list;
}

static json_t *json_plan(const struct lb_plan *p, const struct lb_workload *w)
{
  json_t *o = json_object(), *warnings = json_array();
  json_object_set_new(o, "workload", json_string(w->name));
  lb_json_put_int(o, "ranks", p->ranks);
  lb_json_put_int(o, "accelerators", p->accelerators);
  json_object_set_new(o, "format", json_string(w->dataset.format));
  json_object_set_new(o, "call_profile",
                      json_string(w->reader.call_profile == LB_CALLS_LEAN
                                      ? "lean"
                                      : "framework"));
  json_object_set_new(o, "storage_type", json_string(w->storage.storage_type));
  json_object_set_new(o, "data_folder", json_string(w->derived.data_folder));
  if (w->derived.n_roots > 1)
    json_object_set_new(o, "data_folders", json_folders(w));
  json_object_set_new(o, "train", json_set(&p->set[LB_SET_TRAIN]));
  json_object_set_new(o, "eval", json_set(&p->set[LB_SET_EVAL]));
  lb_json_put_int(o, "epochs", lb_plan_epochs(p));
  lb_json_put_int(o, "steps", lb_plan_steps(p));
  lb_json_put_int(o, "evaluations", p->evals);
  json_object_set_new(o, "checkpoints", json_checkpoints(&p->checkpoints));
  json_object_set_new(o, "loader", json_string(w->derived.loader->name));
  lb_json_put_int(o, "readers_per_accelerator", p->pace.readers);
  lb_json_put_int(o, "batches_ahead", p->pace.ahead);
  lb_json_put_int(o, "shuffle_buffer_samples", p->pace.buffer);
  lb_json_put_number(o, "compute_seconds", p->demand.compute_s);
  lb_json_put_number(o, "full_utilisation_seconds", p->full_s);
  lb_json_put_number(o, "best_utilisation", p->spread.best_au);
  lb_json_put_number(o, "best_step_seconds", p->spread.step_s);
  if (p->demand.compute_s > 0) {
    json_object_set_new(o, "demand_full", json_demand(&p->demand, LB_AT_FULL));
    json_object_set_new(o, "demand_au", json_demand(&p->demand, LB_AT_AU));
  }
  json_object_set_new(o, "memory", json_memory(&p->memory));
  lb_plan_warnings(p, add_warning, warnings);
  json_object_set_new(o, "warnings", warnings);
  return o;
}

int lb_plan_json(const struct lb_plan *p, const struct lb_workload *w,
                 struct lb_buf *out, struct lb_err *err)
{
  json_t *o = json_plan(p, w);
  char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
  json_decref(o);
  if (!text)
    return lb_err_set(err, LB_FAILED, "the plan as JSON: out of memory");
  lb_buf_puts(out, text);
  lb_buf_puts(out, "\n");
  free(text);
  return 0;
}
