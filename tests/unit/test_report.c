/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a made-up run, read back by another reader where there is one;
 * its keys against docs/metrics.md. */
#include "lb-config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "loadbank/log.h"
#include "loadbank/metric_table.h"
#include "loadbank/slurp.h"
#include "report/json.h"
#include "report_run.h"
#include "source_tree.h"
#include "tap.h"

enum { K = 3 };
static struct lb_world world; /* of one rank */

static char *slurp(const char *folder, const char *name)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return lb_slurp(path);
}

static json_t *load(const char *folder, const char *name)
{
  char *text = slurp(folder, name);
  json_error_t e;
  json_t *v = text ? json_loads(text, JSON_REJECT_DUPLICATES, &e) : NULL;
  ok(v != NULL, "%s is strict JSON", name);
  ok(text && !strstr(text, "nan") && !strstr(text, "inf\n") &&
         !strstr(text, "NaN"),
     "%s has no NaN", name);
  free(text);
  return v;
}

/* "metric.train_au_percentage": the value there, or NULL. */
static const json_t *at(const json_t *v, const char *path)
{
  char key[128];
  while (v && *path) {
    size_t n = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    v = json_object_get(v, key);
    path += n + (path[n] == '.');
  }
  return v;
}

static double num(const json_t *v, const char *path)
{
  const json_t *x = at(v, path);
  return json_is_number(x) ? json_number_value(x) : NAN;
}

/* ---- values ---- */

static void dlio_values(const json_t *o)
{
  /* Blocks of 6 steps of 27 ms; the first excluded: 25 + a. */
  double want = 0, rate = 0;
  for (int a = 0; a < K; a++) {
    double T = 6 * 27 - (25 + a);
    want += 100 * 100 / T / K;
    rate += 5 * 4 / (T / 1000);
  }
  is_near(num(o, "metric.train_au_mean_percentage"), want, 1e-9, "train AU");
  is_near(num(o, "metric.train_au_stdev_percentage"), 0, 1e-9, "its stdev");
  is_int(json_array_size(at(o, "metric.train_au_percentage")), 2,
         "a value an epoch");
  is_near(num(o, "metric.train_throughput_mean_samples_per_second"), rate, 1e-6,
          "samples per second");
  is_near(num(o, "metric.train_io_mean_MB_per_second"), rate * 1024 / 1048576,
          1e-9, "MiB per second by the nominal size");
  is_str(json_string_value(at(o, "metric.train_au_meet_expectation")),
         want >= 70 ? "success" : "fail", "expectation");
  is_near(num(o, "metric.eval_au_mean_percentage"), 50, 1e-9, "eval AU");
  is_near(num(o, "metric.eval_throughput_mean_samples_per_second"),
          K * 4 * 2 / 0.08, 1e-6, "eval samples per second");
  is_str(json_string_value(at(o, "metric.eval_au_meet_expectation")), "fail",
         "eval against 70 %%");
  is_near(num(o, "metric.checkpoint_size_GB"), 0.5, 1e-12, "checkpoint size");
  is_near(num(o, "metric.save_checkpoint_io_mean_GB_per_second"), 1, 1e-9,
          "half a GiB in half a second");
  is_near(num(o, "metric.load_checkpoint_duration_mean_seconds"), 0.25, 1e-9,
          "load duration");
  is_int(num(o, "num_accelerators"), K, "accelerators");
  is_int(num(o, "num_hosts"), 1, "hosts");
  is_int(json_array_size(at(o, "host_memory_GB")), 1, "memory of each host");
  is_str(json_string_value(at(o, "start")), "2025-11-29T21:21:31.123456+00:00",
         "start in UTC with its offset");
}

static void places(const json_t *o)
{
  const json_t *host = json_array_get(at(o, "loadbank.hosts"), 0);
  const json_t *binding = json_array_get(json_object_get(host, "bindings"), 0);
  is_int(json_integer_value(json_object_get(host, "threads")), 10, "threads");
  is_int(json_integer_value(json_object_get(host, "cores")), 2, "cores");
  is_str(json_string_value(json_object_get(binding, "cpus")), "0-1", "cpus");
  is_str(json_string_value(json_object_get(binding, "numa_nodes")), "0",
         "NUMA nodes");
}

