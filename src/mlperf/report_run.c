/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One leaf as a run: its figures, and everything that speaks against averaging
 * it.  A check that finds its files missing leaves the rest unsaid. */
#include "lb-config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "loadbank/json.h"
#include "loadbank/stamp.h"
#include "loadbank/units.h"
#include "mlperf/config.h"
#include "mlperf/report_run.h"

const char *const lb_report_role_names[] = {
    [LB_RUN_LEFT_OUT] = "left out",
    [LB_RUN_WARM_UP] = "warm-up",
    [LB_RUN_TAKEN] = "taken",
};

static const double same = 1e-6; /* relative: two texts of one number */

void lb_report_run_problem(struct lb_report_run *run, const char *fmt, ...)
{
  char text[LB_MLPERF_WHY + 200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  json_array_append_new(run->problem, lb_json_string(text));
}

bool lb_report_run_usable(const struct lb_report_run *run)
{
  return json_array_size(run->problem) == 0;
}

static const json_t *metadata(const struct lb_report_run *run)
{
  return run->leaf->file[LB_MLPERF_METADATA].json;
}

static const json_t *summary(const struct lb_report_run *run)
{
  return run->leaf->file[LB_MLPERF_SUMMARY].json;
}

int64_t lb_report_count_at(const json_t *v, const char *path)
{
  double n = lb_json_real(lb_json_at(v, path));
  return n > 0 && n < 9e15 ? (int64_t)n : 0;
}

/* ---- facts ---- */

static void take_name(char out[LB_MLPERF_NAME], const char *text)
{
  snprintf(out, LB_MLPERF_NAME, "%s", text ? text : "");
}

static void read_scale(const struct lb_report_run *run,
                       struct lb_mlperf_scale *out)
{
  const json_t *v = lb_json_at(metadata(run), "rehearsal");
  if (!v)
    v = lb_json_at(summary(run), "loadbank.rehearsal");
  double *field[] = {&out->files, &out->bytes, &out->time};
  static const char *const key[] = {"files", "bytes", "time"};
  for (int i = 0; i < 3; i++) {
    *field[i] = lb_json_real(lb_json_at(v, key[i]));
    if (!(*field[i] > 0))
      *field[i] = 1;
  }
}

/* "CLOSED" or "closed" to its number. */
static int read_verdict(const struct lb_report_run *run)
{
  static const char *const word[] = {[LB_MLPERF_IS_CLOSED] = "closed",
                                     [LB_MLPERF_IS_OPEN] = "open",
                                     [LB_MLPERF_IS_INVALID] = "invalid"};
  const char *text = lb_json_text_at(metadata(run), "verification");
  for (int i = LB_MLPERF_IS_CLOSED; text && i < LB_MLPERF_N_VERDICTS; i++)
    if (!strcasecmp(text, word[i]))
      return i;
  return 0;
}

/* Ours is per accelerator (epochs' mean x nominal size); DLIO's the same. */
static void read_training(struct lb_report_run *run)
{
  const json_t *s = summary(run);
  run->au = lb_json_real(lb_json_at(s, "metric.train_au_mean_percentage"));
  run->samples_per_s = lb_json_real(
      lb_json_at(s, "metric.train_throughput_mean_samples_per_second"));
  run->gib_per_s =
      lb_json_real(lb_json_at(s, "metric.train_io_mean_MB_per_second")) / 1024;
  run->threshold = 100 * lb_json_real(lb_json_at(s, "loadbank.au_threshold"));
  if (isnan(run->threshold))
    run->threshold =
        100 * lb_json_real(lb_json_at(run->parameters, "metric.au"));
}

static int read_ops(struct lb_report_run *run, struct lb_err *err)
{
  const json_t *list = lb_json_at(summary(run), "loadbank.checkpoints"), *one;
  const json_t *first[2] = {
      lb_json_at(summary(run),
                 "loadbank.save_checkpoint_first_accelerator_seconds"),
      lb_json_at(summary(run),
                 "loadbank.load_checkpoint_first_accelerator_seconds")};
  size_t n = json_array_size(list), of[2] = {0, 0};
  run->op = calloc(n + 1, sizeof *run->op);
  if (!run->op)
    return lb_err_set(err, LB_FAILED, "no memory for the checkpoints");
  for (size_t i = 0; i < n; i++) {
    one = json_array_get(list, i);
    const char *kind = lb_json_text_at(one, "kind");
    bool load = kind && !strcmp(kind, "load");
    run->op[i] = (struct lb_report_op){
        .load = load,
        .seconds = lb_json_real(json_object_get(one, "seconds")),
        .first_seconds = lb_json_real(json_array_get(first[load], of[load])),
        .bytes = lb_json_real(json_object_get(one, "size_bytes"))};
    of[load]++;
  }
  run->n_ops = n;
  run->n_saves = of[0];
  run->n_loads = of[1];
  return 0;
}

/* ---- checks, in this order; the first that fails may stop the rest ---- */

/* A run that did not end has a reason, and files that are missing are none. */
static bool check_status(struct lb_report_run *run)
{
  const char *did = lb_json_text_at(summary(run), "loadbank.status");
  const char *why = lb_json_text_at(summary(run), "loadbank.reason");
  const char *said = lb_json_text_at(metadata(run), "status");
  const char *because = lb_json_text_at(metadata(run), "reason");
  if (did && strcmp(did, "complete") != 0)
    lb_report_run_problem(run, "the run is %s%s%s", did, why ? ": " : "",
                          why ? why : "");
  else if (said && strcmp(said, "complete") != 0)
    lb_report_run_problem(run, "the metadata's status is '%s'%s%s", said,
                          because ? ": " : ", the run did not end",
                          because ? because : "");
  return lb_report_run_usable(run);
}

static bool check_files(struct lb_report_run *run)
{
  static const struct {
    enum lb_mlperf_file file;
    const char *pattern;
  } need[] = {{LB_MLPERF_METADATA, "*metadata*"},
              {LB_MLPERF_SUMMARY, "*summary.json"}};
  bool good = true;
  for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
    const struct lb_mlperf_json *f = &run->leaf->file[need[i].file];
    good &= f->json != NULL;
    if (!f->name)
      lb_report_run_problem(run, "there is no file %s in it", need[i].pattern);
    else if (!f->json)
      lb_report_run_problem(run, "%s: %s", f->name, f->reason);
  }
  return good;
}

