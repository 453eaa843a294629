/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From flags and parameters to the configuration of a command, and what the
 * rules say about it.  The loader (src/config) decides whether a value can be;
 * nothing here runs anything. */
#include "lb-config.h"

#include "mlperf/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/json.h"
#include "loadbank/mlperf_cli.h"
#include "loadbank/mlperf_launch.h"
#include "mlperf/overrides.h"
#include "mlperf/params_json.h"
#include "mlperf/parse_impl.h"

/* In the order in which they are laid over the workload. */
struct layers {
  struct lb_overrides own, official, rehearsal;
};

/* --num-client-hosts, or as many as --hosts names. */
static int64_t hosts_of(const struct lb_mlperf_args *a)
{
  if (a->num_client_hosts > 0)
    return a->num_client_hosts;
  int64_t n = 0;
  for (const char *c = a->hosts; *c; n++) {
    c += strspn(c, ", \t");
    if (!*c)
      break;
    c += strcspn(c, ", \t");
  }
  return n ? n : 1;
}

/* The least and the most that a host of --hosts takes, of those that say it;
 * 0: none does. */
static int slots_of(const struct lb_mlperf_args *a, int64_t *least,
                    int64_t *most, struct lb_err *err)
{
  struct lb_mlperf_host_slots *h = calloc(LB_MLPERF_MAX_HOSTS, sizeof *h);
  int n = 0;
  *least = *most = 0;
  if (!h)
    return lb_err_set(err, LB_FAILED, "no memory");
  int rc = lb_mlperf_hosts_read(a->hosts, h, LB_MLPERF_MAX_HOSTS, &n, err);
  for (int i = 0; !rc && i < n; i++) {
    int64_t slots = h[i].slots;
    *most = slots > *most ? slots : *most;
    *least = slots && (!*least || slots < *least) ? slots : *least;
  }
  free(h);
  return rc;
}

/* Makes c->override of the layers and --params. */
static int join(const struct lb_mlperf_args *args, const struct layers *l,
                struct lb_mlperf_config *c, struct lb_err *err)
{
  const struct lb_overrides *before[] = {&l->own, &l->official};
  size_t max = 3 * (size_t)LB_OVERRIDES + (size_t)args->n_params;
  for (int i = 0; i < c->n_overrides; i++)
    free((char *)c->override[i]);
  free(c->override);
  c->n_overrides = 0;
  c->override = calloc(max + 1, sizeof *c->override);
  bool failed = !c->override || l->own.failed || l->official.failed ||
                l->rehearsal.failed;
  for (size_t i = 0; !failed && i < 2; i++)
    for (int j = 0; j < before[i]->n; j++)
      c->override[c->n_overrides++] = strdup(before[i]->v[j]);
  for (int i = 0; !failed && i < args->n_params; i++)
    c->override[c->n_overrides++] = strdup(args->params[i]);
  for (int i = 0; !failed && i < l->rehearsal.n; i++)
    c->override[c->n_overrides++] = strdup(l->rehearsal.v[i]);
  for (int i = 0; i < c->n_overrides; i++)
    failed = failed || !c->override[i];
  return failed ? lb_err_set(err, LB_FAILED, "no memory") : 0;
}

static int load(struct lb_mlperf_config *c, struct lb_workload **w,
                struct lb_err *err)
{
  return lb_workload_load(c->text, c->len, c->path, c->override, c->n_overrides,
                          w, err);
}

static int need_of(const struct lb_mlperf_args *args,
                   const struct lb_workload *w, struct lb_mlperf_config *c,
                   struct lb_err *err)
{
  bool known = args->client_host_memory_in_gb > 0 && c->accelerators > 0;
  if (!known && args->command == LB_MLPERF_DATASIZE)
    return lb_err_set(err, LB_USAGE,
                      "datasize goes by --client-host-memory-in-gb and "
                      "--max-accelerators: both must be above 0");
  if (!known || args->command == LB_MLPERF_DATAGEN)
    return 0;
  c->need = (struct lb_mlperf_need){
      .samples_per_file = w->dataset.num_samples_per_file,
      .record_bytes = w->derived.sample_bytes,
      .batch_size = w->reader.batch_size,
      .accelerators = c->accelerators,
      .hosts = c->hosts,
      .host_memory_bytes = lb_mlperf_gib_bytes(args->client_host_memory_in_gb),
      .scale = args->scale,
  };
  if (!c->need.host_memory_bytes)
    return lb_err_set(err, LB_USAGE,
                      "--client-host-memory-in-gb: %g GiB cannot be",
                      args->client_host_memory_in_gb);
  c->has_datasize = true;
  return lb_mlperf_datasize(&c->need, &c->datasize, err);
}

