/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See dataset_there.h. */
#include "lb-config.h"

#include "mlperf/dataset_there.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/bench.h"
#include "loadbank/json.h"
#include "mlperf/leaf.h"
#include "mlperf/metadata.h"
#include "mlperf/overrides.h"
#include "mlperf/slurp.h"

const char lb_mlperf_other_data[] = "remove it, or give another --data-dir";

/* ---- what datasize has asked for ---- */

static bool same_text(const json_t *v, const char *text)
{
  const char *there = json_string_value(v);
  return !there || !strcmp(there, text);
}

static bool same_part(const json_t *rehearsal, const char *key, double mine)
{
  const json_t *v = json_object_get(rehearsal, key);
  return (v ? lb_json_real(v) : 1) == mine;
}

/* Of the same data folder, at the same scale; time makes no file. */
static bool is_about(const json_t *metadata, const struct lb_mlperf_args *args)
{
  const json_t *there = json_object_get(metadata, "rehearsal");
  return same_part(there, "files", args->scale.files) &&
         same_part(there, "bytes", args->scale.bytes) &&
         same_text(lb_json_at(metadata, "args.data_dir"), args->data_dir);
}

/* The files that the last datasize of the group has asked for; 0: unknown. */
static int64_t files_asked(const struct lb_mlperf_args *args,
                           const struct lb_mlperf_place *place)
{
  struct lb_leaf l = {.args = args, .place = *place};
  struct lb_err ignored = LB_ERR_INIT;
  char name[LB_LEAF_FILE], path[PATH_MAX], unread[LB_MLPERF_UNREAD];
  l.place.command = LB_MLPERF_DATASIZE;
  if (lb_leaf_last(args->results_dir, &l.place, l.path, &ignored) || !*l.path)
    return 0;
  lb_leaf_file(&l, "metadata", name);
  if (snprintf(path, sizeof path, "%s/%s", l.path, name) >= (int)sizeof path)
    return 0;
  json_t *metadata = lb_mlperf_slurp_json(path, unread);
  int64_t files = is_about(metadata, args)
                      ? json_integer_value(lb_json_at(
                            metadata, "parameters.dataset.num_files_train"))
                      : 0;
  json_decref(metadata);
  return files;
}

/* In what-if, nobody will ask. */
static int check_number(const struct lb_mlperf_args *args,
                        const struct lb_mlperf_place *place,
                        const struct lb_workload *w, struct lb_err *err)
{
  int64_t asked = 0;
  if (args->mode != LB_MLPERF_WHATIF &&
      !lb_overrides_given(args, "dataset.num_files_train"))
    asked = files_asked(args, place);
  if (asked <= w->dataset.num_files_train)
    return 0;
  return lb_err_set(err, LB_USAGE,
                    "datagen would make %" PRId64 " files, `datasize' has "
                    "asked for %" PRId64 " (rule 3.2.1): give it --params "
                    "dataset.num_files_train=%" PRId64
                    ", or another number on purpose",
                    w->dataset.num_files_train, asked, asked);
}

/* ---- what is on disk ---- */

static int check_disk(struct lb_workload *w, bool datagen, struct lb_err *err)
{
  const char *folder = w->derived.data_folder;
  struct lb_err why = LB_ERR_INIT;
  if (!datagen && access(folder, F_OK))
    return lb_err_set(err, LB_USAGE,
                      "%s: there is no dataset; `datagen' makes it", folder);
  if (!lb_bench_dataset_fits(w, datagen, &why))
    return 0;
  if (datagen)
    return lb_err_set(err, LB_USAGE, "%s: %.400s; %s", folder, why.msg,
                      lb_mlperf_other_data);
  return lb_err_set(err, LB_USAGE,
                    "%s: %.400s; `datagen' with the same scale and --params "
                    "dataset.num_files_train=%" PRId64
                    " makes what the run asks for",
                    folder, why.msg, w->dataset.num_files_train);
}

int lb_mlperf_dataset_there(const struct lb_mlperf_args *args,
                            const struct lb_mlperf_place *place,
                            struct lb_workload *w, struct lb_err *err)
{
  bool datagen = args->command == LB_MLPERF_DATAGEN;
  if (args->kind != LB_MLPERF_TRAINING || w->derived.backend->is_virtual)
    return 0;
  if (datagen && check_number(args, place, w, err))
    return -err->code;
  return check_disk(w, datagen, err);
}
