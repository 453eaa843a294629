/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about training: how large the dataset is, whether the phases fit each
 * other, utilisation, hosts. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/json.h"
#include "loadbank/units.h"
#include "mlperf/config.h"
#include "mlperf/report.h"

/* 3.1.1 */
void lb_mlperf_check_datasize_used(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const char *where = lb_mlperf_here(c)->name;
  if (f->files_flaw[0]) { /* of a datasize; those of runs are 2.1.19 */
    if (c->place.command == LB_MLPERF_DATASIZE)
      lb_mlperf_check_files(c);
  } else if (!f->whole) {
    return;
  } else if (c->place.command == LB_MLPERF_DATASIZE &&
             (f->files < 0 || f->subfolders < 0 || f->disk_bytes < 0)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "its metadata lack the result of datasize: "
                  "parameters.dataset.num_files_train, num_subfolders_train "
                  "and total_disk_bytes are needed");
  } else if (c->place.command == LB_MLPERF_RUN &&
             (f->files < 0 || f->record_bytes <= 0 || f->batch_size < 0)) {
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "its metadata lack parameters.dataset.num_files_train, "
                  "parameters.dataset.record_length_bytes or "
                  "parameters.reader.batch_size: that datasize was heeded "
                  "cannot be told");
  }
}

static bool needed(const struct lb_mlperf_facts *f,
                   struct lb_mlperf_datasize *out, struct lb_err *err)
{
  /* A rehearsal's record was rounded up. */
  double full = floor(f->record_bytes / f->scale.bytes);
  struct lb_mlperf_need need = {
      .samples_per_file = f->samples_per_file > 0 ? f->samples_per_file : 1,
      .record_bytes = (int64_t)full,
      .batch_size = f->batch_size,
      .accelerators = f->accelerators,
      .hosts = 1, /* the memory is that of all */
      .host_memory_bytes = lb_mlperf_gib_bytes(f->memory_gib),
      .scale = f->scale};
  return full >= 1 && full < 9e15 && f->files >= 0 && f->batch_size > 0 &&
         !lb_mlperf_datasize(&need, out, err);
}

/* 3.1.2 */
void lb_mlperf_check_dataset_size(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const char *where = lb_mlperf_here(c)->name;
  struct lb_mlperf_datasize d;
  struct lb_err err = LB_ERR_INIT;
  if (f->files < 0 || f->record_bytes <= 0 || f->batch_size < 0) /* 3.1.1 */
    return;
  if (isnan(f->memory_gib))
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "host_memory_GB is not known of every host: whether the "
                  "dataset is 5 times as large cannot be told");
  else if (!needed(f, &d, &err))
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "the size needed cannot be told: %s",
                  err.code ? err.msg : "values are out of range");
  else if (f->files < d.files)
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, where, NULL,
        "%lld file%s; at least %lld are needed: %lld for 5 x %.2f GiB "
        "of memory, %lld for 500 steps of %lld x %lld samples%s",
        (long long)f->files, lb_plural(f->files), (long long)d.files,
        (long long)d.files_memory, f->memory_gib, (long long)d.files_steps,
        (long long)f->accelerators, (long long)f->batch_size,
        lb_mlperf_is_rehearsal(&f->scale) ? ", shrunk by the rehearsal's scale"
                                          : "");
}

/* ---- phases against each other ---- */

static bool same_folder(const struct lb_mlperf_facts *a,
                        const struct lb_mlperf_facts *b)
{
  return a->data_dir && b->data_dir && !strcmp(a->data_dir, b->data_dir);
}

/* Of the leaves of a command with this run's data folder, the one of the most
 * files.  *n: how many different numbers there are, up to 2. */
static const struct lb_mlperf_facts *partner(const struct lb_mlperf_check *c,
                                             int command,
                                             const struct lb_mlperf_facts *run,
                                             int *n)
{
  const struct lb_mlperf_facts *best = NULL;
  *n = 0;
  for (LB_MLPERF_EACH_WHOLE(i, c, command)) {
    const struct lb_mlperf_facts *f = &c->facts[i];
    if (f->files < 0 || !same_folder(f, run))
      continue;
    *n = !best || best->files == f->files ? 1 : 2;
    if (!best || f->files > best->files)
      best = f;
  }
  return best;
}

/* Leaves of a command that could be a partner, and others. */
static size_t leaves_of(const struct lb_mlperf_check *c, int command,
                        bool *broken)
{
  size_t n = 0;
  *broken = false;
  for (size_t i = c->first; i < c->end; i++)
    if (c->tree->leaf[i].place.command == command) {
      n++;
      *broken |=
          !c->facts[i].whole || c->facts[i].files < 0 || !c->facts[i].data_dir;
    }
  return n;
}