static void our_values(const json_t *o)
{
  places(o);
  is_str(json_string_value(at(o, "loadbank.status")), "complete", "status");
  is_int(json_array_size(at(o, "loadbank.train_nominal_au_percentage")), 2,
         "nominal AU an epoch");
  is_near(num(o, "loadbank.train_nominal_au_mean_percentage"),
          num(o, "metric.train_au_mean_percentage"), 1e-9,
          "as measured compute was as requested");
  is_int(num(o, "loadbank.train_steps"), 24 * K, "steps");
  is_int(num(o, "loadbank.train_samples"), 24 * K * 4, "samples");
  ok(json_is_integer(at(o, "loadbank.train_samples")), "counts are integers");
  is_int(num(o, "loadbank.train_payload_bytes"), 24 * 3 * 4 * 1000, "payload");
  is_int(num(o, "loadbank.train_file_bytes"), 409600, "train's file bytes");
  is_int(num(o, "loadbank.eval_file_bytes"), 102400, "eval's own file bytes");
  is_near(num(o, "loadbank.train_payload_mean_MiB_per_second"),
          num(o, "metric.train_throughput_mean_samples_per_second") * 1000 /
              1048576,
          1e-9, "payload per second: 1000 B a sample");
  is_near(num(o, "loadbank.client_cpu_cores"), 0.05, 1e-12, "client CPU");
  is_near(num(o, "loadbank.generate.MiB_per_second"), 5, 1e-12, "generation");
  is_str(json_string_value(at(o, "loadbank.limited_by")), "storage",
         "limited by");
  is_int(num(o, "loadbank.io.train.read.count"), 100, "reads");
  is_int(num(o, "loadbank.io.train.read.bytes"), 409600, "their bytes");
  is_near(num(o, "loadbank.io.train.read.p99_seconds"), 0.001, 1e-4, "p99");
  is_near(num(o, "loadbank.steps.train.load.max_seconds"), 0.007, 1e-12,
          "longest load");
  is_near(num(o, "loadbank.steps.train.compute.p50_seconds"), 0.020, 7e-4,
          "median compute");
  is_int(num(o, "loadbank.steps.train.gate.count"), 24 * K, "all steps");
  is_str(json_string_value(at(o, "loadbank.command")),
         "loadbank run made_up bad?", "a byte that is not UTF-8");
  is_str(json_string_value(at(o, "loadbank.notes.scope")),
         "job \"quoted\"\n\t\x01", "escapes come back");
  is_int(json_array_size(at(o, "loadbank.epochs")), 4, "epochs of both kinds");
  is_int(json_array_size(at(o, "loadbank.checkpoints")), 5, "checkpoints");
  ok(at(o, "loadbank.filesystems.results.mount_point") != NULL,
     "file system of the results");
  const json_t *roots = at(o, "loadbank.roots");
  const json_t *host = json_array_get(at(o, "loadbank.hosts"), 0);
  is_str(json_string_value(at(json_array_get(roots, 1), "path")), "/",
         "roots in their order");
  is_int(json_integer_value(at(json_array_get(roots, 0), "accelerators")), 2,
         "their accelerators");
  is_str(json_string_value(
             at(json_array_get(at(host, "roots"), 1), "mount_point")),
         "/", "what they are on a host");
}

static void accelerators(const char *folder)
{
  for (int a = 0; a < K; a++) {
    char name[64];
    snprintf(name, sizeof name, "%d_output.json", a);
    json_t *o = load(folder, name);
    is_near(num(o, "1.load.block2"), 6 * (0.005 + 0.001 * a), 1e-12,
            "load of block 2");
    is_near(num(o, "2.compute.block1"), 0.12, 1e-12, "compute of a block");
    is_near(num(o, "2.au.block1"), 100 * 100 / (6 * 27.0 - 25 - a), 1e-9,
            "AU of a block");
    is_near(num(o, "1.throughput.eval"), 4 * 2 / 0.08, 1e-9, "eval's");
    json_decref(o);
    snprintf(name, sizeof name, "%d_per_epoch_stats.json", a);
    o = load(folder, name);
    is_near(num(o, "1.block1.duration"), 6 * 0.027, 1e-12, "a block's time");
    is_near(num(o, "1.duration"), 12 * 0.027 + 1, 1e-9,
            "the epoch's, checkpoints included");
    is_near(num(o, "2.save_ckpt2.throughput"), 1, 1e-9, "a checkpoint");
    is_near(num(o, "2.load_ckpt1.duration"), 0.25, 1e-12, "one read back");
    ok(at(o, "1.eval.start") != NULL, "evaluation stands in its epoch");
    json_decref(o);
  }
}

/* ---- keys against the documentation ---- */

struct keys {
  char **v;
  size_t n;
};

