/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of targets: a new parser is a row.  See targets.h. */
#include "lb-config.h"

#include "targets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/parquet.h"
#include "tap.h"

/* A whole file of S samples of B bytes. */
#define FILE_ROW(name_, s, b)                                       \
  {                                                                 \
    .name = name_, .format = name_, .samples = s, .sample_bytes = b \
  }

#define PACKED_ROW(name_, format_, codec)                               \
  {                                                                     \
    .name = name_, .format = format_, .samples = 2, .sample_bytes = 64, \
    .compression = codec                                                \
  }

#define LEAN_ROW(name_, format_, codec)                                 \
  {                                                                     \
    .name = name_, .format = format_, .samples = 2, .sample_bytes = 64, \
    .compression = codec, .lean = true                                  \
  }

#define TEXT_ROW(name_)                   \
  {                                       \
    .name = #name_, .text = &fuzz_##name_ \
  }

static struct lb_column columns[] = {{"a", "int8", 1, true},
                                     {"b", "float32", 2, true},
                                     {"c", "bool", 1, false},
                                     {"d", "uint16", 3, true}};
static const struct lb_parquet_options parquet_columns = {
    .columns = {columns, 4}, .row_group_size = 2, .read_mode = "default"};
/* Five rows of 16 bytes. */
#define PARQUET_ROW(name_, codec)                                         \
  {                                                                       \
    .name = name_, .format = "parquet", .samples = 5, .sample_bytes = 16, \
    .options = &parquet_columns, .compression = codec                     \
  }

const struct fuzz_target fuzz_targets[] = {
    FILE_ROW("npy", 3, 40),
    FILE_ROW("npz", 3, 40),
    FILE_ROW("hdf5", 3, 40),
    PACKED_ROW("hdf5.gzip", "hdf5", "gzip"),
    PACKED_ROW("hdf5.lzf", "hdf5", "lzf"),
    {.name = "indexed_binary.off",
     .format = "indexed_binary",
     .ending = ".off.idx",
     .samples = 5,
     .sample_bytes = 40},
    {.name = "indexed_binary.sz",
     .format = "indexed_binary",
     .ending = ".sz.idx",
     .samples = 5,
     .sample_bytes = 40},
    {.name = "mmap_indexed_binary.off",
     .format = "mmap_indexed_binary",
     .ending = ".off.idx",
     .samples = 5,
     .sample_bytes = 40},
    FILE_ROW("jpeg", 1, 600),
    {.name = "jpeg.decode",
     .format = "jpeg",
     .samples = 1,
     .sample_bytes = 600,
     .decode = true},
    FILE_ROW("png", 1, 600),
    {.name = "png.decode",
     .format = "png",
     .samples = 1,
     .sample_bytes = 600,
     .decode = true},
    FILE_ROW("tfrecord", 3, 40),
    {.name = "tfrecord.in_order",
     .format = "tfrecord",
     .samples = 3,
     .sample_bytes = 40,
     .in_order = true},
    {.name = "tfrecord.idx",
     .format = "tfrecord",
     .ending = ".idx",
     .samples = 3,
     .sample_bytes = 40},
    LEAN_ROW("npy.lean", "npy", "none"),
    PACKED_ROW("npz.zip", "npz", "zip"),
    LEAN_ROW("npz.lean", "npz", "none"),
    LEAN_ROW("npz.lean.zip", "npz", "zip"),
    PACKED_ROW("csv", "csv", "none"),
    PACKED_ROW("csv.gzip", "csv", "gzip"),
    PACKED_ROW("csv.zip", "csv", "zip"),
    PACKED_ROW("csv.bz2", "csv", "bz2"),
    PACKED_ROW("csv.xz", "csv", "xz"),
    FILE_ROW("parquet", 3, 40),
    PARQUET_ROW("parquet.columns", "none"),
    PARQUET_ROW("parquet.gzip", "gzip"),
    PARQUET_ROW("parquet.zstd", "zstd"),
    PARQUET_ROW("parquet.lz4", "lz4"),
    PARQUET_ROW("parquet.snappy", "snappy"),
    TEXT_ROW(manifest),
    TEXT_ROW(mark),
    TEXT_ROW(config),
    TEXT_ROW(override),
    TEXT_ROW(mlperf_line),
    TEXT_ROW(mlperf_history),
    TEXT_ROW(system),
    {.name = NULL},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
  for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

static struct lb_format_params params_of(const struct fuzz_target *t)
{
  struct lb_format_params p = fixture_params(t->samples);
  p.options = t->options;
  p.in_order = t->in_order;
  p.decode = t->decode;
  p.lean = t->lean;
  struct lb_err err = LB_ERR_INIT;
  if (p.decode && lb_format_find(t->format)->check(&p, &err) < 0)
    p.decode = false;
  if (t->dtype)
    p.dtype = lb_dtype_find(t->dtype);
  if (t->compression)
    snprintf(p.compression, sizeof p.compression, "%s", t->compression);
  return p;
}

static void text_folder(const struct fuzz_target *t, char folder[600])
{
  snprintf(folder, 600, "%s/%s", tap_tmpdir(), t->name);
}

void fuzz_path(struct fixture *x, const struct fuzz_target *t, char path[600])
{
  if (t->text) {
    snprintf(path, 600, "%s/%s/%s", tap_tmpdir(), t->name, t->text->file);
    return;
  }
  const struct lb_format *format = lb_format_find(t->format);
  struct lb_file f = fixture_file(x, t->name, t->samples, t->sample_bytes);
  snprintf(path, 600, "%s", f.path);
  for (size_t i = 0; t->ending && i < format->n_sidecars; i++)
    if (!strcmp(format->sidecars[i].ending, t->ending))
      lb_format_sidecar(&format->sidecars[i], &f, path, 600);
}

static bool make_text(const struct fuzz_target *t)
{
  char folder[600];
  text_folder(t, folder);
  return (mkdir(folder, 0777) == 0 || errno == EEXIST) && t->text->make(folder);
}

bool fuzz_make(struct fixture *x, const struct fuzz_target *t)
{
  if (t->text)
    return make_text(t);
  const struct lb_format *format = lb_format_find(t->format);
  if (!format || format->unavailable)
    return false;
  struct lb_format_params p = params_of(t);
  struct lb_file f = fixture_file(x, t->name, t->samples, t->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  return format->check(&p, &err) == 0 &&
         fixture_make(format, &p, &f, &err) == 0;
}

static void read_text(const struct fuzz_target *t, const uint8_t *bytes,
                      size_t n)
{
  char folder[600];
  text_folder(t, folder);
  t->text->read(folder, bytes, n);
}

static void read_samples(struct fixture *x, const struct fuzz_target *t)
{
  struct lb_format_params p = params_of(t);
  struct lb_file f = fixture_file(x, t->name, t->samples, t->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  if (lb_reader_init(&r, lb_format_find(t->format), &p, &err) < 0)
    return;
  int rc = 0;
  for (int64_t i = 0; i < t->samples && !rc; i++) {
    struct lb_sample s = {.file = f, .in_file = i, .verify = true};
    struct cost cost = {.stages = 0};
    rc = fixture_read(x, &r, &s, &cost, &err);
  }
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
}

void fuzz_read(struct fixture *x, const struct fuzz_target *t,
               const uint8_t *bytes, size_t n)
{
  char path[600];
  fuzz_path(x, t, path);
  fixture_spit(path, bytes, n);
  if (t->text)
    read_text(t, bytes, n);
  else
    read_samples(x, t);
}
