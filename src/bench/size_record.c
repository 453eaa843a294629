/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job that did not come to its end left in size.json, for the next one
 * to go on from.  What the sizing is stands there in the object `sizing', which
 * has to be the same then.  Rank 0. */
#include "lb-config.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_impl.h"
#include "dataset_impl.h"
#include "loadbank/hash.h"
#include "loadbank/json.h"
#include "size_impl.h"

static const char *const anew =
    "choose another folder (--results), or --force begins anew";

/* ---- what a sizing is ---- */

/* Where results go is no part of it. */
static bool says_where(const char *line)
{
  line += strspn(line, "+");
  if (!strncmp(line, "workload.", 9))
    line += 9;
  return !strncmp(line, "output.folder=", 14) ||
         !strncmp(line, "hydra.run.dir=", 14);
}

static json_t *overrides(const struct lb_size_ask *a)
{
  json_t *list = json_array();
  for (int i = 0; i < a->n_overrides; i++)
    if (!says_where(a->overrides[i]))
      json_array_append_new(list, lb_json_string(a->overrides[i]));
  return list;
}

/* The fingerprint of what is on disk or will be made; "": nobody can tell. */
static int find_dataset(struct lb_workload *w, char out[LB_FINGERPRINT_LEN],
                        struct lb_err *err)
{
  struct lb_manifest disk;
  out[0] = '\0';
  if (w->derived.backend->is_virtual)
    return 0;
  if (w->workflow.generate_data)
    return lb_bench_fingerprint(w, out, err);
  int found = lb_manifest_read(&disk, w->derived.data_folder, err);
  if (found > 0)
    lb_manifest_fingerprint(&disk, out);
  return found < 0 ? found : 0;
}

static json_t *describe(const struct lb_world *world,
                        const struct lb_size_ask *a,
                        const struct lb_workload *w, const char *dataset)
{
  json_t *o = json_object();
  char hash[24];
  snprintf(hash, sizeof hash, "%016" PRIx64,
           lb_hash(LB_HASH_START, a->yaml, a->yaml_len));
  lb_json_put_text(o, "loadbank", PACKAGE_VERSION);
  lb_json_put_text(o, "workload", w->name);
  lb_json_put_text(o, "workload_hash", hash);
  json_object_set_new(o, "overrides", overrides(a));
  lb_json_put_text(o, "dataset", dataset[0] ? dataset : NULL);
  lb_json_put_int(o, "accelerators", a->max);
  lb_json_put_int(o, "ranks", world->n_ranks);
  lb_json_put_int(o, "nodes", world->n_nodes);
  lb_json_put_int(o, "max_repeats", a->max_repeats);
  return o;
}

static int to_text(json_t *o, char **out, struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, 1 << 24);
  lb_json_text(&text, o);
  json_decref(o);
  if (text.failed)
    lb_err_set(err, LB_FAILED, "no memory for what the sizing is");
  else
    *out = lb_buf_take(&text);
  lb_buf_fini(&text);
  return -err->code;
}

int size_identity(const struct lb_world *world, const struct lb_size_ask *a,
                  const struct lb_size_pace *pace, char **out,
                  struct lb_err *err)
{
  struct lb_workload *w = NULL;
  char dataset[LB_FINGERPRINT_LEN] = "";
  if (!lb_workload_load(a->yaml, a->yaml_len, a->name, a->overrides,
                        a->n_overrides, &w, err) &&
      !lb_workload_read_files(w, err) &&
      (pace || !find_dataset(w, dataset, err))) {
    json_t *o = describe(world, a, w, dataset);
    if (pace) {
      lb_json_put_number(o, "every_seconds", pace->every_s);
      lb_json_put_number(o, "at_most_percentage", pace->at_most);
    } else {
      lb_json_put_number(o, "au", a->au);
      lb_json_put_number(o, "min_seconds", a->min_seconds);
      lb_json_put_int(o, "min_steps", a->min_steps);
    }
    to_text(o, out, err);
  }
  lb_workload_free(w);
  return -err->code;
}

uint64_t size_hash(const char *identity)
{
  return lb_hash(LB_HASH_START, identity, strlen(identity));
}

/* ---- runs as they are kept ---- */

static json_t *times(const uint64_t ns[LB_WINDOWS])
{
  json_t *list = json_array();
  for (int i = 0; i < LB_WINDOWS; i++)
    json_array_append_new(list, lb_json_count(ns[i]));
  return list;
}

json_t *size_run_json(const struct lb_size_run *run)
{
  json_t *o = json_object();
  lb_json_put_int(o, "accelerators", run->n);
  lb_json_put_int(o, "ranks", run->ranks);
  lb_json_put_int(o, "first_file", run->first_file);
  lb_json_put_bool(o, "reused", run->reused);
  lb_json_put_text(o, "limited_by", lb_limit_names[run->limit]);
  json_object_set_new(o, "window_ns", times(run->ns));
  json_object_set_new(o, "late_ns", times(run->late_ns));
  json_object_set_new(o, "compute_ns", times(run->compute_ns));
  lb_json_put_number(o, "read_bytes", run->read_bytes);
  lb_json_put_number(o, "seconds", run->seconds);
  return o;
}

static bool read_times(const json_t *list, uint64_t ns[LB_WINDOWS])
{
  for (int i = 0; i < LB_WINDOWS; i++) {
    const json_t *v = json_array_get(list, (size_t)i);
    if (!json_is_integer(v) || json_integer_value(v) < 0)
      return false;
    ns[i] = (uint64_t)json_integer_value(v);
  }
  return true;
}

static bool read_limit(const json_t *v, enum lb_limit_by *limit)
{
  const char *name = json_string_value(v);
  for (int i = 0; name && i < LB_N_LIMITS; i++)
    if (!strcmp(lb_limit_names[i], name)) {
      *limit = (enum lb_limit_by)i;
      return true;
    }
  return false;
}

bool size_run_read(const json_t *o, struct lb_size_run *run)
{
  *run = (struct lb_size_run){
      .n = json_integer_value(json_object_get(o, "accelerators")),
      .ranks = (int)json_integer_value(json_object_get(o, "ranks")),
      .first_file = json_integer_value(json_object_get(o, "first_file")),
      .reused = json_is_true(json_object_get(o, "reused")),
      .read_bytes = json_number_value(json_object_get(o, "read_bytes")),
      .seconds = json_number_value(json_object_get(o, "seconds"))};
  return read_limit(json_object_get(o, "limited_by"), &run->limit) &&
         read_times(json_object_get(o, "window_ns"), run->ns) &&
         read_times(json_object_get(o, "late_ns"), run->late_ns) &&
         read_times(json_object_get(o, "compute_ns"), run->compute_ns);
}

/* ---- the file ---- */

/* 1: it is in *root; 0: there is none; negative: it cannot be read. */
static int load(const char *folder, json_t **root, struct lb_err *err)
{
  char path[PATH_MAX];
  json_error_t why;
  if (size_folder(path, folder, err, LB_SIZE_RESULT))
    return -err->code;
  if (access(path, F_OK))
    return 0;
  *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
  if (*root)
    return 1;
  if (why.line < 1) /* not opened */
    return lb_err_set(err, LB_FAILED, "%s", why.text);
  return lb_err_set(err, LB_USAGE, "%s:%d: %s; %s", path, why.line, why.text,
                    anew);
}

static bool is_complete(const json_t *root)
{
  const char *status = json_string_value(json_object_get(root, "status"));
  return !status || !strcmp(status, lb_size_end_names[LB_SIZE_COMPLETE]);
}

bool lb_size_is_answered(const char *folder)
{
  struct lb_err err = LB_ERR_INIT;
  json_t *root = NULL;
  int rc = load(folder, &root, &err);
  bool answered = rc < 0 || (rc > 0 && is_complete(root));
  json_decref(root);
  return answered;
}

/* Refuses what is another sizing's, or has come to its end. */
static int check(const json_t *root, const char *folder, const char *identity,
                 struct lb_err *err)
{
  struct lb_buf text;
  json_t *here = json_loads(identity, 0, NULL);
  if (is_complete(root)) {
    json_decref(here);
    return lb_err_set(err, LB_USAGE,
                      "%s: holds the answer of a sizing (" LB_SIZE_RESULT
                      "); choose another folder (--results), or --force "
                      "replaces it",
                      folder);
  }
  lb_buf_init(&text, 4096);
  lb_json_differences(json_object_get(root, "sizing"), here, &text);
  if (text.len || !here)
    lb_err_set(err, LB_USAGE,
               "%s/" LB_SIZE_RESULT ": of another sizing: %s; %s", folder,
               text.data ? text.data : "", anew);
  json_decref(here);
  lb_buf_fini(&text);
  return -err->code;
}

int size_record_read(const char *folder, const char *identity,
                     struct size_record *out, struct lb_err *err)
{
  *out = (struct size_record){.root = NULL};
  int rc = load(folder, &out->root, err);
  if (rc <= 0)
    return rc;
  if (check(out->root, folder, identity, err))
    return -err->code;
  const char *status = json_string_value(json_object_get(out->root, "status"));
  out->runs = json_object_get(out->root, "measurements");
  out->seconds = json_number_value(json_object_get(out->root, "seconds"));
  out->cut = strcmp(status, lb_size_end_names[LB_SIZE_TIME]) != 0;
  return 0;
}

void size_record_fini(struct size_record *r)
{
  json_decref(r->root);
  r->root = NULL;
}

int size_record_damaged(const char *folder, struct lb_err *err)
{
  return lb_err_wrap(err, "%s/" LB_SIZE_RESULT ": damaged; %s", folder, anew);
}