/* Without a number given: what the rules ask for; where they cannot be asked
 * (datagen knows no memory), the workload's own. */
static int64_t files_of(const struct lb_mlperf_args *args,
                        const struct lb_workload *w,
                        const struct lb_mlperf_config *c)
{
  int64_t files = w->dataset.num_files_train;
  if (lb_overrides_given(args, "dataset.num_files_train"))
    return files;
  if (c->has_datasize)
    return c->datasize.files;
  const struct lb_mlperf_need few = {
      .samples_per_file = w->dataset.num_samples_per_file,
      .record_bytes = w->derived.sample_bytes,
      .batch_size = w->reader.batch_size,
      .accelerators = c->accelerators > 0 ? c->accelerators : 1,
      .hosts = 1,
      .scale = args->scale,
  };
  return args->scale.files < 1 ? lb_rehearsal_files(&few, files) : files;
}

/* The first look: what the workload is without the number of its files and a
 * rehearsal; then these. */
static int make_overrides(const struct lb_mlperf_args *args,
                          struct lb_mlperf_config *c, struct layers *l,
                          struct lb_err *err)
{
  struct lb_workload *w = NULL;
  lb_overrides_of_tool(args, &l->official, &l->own);
  int rc = join(args, l, c, err);
  if (!rc)
    rc = load(c, &w, err);
  if (!rc && args->kind == LB_MLPERF_TRAINING) {
    rc = need_of(args, w, c, err);
    if (!rc)
      lb_overrides_of_files(args, files_of(args, w, c), &l->official);
  }
  if (!rc)
    rc =
        lb_overrides_of_rehearsal(args, w, c->accelerators, &l->rehearsal, err);
  lb_workload_free(w);
  return rc ? rc : join(args, l, c, err);
}

static int lay(json_t *tree, json_t *flat, const char *const *v, int n,
               struct lb_err *err)
{
  int rc = 0;
  for (int i = 0; !rc && i < n; i++)
    rc = lb_params_set(tree, flat, v[i], err);
  return rc;
}

static int make_parameters(const struct lb_mlperf_args *args,
                           const struct layers *l, struct lb_mlperf_config *c,
                           struct lb_err *err)
{
  c->template_parameters = lb_params_of_yaml(c->text, c->len, c->path, err);
  if (!c->template_parameters)
    return -err->code;
  c->parameters = json_deep_copy(c->template_parameters);
  c->override_parameters = json_object();
  c->own_parameters = json_object();
  int rc = lay(c->parameters, c->own_parameters, (const char *const *)l->own.v,
               l->own.n, err);
  if (!rc)
    rc = lay(c->parameters, c->override_parameters,
             (const char *const *)l->official.v, l->official.n, err);
  if (!rc)
    rc = lay(c->parameters, c->override_parameters, args->params,
             args->n_params, err);
  if (!rc)
    rc = lay(c->parameters, c->own_parameters,
             (const char *const *)l->rehearsal.v, l->rehearsal.n, err);
  /* The checker asks for it by name; workloads leave it at its default. */
  json_t *dataset = json_object_get(c->parameters, "dataset");
  if (dataset && !json_object_get(dataset, "num_subfolders_train"))
    lb_json_put_int(dataset, "num_subfolders_train", 0);
  if (!rc)
    lb_mlperf_core_hash(args->kind, c->parameters, c->hash, &c->hash_keys);
  return rc;
}

/* What --hosts says of single hosts. */
static int check_slots(const struct lb_mlperf_args *args,
                       const struct lb_mlperf_config *c,
                       struct lb_mlperf_findings *out, struct lb_err *err)
{
  int64_t least, most;
  int rc = slots_of(args, &least, &most, err);
  if (rc)
    return rc;
  if (args->kind == LB_MLPERF_TRAINING && least != most &&
      args->command != LB_MLPERF_DATAGEN && args->command != LB_MLPERF_DATASIZE)
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, "3.3.6", "hosts",
                   "%" PRId64 " accelerators on one host, %" PRId64
                   " on another; allowed: as many on each host",
                   least, most);
  if (args->kind == LB_MLPERF_CHECKPOINTING && least &&
      least <= LB_MLPERF_PER_HOST &&
      c->accelerators > LB_MLPERF_PER_HOST * c->hosts)
    lb_mlperf_find(out, LB_MLPERF_IS_OPEN, "4.6.2", "hosts",
                   "%" PRId64
                   " processes on a host; allowed in closed: more than %d",
                   least, LB_MLPERF_PER_HOST);
  return 0;
}

