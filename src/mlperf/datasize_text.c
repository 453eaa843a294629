/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `mlperf ... datasize' says: how much data, why, and what to type next.
 */
#include "lb-config.h"

#include "mlperf/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/mlperf_launch.h"
#include "loadbank/plan.h"
#include "loadbank/units.h"
#include "mlperf/params_json.h"

static double gib(uint64_t bytes)
{
  return (double)bytes / LB_GIB;
}

enum { GIB_TEXT = 32 };

/* "14.23", "0.00512": two places, or three digits of what is smaller. */
static const char *gib_text(double v, char out[GIB_TEXT])
{
  snprintf(out, GIB_TEXT, v < 1 ? "%.3g" : "%.2f", v);
  return out;
}

static void word(struct lb_buf *b, const char *text)
{
  lb_buf_puts(b, " ");
  lb_mlperf_quote(&text, 1, b);
}

static void flag(struct lb_buf *b, const char *name, const char *value)
{
  if (!*value)
    return;
  lb_buf_printf(b, " %s", name);
  word(b, value);
}

static void count(struct lb_buf *b, const char *name, int64_t value)
{
  if (value > 0)
    lb_buf_printf(b, " %s %" PRId64, name, value);
}

static void factor(struct lb_buf *b, const char *name, double value)
{
  char text[LB_REAL_LEN];
  lb_format_real(value, text);
  if (value < 1)
    flag(b, name, text);
}

/* ---- what to type next ---- */

static void launcher(const struct lb_mlperf_args *a, struct lb_buf *b)
{
  if (a->oversubscribe)
    lb_buf_puts(b, " --oversubscribe");
  if (a->allow_run_as_root)
    lb_buf_puts(b, " --allow-run-as-root");
  flag(b, "--mpi-params", a->mpi_params);
}

static void params(const struct lb_mlperf_args *a, int64_t files,
                   struct lb_buf *b)
{
  if (files > 0)
    lb_buf_printf(b, " --params dataset.num_files_train=%" PRId64, files);
  else if (a->n_params)
    lb_buf_puts(b, " --params");
  for (int i = 0; i < a->n_params; i++) {
    char key[512];
    lb_params_split(a->params[i], key, sizeof key);
    if (strcmp(key, "dataset.num_files_train") != 0)
      word(b, a->params[i]);
  }
  lb_buf_puts(b, "\n");
}

/* A command up to where commands differ: "datagen", "run". */
static void begin(const struct lb_mlperf_args *a, const char *command,
                  struct lb_buf *b)
{
  lb_buf_printf(b, "  loadbank mlperf %s %s %s %s file",
                lb_mlperf_mode_names[a->mode], lb_mlperf_kind_names[a->kind],
                a->model, command);
  flag(b, "--hosts", a->hosts);
  count(b, "--num-client-hosts", a->num_client_hosts);
}

/* The rest, which they have in common. */
static void end(const struct lb_mlperf_args *a, int64_t files, struct lb_buf *b)
{
  bool training = a->kind == LB_MLPERF_TRAINING;
  const char *folder = training ? a->data_dir : a->checkpoint_folder;
  count(b, "--ranks", a->ranks);
  flag(b, "--results-dir", *a->results_dir ? a->results_dir : "RESULTS");
  flag(b, training ? "--data-dir" : "--checkpoint-folder",
       *folder    ? folder
       : training ? "DATA-DIR"
                  : "FOLDER");
  flag(b, "--systemname", *a->systemname ? a->systemname : "SYSTEM");
  launcher(a, b);
  factor(b, "--scale", a->scale.files);
  factor(b, "--scale-bytes", a->scale.bytes);
  factor(b, "--scale-time", a->scale.time);
  params(a, files, b);
}

static void run_flags(const struct lb_mlperf_args *a, struct lb_buf *b)
{
  char memory[LB_REAL_LEN];
  lb_format_real(a->client_host_memory_in_gb, memory);
  flag(b, "--client-host-memory-in-gb", memory);
  flag(b, "--accelerator-type", a->accelerator_type);
}

/* Closed asks for one run to warm up and five that count. */
static void next(const struct lb_mlperf_args *a,
                 const struct lb_mlperf_config *c, struct lb_buf *b)
{
  bool training = a->kind == LB_MLPERF_TRAINING;
  int64_t files = training ? c->datasize.files : 0;
  lb_buf_puts(b, "\nNext:\n");
  if (training) {
    begin(a, "datagen", b);
    count(b, "--num-processes", c->accelerators);
    end(a, files, b);
  }
  begin(a, "run", b);
  count(b, training ? "--num-accelerators" : "--num-processes",
        c->accelerators);
  run_flags(a, b);
  if (training)
    lb_buf_puts(b, " --loops 6");
  end(a, files, b);
}

/* ---- how much ---- */

static void training(const struct lb_mlperf_args *a,
                     const struct lb_mlperf_config *c, struct lb_buf *b)
{
  const struct lb_mlperf_datasize *d = &c->datasize;
  const struct lb_mlperf_need *n = &c->need;
  char size[GIB_TEXT];
  lb_plan_row(b, "dataset of", "%s on %s, %s", a->model, c->row->accelerator,
              lb_mlperf_mode_names[a->mode]);
  lb_plan_row(b, "accelerators", "%" PRId64 ", batches of %" PRId64,
              n->accelerators, n->batch_size);
  lb_plan_row(b, "memory", "%" PRId64 " x %g GiB = %" PRIu64 " bytes", n->hosts,
              a->client_host_memory_in_gb, d->memory_bytes);
  lb_plan_row(b, "file", "%" PRId64 " x %" PRId64 " bytes", n->samples_per_file,
              n->record_bytes);
  lb_plan_row(b, "files for memory", "%" PRId64 " hold 5 x the memory",
              d->files_memory);
  lb_plan_row(b, "files for steps",
              "%" PRId64 " give 500 steps of all accelerators", d->files_steps);
  lb_plan_row(b, "files", "%" PRId64 ": the %s decide%s", d->full_files,
              d->files_memory >= d->files_steps ? "memory" : "steps",
              d->files_memory >= d->files_steps ? "s" : "");
  if (d->files != d->full_files || a->scale.bytes < 1)
    lb_plan_row(b, "rehearsal", "%" PRId64 " files of %" PRIu64 " bytes%s",
                d->files, d->file_bytes,
                (double)d->files > (double)d->full_files * a->scale.files + 1
                    ? ": 5 steps of all accelerators, the least"
                    : "");
  lb_plan_row(b, "size", "%s GiB (%" PRIu64 " bytes)",
              gib_text(gib(d->total_bytes), size), d->total_bytes);
  if (d->advised_subfolders)
    lb_plan_row(
        b, "advice",
        "more than 10000 files in one folder are slow on many file systems; "
        "dataset.num_subfolders_train=%" PRId64 " gives at most 10000 in each",
        d->advised_subfolders);
}

static void caches(const struct lb_mlperf_args *a,
                   const struct lb_mlperf_config *c, struct lb_buf *b)
{
  char text[GIB_TEXT];
  double mine = gib(c->checkpoint.total_bytes) / (double)c->hosts;
  if (!(a->client_host_memory_in_gb > 0))
    return;
  lb_plan_row(b, "memory of a host",
              "%g GiB; a host writes %s GiB of a checkpoint",
              a->client_host_memory_in_gb, gib_text(mine, text));
  if (mine < LB_MLPERF_CACHED * a->client_host_memory_in_gb)
    lb_plan_row(
        b, "caches",
        "less than %d x the memory: caches are dropped on every host before "
        "the first read (rule 4.3.1)",
        LB_MLPERF_CACHED);
}

static void checkpointing(const struct lb_mlperf_args *a,
                          const struct lb_mlperf_config *c, struct lb_buf *b)
{
  const struct lb_mlperf_checkpoint_size *s = &c->checkpoint;
  const struct lb_mlperf_workload *w = c->row;
  char one[GIB_TEXT], two[GIB_TEXT];
  lb_plan_row(b, "checkpoint of", "%s, %s", a->model,
              lb_mlperf_mode_names[a->mode]);
  lb_plan_row(b, "processes", "%" PRId64 " on %" PRId64 " host%s",
              c->accelerators, c->hosts, lb_plural(c->hosts));
  lb_plan_row(b, "a checkpoint",
              "%s GiB (%" PRIu64 " bytes) in %" PRId64 " files",
              gib_text(gib(s->total_bytes), one), s->total_bytes, s->files);
  lb_plan_row(b, "", "model %s + optimizer %s GiB",
              gib_text(gib(s->total_bytes - s->optimizer_bytes), one),
              gib_text(gib(s->optimizer_bytes), two));
  if (s->least_bytes == s->most_bytes)
    lb_plan_row(b, "a process", "%s GiB in its accelerator's memory",
                gib_text(gib(s->most_bytes), one));
  else
    lb_plan_row(b, "a process", "%s to %s GiB in its accelerator's memory",
                gib_text(gib(s->least_bytes), one),
                gib_text(gib(s->most_bytes), two));
  lb_plan_row(
      b, "all writes", "%" PRId64 " x %s = %s GiB", c->checkpoints_write,
      gib_text(gib(s->total_bytes), one),
      gib_text((double)c->checkpoints_write * gib(s->total_bytes), two));
  lb_plan_row(b, "published",
              "%g GB in the rules; the official datasize adds up %g + %g GiB",
              w->published_gib, w->model_gib, w->optimizer_gib);
  caches(a, c, b);
}

void lb_mlperf_datasize_text(const struct lb_mlperf_args *args,
                             const struct lb_mlperf_config *c,
                             struct lb_buf *out)
{
  char text[200];
  if (args->kind == LB_MLPERF_TRAINING)
    training(args, c, out);
  else
    checkpointing(args, c, out);
  const struct lb_mlperf_scale scale = lb_mlperf_scale_of(args);
  lb_mlperf_rehearsal_text(&scale, text, sizeof text);
  if (*text)
    lb_buf_printf(out, "%s\n", text);
  next(args, c, out);
}

json_t *lb_mlperf_datasize_parameters(const struct lb_mlperf_config *c)
{
  json_t *all = json_deep_copy(c->parameters);
  json_t *dataset = json_object_get(all, "dataset");
  if (c->row->kind != LB_MLPERF_TRAINING || !dataset)
    return all;
  lb_json_put_int(dataset, "num_files_train", c->datasize.files);
  if (!json_object_get(dataset, "num_subfolders_train"))
    lb_json_put_int(dataset, "num_subfolders_train", 0);
  json_object_set_new(dataset, "total_disk_bytes",
                      lb_json_count(c->datasize.total_bytes));
  return all;
}