static void add_key(struct keys *k, const char *key)
{
  for (size_t i = 0; i < k->n; i++)
    if (!strcmp(k->v[i], key))
      return;
  k->v = realloc(k->v, (k->n + 1) * sizeof *k->v);
  k->v[k->n++] = strdup(key);
}

static bool has_key(const struct keys *k, const char *key)
{
  for (size_t i = 0; i < k->n; i++)
    if (!strcmp(k->v[i], key))
      return true;
  return false;
}

static void free_keys(struct keys *k)
{
  for (size_t i = 0; i < k->n; i++)
    free(k->v[i]);
  free(k->v);
}

/* Names that are data, not keys, are documented by their place. */
static const char *generic(const char *path, const char *key)
{
  static const struct {
    const char *under, *as;
  } maps[] = {
      {"loadbank.versions", "NAME"},    {"loadbank.notes", "NAME"},
      {"loadbank.io", "PHASE"},         {"loadbank.io.PHASE", "OPERATION"},
      {"loadbank.stragglers", "LEVEL"}, {"loadbank.phases", "PHASE"},
      {"loadbank.steps", "SET"},        {"host_cpuinfo", "FIELD"},
      {"host_meminfo", "FIELD"},        {"loadbank.filesystems", "FOLDER"},
  };
  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
    if (!strcmp(maps[i].under, path))
      return maps[i].as;
  if (!strcmp(path, "loadbank.steps.SET"))
    return "TIME";
  return key;
}

static void collect(struct keys *k, const char *path, json_t *v)
{
  if (json_is_array(v)) {
    bool objects = json_is_object(json_array_get(v, 0));
    char next[256];
    snprintf(next, sizeof next, "%s[]", path);
    for (size_t i = 0; objects && i < json_array_size(v); i++)
      collect(k, next, json_array_get(v, i));
    if (!objects)
      add_key(k, path);
    return;
  }
  if (!json_is_object(v)) {
    add_key(k, path);
    return;
  }
  const char *key;
  json_t *one;
  json_object_foreach(v, key, one)
  {
    char next[256];
    snprintf(next, sizeof next, "%s%s%s", path, *path ? "." : "",
             generic(path, key));
    collect(k, next, one);
  }
}

/* First column of the tables between two headings: | `key` | ... */
static void documented(struct keys *k, const char *text, const char *from,
                       const char *to)
{
  const char *p = strstr(text, from);
  const char *end = p ? strstr(p + 1, to) : NULL;
  ok(p && end, "docs/metrics.md has the headings %s and %s", from, to);
  for (; p && p < end; p = strchr(p, '\n')) {
    p++;
    char key[256];
    if (!strncmp(p, "| `", 3) && sscanf(p, "| `%255[^`]`", key) == 1)
      add_key(k, key);
  }
}

static void compare_keys(json_t *o, const char *from, const char *to)
{
  char *doc = read_source("docs/metrics.md");
  ok(doc != NULL, "docs/metrics.md is there");
  struct keys have = {0}, known = {0};
  collect(&have, "", o);
  if (doc)
    documented(&known, doc, from, to);
  for (size_t i = 0; i < have.n; i++)
    if (!has_key(&known, have.v[i]))
      ok(false, "%s is documented", have.v[i]);
  for (size_t i = 0; i < known.n; i++)
    if (!has_key(&have, known.v[i]))
      ok(false, "documented %s is written", known.v[i]);
  ok(have.n > 10 && known.n == have.n, "%zu keys documented and written",
     have.n);
  free_keys(&have);
  free_keys(&known);
  free(doc);
}

/* Unit and sentence of each row stand there as in the table. */
static void compare_rows(void)
{
  char *doc = read_source("docs/metrics.md");
  for (const struct lb_metric *m = lb_metrics_table; doc && m->key; m++) {
    char row[600];
    const char *each =
        !m->count ? ""
        : m->group == LB_METRIC_TRAIN || m->group == LB_METRIC_EVAL
            ? ", per epoch"
            : ", per checkpoint";
    snprintf(row, sizeof row, "| `%s.%s` | %s%s | %s |\n",
             m->dlio ? "metric" : "loadbank", m->key, m->unit, each, m->doc);
    ok(strstr(doc, row) != NULL, "docs: %s", m->key);
  }
  free(doc);
}

/* ---- text, CSV, small numbers ---- */

