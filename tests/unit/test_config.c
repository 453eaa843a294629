/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads load, mean what they say, and print as YAML that loads back. */
#include "lb-config.h"

#include "loadbank/config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "config_support.h"
#include "loadbank/parquet.h"
#include "loadbank/simulated.h"
#include "source_tree.h"
#include "tap.h"

/* The property: printing and loading again changes nothing. */
static void round_trip(const struct lb_workload *w, const char *name)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf a, b;
  char hash_a[LB_HASH_LEN], hash_b[LB_HASH_LEN];
  lb_buf_init(&a, 4 << 20);
  lb_buf_init(&b, 4 << 20);
  lb_workload_print(w, &a);
  ok(!a.failed && a.len > 1000, "%s prints", name);
  struct lb_workload *again = NULL;
  lb_workload_load(a.data, a.len, name, NULL, 0, &again, &err);
  ok(again, "%s loads back: %s", name, err.msg);
  if (again) {
    lb_workload_print(again, &b);
    is_str(b.data, a.data, "%s prints the same again", name);
    lb_workload_hash(w, hash_a);
    lb_workload_hash(again, hash_b);
    is_str(hash_b, hash_a, "%s has the same hash", name);
    ok(again->derived.sample_bytes == w->derived.sample_bytes &&
           !strcmp(again->derived.data_folder, w->derived.data_folder),
       "%s derives the same", name);
  }
  lb_workload_free(again);
  lb_buf_fini(&a);
  lb_buf_fini(&b);
}

static void load_file(const char *dir, const char *name)
{
  static const char *const overrides[] = {
      "++workload.train.epochs=3",
      "reader.batch_size='7'",
      "+workload.train.computation_time={mean:0.5,stdev:0.1}",
      "workload.dataset.num_subfolders_train=4",
      "~metric.au",
      "storage.storage_options.read_bandwidth=2 GiB",
      "hydra.run.dir=/tmp/some where",
      "hydra.job_logging=x",
  };
  char path[512];
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  char *text = read_source(path);
  ok(text, "%s is there", path);
  if (!text)
    return;
  struct lb_workload *w = NULL;
  lb_workload_load(text, strlen(text), path, NULL, 0, &w, &err);
  ok(w, "%s loads: %s", path, err.msg);
  if (w)
    round_trip(w, name);
  lb_workload_free(w);
  lb_workload_load(text, strlen(text), path, overrides, 8, &w, &err);
  ok(w && w->train.epochs == 3 && w->reader.batch_size == 7 &&
         w->metric.au == 0.9 && w->dataset.num_subfolders_train == 4 &&
         !strcmp(w->train.computation_time.kind->name, "normal") &&
         !strcmp(w->output.folder, "/tmp/some where"),
     "%s takes overrides: %s", path, err.msg);
  if (w)
    round_trip(w, name);
  lb_workload_free(w);
  free(text);
}

static void test_folder(const char *dir, int least)
{
  char full[4096];
  int n = 0;
  snprintf(full, sizeof full, "%s/%s", source_dir(), dir);
  DIR *d = opendir(full);
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.' && strstr(e->d_name, ".yaml")) {
      load_file(dir, e->d_name);
      n++;
    }
  if (d)
    closedir(d);
  ok(n >= least, "%s holds %d workloads", dir, n);
}

static struct lb_workload *load_data(const char *name)
{
  char path[256];
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "tests/data/workloads/%s.yaml", name);
  char *text = read_source(path);
  struct lb_workload *w = text ? load_text(text, &err) : NULL;
  ok(w, "%s loads: %s", name, err.msg);
  free(text);
  return w;
}

static bool has_note(const struct lb_workload *w, const char *part)
{
  for (int i = 0; i < lb_workload_n_notes(w); i++)
    if (strstr(lb_workload_note(w, i), part))
      return true;
  return false;
}

