/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command sets before the submitter's own parameters. */
#include "lb-config.h"

#include "mlperf/overrides.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/buf.h"
#include "loadbank/config.h"
#include "loadbank/path.h"
#include "mlperf/params_json.h"

void lb_overrides_add(struct lb_overrides *o, const char *key, const char *fmt,
                      ...)
{
  struct lb_buf b;
  char *text = NULL;
  va_list ap;
  va_start(ap, fmt);
  int n = vasprintf(&text, fmt, ap);
  va_end(ap);
  lb_buf_init(&b, 2 * (size_t)PATH_MAX + 4096);
  lb_buf_printf(&b, "%s=%s", key, n < 0 ? "" : text);
  if (n < 0 || b.failed || o->n == LB_OVERRIDES)
    o->failed = true;
  else
    o->v[o->n++] = lb_buf_take(&b);
  lb_buf_fini(&b);
  if (n >= 0)
    free(text);
}

void lb_overrides_fini(struct lb_overrides *o)
{
  for (int i = 0; i < o->n; i++)
    free(o->v[i]);
  *o = (struct lb_overrides){0};
}

bool lb_overrides_given(const struct lb_mlperf_args *args, const char *key)
{
  for (int i = 0; i < args->n_params; i++) {
    char name[512];
    lb_params_split(args->params[i], name, sizeof name);
    if (!strcmp(name, key))
      return true;
  }
  return false;
}

/* A folder's name may begin like a list or a quoted text. */
static void add_path(struct lb_overrides *o, const char *key, const char *path)
{
  if (!strchr("[{\"'~", *path)) {
    lb_overrides_add(o, key, "%s", path);
    return;
  }
  struct lb_buf quoted;
  lb_buf_init(&quoted, 4 * (size_t)PATH_MAX);
  lb_yaml_quote(path, &quoted);
  lb_overrides_add(o, key, "%s", quoted.data ? quoted.data : "");
  lb_buf_fini(&quoted);
}

/* The dataset is in a folder of the model's name, unless that is where
 * --data-dir points already: at any model's, as the official tool has it. */
static bool ends_with_model(const char *path)
{
  size_t n = lb_path_length(path);
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    size_t m = strlen(w->model);
    if (w->kind == LB_MLPERF_TRAINING && n >= m &&
        !strncmp(path + n - m, w->model, m))
      return true;
  }
  return false;
}

/* <folder>/<model>, or the folder. */
static void add_folder(struct lb_overrides *o, const char *key,
                       const char *folder, const char *model)
{
  char path[PATH_MAX + LB_MLPERF_NAME + 2];
  size_t n = lb_path_length(folder);
  snprintf(path, sizeof path, "%.*s", (int)n, folder);
  if (model)
    snprintf(path + n, sizeof path - n, "%s%s",
             n == 1 && *path == '/' ? "" : "/", model);
  add_path(o, key, path);
}

static void training(const struct lb_mlperf_args *args,
                     struct lb_overrides *official, struct lb_overrides *own)
{
  if (*args->data_dir)
    add_folder(official, "dataset.data_folder", args->data_dir,
               ends_with_model(args->data_dir) ? NULL : args->model);
  if (args->command == LB_MLPERF_DATAGEN) {
    lb_overrides_add(own, "workflow.generate_data", "True");
    lb_overrides_add(own, "workflow.train", "False");
    lb_overrides_add(own, "workflow.checkpoint", "False");
  } else if (args->command != LB_MLPERF_DATASIZE) {
    lb_overrides_add(own, "storage.drop_caches", "epoch");
  }
}

static void checkpointing(const struct lb_mlperf_args *args,
                          struct lb_overrides *official,
                          struct lb_overrides *own)
{
  lb_overrides_add(official, "checkpoint.num_checkpoints_read", "%" PRId64,
                   args->num_checkpoints_read);
  lb_overrides_add(official, "checkpoint.num_checkpoints_write", "%" PRId64,
                   args->num_checkpoints_write);
  if (*args->checkpoint_folder)
    add_folder(official, "checkpoint.checkpoint_folder",
               args->checkpoint_folder, args->model);
  if (args->command != LB_MLPERF_DATASIZE)
    lb_overrides_add(own, "storage.drop_caches", "run");
}

void lb_overrides_of_tool(const struct lb_mlperf_args *args,
                          struct lb_overrides *official,
                          struct lb_overrides *own)
{
  if (args->o_direct)
    lb_overrides_add(official, "storage.storage_type", "direct_fs");
  if (args->kind == LB_MLPERF_TRAINING)
    training(args, official, own);
  else
    checkpointing(args, official, own);
}

void lb_overrides_of_files(const struct lb_mlperf_args *args, int64_t files,
                           struct lb_overrides *official)
{
  if (!lb_overrides_given(args, "dataset.num_files_train"))
    lb_overrides_add(official, "dataset.num_files_train", "%" PRId64, files);
}