static double payload(const struct lb_mlperf_facts *f)
{
  return (double)f->files *
         (double)(f->samples_per_file > 0 ? f->samples_per_file : 1) *
         f->record_bytes;
}

/* 3.2.1 */
void lb_mlperf_check_generated(struct lb_mlperf_check *c)
{
  int n;
  for (LB_MLPERF_EACH_WHOLE(i, c, LB_MLPERF_DATAGEN)) {
    const struct lb_mlperf_facts *f = &c->facts[i];
    const struct lb_mlperf_facts *size = partner(c, LB_MLPERF_DATASIZE, f, &n);
    if (size && size->disk_bytes >= 0 && f->files >= 0 &&
        payload(f) < (double)size->disk_bytes)
      lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->leaf[i].name, NULL,
                    "%lld files with %.2f GiB were made; datasize asked for "
                    "%lld files with %.2f GiB",
                    (long long)f->files, payload(f) / LB_GIB,
                    (long long)size->files, (double)size->disk_bytes / LB_GIB);
  }
}

static void say_absent(struct lb_mlperf_check *c, int command)
{
  bool broken;
  const char *name = lb_mlperf_command_names[command];
  if (lb_mlperf_folder_in(c->tree, c->folder, name) != LB_MLPERF_NOWHERE &&
      !leaves_of(c, command, &broken) && command == LB_MLPERF_DATASIZE)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, name,
                  "no leaf is here: DATASIZE-MISSING");
}

/* Not said: none. */
static int64_t subfolders(const struct lb_mlperf_facts *f)
{
  return f->subfolders > 0 ? f->subfolders : 0;
}

static void compare_run(struct lb_mlperf_check *c, size_t at, int command)
{
  const struct lb_mlperf_facts *run = &c->facts[at];
  const char *where = c->tree->leaf[at].name;
  const char *name = lb_mlperf_command_names[command];
  bool broken, sizes = command == LB_MLPERF_DATASIZE;
  int n;
  const struct lb_mlperf_facts *p = partner(c, command, run, &n);
  if (!p) {
    size_t leaves = leaves_of(c, command, &broken);
    if (!leaves || broken)
      return;
    lb_mlperf_say(c, leaves > 1 ? LB_MLPERF_ERROR : LB_MLPERF_WARNING, where,
                  NULL,
                  "no %s was for its data folder %.200s: DATADIR-MISMATCH",
                  name, run->data_dir);
    if (leaves > 1)
      return;
    p = &c->facts[lb_mlperf_next_whole(c, c->first, command)];
  }
  if (sizes ? run->files < p->files : run->files > p->files)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL,
                  "%lld files; %s says %lld, %s are allowed: %s",
                  (long long)run->files, name, (long long)p->files,
                  sizes ? "no fewer" : "no more",
                  sizes ? "DATASIZE-UNDERRUN" : "DATAGEN-OVERRUN");
  else if (!sizes && subfolders(p) != subfolders(run))
    lb_mlperf_say(
        c, LB_MLPERF_ERROR, where, NULL,
        "num_subfolders_train is %lld; datagen says %lld, the same is needed",
        (long long)subfolders(run), (long long)subfolders(p));
}

static void check_reused(struct lb_mlperf_check *c)
{
  int n = 0;
  size_t i = lb_mlperf_next_whole(c, c->first, LB_MLPERF_RUN);
  if (i < c->end)
    partner(c, LB_MLPERF_DATASIZE, &c->facts[i], &n);
  if (n > 1)
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, "datasize",
                  "several answers for one data folder; the largest is taken: "
                  "DATASIZE-REUSED");
}

/* Did datagen make less than datasize asked for?  Then 3.2.1 says so. */
static bool is_short(const struct lb_mlperf_check *c,
                     const struct lb_mlperf_facts *run)
{
  int n;
  const struct lb_mlperf_facts *size = partner(c, LB_MLPERF_DATASIZE, run, &n);
  const struct lb_mlperf_facts *made = partner(c, LB_MLPERF_DATAGEN, run, &n);
  return size && made && made->files < size->files;
}

/* 3.3.1 */
void lb_mlperf_check_phases_fit(struct lb_mlperf_check *c)
{
  say_absent(c, LB_MLPERF_DATASIZE);
  check_reused(c);
  for (LB_MLPERF_EACH_WHOLE(i, c, LB_MLPERF_RUN)) {
    if (c->facts[i].eval_files < 0)
      lb_mlperf_say(c, LB_MLPERF_WARNING, c->tree->leaf[i].name,
                    LB_MLPERF_SUMMARY_NAME,
                    "num_files_eval is missing: EVAL-FIELD-MISSING");
    if (c->facts[i].files < 0 || !c->facts[i].data_dir) /* 3.1.1, 3.4.1 */
      continue;
    compare_run(c, i, LB_MLPERF_DATASIZE);
    if (!is_short(c, &c->facts[i]))
      compare_run(c, i, LB_MLPERF_DATAGEN);
  }
}

