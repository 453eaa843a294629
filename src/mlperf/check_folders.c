/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about where data and results were put: two folders, on two file
 * systems, with the proof of it in fs_separation.json. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <string.h>

#include "loadbank/json.h"
#include "loadbank/path.h"
#include "loadbank/units.h"

static const char *data_folder(const struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  return c->place.kind == LB_MLPERF_TRAINING ? f->data_dir
                                             : f->checkpoint_folder;
}

/* 3.4.1, 4.4.1 */
void lb_mlperf_check_two_folders(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const char *data = data_folder(c);
  const char *where = lb_mlperf_here(c)->name;
  const char *name =
      c->place.kind == LB_MLPERF_TRAINING ? "data_dir" : "checkpoint_folder";
  if (!data || !*data || !f->results_dir || !*f->results_dir)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "args.%s is missing in its metadata",
                  data && *data ? "results_dir" : name);
  else if (lb_path_length(data) == lb_path_length(f->results_dir) &&
           !strncmp(data, f->results_dir, lb_path_length(data)))
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "%s and results_dir are both %.300s: they must differ", name,
                  data);
}

static bool uses_objects(const struct lb_mlperf_check *c)
{
  return c->described && !strcmp(c->system.benchmark_api, "object");
}

/* 3.4.2, 4.4.2 */
void lb_mlperf_check_file_systems(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_json *file =
      &lb_mlperf_leaf_of(c)->file[LB_MLPERF_FS_SEPARATION];
  const char *where = lb_mlperf_here(c)->name;
  if (uses_objects(c))
    return;
  if (!file->name)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "fs_separation.json is missing: nothing proves that data and "
                  "results are on different file systems");
  else if (json_is_true(lb_json_at(file->json, "same_filesystem")))
    lb_mlperf_say(c, lb_mlperf_unless_rehearsal(lb_mlperf_facts_of(c)), where,
                  file->name,
                  "data and results were on the same file system: the results "
                  "must be on another than the one under test");
}

/* ---- CAP-03: the proof itself ---- */

static const struct {
  const char *key;
  json_type type;
} keys[] = {
    {"method", JSON_STRING},           {"data_or_chkpt_path", JSON_STRING},
    {"results_path", JSON_STRING},     {"data_or_chkpt_realpath", JSON_STRING},
    {"results_realpath", JSON_STRING}, {"probed_at", JSON_STRING},
    {"probed_by_rank", JSON_INTEGER},  {"probed_by_host", JSON_STRING},
};

/* The first key that is missing or of another type, or NULL. */
static const char *wrong_key(const json_t *v)
{
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const json_t *at = json_object_get(v, keys[i].key);
    if (!at || json_typeof(at) != keys[i].type)
      return keys[i].key;
  }
  if (!json_is_boolean(json_object_get(v, "same_filesystem")))
    return "same_filesystem";
  return json_is_integer(json_object_get(v, "version")) ? NULL : "version";
}

/* "./data" is "data". */
static const char *without_dot(const char *path)
{
  while (path[0] == '.' && path[1] == '/')
    path += 2 + strspn(path + 2, "/");
  return path;
}

/* Is it the folder, or one in it? */
static bool within(const char *path, const char *folder)
{
  path = without_dot(path);
  folder = without_dot(folder);
  size_t n = lb_path_length(folder);
  if (n == 0 || !strcmp(folder, "."))
    return *path != '/';
  return !strncmp(path, folder, n) &&
         (path[n] == '/' || path[n] == '\0' || folder[n - 1] == '/');
}

void lb_mlperf_check_proof(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_json *file =
      &lb_mlperf_leaf_of(c)->file[LB_MLPERF_FS_SEPARATION];
  const char *where = lb_mlperf_here(c)->name, *data = data_folder(c);
  const char *key = wrong_key(file->json);
  if (!file->name || uses_objects(c)) /* 3.4.2, 4.4.2 */
    return;
  if (!file->json)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, file->name, "%s", file->reason);
  else if (key)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, file->name,
                  "%s is missing or of the wrong type: this proves nothing",
                  key);
  else if (data && *data &&
           !within(json_string_value(
                       json_object_get(file->json, "data_or_chkpt_path")),
                   data))
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, where, file->name,
        "it is about %.200s, the run used %.200s",
        json_string_value(json_object_get(file->json, "data_or_chkpt_path")),
        data);
}

/* ---- CAP-01, CAP-02: the gates that were passed ---- */

static const json_t *gate(const struct lb_mlperf_check *c, const char *key)
{
  const json_t *meta = lb_mlperf_metadata_of(c);
  return json_object_get(json_object_get(meta, "gates"), key);
}

static double bytes_of(const json_t *o, const char *key)
{
  double v = lb_json_real(json_object_get(o, key));
  return v > 0 ? v : 0;
}

/* CAP-01 */
void lb_mlperf_check_room(struct lb_mlperf_check *c)
{
  const json_t *list = gate(c, "CAP-01");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *o = json_array_get(list, i);
    const char *folder = json_string_value(json_object_get(o, "folder"));
    double need = bytes_of(o, "required_bytes");
    double room = bytes_of(o, "free_bytes") + bytes_of(o, "there_bytes");
    if (room < need)
      lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                    "%.200s had room for %.2f GiB, %.2f GiB were to be written",
                    folder ? folder : "its folder", room / LB_GIB,
                    need / LB_GIB);
  }
}

/* CAP-02 */
void lb_mlperf_check_shared(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const json_t *meta = lb_mlperf_metadata_of(c);
  if (f->hosts > 1 && json_is_object(json_object_get(meta, "gates")) &&
      json_array_size(gate(c, "CAP-02")) == 0)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "it ran on %lld hosts, but its metadata do not say that all "
                  "of them saw the same folders",
                  (long long)f->hosts);
}
