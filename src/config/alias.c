/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of keys and of values: other names that workloads use for a key, keys
 * that mean nothing here, keys whose value is one of a list of names, keys
 * whose value must not be shown. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/dtype.h"
#include "loadbank/format.h"
#include "loadbank/storage.h"

/* A name that ends in a dot stands for a whole section. */
const struct key_pair key_aliases[] = {
    {"data_reader.", "reader."},
    {"transformer.", "model.transformer."},
    {"model.model_size", "model.model_size_bytes"},
    {"model.pipeline_parallelism", "model.parallelism.pipeline"},
    {"model.tensor_parallelism", "model.parallelism.tensor"},
    {"model.zero_stage", "model.parallelism.zero_stage"},
    {"checkpoint.model_size", "model.model_size_bytes"},
    {"checkpoint.num_layers", "model.num_layers"},
    {"checkpoint.layer_parameters", "model.layer_parameters"},
    {"checkpoint.optimization_groups", "model.optimization_groups"},
    {"checkpoint.model_datatype", "model.model_datatype"},
    {"checkpoint.optimizer_datatype", "model.optimizer_datatype"},
    {"workflow.do_eval", "workflow.evaluation"},
    {"dataset.record_length", "dataset.record_length_bytes"},
    {"dataset.record_length_stdev", "dataset.record_length_bytes_stdev"},
    {"dataset.record_length_resize", "dataset.record_length_bytes_resize"},
    {"dataset.file_access", "reader.file_access"},
    {"hydra.run.dir", "output.folder"},
    {"hydra.output_subdir", "output.hydra_folder"},
    {NULL, NULL},
};

/* Keys and whole sections. */
const struct key_pair key_ignores[] = {
    {"logging", "messages are governed by options of the command line"},
    {"generator", "generation needs no tuning"},
    {"reader.shuffle", "reader.file_shuffle and sample_shuffle decide"},
    {"reader.seed", "train.seed decides"},
    {"reader.data_loader_root", "dataset.data_folder decides"},
    {"reader.checkpoint_folder", "checkpoint.checkpoint_folder decides"},
    {"reader.storage_library", "storage.storage_library decides"},
    {"reader.storage_options", "storage.storage_options decides"},
    {"reader.storage_type", "storage.storage_type decides"},
    {"reader.storage_root", "storage.storage_root decides"},
    {"reader.protocol", "storage.storage_type decides"},
    {"model.transformer.num_layers", "model.num_layers decides"},
    {"train.total_eval_steps", "evaluation reads its whole set"},
    {"evaluation.steps_between_evals", "evaluation follows whole epochs"},
    {"dataset.eval_num_samples_per_file",
     "dataset.num_samples_per_file is for both sets"},
    {"checkpoint.checkpoint_mechanism", "storage.storage_type decides"},
    {NULL, NULL},
};

void key_canonical(const char *key, char out[LB_KEY_LEN])
{
  snprintf(out, LB_KEY_LEN, "%s", key);
  for (const struct key_pair *a = key_aliases; a->key; a++) {
    size_t n = strlen(a->key);
    bool section = a->key[n - 1] == '.';
    bool same = section ? !strncmp(key, a->key, n) : !strcmp(key, a->key);
    if (!same)
      continue;
    snprintf(out, LB_KEY_LEN, "%s%s", a->text, section ? key + n : "");
    return;
  }
}

const char *key_ignored(const char *key)
{
  for (const struct key_pair *i = key_ignores; i->key; i++) {
    size_t n = strlen(i->key);
    if (!strncmp(key, i->key, n) && (!key[n] || key[n] == '.'))
      return i->text;
  }
  return NULL;
}

static const char *backend_name(size_t i)
{
  return lb_backends[i] ? lb_backends[i]->name : NULL;
}

static const char *format_name(size_t i)
{
  static const char *const later[] = {
      "npz",      "npy",       "hdf5",           "hdf5_opt",
      "tfrecord", "csv",       "jpeg",           "png",
      "parquet",  "synthetic", "indexed_binary", "mmap_indexed_binary",
      "dcm"};
  const size_t n = sizeof later / sizeof *later;
  for (size_t j = 0; lb_formats[j]; j++)
    if (i-- == 0)
      return lb_formats[j]->name;
  for (size_t j = 0; j < n; j++)
    if (!lb_format_find(later[j]) && i-- == 0)
      return later[j];
  return NULL;
}

static const char *dtype_name(size_t i)
{
  return lb_dtypes[i].name;
}

static const char *model_dtype_name(size_t i)
{
  return lb_model_dtypes[i].name;
}

#define NAMES(function, ...)                                   \
  static const char *function(size_t i)                        \
  {                                                            \
    static const char *const names[] = {__VA_ARGS__};          \
    return i < sizeof names / sizeof *names ? names[i] : NULL; \
  }
NAMES(compression_name, "none", "gzip", "lzf", "bz2", "zip", "xz", "snappy",
      "zstd", "lz4", "brotli")
NAMES(profiler_name, "none", "iostat", "darshan", "tensorboard")
NAMES(process_name, "fork", "spawn", "forkserver")
NAMES(read_mode_name, "default", "row_group", "table")

names_fn *key_names(const char *key)
{
  static const struct {
    const char *key;
    names_fn *names;
  } table[] = {
      {"storage.storage_type", backend_name},
      {"dataset.format", format_name},
      {"dataset.record_element_type", dtype_name},
      {"reader.transformed_record_element_type", dtype_name},
      {"dataset.compression", compression_name},
      {"profiling.profiler", profiler_name},
      {"model.model_datatype", model_dtype_name},
      {"model.optimizer_datatype", model_dtype_name},
      {"reader.multiprocessing_context", process_name},
      {"dataset.parquet.read_mode", read_mode_name},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].key, key))
      return table[i].names;
  return NULL;
}

bool key_is_secret(const char *key)
{
  static const char *const secrets[] = {
      "storage.storage_options.access_key_id",
      "storage.storage_options.secret_access_key",
      "storage.storage_options.connection_string",
  };
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    if (!strcmp(secrets[i], key))
      return true;
  return false;
}
