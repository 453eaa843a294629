/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of MLPerf-style commands: overrides, the merged tree, what the
 * divisions allow, rehearsals. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/config.h"
#include "loadbank/json.h"
#include "mlperf/config.h"
#include "mlperf/params_json.h"
#include "mlperf_args.h"
#include "tap.h"

static struct lb_mlperf_args run_of(const char *model, const char *accelerator)
{
  struct lb_mlperf_args a = args_of(LB_MLPERF_TRAINING, model, LB_MLPERF_RUN);
  snprintf(a.accelerator_type, sizeof a.accelerator_type, "%s", accelerator);
  snprintf(a.data_dir, sizeof a.data_dir, "/mnt/data/");
  a.num_accelerators = 8;
  a.client_host_memory_in_gb = 64;
  return a;
}

static struct lb_mlperf_args saves_of(const char *model, int64_t processes)
{
  struct lb_mlperf_args a =
      args_of(LB_MLPERF_CHECKPOINTING, model, LB_MLPERF_RUN);
  snprintf(a.checkpoint_folder, sizeof a.checkpoint_folder, "/mnt/ck");
  a.num_processes = processes;
  return a;
}

static void set_params(struct lb_mlperf_args *a, const char **v, int n)
{
  a->params = v;
  a->n_params = n;
}

/* The values of the merged tree, of the submitter's and of our own keys. */
static void is_value(const json_t *tree, const char *path, const char *want)
{
  char *got = json_dumps(lb_json_at(tree, path),
                         JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
  is_str(got, want, "%s", path);
  free(got);
}

#ifdef HAVE_NETTLE
static const bool has_hashes = true;
#else
static const bool has_hashes = false;
#endif

static void is_hash(const struct lb_mlperf_config *c, const char *want)
{
  is_str(c->hash, has_hashes ? want : "unknown", "hash of %s",
         c->row->workload);
}

static const json_t *flat(const json_t *all, const char *key)
{
  return json_object_get(all, key);
}

static void make(struct lb_mlperf_args *a, struct lb_mlperf_config *c)
{
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_mlperf_config_make(a, c, &err), 0, "%s: %s", a->model, err.msg);
}

static void refuses(struct lb_mlperf_args *a, const char *word)
{
  struct lb_mlperf_config c;
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_mlperf_config_make(a, &c, &err);
  if (!rc)
    rc = lb_mlperf_config_check(a, &c, &err);
  is_int(rc, -LB_USAGE, "refused for %s", word);
  ok(strstr(err.msg, word), "with '%s': %s", word, err.msg);
  lb_mlperf_config_fini(&c);
}

static void accepts(struct lb_mlperf_args *a, const char *what)
{
  struct lb_mlperf_config c;
  struct lb_err err = LB_ERR_INIT;
  make(a, &c);
  is_int(lb_mlperf_config_check(a, &c, &err), 0, "%s: %s", what, err.msg);
  lb_mlperf_config_fini(&c);
}

static void test_workloads(void)
{
  const struct lb_mlperf_workload *w;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_mlperf_workload_find(LB_MLPERF_CLOSED, LB_MLPERF_TRAINING, "unet3d",
                                 "h100", &w, &err),
         -LB_USAGE, "no h100 in closed");
  is_str(err.msg,
         "closed training: 'unet3d on h100' is no submission, it runs in "
         "whatif only; allowed: unet3d on b200, retinanet on b200, retinanet "
         "on mi355",
         "with what there is");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_mlperf_workload_find(LB_MLPERF_OPEN, LB_MLPERF_CHECKPOINTING,
                                 "llama2", NULL, &w, &err),
         -LB_USAGE, "no such model");
  ok(strstr(err.msg, "allowed: llama3-8b, llama3-70b, llama3-405b, llama3-1t"),
     "%s", err.msg);
  is_int(lb_mlperf_workload_find(LB_MLPERF_WHATIF, LB_MLPERF_TRAINING, "unet3d",
                                 "", &w, &err),
         0, "datagen names no accelerator");
  is_str(w->workload, "unet3d_b200", "the first one's");
  is_near(lb_mlperf_accelerator_gib("mi355"), 288, 0, "memory of mi355");
  is_near(lb_mlperf_accelerator_gib("tpu"), 0, 0, "of an unknown one");
}

