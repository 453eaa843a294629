/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a division lets a submitter set.  One table of keys, one of values that
 * no division can take although the key is free.  Pure: configurations and
 * validate ask the same functions. */
#include "lb-config.h"

#include "mlperf/params.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/buf.h"
#include "loadbank/units.h"

const char *const lb_mlperf_verdict_names[LB_MLPERF_N_VERDICTS] = {
    [LB_MLPERF_TOOL] = "tool",
    [LB_MLPERF_IS_CLOSED] = "closed",
    [LB_MLPERF_IS_OPEN] = "open",
    [LB_MLPERF_IS_INVALID] = "invalid",
};

/* Of a key that ends in a dot: all that is below. */
static const struct param {
  int kind;
  const char *key;
  int verdict;
} params[] = {
#define T LB_MLPERF_TRAINING
#define C LB_MLPERF_CHECKPOINTING
    {T, "workflow.", LB_MLPERF_TOOL},
    {T, "dataset.skip_listing", LB_MLPERF_TOOL},
    {T, "dataset.listing_validation_interval", LB_MLPERF_TOOL},
    {T, "dataset.num_files_generated", LB_MLPERF_TOOL},
    {T, "dataset.total_disk_bytes", LB_MLPERF_TOOL},
    {T, "dataset.data_folder", LB_MLPERF_IS_CLOSED},
    {T, "storage.storage_type", LB_MLPERF_IS_CLOSED},
    {T, "storage.storage_root", LB_MLPERF_IS_CLOSED},
    {T, "storage.storage_options.storage_library", LB_MLPERF_TOOL},
    {T, "storage.storage_options.uri_scheme", LB_MLPERF_TOOL},
    {T, "storage.s3_force_path_style", LB_MLPERF_TOOL},
    {T, "dataset.num_files_train", LB_MLPERF_IS_CLOSED},
    {T, "dataset.num_subfolders_train", LB_MLPERF_IS_CLOSED},
    {T, "reader.read_threads", LB_MLPERF_IS_CLOSED},
    {T, "reader.computation_threads", LB_MLPERF_IS_CLOSED},
    {T, "reader.transfer_size", LB_MLPERF_IS_CLOSED},
    {T, "reader.prefetch_size", LB_MLPERF_IS_CLOSED},
    {T, "reader.odirect", LB_MLPERF_IS_CLOSED},
    {T, "storage.storage_options.prefetch_window", LB_MLPERF_IS_CLOSED},
    {T, "checkpoint.checkpoint_folder", LB_MLPERF_IS_CLOSED},
    {T, "framework", LB_MLPERF_IS_OPEN},
    {T, "dataset.format", LB_MLPERF_IS_OPEN},
    {T, "dataset.num_samples_per_file", LB_MLPERF_IS_OPEN},
    {T, "reader.data_loader", LB_MLPERF_IS_OPEN},
    {C, "workflow.", LB_MLPERF_TOOL},
    {C, "storage.storage_type", LB_MLPERF_TOOL},
    {C, "storage.storage_root", LB_MLPERF_TOOL},
    {C, "storage.storage_options.storage_library", LB_MLPERF_TOOL},
    {C, "storage.storage_options.uri_scheme", LB_MLPERF_TOOL},
    {C, "storage.s3_force_path_style", LB_MLPERF_TOOL},
    /* The official tool's for fewer processes than CLOSED asks for. */
    {C, "checkpoint.mode", LB_MLPERF_IS_OPEN},
    {C, "model.parallelism.data", LB_MLPERF_IS_OPEN},
    /* Their values: lb_mlperf_check_checkpoint. */
    {C, "checkpoint.num_checkpoints_write", LB_MLPERF_TOOL},
    {C, "checkpoint.num_checkpoints_read", LB_MLPERF_TOOL},
    {C, "checkpoint.checkpoint_folder", LB_MLPERF_IS_CLOSED},
};
enum { N_PARAMS = sizeof params / sizeof params[0] };