/* ---- utilisation ---- */

/* % that the rules ask for. */
static double threshold(const struct lb_mlperf_check *c)
{
  static const struct {
    const char *model;
    double au;
  } table[] = {{"unet3d", 90}, {"retinanet", 85}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strcmp(table[i].model, c->place.model))
      return table[i].au;
  double au = lb_json_real(
      lb_json_at(lb_mlperf_metadata_of(c), "parameters.metric.au"));
  return au > 0 && au <= 1 ? 100 * au : 0;
}

/* Of the epochs that summary.json lists; NAN: there are none. */
static double mean_of_epochs(const struct lb_mlperf_leaf *l)
{
  const json_t *list =
      lb_json_at(l->file[LB_MLPERF_SUMMARY].json, "metric.train_au_percentage");
  size_t n = json_array_size(list);
  double all = 0;
  for (size_t i = 0; i < n; i++)
    all += lb_json_real(json_array_get(list, i));
  return n ? all / (double)n : NAN;
}

/* What the steps say, or the accelerators' own files, against the summary. */
static bool agrees(const struct lb_mlperf_leaf *l, char why[LB_MLPERF_WHY])
{
  struct lb_mlperf_again again;
  lb_mlperf_again(l, &again);
  return lb_mlperf_again_agrees(l, &again, why);
}

/* 3.3.2 */
void lb_mlperf_check_utilisation(struct lb_mlperf_check *c)
{
  char why[LB_MLPERF_WHY];
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const char *where = lb_mlperf_here(c)->name;
  const double points = 0.01; /* that the mean and its list may differ by */
  double mean = mean_of_epochs(lb_mlperf_leaf_of(c)), need = threshold(c);
  int severity = lb_mlperf_unless_rehearsal(f);
  if (isnan(f->au) || !f->au_verdict)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, LB_MLPERF_SUMMARY_NAME,
                  "metric.train_au_mean_percentage or "
                  "metric.train_au_meet_expectation is missing");
  else if (fabs(mean - f->au) > points)
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, LB_MLPERF_SUMMARY_NAME,
                  "train_au_mean_percentage is %.4f, but the mean of "
                  "train_au_percentage is %.4f",
                  f->au, mean);
  else if (!agrees(lb_mlperf_leaf_of(c), why))
    lb_mlperf_say(c, LB_MLPERF_ERROR, where, NULL, "its files disagree: %s",
                  why);
  else if (f->au < need)
    lb_mlperf_say(c, severity, where, NULL,
                  "its accelerators were utilised by %.2f %% ('%.20s'); at "
                  "least %.0f %% are needed",
                  f->au, f->au_verdict, need);
  else if (strcmp(f->au_verdict, "success") != 0)
    lb_mlperf_say(c, severity, where, LB_MLPERF_SUMMARY_NAME,
                  "train_au_meet_expectation is '%.20s', 'success' is needed",
                  f->au_verdict);
}

/* ---- hosts ---- */

/* 3.3.3 */
void lb_mlperf_check_few(struct lb_mlperf_check *c)
{
  enum { FEW = 4 };
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (f->hosts == 1 && f->accelerators < FEW)
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "%lld accelerator%s on one host; %d or more load a storage "
                  "system better",
                  (long long)f->accelerators, lb_plural(f->accelerators), FEW);
}

/* "a:4" and "a:8" are one host; a list, or words with commas or blanks. */
static size_t count_hosts(const json_t *hosts)
{
  enum { MAX = 64 };
  const char *seen[MAX];
  size_t n = 0, len[MAX];
  for (size_t i = 0; i < json_array_size(hosts); i++) {
    const char *host = json_string_value(json_array_get(hosts, i));
    size_t k = 0, l = host ? strcspn(host, ":") : 0;
    while (host && k < n && (len[k] != l || strncmp(seen[k], host, l) != 0))
      k++;
    if (!host || k < n || n == MAX)
      continue;
    seen[n] = host;
    len[n++] = l;
  }
  return n;
}

/* 3.3.4 */
void lb_mlperf_check_one_client(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const json_t *hosts = lb_json_at(lb_mlperf_metadata_of(c), "args.hosts");
  size_t n = count_hosts(hosts);
  if (f->hosts == 1 && n > 1)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "it ran on one host, but --hosts names %zu", n);
}

/* 3.3.6 */
void lb_mlperf_check_even(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  if (f->accelerators % f->hosts)
    lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                  "%lld accelerator%s on %lld hosts: each must have as many",
                  (long long)f->accelerators, lb_plural(f->accelerators),
                  (long long)f->hosts);
}