static void test_defaults(void)
{
  struct lb_err err;
  struct lb_workload *w = load_text("{}", &err);
  ok(w, "no key at all: %s", err.msg);
  if (!w)
    return;
  is_str(w->name, "t", "name of the file");
  is_int(w->framework, LB_FRAMEWORK_TENSORFLOW, "framework");
  ok(w->derived.loader == &lb_loader_tensorflow, "loader");
  ok(!w->derived.index_sampler, "iterative sampler");
  ok(w->workflow.train && !w->workflow.generate_data &&
         !w->workflow.evaluation && !w->workflow.checkpoint,
     "only training");
  is_int(w->dataset.record_length_bytes, 65536, "record length");
  is_int(w->dataset.num_files_train, 8, "files");
  is_int(w->dataset.seed, 10, "content seed");
  is_int(w->train.seed, 123, "order seed");
  is_int(w->derived.order_seed, 123, "order seed, derived");
  is_int(w->train.total_training_steps, -1, "no limit of steps");
  is_int(w->derived.request_bytes, 262144, "request");
  is_str(w->derived.data_folder, "./data", "data folder");
  is_str(w->derived.checkpoint_folder, "./checkpoints", "checkpoint folder");
  is_near(w->metric.au, 0.90, 0, "au");
  is_int(w->checkpoint.steps_between_checkpoints, -1, "epoch rule");
  is_str(w->output.hydra_folder, ".hydra", "hydra folder");
  ok(w->derived.format == &lb_format_tfrecord && w->derived.backend,
     "format and backend");
  ok(!lb_workload_is_set(w, "train.epochs"), "nothing is set");
  lb_workload_free(w);
}

static void test_old_names(void)
{
  struct lb_workload *w = load_data("unet3d_v05");
  if (w) {
    is_str(w->model.name, "unet3d", "model: NAME");
    is_int(w->model.model_size_bytes, 499153191, "checkpoint.model_size");
    is_int(w->dataset.record_length_bytes, 147000000, "record_length");
    is_int(w->reader.batch_size, 4, "data_reader");
    is_int(w->derived.format_options == NULL, 1, "npz has no options");
    ok(w->derived.format && !strcmp(w->derived.format->name, "npz"), "format");
    ok(w->derived.index_sampler, "index sampler");
  }
  lb_workload_free(w);
  w = load_data("megatron_v1");
  if (w) {
    is_int(w->model.num_layers, 44, "checkpoint.num_layers");
    is_int(w->model.optimization_groups.n, 3, "optimization_groups");
    is_int(w->model.layer_parameters.v[1], 20971520, "layer_parameters");
  }
  lb_workload_free(w);
  w = load_data("llama_old");
  if (w) {
    is_int(w->model.num_layers, 2, "model.num_layers");
    is_int(w->model.parallelism.tensor, 4, "tensor_parallelism");
    is_int(w->model.transformer.ffn_hidden_size, 16384, "transformer:");
    ok(has_note(w, "model.transformer.num_layers"), "the other is noted");
  }
  lb_workload_free(w);
  w = load_data("dlrm_indexed");
  if (w) {
    ok(w->workflow.evaluation, "do_eval");
    ok(w->derived.seed_is_random && w->derived.sample_shuffle, "random");
    lb_workload_set_seed(w, 77);
    is_int(w->derived.order_seed, 77, "drawn seed");
    ok(has_note(w, "train.total_eval_steps: ignored"), "ignored, with reason");
    ok(has_note(w, "evaluation.steps_between_evals"), "ignored, with reason");
  }
  lb_workload_free(w);
}

