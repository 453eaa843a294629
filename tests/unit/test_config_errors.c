/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong is refused once, with file, line, key and what is allowed. */
#include "lb-config.h"

#include "loadbank/backend.h"
#include "loadbank/config.h"
#include "loadbank/format.h"

#include "config_support.h"
#include "tap.h"

static void refused(const char *text, const char *override, const char *want,
                    const char *also)
{
  struct lb_err err;
  struct lb_workload *w = load_with(text, &override, override != NULL, &err);
  ok(!w && err.code == LB_USAGE, "refused: %.60s %s", text,
     override ? override : "");
  ok(!strncmp(err.msg, want, strlen(want)), "begins with '%s': '%s'", want,
     err.msg);
  ok(!also || strstr(err.msg, also), "says '%s': '%s'", also ? also : "",
     err.msg);
  lb_workload_free(w);
}

static void test_files(void)
{
  refused("", NULL, "t.yaml: empty", NULL);
  refused("# nothing\n\n", NULL, "t.yaml: empty", NULL);
  refused("---\n", NULL, "t.yaml:", "empty");
  refused("just words", NULL, "t.yaml:1: not a map", NULL);
  refused("[1, 2]", NULL, "t.yaml:1: not a map", NULL);
  refused("train: {epochs: 1}\n---\ntrain: {epochs: 2}\n", NULL,
          "t.yaml:2: a second document", NULL);
  refused("train: {epochs: 1", NULL, "t.yaml:", "not YAML");
  refused("train:\n\tepochs: 1\n", NULL, "t.yaml:2: not YAML", NULL);
  refused("\x01\x02\x7f\x45\x4c\x46", NULL, "t.yaml: not a YAML text", NULL);
  refused("train: {epochs: \"a\\0b\"}", NULL,
          "t.yaml:1: train.epochs:", "zero byte");
  refused("a: &x [1]\nb: *x\n", NULL, "t.yaml:2: b: YAML aliases", NULL);
  refused("train: !!python/object:os.system {epochs: 1}", NULL,
          "t.yaml:1:", "tag");
  refused("? [a, b]\n: 1\n", NULL, "t.yaml:1:", "cannot be a key");
}

static void test_roots(void)
{
  refused("storage:\n  storage_root: [/a, b, /a/]\n", NULL,
          "t.yaml:2: storage.storage_root: '/a' is given twice", NULL);
  refused("{}", "storage.storage_root=[x,x]",
          "override 'storage.storage_root=[x,x]': storage.storage_root: 'x' is "
          "given twice",
          NULL);
  refused("storage: {storage_root: []}", NULL,
          "t.yaml:1: storage.storage_root: a list is empty",
          "a path, or a list of up to 32");
  refused("storage: {storage_root: {a: b}}", NULL,
          "t.yaml:1: storage.storage_root: a map", NULL);
}