/* What the metadata say of themselves, against where the leaf is. */
static bool check_place(struct lb_report_run *run)
{
  const struct lb_mlperf_place *p = &run->leaf->place;
  const struct {
    const char *key, *want;
  } said[] = {{"benchmark_type", lb_mlperf_kind_names[p->kind]},
              {"model", p->model},
              {"run_datetime", p->stamp}};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    const char *text = lb_json_text_at(metadata(run), said[i].key);
    if (text && strcmp(text, said[i].want) != 0)
      lb_report_run_problem(run, "the metadata's %s is '%s', its folder's '%s'",
                            said[i].key, text, said[i].want);
  }
  return true;
}

/* Numbers of which the leaf has more than one source. */
static bool check_counts(struct lb_report_run *run)
{
  static const struct {
    const char *of_metadata, *of_summary;
  } pair[] = {{"num_processes", "num_accelerators"},
              {"parameters.dataset.num_files_train", "num_files_train"},
              {"rehearsal.files", "loadbank.rehearsal.files"},
              {"rehearsal.bytes", "loadbank.rehearsal.bytes"},
              {"rehearsal.time", "loadbank.rehearsal.time"}};
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
    double a = lb_json_real(lb_json_at(metadata(run), pair[i].of_metadata));
    double b = lb_json_real(lb_json_at(summary(run), pair[i].of_summary));
    if (fabs(a - b) > same * fabs(b)) /* false where one does not say */
      lb_report_run_problem(run,
                            "the metadata's %s is %.10g, summary.json's "
                            "%s %.10g",
                            pair[i].of_metadata, a, pair[i].of_summary, b);
  }
  return true;
}

/* The metadata have a copy of the metrics, single values and lists. */
static bool check_metrics(struct lb_report_run *run)
{
  const char *key;
  json_t *v;
  const json_t *metrics = lb_json_at(metadata(run), "metrics");
  json_object_foreach((json_t *)(uintptr_t)metrics, key, v)
  {
    const json_t *other =
        json_object_get(lb_json_at(summary(run), "metric"), key);
    double a = lb_json_real(v), b = lb_json_real(other);
    if (fabs(a - b) > same * fabs(b))
      lb_report_run_problem(run,
                            "%s is %.10g in the metadata, %.10g in "
                            "summary.json",
                            key, a, b);
    else if (json_is_array(v) && !json_equal(v, other))
      lb_report_run_problem(run, "%s differs between metadata and summary.json",
                            key);
    else
      continue;
    break; /* the first will do */
  }
  return true;
}

static bool check_times(struct lb_report_run *run)
{
  double asked =
      lb_stamp_seconds(lb_json_text_at(metadata(run), "invocation_start_time"));
  if (isnan(run->start_s) || isnan(run->end_s))
    lb_report_run_problem(run, "summary.json has no start or no end");
  else if (run->end_s < run->start_s)
    lb_report_run_problem(run,
                          "it ends %.1f s before it starts: the clock was set "
                          "back",
                          run->start_s - run->end_s);
  else if (asked > run->start_s + LB_MLPERF_CLOCK_S)
    lb_report_run_problem(run,
                          "it starts %.1f s before it was asked for: the clock "
                          "was set back",
                          asked - run->start_s);
  return true;
}