static void test_run(void)
{
  struct lb_mlperf_args a = run_of("unet3d", "b200");
  struct lb_mlperf_config c;
  static const char *params[] = {"reader.read_threads=8",
                                 "++workload.reader.odirect=true"};
  set_params(&a, params, 2);
  make(&a, &c);
  is_int(c.findings.verdict, LB_MLPERF_IS_CLOSED, "closed");
  is_int(c.findings.n, 0, "nothing to find");
  is_int(c.files, 28000, "as many files as the rules ask for");
  is_str(c.folder, "/mnt/data/unet3d", "below --data-dir");
  is_int(c.dataset_bytes, INT64_C(4104817584000), "bytes");
  is_hash(&c, "0d3ad0dec188becd");
  is_value(c.parameters, "dataset.num_files_train", "28000");
  is_value(c.parameters, "model.model_size", "499153191");
  is_value(c.parameters, "reader.read_threads", "8");
  is_value(c.parameters, "reader.odirect", "true");
  is_value(c.parameters, "train.computation_time", "0.162");
  is_value(c.parameters, "storage.drop_caches", "\"epoch\"");
  is_value(c.template_parameters, "reader.read_threads", "4");
  ok(flat(c.override_parameters, "reader.odirect"), "the submitter's");
  ok(flat(c.override_parameters, "dataset.data_folder"), "the tool's");
  ok(!flat(c.override_parameters, "storage.drop_caches"), "not our own");
  ok(flat(c.own_parameters, "storage.drop_caches"), "which are elsewhere");
  lb_mlperf_config_fini(&c);

  snprintf(a.data_dir, sizeof a.data_dir, "/mnt/retinanet//");
  a.o_direct = true;
  make(&a, &c);
  is_str(c.folder, "/mnt/retinanet", "--data-dir that is a model's folder");
  is_value(c.parameters, "storage.storage_type", "\"direct_fs\"");
  lb_mlperf_config_fini(&c);

  static const char *other[] = {"storage.storage_type=local_fs"};
  struct lb_err err = LB_ERR_INIT;
  set_params(&a, other, 1);
  is_int(lb_mlperf_config_make(&a, &c, &err), -LB_USAGE,
         "a flag and a parameter that contradict each other");
  ok(strstr(err.msg, "--o-direct, but") == err.msg, "says so: %s", err.msg);
}

static void test_datagen(void)
{
  struct lb_mlperf_args a =
      args_of(LB_MLPERF_TRAINING, "retinanet", LB_MLPERF_DATAGEN);
  struct lb_mlperf_config c;
  static const char *params[] = {"dataset.num_files_train=77"};
  a.num_processes = 4;
  make(&a, &c);
  is_value(c.parameters, "workflow.generate_data", "true");
  is_value(c.parameters, "workflow.train", "false");
  is_int(c.files, 1170301, "the workload's own number");
  lb_mlperf_config_fini(&c);
  set_params(&a, params, 1);
  a.scale.files = 0.5;
  make(&a, &c);
  is_int(c.files, 77, "a number that is given stands");
  is_int(c.findings.n, 0, "datagen may be small: it knows no memory");
  lb_mlperf_config_fini(&c);
}