static void check_training(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_config *c,
                           struct lb_mlperf_findings *out)
{
  const struct lb_mlperf_datasize *d = &c->datasize;
  if (args->command != LB_MLPERF_DATASIZE && c->has_datasize &&
      c->files < d->files)
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, "3.1.2",
                   "dataset.num_files_train",
                   "%" PRId64 " files; allowed: %" PRId64
                   " or more (five times the memory asks for %" PRId64
                   ", 500 steps for %" PRId64 "%s)",
                   c->files, d->files, d->files_memory, d->files_steps,
                   d->files < d->full_files ? "; of a rehearsal, fewer" : "");
  /* A size may be asked for any number, as far as it goes. */
  if (args->command != LB_MLPERF_DATASIZE && c->accelerators % c->hosts != 0)
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, "3.3.6", "num_accelerators",
                   "%" PRId64 " accelerators on %" PRId64
                   " hosts; allowed: as many on each host",
                   c->accelerators, c->hosts);
}

/* With the first of the worst findings. */
static int refuse(const struct lb_mlperf_args *args,
                  const struct lb_mlperf_findings *found, struct lb_err *err)
{
  const struct lb_mlperf_finding *f = found->f;
  while (f < found->f + found->n && f->verdict != found->verdict)
    f++;
  if (f == found->f + found->n) /* more than are kept */
    return lb_err_set(err, LB_USAGE, "%s %s: the parameters are %s",
                      lb_mlperf_mode_names[args->mode],
                      lb_mlperf_kind_names[args->kind],
                      lb_mlperf_verdict_names[found->verdict]);
  return lb_err_set(
      err, LB_USAGE, "%s %s: rule %s: %s: %s", lb_mlperf_mode_names[args->mode],
      lb_mlperf_kind_names[args->kind], f->rule, f->key, f->message);
}

/* Of the workload as it will run. */
static int take_training(const struct lb_mlperf_args *args,
                         const struct lb_workload *w,
                         struct lb_mlperf_config *c, struct lb_err *err)
{
  uint64_t bytes;
  c->files = w->dataset.num_files_train;
  snprintf(c->folder, sizeof c->folder, "%s", w->derived.data_folder);
  if (__builtin_mul_overflow((uint64_t)w->dataset.num_samples_per_file,
                             (uint64_t)w->derived.sample_bytes, &bytes) ||
      __builtin_mul_overflow(bytes, (uint64_t)c->files, &c->dataset_bytes))
    return lb_err_set(err, LB_USAGE, "%s: a dataset of more than 2^64 bytes",
                      c->path);
  if (args->command != LB_MLPERF_DATAGEN)
    check_training(args, c, &c->findings);
  return 0;
}

static int take_checkpoint(const struct lb_mlperf_args *args,
                           const struct lb_workload *w,
                           struct lb_mlperf_config *c, struct lb_err *err)
{
  c->checkpoints_write = w->checkpoint.num_checkpoints_write;
  c->checkpoints_read = w->checkpoint.num_checkpoints_read;
  snprintf(c->folder, sizeof c->folder, "%s", w->derived.checkpoint_folder);
  lb_mlperf_check_checkpoint(c->row, c->accelerators, c->hosts,
                             args->accelerator_type, c->checkpoints_write,
                             c->checkpoints_read, &c->findings);
  struct lb_err cause = LB_ERR_INIT;
  int rc =
      lb_mlperf_checkpoint_size(w, c->accelerators, &c->checkpoint, &cause);
  if (rc && c->findings.verdict == LB_MLPERF_IS_INVALID)
    return refuse(args, &c->findings, err);
  return rc ? lb_err_set(err, LB_USAGE, "%s", cause.msg) : 0;
}