static void text_block(const struct lb_report *r, const struct lb_summary *s)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  lb_report_text(f, false, r, s);
  fclose(f);
  ok(strstr(text, "[METRIC] Training AU (%)") != NULL, "AU line");
  ok(strstr(text, "metric.au asks for 70 %") != NULL, "the threshold");
  ok(strstr(text, "success: AU ") != NULL, "and the verdict");
  ok(strstr(text, "fail: AU 50.0000 %") != NULL, "evaluation's too");
  ok(strstr(text, "storage (of the time, waiting for data ") != NULL,
     "limited by, with evidence");
  ok(strstr(text, "nan") == NULL, "no NaN");
  for (const struct lb_metric *m = lb_metrics_table; m->key; m++)
    if (m->label) {
      const char *line = strstr(text, m->label);
      ok(line && !strstr(line + 1, m->label), "one line: %s", m->label);
      ok(!m->count, "a line shows one value: %s", m->key);
    }
  free(text);
  struct lb_summary client = *s;
  client.limit.by = LB_LIMIT_CLIENT;
  f = open_memstream(&text, &n);
  lb_report_text(f, true, r, &client);
  fclose(f);
  ok(strstr(text, "\033[31mclient\033[0m") != NULL, "client-bound is red");
  free(text);
}

static void csv(const char *folder)
{
  char *text = slurp(folder, "metrics.csv");
  ok(text && strstr(text, "key,unit,index,value\n") == text, "CSV header");
  ok(text && strstr(text, "train_au_percentage,%,2,"), "a value of a list");
  ok(text && strstr(text, "checkpoint_size_GB,GiB,,0.5\n"), "a single value");
  free(text);
}

static void decimals(void)
{
  static const struct {
    double v;
    const char *text;
  } cases[] = {
      {0.1, "0.1\n"},        {100, "100.0\n"},
      {1e300, "1e+300\n"},   {1.0 / 3, "0.3333333333333333\n"},
      {0, "0.0\n"},          {2.0 / 3, "0.6666666666666666\n"},
      {NAN, "null\n"},       {INFINITY, "null\n"},
      {-INFINITY, "null\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct lb_buf b;
    lb_buf_init(&b, 1000);
    json_t *v = lb_json_number(cases[i].v);
    lb_json_text(&b, v);
    is_str(b.data, cases[i].text, "shortest decimal");
    json_decref(v);
    lb_buf_fini(&b);
  }
}

static void whole(void)
{
  char spool[512];
  struct lb_err err = LB_ERR_INIT;
  char *folder;
  lb_world_accelerators(&world, K, &err);
  snprintf(spool, sizeof spool, "%s/run", tap_tmpdir());
  is_int(lb_results_folder(&folder, spool, "w", 0, &err), 0, "folder");
  lb_report_spool(spool, sizeof spool, folder, 0);
  struct lb_metrics_config c = {.k = K,
                                .exclude_start = 1,
                                .batch = {4, 2},
                                .steps_spool = spool,
                                .detail = lb_report_detail(&world, false)};
  struct lb_metrics *m;
  is_int(lb_metrics_new(&m, &c, &err), 0, "recorder");
  run_steps(m, K);
  struct lb_iostats io;
  struct lb_rank_cost cost = run_cost(&io);
  struct lb_summary s;
  is_int(lb_metrics_reduce(m, &world, &cost, 1024, &s, &err), 0, "reduced");
  struct lb_report r = run_report(folder);
  lb_warn("a warning for the result");
  is_int(lb_report_write(&world, m, &r, &s, &err), 0, "written %s", err.msg);
  lb_metrics_free(m);
  ok(access(spool, F_OK), "the spool is gone");

  json_t *o = load(folder, "summary.json");
  dlio_values(o);
  our_values(o);
#ifdef HAVE_HDF5
  is_int(json_array_size(at(o, "loadbank.warnings")), 2,
         "the warning, and that 1 GiB fits into memory");
  is_str(json_string_value(at(o, "loadbank.steps_file")), "steps.h5", "steps");
#else
  is_int(json_array_size(at(o, "loadbank.warnings")), 3,
         "the warning, and one that this build writes no steps.h5");
#endif
  compare_keys(o, "\n## summary.json", "\n## Files");
  json_decref(o);
  accelerators(folder);
  text_block(&r, &s);
  csv(folder);
  char *yaml = slurp(folder, ".hydra/config.yaml");
  is_str(yaml, "workload: {}\n", ".hydra/config.yaml");
  free(yaml);
  lb_summary_fini(&s);
  lb_iostats_fini(&io);
  free(folder);
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  whole();
  compare_rows();
  decimals();
  lb_world_fini(&world);
  return done();
}
