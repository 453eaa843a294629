/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One result: parses its summary, checks what others will rely on, and looks
 * whether the files that it names are there.  Raw steps are not read. */
#include "lb-config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/metric_table.h"
#include "loadbank/report.h"
#include "results/results_impl.h"

enum { PATH_LEN = 4352, REASON_LEN = 600 };
static const off_t most_json = (off_t)1 << 28, most_steps = INT64_MAX;

const char *const lb_result_state_names[LB_N_RESULT_STATES] = {
    [LB_RESULT_COMPLETE] = "complete", [LB_RESULT_INTERRUPTED] = "interrupted",
    [LB_RESULT_FAILED] = "failed",     [LB_RESULT_MISSING] = "missing",
    [LB_RESULT_BROKEN] = "broken",     [LB_RESULT_FOREIGN] = "foreign",
};

/* The first finding stays.  -1, for `return'. */
static int found(struct lb_result *r, enum lb_result_state state,
                 const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int found(struct lb_result *r, enum lb_result_state state,
                 const char *fmt, ...)
{
  char text[REASON_LEN];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  r->state = state;
  r->reason = strdup(text);
  return -1;
}

/* ---- files ---- */

/* Name's path, if a file is there that can be read: not a pipe, not endless. */
static int file_at(struct lb_result *r, const char *name, off_t most_bytes,
                   char path[PATH_LEN])
{
  struct stat st;
  int n = snprintf(path, PATH_LEN, "%s/%s", r->path, name);
  if (n < 0 || n >= PATH_LEN)
    return found(r, LB_RESULT_BROKEN, "%s: its path is too long", name);
  if (stat(path, &st))
    return found(r, LB_RESULT_BROKEN, "%s: %s", name, strerror(errno));
  if (!S_ISREG(st.st_mode))
    return found(r, LB_RESULT_BROKEN, "%s: not a file", name);
  if (st.st_size > most_bytes)
    return found(r, LB_RESULT_BROKEN, "%s: larger than %lld bytes", name,
                 (long long)most_bytes);
  return 0;
}

static int parse(struct lb_result *r, const char *name, json_t **out)
{
  char path[PATH_LEN];
  json_error_t bad;
  if (file_at(r, name, most_json, path))
    return -1;
  *out = json_load_file(path, JSON_REJECT_DUPLICATES, &bad);
  if (*out)
    return 0;
  if (bad.line < 1) /* not opened: its text has the path and the reason */
    return found(r, LB_RESULT_BROKEN, "%s", bad.text);
  return found(r, LB_RESULT_BROKEN, "%s:%d: %s", name, bad.line, bad.text);
}

/* An accelerator's files, of which there are two. */
static int check_accelerator(struct lb_result *r, int64_t a)
{
  static const char *const endings[] = {"output", "per_epoch_stats"};
  for (int i = 0; i < 2; i++) {
    char name[64];
    json_t *v = NULL;
    snprintf(name, sizeof name, "%lld_%s.json", (long long)a, endings[i]);
    if (parse(r, name, &v))
      return -1;
    bool object = json_is_object(v);
    json_decref(v);
    if (!object)
      return found(r, LB_RESULT_BROKEN, "%s: not an object", name);
  }
  return 0;
}

/* With several nodes it is a view of files beside it. */
static int check_steps(struct lb_result *r, const char *name)
{
  static const char magic[] = "\x89HDF\r\n\x1a\n";
  enum { MAGIC_BYTES = sizeof magic - 1 };
  char path[PATH_LEN], start[MAGIC_BYTES];
  if (file_at(r, name, most_steps, path))
    return -1;
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(start, 1, MAGIC_BYTES, f) : 0;
  int cause = f ? 0 : errno;
  if (f)
    fclose(f);
  if (cause)
    return found(r, LB_RESULT_BROKEN, "%s: %s", name, strerror(cause));
  if (n != MAGIC_BYTES || memcmp(start, magic, MAGIC_BYTES) != 0)
    return found(r, LB_RESULT_BROKEN, "%s: not an HDF5 file", name);
  return 0;
}

static int check_files(struct lb_result *r)
{
  const char *steps = lb_result_text(r, "loadbank.steps_file");
  int64_t all = r->accelerators;
  for (int64_t a = 0; a < (all <= LB_REPORT_ALL_UP_TO ? all : 1); a++)
    if (check_accelerator(r, a))
      return -1;
  if (!steps)
    return 0;
  if (check_steps(r, steps))
    return -1;
  for (int64_t n = 0; r->nodes > 1 && n < r->nodes; n++) {
    char name[48];
    snprintf(name, sizeof name, "steps-node%lld.h5", (long long)n);
    if (check_steps(r, name))
      return -1;
  }
  return 0;
}

/* ---- what the summary says ---- */

static bool plausible(const json_t *v)
{
  return json_is_null(v) || (json_is_number(v) && json_number_value(v) >= 0 &&
                             isfinite(json_number_value(v)));
}

static bool plausible_metric(const struct lb_metric *row, const json_t *v)
{
  if (!row->count)
    return plausible(v);
  bool good = json_is_array(v);
  for (size_t i = 0; good && i < json_array_size(v); i++)
    good = plausible(json_array_get(v, i));
  return good;
}

/* Absent is fine: that part did not run. */
static int check_metrics(struct lb_result *r)
{
  const json_t *dlio = lb_json_at(r->summary, "metric");
  const json_t *ours = lb_json_at(r->summary, "loadbank");
  if (!json_is_object(dlio))
    return found(r, LB_RESULT_BROKEN, "summary.json: no object 'metric'");
  for (const struct lb_metric *row = lb_metrics_table; row->key; row++) {
    const json_t *v = json_object_get(row->dlio ? dlio : ours, row->key);
    if (v && !plausible_metric(row, v))
      return found(r, LB_RESULT_BROKEN, "summary.json: %s.%s is no %s",
                   row->dlio ? "metric" : "loadbank", row->key,
                   row->count ? "list of numbers >= 0" : "number >= 0");
  }
  return 0;
}

/* Texts and numbers that every result has. */
static int take_identity(struct lb_result *r)
{
  const struct {
    const char *path;
    const char **text;
    bool needed;
  } texts[] = {
      {"loadbank.versions.loadbank", &r->version, true},
      {"loadbank.workload", &r->workload, true},
      {"loadbank.config_hash", &r->config_hash, true},
      {"loadbank.dataset_fingerprint", &r->fingerprint, false},
      {"loadbank.model", &r->model, false},
      {"loadbank.storage_type", &r->storage_type, false},
      {"start", &r->start, false},
  };
  const struct {
    const char *path;
    int64_t *n;
  } numbers[] = {{"loadbank.accelerators", &r->accelerators},
                 {"loadbank.ranks", &r->ranks},
                 {"loadbank.nodes", &r->nodes}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    *texts[i].text = lb_result_text(r, texts[i].path);
    if (texts[i].needed && !*texts[i].text)
      return found(r, LB_RESULT_BROKEN, "summary.json: no text %s",
                   texts[i].path);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    *numbers[i].n = json_integer_value(lb_json_at(r->summary, numbers[i].path));
    if (*numbers[i].n < 1)
      return found(r, LB_RESULT_BROKEN, "summary.json: %s is no number > 0",
                   numbers[i].path);
  }
  return 0;
}

static int take_status(struct lb_result *r)
{
  const char *said = lb_result_text(r, "loadbank.status");
  const char *why = lb_result_text(r, "loadbank.reason");
  for (int i = LB_RESULT_COMPLETE; i <= LB_RESULT_FAILED; i++)
    if (said && !strcmp(said, lb_result_state_names[i])) {
      if (i != LB_RESULT_COMPLETE)
        return found(r, (enum lb_result_state)i, "%s",
                     why ? why : "summary.json has no reason");
      return 0;
    }
  return found(r, LB_RESULT_BROKEN,
               "summary.json: loadbank.status is none of complete, "
               "interrupted, failed");
}

static int check_origin(struct lb_result *r)
{
  const json_t *schema = lb_json_at(r->summary, "loadbank.schema_version");
  if (!json_is_object(r->summary))
    return found(r, LB_RESULT_BROKEN, "summary.json: not an object");
  if (!json_object_get(r->summary, "loadbank"))
    return found(r, LB_RESULT_FOREIGN,
                 "summary.json has no object 'loadbank': another program's");
  if (!json_is_integer(schema))
    return found(r, LB_RESULT_BROKEN,
                 "summary.json: loadbank.schema_version is no number");
  if (json_integer_value(schema) != LB_REPORT_SCHEMA)
    return found(r, LB_RESULT_FOREIGN,
                 "summary.json: schema_version is %" JSON_INTEGER_FORMAT
                 ", this program knows %d",
                 json_integer_value(schema), LB_REPORT_SCHEMA);
  return 0;
}

/* ---- operations ---- */

static const struct {
  const char *key;
  size_t offset;
} op_fields[] = {
#define FIELD(key, field)                     \
  {                                           \
    key, offsetof(struct lb_result_op, field) \
  }
    FIELD("count", count),        FIELD("errors", errors),
    FIELD("bytes", bytes),        FIELD("mean_seconds", mean_s),
    FIELD("min_seconds", min_s),  FIELD("max_seconds", max_s),
    FIELD("p50_seconds", p50_s),  FIELD("p90_seconds", p90_s),
    FIELD("p95_seconds", p95_s),  FIELD("p99_seconds", p99_s),
    FIELD("p999_seconds", p999_s)
#undef FIELD
};

static int take_op(struct lb_result *r, const char *phase, const char *name,
                   const json_t *v)
{
  struct lb_result_op *op = &r->op[r->n_ops++];
  *op = (struct lb_result_op){.phase = phase, .operation = name};
  for (size_t i = 0; i < sizeof op_fields / sizeof *op_fields; i++) {
    const json_t *one = json_object_get(v, op_fields[i].key);
    if (one && !plausible(one))
      return found(r, LB_RESULT_BROKEN,
                   "summary.json: loadbank.io.%s.%s.%s is no number >= 0",
                   phase, name, op_fields[i].key);
    double value = lb_json_real(one);
    memcpy((char *)op + op_fields[i].offset, &value, sizeof value);
  }
  return 0;
}

/* jansson iterates in the order of the file; its iterators want a mutable
 * object but do not change it. */
static json_t *mutable(const json_t *v)
{
  return (json_t *)(uintptr_t)v;
}

static int take_phase(struct lb_result *r, const char *phase, json_t *ops)
{
  for (void *i = json_object_iter(ops); i; i = json_object_iter_next(ops, i))
    if (take_op(r, phase, json_object_iter_key(i), json_object_iter_value(i)))
      return -1;
  return 0;
}

static int take_ops(struct lb_result *r, struct lb_err *err)
{
  json_t *io = mutable(lb_json_at(r->summary, "loadbank.io"));
  size_t n = 0;
  for (void *i = json_object_iter(io); i; i = json_object_iter_next(io, i))
    n += json_object_size(json_object_iter_value(i));
  r->op = calloc(n + 1, sizeof *r->op);
  if (!r->op)
    return lb_err_set(err, LB_FAILED, "%s: no memory to read it", r->path);
  for (void *i = json_object_iter(io); i; i = json_object_iter_next(io, i))
    if (take_phase(r, json_object_iter_key(i), json_object_iter_value(i)))
      return 0;
  return 0;
}

/* ---- all of it ---- */

/* A run that has not come to its end, or was killed. */
static bool has_summary(struct lb_result *r)
{
  char path[PATH_LEN];
  struct stat st;
  int n = snprintf(path, sizeof path, "%s/summary.json", r->path);
  return n < 0 || n >= PATH_LEN || !stat(path, &st) || errno != ENOENT;
}

int lb_result_take(struct lb_result *r, struct lb_err *err)
{
  if (!check_origin(r)) {
    if (take_ops(r, err))
      return -err->code;
    /* Interrupted and failed say that the rest is sound. */
    if (r->state == LB_RESULT_COMPLETE && !take_identity(r) &&
        !check_metrics(r))
      take_status(r);
  }
  return 0;
}

int lb_result_load(struct lb_result *r, struct lb_err *err)
{
  if (!has_summary(r)) {
    found(r, LB_RESULT_MISSING,
          "no summary.json: the run goes on, or was killed");
  } else if (!parse(r, "summary.json", &r->summary)) {
    if (lb_result_take(r, err))
      return -err->code;
    if (r->state == LB_RESULT_COMPLETE)
      check_files(r);
  }
  if (r->state != LB_RESULT_COMPLETE && !r->reason)
    return lb_err_set(err, LB_FAILED, "%s: no memory to read it", r->path);
  return 0;
}

void lb_result_fini(struct lb_result *r)
{
  json_decref(r->summary);
  free(r->op);
  free(r->reason);
  free(r->path);
}