/* Free keys, but not with a value that does no I/O: such a run measures the
 * emulator. */
static const struct {
  const char *key, *value, *why;
} idle[] = {
    {"storage.storage_type", "simulated", "is a model of a storage"},
    {"storage.storage_type", "none", "does no I/O"},
    {"dataset.format", "synthetic", "reads no file"},
    {"reader.data_loader", "synthetic", "reads no file"},
    {"reader.data_loader", "none", "reads no file"},
};

static bool names(const char *row, const char *key)
{
  size_t n = strlen(row);
  return row[n - 1] == '.' ? !strncmp(row, key, n) : !strcmp(row, key);
}

int lb_mlperf_param(int kind, const char *key)
{
  for (int i = 0; i < N_PARAMS; i++)
    if (params[i].kind == kind && names(params[i].key, key))
      return params[i].verdict;
  return LB_MLPERF_IS_INVALID;
}

void lb_mlperf_find(struct lb_mlperf_findings *out, int verdict,
                    const char *rule, const char *key, const char *fmt, ...)
{
  if (verdict > out->verdict)
    out->verdict = verdict;
  if (out->n == LB_MLPERF_FINDINGS)
    return;
  struct lb_mlperf_finding *f = &out->f[out->n++];
  *f = (struct lb_mlperf_finding){.rule = rule, .verdict = verdict};
  snprintf(f->key, sizeof f->key, "%s", key);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(f->message, sizeof f->message, fmt, ap);
  va_end(ap);
}

/* "reader.read_threads, ..." of what has that verdict. */
static void allowed(int kind, int verdict, struct lb_buf *out)
{
  const char *between = "";
  for (int i = 0; i < N_PARAMS; i++)
    if (params[i].kind == kind && params[i].verdict == verdict) {
      lb_buf_printf(out, "%s%s", between, params[i].key);
      between = ", ";
    }
}

/* The rule of a key that is not CLOSED's; of one that is not even OPEN's. */
static const char *const rules[LB_MLPERF_N_KINDS][2] = {
    [LB_MLPERF_TRAINING] = {"3.6.2", "3.6.3"},
    [LB_MLPERF_CHECKPOINTING] = {"4.6.3", "4.6.3"},
};

static void check_key(int kind, const char *key, struct lb_mlperf_findings *out)
{
  int verdict = lb_mlperf_param(kind, key);
  if (verdict <= LB_MLPERF_IS_CLOSED)
    return;
  bool open = verdict == LB_MLPERF_IS_OPEN;
  struct lb_buf text;
  lb_buf_init(&text, 4096);
  allowed(kind, LB_MLPERF_IS_CLOSED, &text);
  if (!open) {
    lb_buf_puts(&text, "; in open also ");
    allowed(kind, LB_MLPERF_IS_OPEN, &text);
  }
  lb_mlperf_find(out, verdict, rules[kind][!open], key,
                 "may not be set in %s; allowed: %s",
                 open ? "closed, only in open" : "any submission",
                 text.data ? text.data : "nothing");
  lb_buf_fini(&text);
}

static void check_value(int kind, const char *model, const char *key,
                        const json_t *v, struct lb_mlperf_findings *out)
{
  const char *text = json_string_value(v);
  for (size_t i = 0; text && i < sizeof idle / sizeof idle[0]; i++)
    if (!strcmp(idle[i].key, key) && !strcmp(idle[i].value, text))
      lb_mlperf_find(out, LB_MLPERF_IS_INVALID, rules[kind][1], key,
                     "'%s' %s; allowed: what reads and writes files", text,
                     idle[i].why);
  bool yes,
      off = json_is_false(v) || (text && lb_parse_bool(text, &yes) && !yes);
  if (!strcmp(key, "reader.odirect") && !off && strcmp(model, "unet3d") != 0)
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, rules[kind][0], key,
                   "is for unet3d only; allowed for %s: --o-direct", model);
}