static void test_divisions(void)
{
  struct lb_mlperf_args a = run_of("unet3d", "b200");
  static const char *open[] = {"reader.data_loader=dali"};
  static const char *invalid[] = {"reader.data_loader=dali",
                                  "reader.batch_size=8"};
  static const char *wrong[] = {"reader.batch_size=0"};
  static const char *few[] = {"dataset.num_files_train=27999"};
  static const char *idle[] = {"storage.storage_type=simulated"};
  static const char *direct[] = {"reader.odirect=true"};
  static const char *bare[] = {"reader.batch_size"};
  set_params(&a, open, 1);
  refuses(&a, "rule 3.6.2: reader.data_loader");
  a.mode = LB_MLPERF_OPEN;
  accepts(&a, "in open");
  set_params(&a, invalid, 2);
  refuses(&a, "rule 3.6.3: reader.batch_size");
  a.allow_invalid_params = true;
  accepts(&a, "with --allow-invalid-params");
  a.allow_invalid_params = false;
  a.mode = LB_MLPERF_WHATIF;
  accepts(&a, "in whatif");
  set_params(&a, wrong, 1);
  refuses(&a, "'0' is out of range");
  set_params(&a, bare, 1);
  refuses(&a, "reader.batch_size");
  a.mode = LB_MLPERF_CLOSED;
  set_params(&a, few, 1);
  refuses(&a, "rule 3.1.2");
  refuses(&a, "28000 or more");
  set_params(&a, idle, 1);
  refuses(&a, "rule 3.6.3: storage.storage_type: 'simulated'");
  a = run_of("retinanet", "b200");
  set_params(&a, direct, 1);
  refuses(&a, "unet3d only");
  a = run_of("unet3d", "b200");
  a.num_client_hosts = 3;
  refuses(&a, "rule 3.3.6");
  snprintf(a.hosts, sizeof a.hosts, "a,b:2,c,d:2");
  a.num_client_hosts = 0;
  accepts(&a, "8 on the 4 of --hosts");
  snprintf(a.hosts, sizeof a.hosts, "a:6,b:2");
  refuses(&a, "rule 3.3.6: hosts: 2 accelerators on one host, 6");
  a.command = LB_MLPERF_DATAGEN;
  a.num_processes = 8;
  accepts(&a, "which generate as they like");
  a = args_of(LB_MLPERF_TRAINING, "unet3d", LB_MLPERF_DATASIZE);
  refuses(&a, "--client-host-memory-in-gb");
  a.client_host_memory_in_gb = 64;
  a.max_accelerators = 7;
  snprintf(a.hosts, sizeof a.hosts, "a:6,b:1");
  accepts(&a, "a size may be asked for any number on any hosts");
}