static void test_oddities(void)
{
  struct lb_workload *w = load_data("resnet50_h100");
  if (w) {
    is_int(w->dataset.record_length_bytes, 114660, "rounds down");
    ok(has_note(w, "114660.07 rounds down to 114660"), "and says so");
  }
  lb_workload_free(w);
  w = load_data("flux_b200");
  if (w) {
    is_int(w->derived.sample_bytes, 2164832, "sum of the columns");
    const struct lb_parquet_options *o = w->derived.format_options;
    is_int(o->columns.n, 5, "columns");
    is_int(o->columns.v[0].size, 524328, "size");
  }
  lb_workload_free(w);
  w = load_data("dlrm_b200");
  if (w) {
    const struct lb_parquet_options *o = w->derived.format_options;
    int64_t all = 0, read = 0;
    for (int i = 0; i < 200; i++) {
      const struct lb_column *c = &o->columns.v[i];
      int bytes = lb_dtype_find(c->dtype)->bytes;
      all += bytes;
      read += c->read ? bytes : 0;
    }
    is_int(all, 761, "bytes of a row");
    is_int(read, 160, "bytes that are read");
  }
  lb_workload_free(w);
  w = load_data("reader_object");
  if (w) {
    ok(has_note(w, "reader.storage_options: ignored"), "whole section");
    ok(w->derived.loader == &lb_loader_pytorch, "said by itself");
  }
  lb_workload_free(w);
  w = load_data("config_root");
  if (w) {
    is_str(w->model.name, "unet3d", "root key workload");
    ok(has_note(w, "hydra: ignored"), "hydra section");
    is_str(lb_loaders[w->reader.data_loader]->name, "pytorch", "and shows");
    ok(w->derived.loader == &lb_loader_pytorch, "by the framework");
  }
  lb_workload_free(w);
  w = load_data("file_uri");
  if (w) {
    is_str(w->derived.data_folder, "/tmp/zerocopy/images", "file:// root");
    is_str(w->derived.checkpoint_folder, "/nvme/checkpoints", "file://");
    ok(!w->derived.backend || w->derived.backend->unavailable,
       "s3dlio is to come");
  }
  lb_workload_free(w);
}

static void test_distributions(void)
{
  struct lb_workload *w = load_data("distributions");
  if (!w)
    return;
  is_str(w->train.computation_time.kind->name, "normal", "a map");
  is_near(w->derived.compute->p[0], 0.05, 0, "mean");
  is_near(w->derived.compute->p[1], 0.005, 0, "stdev");
  is_str(w->derived.preprocess->kind->name, "normal", "a sibling");
  is_near(w->derived.preprocess->p[1], 0.0001, 0, "stdev");
  is_near(w->reader.preprocess_time_stdev, 0, 0, "is folded in");
  is_str(w->derived.eval->kind->name, "gamma", "gamma");
  is_int(w->derived.eval->negative, LB_NEGATIVE_CLIP, "negative");
  is_near(w->reader.transfer_size.p[0], 65536, 0, "sizes in a map");
  is_int(w->derived.request_bytes, (65536 + 1048576) / 2, "mean request");
  is_int(w->reader.file_shuffle, LB_SHUFFLE_OFF, "bare off");
  is_int(w->reader.sample_shuffle, LB_SHUFFLE_OFF, "bare no");
  is_int(w->dataset.num_files_train, 16, "quoted number");
  ok(w->workflow.train && w->workflow.evaluation, "on");
  is_int(w->derived.sample_bytes, 64 * 32 * 4, "record_dims");
  const struct lb_simulated *s =
      lb_workload_options(w, "storage.storage_options");
  ok(s && s == w->derived.backend_options, "options of the backend");
  if (s) {
    is_int(s->read_bandwidth, INT64_C(1) << 30, "a size");
    is_int(s->scope, LB_SCOPE_NODE, "a word");
    is_near(s->read_latency.p[0], 0.0002, 0, "only a mean");
    is_str(s->open_latency.kind->name, "exponential", "a distribution");
  }
  ok(lb_workload_options(w, "dataset.hdf5") == w->derived.format_options &&
         w->derived.format_options,
     "options of the format");
  ok(!lb_workload_options(w, "nowhere"), "no such options");
  struct lb_format_params p;
  lb_workload_format_params(w, &p);
  is_int(p.n_dims, 2, "format: dims");
  is_int(p.dims[1], 32, "format: dims");
  is_int(p.dtype->bytes, 4, "format: dtype");
  is_str(p.compression, "none", "format: compression");
  lb_workload_free(w);
}

