/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a leaf's files to what rules need to know: tables of the files that a
 * leaf must have and of the values in them.  Whether the values keep a rule is
 * not looked at here. */
#include "lb-config.h"

#include "mlperf/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/stamp.h"

/* Kinds of leaves, as bits. */
enum {
  DATASIZE = 1,
  DATAGEN = 2,
  RUN = 4,
  SAVES = 8, /* a run of checkpointing */
  TRAINING = DATASIZE | DATAGEN | RUN,
  RUNS = RUN | SAVES,
  ALL = TRAINING | SAVES
};

static unsigned kind_of(const struct lb_mlperf_place *p)
{
  if (p->kind == LB_MLPERF_CHECKPOINTING)
    return SAVES;
  return p->command == LB_MLPERF_DATASIZE  ? DATASIZE
         : p->command == LB_MLPERF_DATAGEN ? DATAGEN
                                           : RUN;
}

static void flaw(char out[LB_MLPERF_FLAW], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void flaw(char out[LB_MLPERF_FLAW], const char *fmt, ...)
{
  va_list args;
  if (out[0]) /* the first stands */
    return;
  va_start(args, fmt);
  vsnprintf(out, LB_MLPERF_FLAW, fmt, args);
  va_end(args);
}

/* ---- files ---- */

/* A name with this in it, as the benchmark's checker looks for it. */
static const struct {
  const char *part;
  unsigned of;
  bool folder;
} needed[] = {
    {"metadata", ALL, false},
    {"training_datagen.stdout.log", DATAGEN, false},
    {"training_datagen.stderr.log", DATAGEN, false},
    {"training_run.stdout.log", RUN, false},
    {"training_run.stderr.log", RUN, false},
    {"checkpointing_run.stdout.log", SAVES, false},
    {"checkpointing_run.stderr.log", SAVES, false},
    {"output.json", RUNS, false},
    {"per_epoch_stats.json", RUNS, false},
    {LB_MLPERF_SUMMARY_NAME, RUNS, false},
    {"dlio.log", DATAGEN | RUNS, false},
    {LB_MLPERF_DLIO_CONFIG, DATAGEN | RUNS, true},
};

static size_t count_entries(const struct lb_mlperf_leaf *l, const char *part)
{
  size_t n = 0;
  for (size_t i = 0; i < l->n_entries; i++)
    n += strstr(l->entry[i], part) != NULL;
  return n;
}

static void look_for_files(const struct lb_mlperf_leaf *l, unsigned kind,
                           struct lb_mlperf_facts *f)
{
  char missing[LB_MLPERF_FLAW - 40] = "";
  size_t len = 0;
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if ((needed[i].of & kind) && !count_entries(l, needed[i].part) &&
        len < sizeof missing)
      len += (size_t)snprintf(missing + len, sizeof missing - len, "%s%s%s%s",
                              len ? ", " : "", needed[i].folder ? "" : "*",
                              needed[i].part, needed[i].folder ? "/" : "");
  if (len)
    flaw(f->files_flaw, "missing: %s", missing);
  if (count_entries(l, "metadata") > 1)
    flaw(f->files_flaw, "%zu files are named *metadata*, one is allowed",
         count_entries(l, "metadata"));
  for (size_t i = 0; i < LB_MLPERF_N_FILES; i++)
    if (i <= LB_MLPERF_SUMMARY && l->file[i].name && !l->file[i].json)
      flaw(f->files_flaw, "%s: %s", l->file[i].name, l->file[i].reason);
}

/* ---- values ---- */

enum type { INTEGER, COUNT, REAL, TEXT, TIME, SUM };
static const char *const type_words[] = {
    [INTEGER] = "a whole number from 0", [COUNT] = "a whole number from 1",
    [REAL] = "a number from 0",          [TEXT] = "a text",
    [TIME] = "a time in ISO 8601",       [SUM] = "a list of numbers from 0",
};

struct value {
  int file;
  const char *path, *also; /* the second where the first is not there */
  int type;
  size_t offset;
  unsigned need; /* leaves that must have it */
};
#define V(file_, path_, also_, type_, field_, need_)    \
  {                                                     \
    LB_MLPERF_##file_, path_, also_, type_,             \
        offsetof(struct lb_mlperf_facts, field_), need_ \
  }
static const struct value values[] = {
    V(METADATA, "benchmark_type", NULL, TEXT, kind, ALL),
    V(METADATA, "model", "args.model", TEXT, model, ALL),
    V(METADATA, "command", "args.command", TEXT, command, 0),
    V(METADATA, "run_datetime", NULL, TEXT, stamp, ALL),
    V(METADATA, "accelerator", "args.accelerator_type", TEXT, accelerator, 0),
    V(METADATA, "verification", NULL, TEXT, verification, RUNS),
    V(METADATA, "status", NULL, TEXT, status, 0),
    V(METADATA, "result_dir", NULL, TEXT, result_dir, 0),
    V(METADATA, "num_processes", NULL, COUNT, processes, RUNS),
    V(METADATA, "args.data_dir", NULL, TEXT, data_dir, 0),
    V(METADATA, "args.results_dir", NULL, TEXT, results_dir, 0),
    V(METADATA, "args.checkpoint_folder", NULL, TEXT, checkpoint_folder, 0),
    V(METADATA, "args.num_processes", NULL, INTEGER, args_processes, 0),
    V(METADATA, "args.num_checkpoints_write",
      "parameters.checkpoint.num_checkpoints_write", INTEGER, writes, SAVES),
    V(METADATA, "args.num_checkpoints_read",
      "parameters.checkpoint.num_checkpoints_read", INTEGER, reads, SAVES),
    V(METADATA, "invocation_start_time", NULL, TIME, invoked, 0),
    V(METADATA, "invocation_end_time", NULL, TIME, left, 0),
    V(METADATA, "parameters.dataset.num_files_train", NULL, INTEGER, files, 0),
    V(METADATA, "parameters.dataset.num_samples_per_file", NULL, COUNT,
      samples_per_file, 0),
    V(METADATA, "parameters.dataset.num_subfolders_train", NULL, INTEGER,
      subfolders, 0),
    V(METADATA, "parameters.dataset.record_length_bytes", NULL, REAL,
      record_bytes, 0),
    V(METADATA, "parameters.dataset.total_disk_bytes", NULL, INTEGER,
      disk_bytes, 0),
    V(METADATA, "parameters.reader.batch_size", NULL, COUNT, batch_size, 0),
    V(METADATA, "provenance_file", NULL, TEXT, provenance, 0),
    V(METADATA, "rehearsal.files", NULL, REAL, scale.files, 0),
    V(METADATA, "rehearsal.bytes", NULL, REAL, scale.bytes, 0),
    V(METADATA, "rehearsal.time", NULL, REAL, scale.time, 0),
    V(SUMMARY, "num_accelerators", NULL, COUNT, accelerators, RUNS),
    V(SUMMARY, "num_hosts", NULL, COUNT, hosts, RUNS),
    V(SUMMARY, "host_memory_GB", NULL, SUM, memory_gib, 0),
    V(SUMMARY, "num_files_train", NULL, INTEGER, summary_files, RUN),
    V(SUMMARY, "num_files_eval", NULL, INTEGER, eval_files, 0),
    V(SUMMARY, "start", "start_time", TIME, start, 0),
    V(SUMMARY, "end", "end_time", TIME, end, 0),
    V(SUMMARY, "metric.train_au_mean_percentage", NULL, REAL, au, 0),
    V(SUMMARY, "metric.train_au_meet_expectation", NULL, TEXT, au_verdict, 0),
    V(SUMMARY, "metric.checkpoint_size_GB", NULL, REAL, checkpoint_gib, SAVES),
    V(SUMMARY, "loadbank.status", NULL, TEXT, summary_status, 0),
};

/* The sum, NAN if a member is null: not known.  False: something else. */
static bool sum(const json_t *v, double *out)
{
  const json_t *one = NULL;
  size_t i;
  *out = 0;
  if (!json_is_array(v) || json_array_size(v) == 0)
    return false;
  json_array_foreach(v, i, one)
  {
    double x = lb_json_real(one);
    if (!json_is_null(one) && !(x >= 0))
      return false;
    *out += x;
  }
  return true;
}

/* Official files have counts as 8 and as 8.0. */
static bool whole_number(const json_t *v, int64_t least, int64_t *out)
{
  double x = lb_json_real(v);
  if (json_is_integer(v))
    *out = json_integer_value(v);
  else if (json_is_real(v) && x == floor(x) && fabs(x) < 9e15)
    *out = (int64_t)x;
  else
    return false;
  return *out >= least && *out <= INT64_C(1) << 60; /* some can be added */
}

static bool take(const json_t *v, int type, void *out)
{
  switch (type) {
  case INTEGER:
    return whole_number(v, 0, out);
  case COUNT:
    return whole_number(v, 1, out);
  case SUM:
    return sum(v, out);
  case TIME:
    *(double *)out = lb_stamp_seconds(json_string_value(v));
    break;
  case REAL:
    *(double *)out = lb_json_real(v);
    break;
  default:
    *(const char **)out = json_string_value(v);
    return json_is_string(v);
  }
  return *(double *)out >= 0;
}

/* The value of a type that means: not there. */
static void forget(int type, void *out)
{
  if (type == INTEGER || type == COUNT)
    *(int64_t *)out = -1;
  else if (type == TEXT)
    *(const char **)out = NULL;
  else
    *(double *)out = NAN;
}

static const char *describe(const json_t *v, char buf[40])
{
  static const char *const words[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
      [JSON_TRUE] = "true",        [JSON_FALSE] = "false",
      [JSON_NULL] = "null",
  };
  if (json_is_string(v))
    snprintf(buf, 40, "'%.30s'", json_string_value(v));
  else if (json_is_integer(v))
    snprintf(buf, 40, "%lld", (long long)json_integer_value(v));
  else if (json_is_real(v))
    snprintf(buf, 40, "%g", json_real_value(v));
  else
    return words[json_typeof(v)];
  return buf;
}

static void take_value(const struct lb_mlperf_leaf *l, const struct value *row,
                       unsigned kind, struct lb_mlperf_facts *f)
{
  const struct lb_mlperf_json *file = &l->file[row->file];
  void *out = (char *)f + row->offset;
  char text[40];
  forget(row->type, out);
  if (!file->json)
    return;
  const json_t *v = lb_json_at(file->json, row->path);
  if ((!v || json_is_null(v)) && row->also)
    v = lb_json_at(file->json, row->also);
  if (!v || json_is_null(v)) {
    if (row->need & kind)
      flaw(f->files_flaw, "%s: %s is missing: %s", file->name, row->path,
           type_words[row->type]);
  } else if (!take(v, row->type, out)) {
    forget(row->type, out);
    flaw(f->files_flaw, "%s: %s is %s, not %s", file->name, row->path,
         describe(v, text), type_words[row->type]);
  }
}

/* ---- whose leaf it is ---- */

static void look_at_status(struct lb_mlperf_facts *f)
{
  const char *const status[] = {f->status, f->summary_status};
  for (size_t i = 0; i < 2; i++)
    if (status[i] && strcmp(status[i], "complete") != 0)
      flaw(f->status_flaw,
           "its status is '%.40s', not 'complete': no finished run", status[i]);
}

/* The part of a path from MODE on, where the rest is a leaf's: of results that
 * were moved elsewhere since. */
static bool leaf_of_path(const char *path, struct lb_mlperf_place *out)
{
  for (const char *p = path; p; p = strchr(p, '/'))
    if (lb_mlperf_leaf_parse(*p == '/' ? ++p : p, out))
      return true;
  return false;
}

static bool same_place(const struct lb_mlperf_place *a,
                       const struct lb_mlperf_place *b)
{
  return a->mode == b->mode && a->kind == b->kind && a->command == b->command &&
         !strcmp(a->org, b->org) && !strcmp(a->system, b->system) &&
         !strcmp(a->model, b->model) && !strcmp(a->stamp, b->stamp);
}

static void look_at_place(const struct lb_mlperf_leaf *l, unsigned kind,
                          struct lb_mlperf_facts *f)
{
  const struct lb_mlperf_place *p = &l->place;
  const char *command = lb_mlperf_command_names[p->command];
  struct lb_mlperf_place recorded;
  if (f->kind && strcmp(f->kind, lb_mlperf_kind_names[p->kind]) != 0)
    flaw(f->place_flaw, "its metadata are those of '%.40s'", f->kind);
  if ((kind & TRAINING) && f->model && strcmp(f->model, p->model) != 0)
    flaw(f->place_flaw, "its metadata are those of model '%.60s'", f->model);
  if ((kind & TRAINING) && f->command && strcmp(f->command, command) != 0)
    flaw(f->place_flaw, "its metadata are those of a '%.40s'", f->command);
  if (f->stamp && strcmp(f->stamp, p->stamp) != 0)
    flaw(f->place_flaw, "its metadata are those of a run at '%.40s'", f->stamp);
  if (f->result_dir && leaf_of_path(f->result_dir, &recorded) &&
      !same_place(&recorded, p))
    flaw(f->place_flaw, "it was made as %.200s",
         strstr(f->result_dir, lb_mlperf_mode_names[recorded.mode]));
}

/* Not there: nothing is scaled. */
static void fill_scale(struct lb_mlperf_scale *s)
{
  double *const scale[] = {&s->files, &s->bytes, &s->time};
  for (size_t i = 0; i < 3; i++)
    if (!(*scale[i] > 0) || *scale[i] > 1)
      *scale[i] = 1;
}

void lb_mlperf_facts(const struct lb_mlperf_leaf *l, struct lb_mlperf_facts *f)
{
  unsigned kind = kind_of(&l->place);
  memset(f, 0, sizeof *f);
  look_for_files(l, kind, f);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    take_value(l, &values[i], kind, f);
  fill_scale(&f->scale);
  f->scaled = l->file[LB_MLPERF_METADATA].json != NULL;
  look_at_status(f);
  look_at_place(l, kind, f);
  f->whole = !f->status_flaw[0] && !f->files_flaw[0] && !f->place_flaw[0];
}

int lb_mlperf_truth(const json_t *v)
{
  if (json_is_boolean(v))
    return json_is_true(v);
  return json_is_string(v) ? lb_mlperf_boolean(json_string_value(v)) : -1;
}