static void test_param_table(void)
{
  static const struct {
    int kind;
    const char *key;
    int verdict;
  } rows[] = {
      {LB_MLPERF_TRAINING, "reader.prefetch_size", LB_MLPERF_IS_CLOSED},
      {LB_MLPERF_TRAINING, "framework", LB_MLPERF_IS_OPEN},
      {LB_MLPERF_TRAINING, "train.epochs", LB_MLPERF_IS_INVALID},
      {LB_MLPERF_TRAINING, "dataset.skip_listing", LB_MLPERF_TOOL},
      {LB_MLPERF_TRAINING, "workflow.checkpoint", LB_MLPERF_TOOL},
      {LB_MLPERF_TRAINING, "framework.x", LB_MLPERF_IS_INVALID},
      {LB_MLPERF_CHECKPOINTING, "checkpoint.checkpoint_folder",
       LB_MLPERF_IS_CLOSED},
      {LB_MLPERF_CHECKPOINTING, "checkpoint.fsync", LB_MLPERF_IS_INVALID},
      {LB_MLPERF_CHECKPOINTING, "framework", LB_MLPERF_IS_INVALID},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    is_str(lb_mlperf_verdict_names[lb_mlperf_param(rows[i].kind, rows[i].key)],
           lb_mlperf_verdict_names[rows[i].verdict], "%s", rows[i].key);
}

static void test_checkpoint(void)
{
  struct lb_mlperf_args a = saves_of("llama3-8b", 8);
  struct lb_mlperf_config c;
  static const char *no_sync[] = {"checkpoint.fsync=false"};
  make(&a, &c);
  is_int(c.findings.n, 0, "8 processes, 10 and 10");
  is_int(c.checkpoint.total_bytes, INT64_C(112425623552), "bytes");
  is_int(c.checkpoint.most_bytes, INT64_C(14053202944), "of a process");
  is_int(c.checkpoint.files, 16, "files");
  is_str(c.folder, "/mnt/ck/llama3-8b", "folder");
  is_hash(&c, "68df04b7240e3fb0");
  is_value(c.parameters, "checkpoint.num_checkpoints_write", "10");
  is_value(c.parameters, "storage.drop_caches", "\"run\"");
  lb_mlperf_config_fini(&c);

  a.num_checkpoints_read = 0;
  accepts(&a, "10 and 0");
  a.num_checkpoints_read = 3;
  refuses(&a, "rule 4.7.1");
  a.mode = LB_MLPERF_OPEN;
  accepts(&a, "10 and 3 in open");
  a.num_checkpoints_read = a.num_checkpoints_write = 0;
  refuses(&a, "nothing to write");
  a = saves_of("llama3-8b", 8);
  set_params(&a, no_sync, 1);
  refuses(&a, "rule 4.6.3: checkpoint.fsync");
  a = saves_of("llama3-8b", 16);
  refuses(&a, "rule 4.6.1");
  a.mode = LB_MLPERF_OPEN;
  accepts(&a, "16 processes in open");
  a.num_client_hosts = 4;
  a.mode = LB_MLPERF_CLOSED;
  a.num_processes = 8;
  refuses(&a, "rule 4.6.2");
  snprintf(a.hosts, sizeof a.hosts, "a:4,b:60");
  snprintf(a.model, sizeof a.model, "llama3-70b");
  a.num_client_hosts = 0;
  a.num_processes = 64;
  refuses(&a, "rule 4.6.2: hosts: 4 processes");
  a = saves_of("llama3-405b", 408);
  a.mode = LB_MLPERF_OPEN;
  refuses(&a, "rule 4.6.4: num_processes: 408");
  a = saves_of("llama3-70b", 8);
  a.mode = LB_MLPERF_OPEN;
  snprintf(a.accelerator_type, sizeof a.accelerator_type, "h100");
  refuses(&a, "rule 4.3.4");
  refuses(&a, "12 or more");
  snprintf(a.accelerator_type, sizeof a.accelerator_type, "b200");
  accepts(&a, "8 x 180 GiB hold 912");
}

/* Bytes within a tenth of the part asked for, the parallelism as it was. */
static void test_small_checkpoints(void)
{
  static const double factors[] = {0.1, 0.001, 1e-6};
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    if (w->kind != LB_MLPERF_CHECKPOINTING)
      continue;
    struct lb_mlperf_args a = saves_of(w->model, w->processes);
    struct lb_mlperf_config full, c;
    make(&a, &full);
    for (size_t j = 0; j < sizeof factors / sizeof factors[0]; j++) {
      double bytes = factors[j] * (double)full.checkpoint.total_bytes;
      a.scale.files = factors[j];
      a.scale.time = 0.01;
      make(&a, &c);
      if (factors[j] > 1e-4)
        is_near((double)c.checkpoint.total_bytes / bytes, 1, 0.1, "%s x %g",
                w->model, factors[j]);
      is_int(c.checkpoint.files, full.checkpoint.files, "as many files");
      is_int(c.findings.n, 0, "nothing to find");
      is_value(c.parameters, "checkpoint.time_between_checkpoints", "0.05");
      ok(flat(c.own_parameters, "model.transformer.hidden_size") &&
             !flat(c.override_parameters, "model.transformer.hidden_size"),
         "widths are not the submitter's");
      lb_mlperf_config_fini(&c);
    }
    lb_mlperf_config_fini(&full);
  }
}