void lb_mlperf_check_params(int kind, const char *model, const json_t *override,
                            struct lb_mlperf_findings *out)
{
  if (!out->verdict)
    out->verdict = LB_MLPERF_IS_CLOSED;
  json_t *all = (json_t *) override; /* jansson iterates no const */
  for (void *i = json_object_iter(all); i; i = json_object_iter_next(all, i)) {
    const char *key = json_object_iter_key(i);
    check_key(kind, key, out);
    check_value(kind, model, key, json_object_iter_value(i), out);
  }
}

static void check_processes(const struct lb_mlperf_workload *row, int64_t n,
                            int64_t hosts, struct lb_mlperf_findings *out)
{
  bool open = n > 0 && n % row->group == 0;
  if (n != row->processes)
    lb_mlperf_find(out, open ? LB_MLPERF_IS_OPEN : LB_MLPERF_IS_INVALID,
                   open ? "4.6.1" : "4.6.4", "num_processes",
                   "%" PRId64 " processes of %s; allowed: %" PRId64
                   " in closed, multiples of %" PRId64
                   " (tensor x pipeline) in open",
                   n, row->model, row->processes, row->group);
  if (hosts > 0 && n <= LB_MLPERF_PER_HOST * hosts)
    lb_mlperf_find(out, LB_MLPERF_IS_OPEN, "4.6.2", "num_processes",
                   "%" PRId64 " processes on %" PRId64
                   " hosts; allowed in closed: more than %d on each",
                   n, hosts, LB_MLPERF_PER_HOST);
}

static void check_memory(const struct lb_mlperf_workload *row, int64_t n,
                         const char *type, struct lb_mlperf_findings *out)
{
  char names[LB_MLPERF_LIST];
  double gib = lb_mlperf_accelerator_gib(type);
  lb_mlperf_accelerator_names(names);
  if (!type || !*type)
    return;
  if (!(gib > 0))
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, "4.3.4", "accelerator_type",
                   "no memory is known of '%s'; allowed: %s", type, names);
  else if ((double)n * gib < row->published_gib)
    lb_mlperf_find(out, LB_MLPERF_IS_INVALID, "4.3.4", "accelerator_type",
                   "%" PRId64
                   " x %s of %g GiB hold less than a checkpoint of %s, %g "
                   "GiB; allowed: %.0f or more of them",
                   n, type, gib, row->model, row->published_gib,
                   ceil(row->published_gib / gib));
}

static bool is_other_number(int64_t n)
{
  return n != 0 && n != LB_MLPERF_CHECKPOINTS;
}

void lb_mlperf_check_checkpoint(const struct lb_mlperf_workload *row,
                                int64_t accelerators, int64_t hosts,
                                const char *type, int64_t writes, int64_t reads,
                                struct lb_mlperf_findings *out)
{
  if (!out->verdict)
    out->verdict = LB_MLPERF_IS_CLOSED;
  check_processes(row, accelerators, hosts, out);
  check_memory(row, accelerators, type, out);
  if (writes + reads == 0)
    lb_mlperf_find(
        out, LB_MLPERF_IS_INVALID, "4.7.1", "num_checkpoints_write",
        "nothing to write and nothing to read; allowed: %d of both, or %d of "
        "one and 0 of the other",
        LB_MLPERF_CHECKPOINTS, LB_MLPERF_CHECKPOINTS);
  else if (is_other_number(writes) || is_other_number(reads))
    lb_mlperf_find(
        out, LB_MLPERF_IS_OPEN, "4.7.1", "num_checkpoints_write",
        "%" PRId64 " written and %" PRId64
        " read; allowed in closed: %d of both, or %d of one and 0 of the other",
        writes, reads, LB_MLPERF_CHECKPOINTS, LB_MLPERF_CHECKPOINTS);
}