static bool check_again(struct lb_report_run *run)
{
  char why[LB_MLPERF_WHY];
  const struct lb_mlperf_again *a = &run->again;
  double lasts = run->end_s - run->start_s;
  lb_mlperf_again(run->leaf, &run->again);
  if (isnan(run->au) || isnan(run->samples_per_s) || isnan(run->gib_per_s))
    lb_report_run_problem(run, "summary.json lacks AU, samples/s or MB/s of "
                               "training");
  else if (!lb_mlperf_again_agrees(run->leaf, a, why))
    lb_report_run_problem(run, "%s", why);
  if (a->accelerators && run->accelerators &&
      a->accelerators != run->accelerators)
    lb_report_run_problem(run,
                          "%s has %" PRId64 " accelerators, summary.json "
                          "%" PRId64,
                          a->source, a->accelerators, run->accelerators);
  if (a->seconds > lasts + LB_MLPERF_CLOCK_S)
    lb_report_run_problem(run,
                          "the blocks of %s last %.1f s, the run by its stamps "
                          "%.1f s",
                          a->source, a->seconds, lasts);
  return true;
}

/* The stored means of one direction, against the single ones. */
static void check_direction(struct lb_report_run *run, bool load)
{
  char key[80];
  double seconds = 0, rate = 0, n = 0;
  for (size_t i = 0; i < run->n_ops; i++) {
    const struct lb_report_op *o = &run->op[i];
    if (o->load != load)
      continue;
    seconds += o->seconds;
    rate += o->bytes / LB_GIB / o->seconds;
    n++;
  }
  if (n == 0)
    return;
  const struct {
    const char *what;
    double v;
  } mean[] = {{"duration_mean_seconds", seconds / n},
              {"io_mean_GB_per_second", rate / n}};
  for (int i = 0; i < 2; i++) {
    snprintf(key, sizeof key, "metric.%s_checkpoint_%s", load ? "load" : "save",
             mean[i].what);
    double stored = lb_json_real(lb_json_at(summary(run), key));
    if (!(fabs(stored - mean[i].v) <= same * fabs(mean[i].v)))
      lb_report_run_problem(run,
                            "summary.json says %s %.6g, its single checkpoints "
                            "give %.6g",
                            key, stored, mean[i].v);
  }
}

static bool check_ops(struct lb_report_run *run)
{
  if (run->n_ops == 0)
    lb_report_run_problem(run, "summary.json has no loadbank.checkpoints: the "
                               "slowest process of each is not known");
  for (size_t i = 0; i < run->n_ops; i++)
    if (!(run->op[i].seconds > 0) || !(run->op[i].bytes > 0)) {
      lb_report_run_problem(run, "checkpoint %zu has no duration or no size",
                            i + 1);
      return true;
    }
  check_direction(run, false);
  check_direction(run, true);
  return true;
}

typedef bool check_run(struct lb_report_run *run); /* false: no more checks */
static check_run *const checks[LB_MLPERF_N_KINDS][10] = {
    [LB_MLPERF_TRAINING] = {check_status, check_files, check_place,
                            check_counts, check_metrics, check_times,
                            check_again},
    [LB_MLPERF_CHECKPOINTING] = {check_status, check_files, check_place,
                                 check_counts, check_metrics, check_times,
                                 check_ops}};

static int read_facts(struct lb_report_run *run, struct lb_err *err)
{
  const json_t *m = metadata(run), *s = summary(run);
  const char *type = lb_json_text_at(m, "accelerator");
  take_name(run->accelerator,
            type ? type : lb_json_text_at(m, "args.accelerator_type"));
  take_name(run->version, lb_json_text_at(s, "loadbank.versions.loadbank"));
  run->accelerators = lb_report_count_at(s, "num_accelerators");
  if (run->accelerators == 0)
    run->accelerators = lb_report_count_at(m, "num_processes");
  run->hosts = lb_report_count_at(s, "num_hosts");
  run->parameters = lb_json_at(m, "parameters");
  run->verdict = read_verdict(run);
  read_scale(run, &run->scale);
  const char *start = lb_json_text_at(s, "start"),
             *end = lb_json_text_at(s, "end");
  run->start_s =
      lb_stamp_seconds(start ? start : lb_json_text_at(s, "start_time"));
  run->end_s = lb_stamp_seconds(end ? end : lb_json_text_at(s, "end_time"));
  if (run->leaf->place.kind == LB_MLPERF_TRAINING)
    read_training(run);
  else
    return read_ops(run, err);
  return 0;
}

int lb_report_run_read(const struct lb_mlperf_leaf *leaf,
                       struct lb_report_run *run, struct lb_err *err)
{
  *run = (struct lb_report_run){.leaf = leaf, .problem = json_array()};
  if (!run->problem)
    return lb_err_set(err, LB_FAILED, "no memory for the report");
  int rc = read_facts(run, err);
  bool more = !rc;
  check_run *const *check = checks[leaf->place.kind];
  while (more && *check)
    more = (*check++)(run);
  return rc;
}

void lb_report_run_fini(struct lb_report_run *run)
{
  json_decref(run->problem);
  free(run->op);
}