/* --params win over flags, but the metadata would say what the flag says. */
static int check_direct(const struct lb_mlperf_args *args,
                        const struct lb_workload *w, struct lb_err *err)
{
  const char *type = w->storage.storage_type;
  return !args->o_direct || !strcmp(type, "direct_fs")
             ? 0
             : lb_err_set(err, LB_USAGE,
                          "--o-direct, but --params storage.storage_type=%s: "
                          "leave one of them out",
                          type);
}

static int make(const struct lb_mlperf_args *args, struct layers *l,
                struct lb_mlperf_config *c, struct lb_err *err)
{
  struct lb_workload *w = NULL;
  int rc = make_overrides(args, c, l, err);
  if (!rc)
    rc = load(c, &w, err);
  if (!rc)
    rc = check_direct(args, w, err);
  if (!rc)
    rc = lb_rehearsal_check(args, w, err);
  if (!rc)
    rc = make_parameters(args, l, c, err);
  if (!rc)
    lb_mlperf_check_params(args->kind, args->model, c->override_parameters,
                           &c->findings);
  if (!rc)
    rc = check_slots(args, c, &c->findings, err);
  if (!rc)
    rc = args->kind == LB_MLPERF_TRAINING ? take_training(args, w, c, err)
                                          : take_checkpoint(args, w, c, err);
  lb_workload_free(w);
  return rc;
}

int lb_mlperf_config_load(const struct lb_mlperf_args *args, const char *text,
                          size_t len, const char *path,
                          struct lb_mlperf_config *c, struct lb_err *err)
{
  struct layers l = {0};
  *c = (struct lb_mlperf_config){.len = len};
  snprintf(c->path, sizeof c->path, "%s", path);
  int rc = lb_mlperf_workload_find(args->mode, args->kind, args->model,
                                   args->accelerator_type, &c->row, err);
  char *copy = rc ? NULL : malloc(len + 1);
  if (!rc && !copy)
    rc = lb_err_set(err, LB_FAILED, "no memory");
  if (copy) {
    c->text = memcpy(copy, text, len);
    copy[len] = '\0';
    c->accelerators = lb_mlperf_accelerators(args);
    c->hosts = hosts_of(args);
    rc = make(args, &l, c, err);
  }
  lb_overrides_fini(&l.own);
  lb_overrides_fini(&l.official);
  lb_overrides_fini(&l.rehearsal);
  if (rc)
    lb_mlperf_config_fini(c);
  return rc;
}

int lb_mlperf_config_find(const struct lb_mlperf_args *args, char **text,
                          size_t *len, char path[PATH_MAX], struct lb_err *err)
{
  const struct lb_mlperf_workload *row;
  int rc = lb_mlperf_workload_find(args->mode, args->kind, args->model,
                                   args->accelerator_type, &row, err);
  return rc ? rc
            : lb_workload_find(row->workload, NULL, 0, text, len, path, err);
}

int lb_mlperf_config_make(const struct lb_mlperf_args *args,
                          struct lb_mlperf_config *c, struct lb_err *err)
{
  char *text = NULL, path[PATH_MAX];
  size_t len = 0;
  *c = (struct lb_mlperf_config){0};
  int rc = lb_mlperf_config_find(args, &text, &len, path, err);
  if (!rc)
    rc = lb_mlperf_config_load(args, text, len, path, c, err);
  free(text);
  return rc;
}

void lb_mlperf_config_fini(struct lb_mlperf_config *c)
{
  for (int i = 0; i < c->n_overrides; i++)
    free((char *)c->override[i]);
  free(c->override);
  free(c->text);
  json_decref(c->parameters);
  json_decref(c->template_parameters);
  json_decref(c->override_parameters);
  json_decref(c->own_parameters);
  json_decref(c->hash_keys);
  *c = (struct lb_mlperf_config){0};
}

int lb_mlperf_config_check(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_config *c, struct lb_err *err)
{
  static const int worst[LB_MLPERF_N_MODES] = {
      [LB_MLPERF_CLOSED] = LB_MLPERF_IS_CLOSED,
      [LB_MLPERF_OPEN] = LB_MLPERF_IS_OPEN,
      [LB_MLPERF_WHATIF] = LB_MLPERF_IS_INVALID,
  };
  if (c->findings.verdict <= worst[args->mode] || args->allow_invalid_params)
    return 0;
  return refuse(args, &c->findings, err);
}