static void test_small_training(void)
{
  struct lb_mlperf_args a = run_of("unet3d", "b200");
  struct lb_mlperf_config c;
  a.scale = (struct lb_mlperf_scale){0.01, 0.001, 0.1};
  make(&a, &c);
  is_int(c.files, 280, "280 of 28000 files, which are 5 steps as well");
  is_value(c.parameters, "dataset.record_length_bytes", "146601");
  is_value(c.parameters, "dataset.record_length_bytes_stdev", "68341.808");
  is_value(c.parameters, "train.computation_time", "0.0162");
  is_int(c.findings.n, 0, "nothing to find: the bound is that of a rehearsal");
  ok(!flat(c.override_parameters, "train.computation_time"),
     "times are not the submitter's");
  ok(!lb_mlperf_class(c.hash), "it is another workload by its hash");
  lb_mlperf_config_fini(&c);
  a = run_of("dlrm", "b200");
  a.mode = LB_MLPERF_WHATIF;
  a.scale.bytes = 0.5;
  refuses(&a, "--scale-bytes");
  a = run_of("retinanet", "b200");
  a.scale.bytes = 0.0005;
  refuses(&a, "--scale-bytes 0.0005: a jpeg of 162 bytes: possible are 180");
  a.scale.bytes = 0.0006;
  accepts(&a, "records that a JPEG can have");
  a.scale.bytes = 0.5;
  char text[200];
  lb_mlperf_rehearsal_text(&a.scale, text, sizeof text);
  is_str(text, "rehearsal, no submission: files x 1, bytes x 0.5, time x 1",
         "its line");
  a.scale.bytes = 1;
  lb_mlperf_rehearsal_text(&a.scale, text, sizeof text);
  is_str(text, "", "none");
  ok(json_is_null(lb_mlperf_rehearsal_json(&a.scale)), "no object");
}

static void test_text(void)
{
  struct lb_mlperf_args a = run_of("unet3d", "b200");
  struct lb_mlperf_config c;
  struct lb_buf b;
  static const char *params[] = {"framework=tensorflow"};
  lb_buf_init(&b, 1 << 16);
  make(&a, &c);
  lb_mlperf_config_text(&a, &c, &b);
  ok(strstr(b.data, has_hashes
                        ? "core config 0d3ad0dec188becd, class unet3d_b200\n"
                        : "core config unknown, of no class\n"),
     "the class");
  ok(strstr(b.data, "division    closed, asked for as closed\n"), "closed");
  ok(strstr(b.data, "\"computation_time\": 0.162\n"), "the parameters");
  lb_mlperf_config_fini(&c);
  lb_buf_reset(&b);
  set_params(&a, params, 1);
  make(&a, &c);
  lb_mlperf_config_text(&a, &c, &b);
  ok(strstr(b.data, "division    open, asked for as closed\n"), "open");
  ok(strstr(b.data, "open        rule 3.6.2: framework: may not be set"),
     "the finding");
  ok(strstr(b.data, ", of no class\n"), "of no class");
  ok(strstr(b.data, "override    framework=tensorflow\n"), "the override");
  lb_mlperf_config_fini(&c);
  lb_buf_fini(&b);
}

static void test_types(void)
{
  static const char *const rows[][2] = {
      {"yes", "true"},
      {"Off", "false"},
      {"12", "12"},
      {"-3", "-3"},
      {"1_000", "1000"},
      {"0x1f", "31"},
      {"010", "8"},
      {"0.5", "0.5"},
      {"1e-3", "0.001"},
      {"~", "null"},
      {"", "null"},
      {"seed", "\"seed\""},
      {"08", "\"08\""},
      {"1.2.3", "\"1.2.3\""},
      {"-", "\"-\""},
      {"64 KiB", "\"64 KiB\""},
      {"99999999999999999999", "1e20"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    json_t *v = lb_params_scalar(rows[i][0]);
    char *got = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    is_str(got, rows[i][1], "'%s'", rows[i][0]);
    free(got);
    json_decref(v);
  }
}

int main(void)
{
  use_builtin_workloads();
  test_workloads();
  test_types();
  test_run();
  test_datagen();
  test_divisions();
  test_param_table();
  test_checkpoint();
  test_small_checkpoints();
  test_small_training();
  test_text();
  return done();
}