static void test_large(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_workload *w = NULL;
  size_t n = 10 << 20;
  char *text = malloc(n + 1);
  if (!text)
    return;
  memset(text, '[', n);
  text[n] = '\0';
  lb_workload_load(text, n, "big.yaml", NULL, 0, &w, &err);
  ok(!w && strstr(err.msg, "big.yaml: 10485760 bytes"), "10 MB: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  lb_workload_load(text, 1 << 20, "deep.yaml", NULL, 0, &w, &err);
  ok(!w && strstr(err.msg, "deep.yaml:1: nested too deeply"), "1 MB deep: %s",
     err.msg);
  for (size_t i = 0; i < 1 << 20; i++)
    text[i] = i % 2 ? ',' : '1';
  text[0] = '[';
  err = (struct lb_err)LB_ERR_INIT;
  lb_workload_load(text, 1 << 20, "many.yaml", NULL, 0, &w, &err);
  ok(!w && err.code == LB_USAGE, "many values: %s", err.msg);
  free(text);
}

static void test_keys(void)
{
  refused("train:\n  epoch: 3\n", NULL, "t.yaml:2: train.epoch: unknown key",
          "did you mean train.epochs?");
  refused("reader:\n  batchsize: 3\n", NULL, "t.yaml:2: reader.batchsize",
          "did you mean reader.batch_size?");
  refused("dataset:\n  batch_size: 3\n", NULL, "t.yaml:2: dataset.batch_size",
          "did you mean reader.batch_size?");
  refused("trian:\n  epochs: 3\n", NULL, "t.yaml:1: trian",
          "did you mean train?");
  refused("zzzzzzzzzzzz: 3\n", NULL, "t.yaml:1: zzzzzzzzzzzz: unknown key",
          "config keys");
  refused("train:\n  epochs: 3\n  seed: 1\n  epochs: 4\n", NULL,
          "t.yaml:4: train.epochs: given twice, first in line 2", NULL);
  refused("train: {epochs: 1}\ntrain: {seed: 1}\n", NULL,
          "t.yaml:2: train: given twice", NULL);
  refused("dataset:\n  record_length: 4\n  record_length_bytes: 4\n", NULL,
          "t.yaml:3: dataset.record_length_bytes: given twice", "line 2");
  refused("reader: {batch_size: 1}\ndata_reader: {batch_size: 1}\n", NULL,
          "t.yaml:2: reader.batch_size: given twice", "line 1");
  refused("train: 3\n", NULL, "t.yaml:1: train: a section", NULL);
  refused("train: [epochs]\n", NULL, "t.yaml:1: train: a section", NULL);
  refused("defaults:\n- unet3d\n", NULL, "t.yaml:2: defaults:", "composed");
  refused("defaults:\n- workload: unet3d\n", NULL,
          "t.yaml:2: defaults:", "composed");
}

static void test_values(void)
{
  refused("reader:\n  batch_size: -3\n", NULL,
          "t.yaml:2: reader.batch_size: '-3' is out of range",
          "1..1000000000 samples");
  refused("reader: {batch_size: many}", NULL,
          "t.yaml:1: reader.batch_size: 'many' is not a number", NULL);
  refused("reader: {batch_size: 1.5}", NULL,
          "t.yaml:1: reader.batch_size: '1.5' is not a whole number", NULL);
  refused("reader: {file_shuffle: on}", NULL,
          "t.yaml:1: reader.file_shuffle:", "allowed: off, seed, random");
  refused("workflow: {train: 2}", NULL,
          "t.yaml:1: workflow.train:", "allowed: true, false");
  refused("dataset: {format: npzz}", NULL,
          "t.yaml:1: dataset.format:", "'npzz' is not known; allowed: npz,");
  refused("dataset: {data_folder: 'x/${a.b}'}", NULL,
          "t.yaml:1: dataset.data_folder:", "Hydra");
  refused("dataset: {record_dims: [1,2,3,4,5,6,7,8,9]}", NULL,
          "t.yaml:1: dataset.record_dims: 9 dimensions", NULL);
  refused("dataset: {record_dims: [4], record_length_bytes_stdev: 2}", NULL,
          "t.yaml:1: dataset.record_length_bytes_stdev: cannot go", NULL);
  refused("dataset: {record_dims: [999999999999,999999999999]}", NULL,
          "t.yaml:1: dataset.record_dims:", "too large");
  refused("train: {seed: 9223372036854775808}", NULL,
          "t.yaml:1: train.seed:", "too large");
  refused("dataset:\n  parquet:\n    columns:\n      - {nam: a}\n", NULL,
          "t.yaml:4: dataset.parquet.columns: 'nam'", "name, dtype");
  refused("dataset: {parquet: {columns: [{dtype: int8}]}}", NULL,
          "t.yaml:1: dataset.parquet.columns:", "without a name");
}

static void test_distributions(void)
{
  refused("train: {computation_time: {mean: 1, stdv: 2}}", NULL,
          "t.yaml:1: train.computation_time: 'stdv'", NULL);
  refused("train: {computation_time: {type: weibull}}", NULL,
          "t.yaml:1: train.computation_time: no distribution 'weibull'",
          "normal");
  refused("train: {computation_time: {type: normal, mean: 1}}", NULL,
          "t.yaml:1: train.computation_time: normal needs stdev", NULL);
  refused("train: {computation_time: {type: uniform, min: 2, max: 1}}", NULL,
          "t.yaml:1: train.computation_time: uniform:", NULL);
  refused("train: {computation_time: {mean: 1, negative: drop}}", NULL,
          "t.yaml:1: train.computation_time: negative:", "redraw");
  refused("train: {computation_time: -1}", NULL,
          "t.yaml:1: train.computation_time: '-1' is out of range", NULL);
  refused("train: {computation_time: {}}", NULL,
          "t.yaml:1: train.computation_time: constant needs mean", NULL);
  refused("train:\n  computation_time: {mean: 1, stdev: 1}\n"
          "  computation_time_stdev: 2\n",
          NULL, "t.yaml:3: train.computation_time_stdev: given beside", NULL);
}

static void test_overrides(void)
{
  refused("{}", "train.epoch=3", "override 'train.epoch=3': train.epoch:",
          "did you mean train.epochs?");
  refused("{}", "++workload.train.epochs=x",
          "override '++workload.train.epochs=x': train.epochs: 'x'",
          "allowed: 1..");
  refused("{}", "train.epochs", "override 'train.epochs': not KEY=VALUE", NULL);
  refused("{}", "=3", "override '=3': not KEY=VALUE", NULL);
  refused("{}", "~train.epoch", "override '~train.epoch':", "train.epochs");
  refused("{}", "dataset.data_folder=${x}", "override", "Hydra");
  refused("{}", "dataset.record_dims=[1,2", "override", "not YAML");
  refused("{}", "train=3", "override 'train=3': train: a section", NULL);
  refused("{}",
          "train.epochs=", "override 'train.epochs=': train.epochs:", NULL);
}

static void test_override_values(void)
{
  static const char *const overrides[] = {
      "train.epochs=9",
      "train.epochs=4",
      "workload=unet3d",
      "dataset.record_dims=[3,4]",
      "train={seed: 5, seed_change_epoch: off}",
      "~dataset.num_files_train",
      "~evaluation",
      "train.computation_time.stdev=0.25",
      "dataset.record_length=1 MiB",
      "model=net",
      "storage.endpoint_uris=[a,'b c']",
      "reader.transfer_size=null",
      "hydra.output_subdir=saved",
      "hydra/job_logging=disabled",
      "dataset.file_prefix=a: #b",
  };
  const int n = sizeof overrides / sizeof *overrides;
  struct lb_err err;
  struct lb_workload *w =
      load_with("dataset: {num_files_train: 99, record_length_bytes: 7}\n"
                "train: {computation_time: 2, seed: 1}\n"
                "reader: {transfer_size: 5}\n"
                "evaluation: {eval_time: 3}\n",
                overrides, n, &err);
  ok(w, "overrides load: %s", err.msg);
  if (!w)
    return;
  is_int(w->train.epochs, 4, "the last of two wins");
  is_int(w->dataset.record_dims.v[1], 4, "a list");
  is_int(w->train.seed, 5, "a map beats the file");
  ok(!w->train.seed_change_epoch, "off in a map");
  is_int(w->dataset.num_files_train, 8, "~ is the default");
  is_near(w->evaluation.eval_time.p[0], 0, 0, "~ of a section");
  is_near(w->train.computation_time.p[0], 2, 0, "the number is the mean");
  is_near(w->train.computation_time.p[1], 0.25, 0, "of a normal");
  is_int(w->dataset.record_length_bytes, 1048576, "by another name");
  is_str(w->model.name, "net", "model=NAME");
  is_str(w->storage.endpoint_uris.v[1], "b c", "quoted in a list");
  is_int(w->derived.request_bytes, 262144, "null is the default");
  is_str(w->output.hydra_folder, "saved", "hydra.output_subdir");
  is_str(w->dataset.file_prefix, "a: #b", "a bare value is what it says");
  is_str(lb_override_workload(overrides, n), "unet3d", "workload=NAME");
  ok(!lb_override_workload(overrides, 2), "no workload=NAME");
  lb_workload_free(w);
}

static void check(const char *text, const char *want)
{
  struct lb_err err;
  struct lb_workload *w = load_text(text, &err);
  ok(w, "loads: %.70s: %s", text, err.msg);
  if (!w)
    return;
  int rc = lb_workload_check_run(w, &err);
  if (want)
    ok(rc == -LB_USAGE && strstr(err.msg, want), "'%s': '%s'", want, err.msg);
  else
    ok(rc == 0, "runs: %s", err.msg);
  lb_workload_free(w);
}

#define NPZ "framework: pytorch\ndataset: {format: npz, num_files_train: 8"

static void test_check_run(void)
{
  check(NPZ "}", NULL);
  check(NPZ "}\nreader: {odirect: true}", NULL);
  check(NPZ "}\nreader: {odirect: true}\nstorage: {storage_type: mmap}",
        "t.yaml:3: reader.odirect: cannot go with storage_type mmap: its "
        "reads are those of the page cache");
  check(NPZ "}\nreader: {odirect: true, cache_hits: true}",
        "t.yaml:3: reader.cache_hits: cannot go with reader.odirect: such "
        "reads go past the page cache");
  if (!lb_backend_find("uring")->unavailable)
    check(NPZ "}\nreader: {cache_hits: true}\nstorage: {storage_type: uring}",
          "t.yaml:3: reader.cache_hits: storage 'uring' cannot tell what the "
          "page cache has");
  check(NPZ "}\nreader: {data_loader: dali}", NULL);
  check("dataset: {format: npz, num_files_train: 8}", NULL);
  check(NPZ "}\nreader: {transfer_size: {mean: 65536, stdev: 100}}", NULL);
  check(NPZ "}\nreader: {data_loader: none, data_loader_sampler: index}", NULL);
  check(NPZ "}\nreader: {data_loader: none, data_loader_sampler: iterative}",
        NULL);
  check("framework: pytorch", NULL);
  check(NPZ "}\nstorage: {storage_type: s3}",
        "t.yaml:3: storage.storage_type: 's3'");
  check(NPZ "}\nstorage: {storage_options: {endpoint_url: 'http://x'}}",
        "not supported yet: object storage");
  check(NPZ "}\nworkflow: {profiling: true}", "not supported yet");
  check(NPZ "}\nprofiling: {profiler: darshan}", NULL);
  check(NPZ "}\nmodel: {num_layers: 3}", NULL);
  check(NPZ "}\nmodel: {num_layers: 3}\nworkflow: {checkpoint: true}", NULL);
  check(NPZ "}\ncheckpoint: {container: torch}\nworkflow: {checkpoint: true}",
        NULL);
  check(NPZ "}\nevaluation: {epochs_between_evals: 0}", NULL);
  check(NPZ ", record_element_bytes: 4}", "but a uint8 has 1");
  check("workflow: {train: false, checkpoint: true}",
        "workflow.checkpoint: without training (workflow.train is off) "
        "checkpoint.num_checkpoints_write or num_checkpoints_read");
  check(NPZ
        "}\nworkflow: {train: false, checkpoint: true, generate_data: true}",
        NULL);
  const struct lb_format *hdf5 = lb_format_find("hdf5");
  check("framework: pytorch\ndataset: {format: hdf5, compression: zip}",
        hdf5->unavailable ? hdf5->unavailable
                          : "t.yaml:2: dataset.compression: 'zip' with format "
                            "hdf5: its chunks are compressed with gzip or lzf");
}

int main(void)
{
  test_files();
  test_roots();
  test_large();
  test_keys();
  test_values();
  test_distributions();
  test_overrides();
  test_override_values();
  test_check_run();
  return done();
}
