/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object `loadbank' of summary.json: what DLIO does not report. */
#include "lb-config.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "loadbank/log.h"
#include "loadbank/units.h"
#include "report/json.h"
#include "report/report_impl.h"

static const char *const status_names[] = {
    [LB_STATUS_COMPLETE] = "complete",
    [LB_STATUS_INTERRUPTED] = "interrupted",
    [LB_STATUS_FAILED] = "failed",
};

/* ---- percentiles ---- */

static const struct quantile {
  const char *key;
  double q;
} quantiles[] = {
    {"p50_seconds", 0.50}, {"p90_seconds", 0.90},   {"p95_seconds", 0.95},
    {"p99_seconds", 0.99}, {"p999_seconds", 0.999},
};

static void set_seconds(json_t *o, const char *key, double ns)
{
  lb_json_put_number(o, key, ns / 1e9);
}

json_t *lb_json_percentiles(const struct lb_histogram *h)
{
  json_t *o = json_object();
  json_object_set_new(o, "count", lb_json_count(h->count));
  if (h->count == 0)
    return o;
  set_seconds(o, "mean_seconds", lb_histogram_mean(h));
  set_seconds(o, "min_seconds", (double)h->min);
  set_seconds(o, "max_seconds", (double)h->max);
  for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
    set_seconds(o, quantiles[i].key, lb_histogram_quantile(h, quantiles[i].q));
  return o;
}

static json_t *steps_of(const struct lb_set_summary *set)
{
  json_t *o = json_object();
  for (int i = 0; i < LB_N_TIMES; i++)
    json_object_set_new(o, lb_time_names[i],
                        lb_json_percentiles(&set->time[i]));
  return o;
}

/* Bytes that a phase moved, GiB. */
static double phase_gib(const struct lb_iostats *io, int phase)
{
  double bytes = 0;
  for (int op = 0; op < LB_N_OPS; op++)
    if (io->cell[phase][op])
      bytes += (double)io->cell[phase][op]->bytes;
  return bytes / LB_GIB;
}

static json_t *phase_costs(const struct lb_summary *s)
{
  json_t *o = json_object();
  for (int i = 0; i < LB_N_PHASES; i++) {
    const struct lb_phase_cost *c = &s->cost.phase[i];
    if (!c->wall_ns)
      continue;
    double user = (double)c->used.user_ns / 1e9;
    double sys = (double)c->used.sys_ns / 1e9, gib = phase_gib(&s->io, i);
    json_t *p = json_object();
    lb_json_put_number(p, "seconds", (double)c->wall_ns / 1e9);
    lb_json_put_number(p, "user_seconds", user);
    lb_json_put_number(p, "system_seconds", sys);
    lb_json_put_number(p, "cpu_seconds_per_GiB",
                       gib > 0 ? (user + sys) / gib : NAN);
    json_object_set_new(p, "voluntary_switches", lb_json_count(c->used.waits));
    json_object_set_new(p, "involuntary_switches",
                        lb_json_count(c->used.preempts));
    json_object_set_new(o, lb_phases[i].name, p);
  }
  return o;
}

json_t *lb_json_io(const struct lb_iostats *io)
{
  json_t *o = json_object();
  for (int phase = 0; phase < LB_N_PHASES; phase++) {
    json_t *ops = json_object();
    for (int op = 0; op < LB_N_STATS; op++) {
      const struct lb_iostat *c = io->cell[phase][op];
      if (!c || (c->ns.count == 0 && c->errors == 0))
        continue;
      json_t *one = lb_json_percentiles(&c->ns);
      json_object_set_new(one, "errors", lb_json_count(c->errors));
      json_object_set_new(one, "bytes", lb_json_count(c->bytes));
      json_object_set_new(ops, lb_stat_name(op), one);
    }
    if (json_object_size(ops))
      json_object_set(o, lb_phases[phase].name, ops);
    json_decref(ops);
  }
  return o;
}

/* ---- where it ran ---- */

static json_t *whole_path(const char *path)
{
  char whole[LB_PATH_TEXT];
  return lb_json_string(path ? lb_report_path(path, whole) : NULL);
}

static void add_mount(json_t *o, const struct lb_filesystem *fs)
{
  lb_json_put_text(o, "mount_point", fs->mount.point);
  lb_json_put_text(o, "type", fs->mount.type);
  lb_json_put_text(o, "device", fs->mount.device);
  lb_json_put_text(o, "options", fs->mount.options);
}

/* Which roots there were, and how accelerators were spread over them. */
static json_t *roots(const struct lb_report *r)
{
  json_t *list = json_array();
  for (size_t i = 0; i < r->n_roots; i++) {
    json_t *o = json_object();
    json_object_set_new(o, "path", whole_path(r->roots[i].path));
    lb_json_put_int(o, "accelerators", r->roots[i].accelerators);
    json_array_append_new(list, o);
  }
  return list;
}

/* What they are on a host. */
static json_t *host_roots(const struct lb_report *r,
                          const struct lb_filesystem *fs)
{
  json_t *list = json_array();
  for (size_t i = 0; i < r->n_roots; i++) {
    json_t *o = json_object();
    json_object_set_new(o, "path", whole_path(r->roots[i].path));
    if (fs[i].known)
      add_mount(o, &fs[i]);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *hosts(const struct lb_report *r, const struct lb_facts *f)
{
  json_t *list = json_array();
  for (size_t i = 0; i < f->n_hosts; i++) {
    const struct lb_host *h = &f->host[i];
    json_t *o = json_object();
    lb_json_put_text(o, "name", h->name);
    lb_json_put_text(o, "kernel", h->kernel);
    lb_json_put_text(o, "processor", h->processor);
    lb_json_put_int(o, "cpus", h->cpus);
    lb_json_put_int(o, "cpus_allowed", h->cpus_allowed);
    json_object_set_new(o, "memory_bytes", lb_json_count(h->memory_bytes));
    json_object_set_new(o, "available_bytes",
                        lb_json_count(h->available_bytes));
    json_object_set_new(o, "limit_bytes",
                        h->limit_bytes ? lb_json_count(h->limit_bytes)
                                       : json_null());
    if (r->placement && i < r->placement->n_hosts)
      lb_json_placement(o, &r->placement->host[i]);
    if (r->n_roots && (i + 1) * r->n_roots <= f->n_roots)
      json_object_set_new(o, "roots", host_roots(r, &f->root[i * r->n_roots]));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *nodes_clock(const struct lb_clocks *c)
{
  json_t *list = json_array();
  for (int i = 0; i < c->n; i++) {
    const struct lb_node_clock *n = &c->node[i];
    const struct {
      const char *key;
      double s;
    } values[] = {{"offset_seconds", n->begin.offset_s},
                  {"uncertainty_seconds", n->begin.uncertainty_s},
                  {"monotonic_offset_seconds", n->begin.monotonic_s},
                  {"end_offset_seconds", n->end.offset_s},
                  {"end_uncertainty_seconds", n->end.uncertainty_s}};
    json_t *o = json_object();
    lb_json_put_int(o, "node", i);
    lb_json_put_text(o, "name", n->name);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
      lb_json_put_number(o, values[k].key, values[k].s);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *filesystem(const char *path, const struct lb_filesystem *fs)
{
  json_t *o = json_object();
  json_object_set_new(o, "path", whole_path(path));
  if (!path || !fs->known)
    return o;
  add_mount(o, fs);
  json_object_set_new(o, "size_bytes", lb_json_count(fs->size_bytes));
  json_object_set_new(o, "free_bytes", lb_json_count(fs->free_bytes));
  return o;
}

static json_t *filesystems(const struct lb_report *r, const struct lb_facts *f)
{
  json_t *o = json_object();
  json_object_set_new(o, "data", filesystem(r->data_folder, &f->data));
  json_object_set_new(o, "checkpoint",
                      filesystem(r->checkpoint_folder, &f->checkpoint));
  json_object_set_new(o, "results", filesystem(r->folder, &f->results));
  return o;
}

static json_t *pairs(const struct lb_pair *p, size_t n)
{
  json_t *o = json_object();
  for (size_t i = 0; i < n; i++)
    lb_json_put_text(o, p[i].name, p[i].value);
  return o;
}

/* ---- what ran ---- */

static json_t *rehearsal(const struct lb_rehearsal *r)
{
  json_t *o = json_object();
  lb_json_put_number(o, "files", r->files);
  lb_json_put_number(o, "bytes", r->bytes);
  lb_json_put_number(o, "time", r->time);
  return o;
}

static json_t *plan(const struct lb_report *r, const struct lb_summary *s)
{
  json_t *o = json_object();
  lb_json_put_int(o, "files_train", r->files[LB_SET_TRAIN]);
  lb_json_put_int(o, "files_eval", r->files[LB_SET_EVAL]);
  lb_json_put_int(o, "samples_per_file", r->samples_per_file);
  lb_json_put_number(o, "record_bytes", s->record_bytes);
  json_object_set_new(o, "dataset_bytes", lb_json_count(r->dataset_bytes));
  lb_json_put_int(o, "batch_size_train", r->batch[LB_SET_TRAIN]);
  lb_json_put_int(o, "batch_size_eval", r->batch[LB_SET_EVAL]);
  lb_json_put_int(o, "steps_per_epoch_train", r->steps_planned[LB_SET_TRAIN]);
  lb_json_put_int(o, "steps_per_epoch_eval", r->steps_planned[LB_SET_EVAL]);
  lb_json_put_int(o, "epochs", r->epochs);
  lb_json_put_int(o, "read_threads", r->read_threads);
  return o;
}

static json_t *straggler(const struct lb_straggler *g, int level)
{
  json_t *o = json_object();
  if (level == LB_LEVEL_ACCELERATOR)
    lb_json_put_int(o, "accelerator", g->accelerator);
  if (level != LB_LEVEL_NODE)
    lb_json_put_int(o, "rank", g->rank);
  lb_json_put_int(o, "node", g->node);
  json_object_set_new(o, "last_steps", lb_json_count(g->last));
  lb_json_put_number(o, "alone_seconds", g->alone_s);
  lb_json_put_number(o, "load_seconds", g->load_s);
  lb_json_put_number(o, "gate_seconds", g->gate_s);
  if (level == LB_LEVEL_NODE)
    lb_json_put_number(o, "waited_for_nodes_seconds", g->others_s);
  return o;
}

static json_t *stragglers(const struct lb_summary *s)
{
  json_t *o = json_object();
  for (int level = 0; level < LB_N_LEVELS; level++) {
    json_t *list = json_array();
    for (int i = 0; i < s->stragglers[level].n; i++)
      json_array_append_new(list,
                            straggler(&s->stragglers[level].worst[i], level));
    json_object_set_new(o, lb_level_names[level], list);
  }
  return o;
}

static void add_epochs(json_t *list, const struct lb_summary *s, int which)
{
  const struct lb_set_summary *set = &s->set[which];
  for (size_t i = 0; i < set->n_epochs; i++) {
    const struct lb_epoch_summary *e = &set->epoch[i];
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(lb_sets[which].key));
    lb_json_put_int(o, "epoch", e->epoch);
    json_object_set_new(o, "start", lb_json_time(e->start_utc_ns));
    json_object_set_new(o, "end", lb_json_time(e->end_utc_ns));
    lb_json_put_int(o, "steps", e->steps);
    lb_json_put_int(o, "blocks", e->blocks);
    lb_json_put_int(o, "blocks_without_window", e->windowless);
    json_array_append_new(list, o);
  }
}

/* Who was the slowest, and what with. */
static json_t *slowest(const struct lb_checkpoint_summary *c)
{
  if (c->straggler < 0)
    return json_null();
  json_t *o = json_object();
  lb_json_put_int(o, "accelerator", c->straggler);
  lb_json_put_int(o, "rank", c->rank);
  lb_json_put_int(o, "node", c->node);
  return o;
}

static json_t *checkpoints(const struct lb_summary *s)
{
  json_t *list = json_array();
  for (size_t i = 0; i < s->n_checkpoints; i++) {
    const struct lb_checkpoint_summary *c = &s->checkpoint[i];
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(c->load ? "load" : "save"));
    lb_json_put_int(o, "number", c->number);
    lb_json_put_int(o, "epoch", c->epoch);
    lb_json_put_int(o, "step", c->step);
    json_object_set_new(o, "start", lb_json_time(c->start_utc_ns));
    lb_json_put_number(o, "seconds", c->seconds);
    if (!c->load) {
      lb_json_put_number(o, "visible_seconds", c->visible_seconds);
      lb_json_put_number(o, "waited_seconds", c->waited_seconds);
      lb_json_put_number(o, "durable_seconds", c->durable_seconds);
    }
    json_object_set_new(o, "bytes", lb_json_count(c->bytes));
    json_object_set_new(o, "size_bytes", lb_json_count(c->size_bytes));
    lb_json_put_int(o, "accelerators", c->busy);
    json_object_set_new(o, "straggler", slowest(c));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *generated(const struct lb_rank_cost *c)
{
  double seconds = (double)c->generate_ns / 1e9;
  json_t *o = json_object();
  json_object_set_new(o, "files", lb_json_count(c->generated_files));
  json_object_set_new(o, "bytes", lb_json_count(c->generated_bytes));
  lb_json_put_number(o, "seconds", seconds);
  lb_json_put_number(o, "MiB_per_second",
                     seconds > 0 ? (double)c->generated_bytes / LB_MIB / seconds
                                 : NAN);
  return o;
}

static void add_warning(void *list, const char *text)
{
  json_array_append_new(list, lb_json_string(text));
}

static json_t *warnings(void)
{
  json_t *list = json_array();
  lb_log_each_warning(add_warning, list);
  return list;
}

/* ---- all of it ---- */

static void add_identity(json_t *o, const struct lb_report *r,
                         const struct lb_summary *s)
{
  lb_json_put_int(o, "schema_version", LB_REPORT_SCHEMA);
  json_object_set_new(o, "status", json_string(status_names[r->status]));
  lb_json_put_text(o, "reason", r->reason);
  lb_json_put_text(o, "workload", r->workload);
  lb_json_put_text(o, "model", r->model);
  lb_json_put_text(o, "framework", r->framework);
  lb_json_put_text(o, "format", r->format);
  lb_json_put_text(o, "data_loader", r->data_loader);
  lb_json_put_text(o, "storage_type", r->storage_type);
  char cwd[PATH_MAX];
  lb_json_put_text(o, "command", r->command);
  lb_json_put_text(o, "working_directory", getcwd(cwd, sizeof cwd));
  lb_json_put_int(o, "accelerators", s->accelerators);
  lb_json_put_int(o, "ranks", s->n_ranks);
  lb_json_put_int(o, "nodes", s->n_nodes);
  lb_json_put_int(o, "train_seed", (int64_t)r->train_seed);
  lb_json_put_int(o, "dataset_seed", (int64_t)r->dataset_seed);
  lb_json_put_text(o, "dataset_fingerprint", r->fingerprint);
  lb_json_put_text(o, "config_hash", r->config_hash);
  lb_json_put_bool(o, "gate_shared", r->gate_shared);
  json_object_set_new(o, "versions", pairs(r->versions, r->n_versions));
  json_object_set_new(o, "notes", pairs(r->notes, r->n_notes));
  json_object_set_new(o, "plan", plan(r, s));
}

static void add_steps(json_t *o, const struct lb_report *r,
                      const struct lb_summary *s, const struct lb_facts *f)
{
  lb_json_put_text(o, "steps_file", f->steps_file);
  lb_json_put_text(o, "steps_file_reason", f->steps_reason);
  if (r->steps == LB_STEPS_NONE)
    return;
  json_t *steps = json_object();
  if (lb_metric_present(s, LB_METRIC_TRAIN))
    json_object_set_new(steps, "train", steps_of(&s->set[LB_SET_TRAIN]));
  if (lb_metric_present(s, LB_METRIC_EVAL))
    json_object_set_new(steps, "eval", steps_of(&s->set[LB_SET_EVAL]));
  json_object_set_new(o, "steps", steps);
}

json_t *lb_json_loadbank(const struct lb_report *r, const struct lb_summary *s,
                         const struct lb_facts *f)
{
  json_t *o = json_object();
  add_identity(o, r, s);
  if (r->rehearsal)
    json_object_set_new(o, "rehearsal", rehearsal(r->rehearsal));
  lb_json_put_number(o, "au_threshold", r->au_threshold);
  json_object_set_new(o, "limited_by",
                      json_string(lb_limit_names[s->limit.by]));
  for (const struct lb_metric *row = lb_metrics_table; row->key; row++)
    if (!row->dlio && lb_metric_present(s, row->group))
      json_object_set_new(o, row->key, lb_json_metric(row, s));
  add_steps(o, r, s, f);
  json_object_set_new(o, "io", lb_json_io(&s->io));
  json_object_set_new(o, "phases", phase_costs(s));
  if (lb_metric_present(s, LB_METRIC_TRAIN))
    json_object_set_new(o, "stragglers", stragglers(s));
  json_t *epochs = json_array();
  add_epochs(epochs, s, LB_SET_TRAIN);
  add_epochs(epochs, s, LB_SET_EVAL);
  json_object_set_new(o, "epochs", epochs);
  json_object_set_new(o, "checkpoints", checkpoints(s));
  if (s->cost.generated_files)
    json_object_set_new(o, "generate", generated(&s->cost));
  json_object_set_new(o, "hosts", hosts(r, f));
  if (r->clocks && r->clocks->n)
    json_object_set_new(o, "nodes_clock", nodes_clock(r->clocks));
  json_object_set_new(o, "filesystems", filesystems(r, f));
  if (r->n_roots)
    json_object_set_new(o, "roots", roots(r));
  json_object_set_new(o, "warnings", warnings());
  return o;
}