static void test_paths(void)
{
  static const struct {
    const char *root, *folder, *path;
  } table[] = {
      {"./", "./data", "./data"},
      {"/a/", "b/c/", "/a/b/c"},
      {"/a", "/b", "/b"},
      {"/", "b", "/b"},
      {"/a", ".", "/a"},
      {"file:///a", "b", "/a/b"},
      {"x", "file:///b//", "/b"},
      {"s3://bucket", "p/q", "s3://bucket/p/q"},
      {"bucket", "s3://other/p", "s3://other/p"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char root[64], folder[64];
    struct lb_err err;
    snprintf(root, sizeof root, "storage.storage_root=%s", table[i].root);
    snprintf(folder, sizeof folder, "dataset.data_folder=%s", table[i].folder);
    const char *overrides[] = {root, folder};
    struct lb_workload *w = load_with("{}", overrides, 2, &err);
    is_str(w ? w->derived.data_folder : err.msg, table[i].path, "%s and %s",
           table[i].root, table[i].folder);
    lb_workload_free(w);
  }
}

static bool notes_have(const struct lb_workload *w, const char *words)
{
  bool has = false;
  for (int i = 0; i < lb_workload_n_notes(w); i++)
    has |= strstr(lb_workload_note(w, i), words) != NULL;
  return has;
}

static void roots_given(const char *text, const char *override)
{
  static const char *const paths[] = {"/a/d", "b/d", "/c/d"};
  struct lb_err err;
  struct lb_workload *w = load_with(text, &override, override != NULL, &err);
  ok(w, "three roots: %s", err.msg);
  if (!w)
    return;
  is_int(w->derived.n_roots, 3, "three roots");
  is_str(w->derived.data_folder, "/a/d", "the first");
  for (int i = 0; i < 3; i++) {
    char path[PATH_MAX];
    is_int(lb_workload_path(w, i, w->dataset.data_folder, path),
           strlen(paths[i]), "the length of a path");
    is_str(path, paths[i], "a root before the folder");
  }
  ok(lb_workload_check_run(w, &err) == 0, "runs: %s", err.msg);
  round_trip(w, "three roots");
  lb_workload_free(w);
}

static const char three_roots[] =
    "storage: {storage_root: [/a, b/, \"file:///c\"]}\n"
    "dataset: {data_folder: ./d}\n";

static void test_roots(void)
{
  struct lb_err err;
  roots_given(three_roots, NULL);
  roots_given("dataset: {data_folder: d}",
              "storage.storage_root=[/a,b/,file:///c]");
  struct lb_workload *w = load_text("storage: {storage_root: [/a]}\n", &err),
                     *scalar;
  scalar = load_text("storage: {storage_root: /a}\n", &err);
  char a[LB_HASH_LEN] = "", b[LB_HASH_LEN] = "?";
  if (w && scalar) {
    is_int(w->derived.n_roots, 1, "a list of one");
    lb_workload_hash(w, a);
    lb_workload_hash(scalar, b);
  }
  is_str(a, b, "a list of one is as that one");
  lb_workload_free(w);
  lb_workload_free(scalar);
  const char *none = "storage.storage_type=none";
  w = load_with(three_roots, &none, 1, &err);
  ok(w && w->derived.n_roots == 1 && notes_have(w, "only the first root"),
     "storage without files has one root, and says so");
  lb_workload_free(w);
  const char *absolute = "dataset.data_folder=/d";
  w = load_with(three_roots, &absolute, 1, &err);
  ok(w && lb_workload_check_run(w, &err) == -LB_USAGE &&
         strstr(err.msg, "dataset.data_folder") &&
         strstr(err.msg, "stands alone"),
     "a folder that no root is before: %s", err.msg);
  lb_workload_free(w);
}

/* A key of DALI's own readers. */
static void test_mapping(void)
{
  static const struct {
    const char *text, *note, *refused;
  } table[] = {
      {"reader: {dont_use_mmap: true, data_loader: dali}", "and this is dali",
       NULL},
      {"reader: {dont_use_mmap: true, data_loader: native_dali}", NULL, NULL},
      {"reader: {dont_use_mmap: true, data_loader: native_dali}\n"
       "storage: {storage_type: mmap}",
       NULL, "storage_type mmap"},
      {"reader: {dont_use_mmap: true, data_loader: pytorch}\n"
       "storage: {storage_type: mmap}",
       "and this is pytorch", NULL},
      {"reader: {dont_use_mmap: false, data_loader: pytorch}", NULL, NULL},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct lb_err err;
    struct lb_workload *w = load_text(table[i].text, &err);
    ok(w, "%s: loads", table[i].text);
    if (!w)
      continue;
    is_int(notes_have(w, "dont_use_mmap"), table[i].note != NULL, "noted?");
    ok(!table[i].note || notes_have(w, table[i].note), "says the loader");
    int rc = lb_workload_check_run(w, &err);
    ok(table[i].refused ? rc && strstr(err.msg, table[i].refused) : !rc,
       "runs, or says why not: %s", err.msg);
    lb_workload_free(w);
  }
}

/* Keys of a format or a storage_type, and what is said where it is another. */
static void test_keys_of_others(void)
{
  static const struct {
    const char *text, *note;
  } table[] = {
      {"dataset: {format: npz, hdf5: {num_dset_per_record: 2}}",
       "num_dset_per_record: ignored: it is about format hdf5, and this is "
       "npz"},
      {"dataset: {format: hdf5, hdf5: {num_dset_per_record: 2}}", NULL},
      {"storage: {storage_options: {read_bandwidth: 100}}",
       "read_bandwidth: ignored: it is about storage_type simulated, and this "
       "is local_fs"},
      {"storage: {storage_type: simulated, storage_options: "
       "{read_bandwidth: 100}}",
       NULL},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct lb_err err;
    struct lb_workload *w = load_text(table[i].text, &err);
    ok(w, "%s: loads", table[i].text);
    if (!w)
      continue;
    is_int(has_note(w, "ignored"), table[i].note != NULL, "noted?");
    ok(!table[i].note || has_note(w, table[i].note), "names the owner");
    lb_workload_free(w);
  }
}

static void test_hash(void)
{
  char a[LB_HASH_LEN], b[LB_HASH_LEN];
  struct lb_err err;
  const char *folder[] = {"output.folder=elsewhere"};
  const char *epochs[] = {"train.epochs=2"};
  struct lb_workload *w = load_text("train: {epochs: 1}", &err);
  lb_workload_hash(w, a);
  lb_workload_free(w);
  w = load_with("{}", folder, 1, &err);
  lb_workload_hash(w, b);
  is_str(b, a, "a given default and another folder: the same hash");
  lb_workload_free(w);
  w = load_with("{}", epochs, 1, &err);
  lb_workload_hash(w, b);
  ok(strcmp(a, b) != 0 && strlen(b) == 16, "another value: another hash");
  lb_workload_free(w);
}

static void test_secrets(void)
{
  struct lb_buf out;
  lb_buf_init(&out, 1 << 20);
  struct lb_workload *w = load_data("unet3d_s3");
  if (w) {
    is_str(w->storage.storage_options.secret_access_key, "a-secret-key",
           "a secret is read");
    lb_workload_print(w, &out);
    ok(out.data && !strstr(out.data, "a-secret-key") &&
           !strstr(out.data, "an-access-key"),
       "and never printed");
    ok(out.data && strstr(out.data, "endpoint_url: \"http://127.0.0.1:9020,"),
       "the rest is");
  }
  lb_workload_free(w);
  lb_buf_fini(&out);
}

int main(void)
{
  test_defaults();
  test_folder("tests/data/workloads", 40);
  test_folder("workloads", 22);
  test_old_names();
  test_oddities();
  test_distributions();
  test_paths();
  test_roots();
  test_mapping();
  test_keys_of_others();
  test_hash();
  test_secrets();
  return done();
}