static void compare_list(struct lb_mlperf_check *c, const char *key,
                         const char *what)
{
  const double ratio = 1.5;
  const json_t *list =
      lb_json_at(lb_mlperf_leaf_of(c)->file[LB_MLPERF_SUMMARY].json, key);
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    double v = lb_json_real(json_array_get(list, i));
    low = fmin(low, v);
    high = fmax(high, v);
  }
  if (high > ratio * low)
    lb_mlperf_say(c, LB_MLPERF_WARNING, lb_mlperf_here(c)->name, NULL,
                  "its hosts differ: %s from %.4g to %.4g, more than %.1f "
                  "times",
                  what, low, high, ratio);
}

/* 3.3.7 */
void lb_mlperf_check_alike(struct lb_mlperf_check *c)
{
  compare_list(c, "host_memory_GB", "memory (GiB)");
  compare_list(c, "host_cpu_count", "CPUs");
}

/* ---- LB-03 ---- */

void lb_mlperf_check_agree(struct lb_mlperf_check *c)
{
  const struct lb_mlperf_facts *f = lb_mlperf_facts_of(c);
  const struct {
    const char *metadata, *summary;
    int64_t a, b;
  } pairs[] = {
      {"num_processes", "num_accelerators", f->processes, f->accelerators},
      {"parameters.dataset.num_files_train", "num_files_train", f->files,
       f->summary_files},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    if (pairs[i].a >= 0 && pairs[i].b >= 0 && pairs[i].a != pairs[i].b)
      lb_mlperf_say(c, LB_MLPERF_ERROR, lb_mlperf_here(c)->name, NULL,
                    "its files disagree: %s is %lld in the metadata, %s is "
                    "%lld in summary.json",
                    pairs[i].metadata, (long long)pairs[i].a, pairs[i].summary,
                    (long long)pairs[i].b);
}

/* ---- LB-08 ---- */

static const char *name_of(const char *accelerator)
{
  return accelerator ? accelerator : "unknown";
}

void lb_mlperf_check_same_load(struct lb_mlperf_check *c)
{
  size_t first = lb_mlperf_next_whole(c, c->first, LB_MLPERF_RUN);
  for (size_t i = first; i < c->end;
       i = lb_mlperf_next_whole(c, i + 1, LB_MLPERF_RUN)) {
    const struct lb_mlperf_facts *a = &c->facts[first], *b = &c->facts[i];
    if (a->accelerators != b->accelerators ||
        strcmp(name_of(a->accelerator), name_of(b->accelerator)) != 0)
      lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->leaf[i].name, NULL,
                    "%lld accelerator%s (%.40s), the first run has %lld "
                    "(%.40s): the runs of a result must have the same",
                    (long long)b->accelerators, lb_plural(b->accelerators),
                    name_of(b->accelerator), (long long)a->accelerators,
                    name_of(a->accelerator));
  }
}

/* ---- LB-06 ---- */

/* The first leaf of that command whose scale is known, or c->end. */
static size_t first_scaled(const struct lb_mlperf_check *c, int command)
{
  size_t i = c->first;
  while (i < c->end &&
         (!c->facts[i].scaled || c->tree->leaf[i].place.command != command))
    i++;
  return i;
}

static size_t model_of_scale(const struct lb_mlperf_check *c)
{
  static const int order[] = {LB_MLPERF_RUN, LB_MLPERF_DATAGEN,
                              LB_MLPERF_DATASIZE};
  size_t at = c->end;
  for (size_t i = 0; at == c->end && i < sizeof order / sizeof order[0]; i++)
    at = first_scaled(c, order[i]);
  return at;
}

void lb_mlperf_check_one_scale(struct lb_mlperf_check *c)
{
  size_t model = model_of_scale(c);
  for (size_t i = c->first; model < c->end && i < c->end; i++) {
    const struct lb_mlperf_scale *a = &c->facts[model].scale;
    const struct lb_mlperf_scale *b = &c->facts[i].scale;
    /* Compute time means nothing to a size or to files that are made. */
    bool timed = c->tree->leaf[i].place.command == LB_MLPERF_RUN;
    if (c->facts[i].scaled && !lb_mlperf_same_scale(a, b, timed))
      lb_mlperf_say(c, LB_MLPERF_ERROR, c->tree->leaf[i].name, NULL,
                    "a rehearsal of scale %g, %g, %g (files, bytes, time) "
                    "beside one of %g, %g, %g in %s: one scale is allowed%s",
                    b->files, b->bytes, b->time, a->files, a->bytes, a->time,
                    c->tree->leaf[model].place.stamp,
                    timed ? "" : " of files and bytes");
  }
}
