/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files of every way of storing them: made here, read by the library and
 * by our reader, verified, damaged; and what is refused. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/hdf5_filter.h"
#include "format/hdf5_shape.h"
#include "format_fixture.h"
#include "loadbank/buf.h"
#include "tap.h"

/* One way of storing samples. */
struct way {
  const char *name, *dtype;
  int64_t samples, sample_bytes;
  int n_dims;
  int64_t dims[LB_MAX_DIMS];
  const char *compression;
  bool chunking;
  int64_t chunk_size;
  struct lb_h5_options o;
};

static const struct way ways[] = {
    {"chunk of a row",
     "uint8",
     4,
     3000,
     0,
     {0},
     "none",
     false,
     0,
     {{2, {1, 1000}}, {0, {0}}, 1}},
    {"chunk over rows, clipped",
     "uint8",
     5,
     35,
     2,
     {5, 7},
     "none",
     false,
     0,
     {{3, {2, 3, 4}}, {0, {0}}, 1}},
    {"one chunk",
     "int16",
     3,
     240,
     2,
     {10, 12},
     "none",
     false,
     0,
     {{3, {3, 10, 12}}, {0, {0}}, 1}},
    {"by size",
     "float64",
     3,
     8 * 3000,
     1,
     {3000},
     "none",
     true,
     8000,
     {{0, {0}}, {0, {0}}, 1}},
    {"guessed",
     "uint8",
     3,
     70000,
     0,
     {0},
     "none",
     true,
     0,
     {{0, {0}}, {0, {0}}, 1}},
    {"larger than the cache",
     "uint8",
     3,
     1200 * 1000,
     2,
     {1200, 1000},
     "none",
     false,
     0,
     {{3, {2, 1100, 1000}}, {0, {0}}, 1}},
    {"larger than the cache, clipped",
     "uint8",
     2,
     1200 * 1000,
     2,
     {1200, 1000},
     "none",
     false,
     0,
     {{3, {2, 1100, 990}}, {0, {0}}, 1}},
    {"gzip, guessed",
     "uint8",
     3,
     70000,
     0,
     {0},
     "gzip",
     false,
     0,
     {{0, {0}}, {0, {0}}, 1}},
    {"gzip, clipped",
     "float32",
     5,
     4 * 35,
     2,
     {5, 7},
     "gzip",
     false,
     0,
     {{3, {2, 3, 4}}, {0, {0}}, 1}},
    {"lzf",
     "uint8",
     4,
     30000,
     0,
     {0},
     "lzf",
     false,
     0,
     {{2, {1, 8000}}, {0, {0}}, 1}},
    {"resizable",
     "uint8",
     3,
     600,
     2,
     {20, 30},
     "none",
     false,
     0,
     {{3, {1, 7, 11}}, {2, {40, 30}}, 1}},
    {"without limit",
     "uint8",
     3,
     600,
     2,
     {20, 30},
     "none",
     false,
     0,
     {{0, {0}}, {2, {-1, 30}}, 1}},
    {"without two limits, gzip",
     "uint8",
     3,
     600,
     2,
     {20, 30},
     "gzip",
     false,
     0,
     {{3, {2, 7, 11}}, {2, {-1, -1}}, 1}},
    {"3 datasets",
     "uint16",
     3,
     2 * 9 * 50,
     2,
     {9, 50},
     "none",
     false,
     0,
     {{0, {0}}, {0, {0}}, 3}},
    {"9 datasets, of 1 row",
     "uint8",
     3,
     9 * 50,
     2,
     {9, 50},
     "none",
     false,
     0,
     {{0, {0}}, {0, {0}}, 9}},
    {"2 flat datasets",
     "uint8",
     3,
     3000,
     0,
     {0},
     "none",
     false,
     0,
     {{0, {0}}, {0, {0}}, 2}},
    {"2 datasets in chunks over rows",
     "uint8",
     5,
     4 * 30,
     2,
     {4, 30},
     "none",
     false,
     0,
     {{3, {3, 2, 30}}, {0, {0}}, 2}},
    {"3 datasets, gzip",
     "float32",
     4,
     4 * 6 * 40,
     2,
     {6, 40},
     "gzip",
     false,
     0,
     {{3, {2, 1, 13}}, {0, {0}}, 3}},
    {"scalars",
     "float32",
     7,
     4,
     1,
     {1},
     "gzip",
     false,
     0,
     {{1, {3}}, {0, {0}}, 1}},
    {"complex",
     "complex64",
     3,
     8 * 60,
     2,
     {6, 10},
     "none",
     false,
     0,
     {{0, {0}}, {0, {0}}, 1}},
    {"complex in chunks",
     "complex128",
     3,
     16 * 60,
     2,
     {6, 10},
     "gzip",
     false,
     0,
     {{3, {1, 4, 10}}, {0, {0}}, 1}},
    {"bool",
     "bool",
     3,
     60,
     2,
     {6, 10},
     "gzip",
     false,
     0,
     {{3, {1, 4, 10}}, {0, {0}}, 1}},
    {"float16",
     "float16",
     3,
     120,
     2,
     {6, 10},
     "none",
     false,
     0,
     {{3, {1, 4, 10}}, {0, {0}}, 1}},
    {"many small chunks",
     "uint8",
     3,
     6000,
     2,
     {60, 100},
     "gzip",
     false,
     0,
     {{3, {1, 2, 5}}, {0, {0}}, 1}},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static struct lb_format_params params_of(const struct way *w)
{
  struct lb_format_params p = fixture_params(w->samples);
  p.dtype = lb_dtype_find(w->dtype);
  p.n_dims = w->n_dims;
  memcpy(p.dims, w->dims, sizeof p.dims);
  snprintf(p.compression, sizeof p.compression, "%s", w->compression);
  p.compression_level = 4;
  p.chunking = w->chunking;
  p.chunk_size = w->chunk_size;
  p.options = &w->o;
  return p;
}

/* ---- pure ---- */

/* Every byte of the payload is in one place of the chunks, and the runs of a
 * row cover it. */
static void geometry(const struct way *w)
{
  struct lb_format_params p = params_of(w);
  struct lb_file f = {.samples = w->samples, .sample_bytes = w->sample_bytes};
  struct lb_err err = LB_ERR_INIT;
  struct lb_h5_shape s;
  lb_h5_shape_of(&p, &f, &s, &err);
  is_str(err.msg, "", "%s: possible", w->name);
  size_t all = (size_t)(w->samples * w->sample_bytes);
  unsigned char *seen = calloc(all, 1);
  uint64_t bytes = lb_h5_chunk_bytes(&s), at, n;
  for (int set = 0; set < s.n_sets; set++)
    for (int64_t c = 0; c < lb_h5_chunks(&s); c++)
      for (uint64_t k = 0; k < bytes; k += n) {
        n = lb_h5_run(&s, set, c, k, &at);
        n = n < bytes - k ? n : bytes - k;
        for (uint64_t i = 0; at != UINT64_MAX && i < n; i++)
          seen[at + i]++;
      }
  size_t once = 0;
  while (once < all && seen[once] == 1)
    once++;
  is_int(once, all, "%s: each byte is in one place", w->name);
  free(seen);
}

/* What h5py 3.7 chooses: guess_chunk(shape, None, size). */
static void guesses(void)
{
  static const struct {
    int rank;
    int64_t dims[3], want[3];
    int element;
  } rows[] = {
      {2, {3, 70000}, {1, 8750}, 1},
      {2, {1, 150 * 1024 * 1024}, {1, 76800}, 1},
      {3, {4, 1024, 1024}, {1, 128, 256}, 1},
      {3, {10, 20, 30}, {10, 20, 30}, 1},
      {1, {1000000}, {3907}, 8},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_h5_shape s = {.rank = rows[i].rank, .element = rows[i].element};
    memcpy(s.dims, rows[i].dims, sizeof rows[i].dims);
    lb_h5_guess_chunk(&s);
    bool same = true;
    for (int k = 0; k < s.rank; k++)
      same = same && s.chunk[k] == rows[i].want[k];
    ok(same, "guess %zu: %" PRId64 " %" PRId64 " %" PRId64, i, s.chunk[0],
       s.chunk[1], s.chunk[2]);
  }
}

static void refused(void)
{
  static const struct {
    const char *words[2];
    struct way w;
  } rows[] = {
      {{"chunk_dims", "has 2 dimensions, the datasets have 3"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "none",
        false,
        0,
        {{2, {1, 7}}, {0, {0}}, 1}}},
      {{"chunk_dims", "8 in dimension 3 is more than the 7"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "none",
        false,
        0,
        {{3, {1, 5, 8}}, {0, {0}}, 1}}},
      {{"max_shape", "has 3 dimensions"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "none",
        false,
        0,
        {{0, {0}}, {3, {9, 9, 9}}, 1}}},
      {{"max_shape", "4 in dimension 1 is less than the 5"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "none",
        false,
        0,
        {{0, {0}}, {2, {4, 7}}, 1}}},
      {{"num_dset_per_record", "3 does not divide 5"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "none",
        false,
        0,
        {{0, {0}}, {0, {0}}, 3}}},
      {{"dataset.compression", "'zip'"},
       {"",
        "uint8",
        4,
        35,
        2,
        {5, 7},
        "zip",
        false,
        0,
        {{0, {0}}, {0, {0}}, 1}}},
      {{"4 GiB", "chunk"},
       {"",
        "uint8",
        4,
        0,
        2,
        {70000, 70000},
        "none",
        false,
        0,
        {{3, {1, 70000, 70000}}, {0, {0}}, 1}}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_format_params p = params_of(&rows[i].w);
    struct lb_err err = LB_ERR_INIT;
    ok(lb_format_hdf5.check(&p, &err) < 0 && err.code == LB_USAGE &&
           strstr(err.msg, rows[i].words[0]) &&
           strstr(err.msg, rows[i].words[1]),
       "refused: %s", err.msg);
  }
}

static void described(void)
{
  struct lb_format_params p = params_of(&ways[10]);
  struct lb_buf text;
  lb_buf_init(&text, 500);
  lb_format_hdf5.describe(&p, &text);
  is_str(text.data, "chunk_dims=1,7,11;max_shape=40,30;", "manifest");
  lb_buf_reset(&text);
  p = fixture_params(1);
  lb_format_hdf5.describe(&p, &text);
  is_int(text.len, 0, "nothing to say of a plain file");
  lb_buf_fini(&text);
}

#ifdef HAVE_HDF5
#include <hdf5.h>

#include "loadbank/hdf5lock.h"

/* ---- files made here ---- */

static bool available(const struct way *w)
{
  return strcmp(w->compression, "lzf") != 0 || !lb_h5_lzf_absent();
}

/* What the library finds in dataset i is what the seed makes. */
static bool library_reads(const struct way *w, const char *path, int i,
                          const unsigned char *content)
{
  size_t row = (size_t)(w->sample_bytes / w->o.num_dset_per_record);
  size_t all = row * (size_t)w->samples;
  unsigned char *got = malloc(all);
  char name[40];
  snprintf(name, sizeof name, "records_%d", i);
  lb_hdf5_lock();
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
  herr_t rc = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
  lb_hdf5_unlock();
  bool same = rc >= 0;
  for (int64_t s = 0; same && s < w->samples; s++)
    same = !memcmp(got + (size_t)s * row,
                   content + s * w->sample_bytes + (size_t)i * row, row);
  free(got);
  return same;
}

static void check_library(const struct way *w, const char *path)
{
  size_t all = (size_t)(w->samples * w->sample_bytes);
  unsigned char *content = malloc(all);
  int good = 0;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, content, all);
  if (!strcmp(w->compression, "lzf")) { /* the library has no such filter */
    free(content);
    return;
  }
  for (int i = 0; i < w->o.num_dset_per_record; i++)
    good += library_reads(w, path, i, content);
  is_int(good, w->o.num_dset_per_record, "%s: the library reads it", w->name);
  free(content);
}

/* What an executor does with a list of a sample that is verified: raw content
 * is compared, other bytes go to `inspect', here in two requests. */
static int verify_list(struct lb_reader *r, const struct lb_sample *s,
                       const struct lb_iolist *list, struct lb_err *err)
{
  size_t n, i = list->n && list->v[0].call ? list->v[0].covers + 1 : 0;
  unsigned char *file = fixture_slurp(s->file.path, &n);
  for (; !err->code && i < list->n; i++) {
    const struct lb_io *io = &list->v[i];
    size_t half = (size_t)io->length / 2, len = (size_t)io->content.length;
    const unsigned char *at = file + io->offset;
    if (io->op != LB_OP_READ)
      continue;
    unsigned char *want = malloc(len + 1);
    lb_content_fill(10, s->file.set, s->file.index, io->content.at, want, len);
    if (memcmp(at + io->content.skip, want, len) != 0)
      lb_err_set(err, LB_FAILED, "%s: sample %" PRId64, s->file.path,
                 s->in_file);
    free(want);
    if (!err->code && !lb_format_hdf5.inspect(r, s, io, 0, at, half, err))
      lb_format_hdf5.inspect(r, s, io, half, at + half, io->length - half, err);
  }
  free(file);
  return -err->code;
}

static int read_one(struct fixture *x, struct lb_reader *r,
                    const struct lb_sample *s, struct cost *cost,
                    struct lb_err *err)
{
  struct lb_iolist list;
  int more = 1;
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = lb_format_hdf5.plan(r, s, stage, &list, err);
    if (more <= 0)
      break;
    cost->stages++;
    cost->payload += list.payload_bytes;
    lb_iolist_cost(&list, cost->count, cost->bytes);
    if (lb_storage_run(x->storage, &list, r->fd, &x->thread, err) < 0 ||
        verify_list(r, s, &list, err) < 0 ||
        lb_format_hdf5.parse(r, s, stage, &list, err) < 0)
      more = -err->code;
  }
  lb_iolist_fini(&list);
  return more;
}

/* Reads every sample, verifying; adds to cost. */
static int read_all(struct fixture *x, const struct lb_format_params *p,
                    const struct lb_file *f, struct cost *cost,
                    struct lb_err *err)
{
  struct lb_reader r;
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_reader_init(&r, &lb_format_hdf5, p, err) < 0)
    return -err->code;
  for (int64_t i = 0; !err->code && i < f->samples; i++) {
    struct lb_sample s = {.file = *f, .in_file = i, .verify = true};
    read_one(x, &r, &s, cost, err);
  }
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  return -err->code;
}

/* A virtual backend is asked the same; of what is compressed for about as many
 * bytes. */
static void check_cost(const struct way *w, const struct lb_format_params *p,
                       const struct lb_file *f, const struct cost *real)
{
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  struct lb_err err = LB_ERR_INIT;
  for (int64_t i = 0; i < f->samples; i++) {
    struct lb_sample s = {.file = *f, .in_file = i};
    lb_format_cost(&lb_format_hdf5, p, &s, count, bytes, &err);
  }
  ok(!memcmp(count, real->count, sizeof count),
     "%s: a virtual backend is asked the same: %" PRIu64 " reads, %" PRIu64,
     w->name, count[LB_OP_READ], real->count[LB_OP_READ]);
  double ratio = (double)bytes[LB_OP_READ] / (double)real->bytes[LB_OP_READ];
  bool exact = !strcmp(w->compression, "none");
  ok(exact ? bytes[LB_OP_READ] == real->bytes[LB_OP_READ]
           : ratio > 0.9 && ratio < 1.1,
     "%s: and for as many bytes: %.4f", w->name, ratio);
}

static void check_size(const struct way *w, const struct lb_format_params *p,
                       const struct lb_file *f)
{
  struct lb_file_sizes sizes;
  struct lb_err err = LB_ERR_INIT;
  size_t n, n2;
  lb_format_hdf5.sizes(p, f, &sizes, &err);
  unsigned char *once = fixture_slurp(f->path, &n);
  ok(sizes.estimated ? (double)n < 1.1 * (double)sizes.file_bytes + 4096
                     : n == sizes.file_bytes,
     "%s: size %zu, planned %" PRIu64, w->name, n, sizes.file_bytes);
  fixture_make(&lb_format_hdf5, p, f, &err);
  unsigned char *again = fixture_slurp(f->path, &n2);
  ok(n == n2 && !memcmp(once, again, n), "%s: made twice, the same", w->name);
  free(once);
  free(again);
}

static void check_way(struct fixture *x, const struct way *w)
{
  struct lb_format_params p = params_of(w);
  struct lb_file f = fixture_file(x, "w.hdf5", w->samples, w->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost = {.stages = 0}, later = cost;
  lb_format_hdf5.check(&p, &err);
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  is_str(err.msg, "", "%s: made", w->name);
  check_library(w, f.path);
  read_all(x, &p, &f, &cost, &err);
  is_str(err.msg, "", "%s: read and verified", w->name);
  is_int(cost.payload, w->samples * w->sample_bytes, "%s: payload", w->name);
  is_int(cost.count[LB_OP_OPEN], cost.count[LB_OP_CLOSE], "%s: closed",
         w->name);
  check_cost(w, &p, &f, &cost);
  check_size(w, &p, &f);
  p.memory = true;
  read_all(x, &p, &f, &later, &err);
  is_str(err.msg, "", "%s: read with memory", w->name);
  is_int(later.count[LB_OP_OPEN],
         lb_format_hdf5.keeps_open(&p) ? 1 : w->samples,
         "%s: opened as often as it must", w->name);
}

/* A flipped byte of a chunk is an error that names the sample. */
static void flipped(struct fixture *x, int i, bool raw, const char *word)
{
  const struct way *w = &ways[i];
  struct lb_format_params p = params_of(w);
  struct lb_file f = fixture_file(x, "flip.hdf5", w->samples, w->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost = {.stages = 0};
  size_t n;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  unsigned char first[4];
  size_t at = raw ? 0 : n / 2;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, first, sizeof first);
  while (raw && at + 4 < n && memcmp(bytes + at, first, 4) != 0)
    at++;
  bytes[at + 1] ^= 0x10;
  fixture_spit(f.path, bytes, n);
  read_all(x, &p, &f, &cost, &err);
  ok(strstr(err.msg, "flip.hdf5") && strstr(err.msg, word), "%s, flipped: %s",
     w->name, err.msg);
  free(bytes);
}

/* Any damage: a read or one error, never a crash. */
static void damaged(struct fixture *x, int i)
{
  const struct way *w = &ways[i];
  struct lb_format_params p = params_of(w);
  struct lb_file f = fixture_file(x, "dmg.hdf5", w->samples, w->sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  size_t n;
  int silent = 0;
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  for (size_t at = 0; at < n; at += at < 1200 ? 5 : n / 60 + 1) {
    bytes[at] ^= 0xff;
    fixture_spit(f.path, bytes, n);
    bytes[at] ^= 0xff;
    fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err);
    silent += err.code && !strstr(err.msg, "dmg.hdf5");
  }
  is_int(silent, 0, "%s: every error names the file", w->name);
  int unseen = 0;
  for (size_t cut = 0; cut < n; cut += n / 40 + 1) {
    fixture_spit(f.path, bytes, cut);
    unseen += fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err) == 0;
  }
  is_int(unseen, 0, "%s: every cut is noticed", w->name);
  free(bytes);
}

/* ---- others' files ---- */

struct foreign {
  const char *path;
  bool shuffle, fletcher, btree, holes;
  int deflate; /* level; -1: none */
};

static void make_foreign(const struct foreign *o, const void *bytes)
{
  hsize_t dims[3] = {6, 40, 5}, chunk[3] = {4, 30, 5};
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
  if (!o->btree)
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = H5Fcreate(o->path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  hid_t space = H5Screate_simple(3, dims, NULL);
  H5Pset_chunk(dcpl, 3, chunk);
  if (o->shuffle)
    H5Pset_shuffle(dcpl);
  if (o->deflate >= 0)
    H5Pset_deflate(dcpl, (unsigned)o->deflate);
  if (o->fletcher)
    H5Pset_fletcher32(dcpl);
  hid_t set = H5Dcreate2(file, "records_0", H5T_STD_U16LE, space, H5P_DEFAULT,
                         dcpl, H5P_DEFAULT);
  if (!o->holes)
    H5Dwrite(set, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(dcpl);
  H5Pclose(fapl);
}

/* Their content is ours, so that reading can be verified. */
static void foreign(struct fixture *x)
{
  static const struct foreign rows[] = {
      {.deflate = -1},
      {.deflate = -1, .btree = true},
      {.deflate = 6},
      {.deflate = 6, .btree = true},
      {.deflate = 6, .shuffle = true},
      {.deflate = -1, .shuffle = true, .btree = true},
      {.deflate = 1, .shuffle = true, .fletcher = true},
  };
  struct lb_format_params p = fixture_params(6);
  struct lb_file f = fixture_file(x, "theirs.hdf5", 6, 400);
  uint16_t content[1200];
  struct lb_err err;
  p.dtype = lb_dtype_find("uint16");
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, content, sizeof content);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct foreign o = rows[i];
    struct cost cost = {.stages = 0};
    o.path = f.path;
    lb_hdf5_lock();
    make_foreign(&o, content);
    lb_hdf5_unlock();
    read_all(x, &p, &f, &cost, &err);
    is_str(err.msg, "", "foreign %zu: read and verified", i);
    is_int(cost.payload, 2400, "foreign %zu: payload", i);
  }
  struct foreign o = {.path = f.path, .deflate = -1, .holes = true};
  struct cost cost;
  lb_hdf5_lock();
  make_foreign(&o, content);
  lb_hdf5_unlock();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err);
  is_str(err.msg, "", "chunks that were never written are not read");
  read_all(x, &p, &f, &cost, &err);
  ok(strstr(err.msg, "never written"), "but missed: %s", err.msg);
}

/* A chunk that inflates to more than its size. */
static void bomb(struct fixture *x)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_file f = fixture_file(x, "bomb.hdf5", 1, 1000);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  struct lb_h5_shape s = {.n_sets = 1,
                          .rank = 2,
                          .dims = {1, 9000000},
                          .chunk = {1, 9000000},
                          .element = 1,
                          .chunked = true,
                          .n_filters = 1,
                          .filter = {{LB_H5_DEFLATE, 9}}};
  struct lb_h5_zlib z = {.z = NULL};
  static unsigned char zeros[9000000], packed[20000];
  size_t n = 0;
  uint32_t skipped;
  lb_h5_pack(&s, &z, zeros, sizeof zeros, packed, sizeof packed, &n, &skipped,
             &err);
  lb_h5_zlib_fini(&z);
  hsize_t dims[2] = {1, 1000}, zero[2] = {0, 0};
  lb_hdf5_lock();
  hid_t file = H5Fcreate(f.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, dims, NULL);
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(dcpl, 2, dims);
  H5Pset_deflate(dcpl, 1);
  hid_t set = H5Dcreate2(file, "records_0", H5T_STD_U8LE, space, H5P_DEFAULT,
                         dcpl, H5P_DEFAULT);
  H5Dwrite_chunk(set, H5P_DEFAULT, 0, zero, n, packed);
  H5Dclose(set);
  H5Pclose(dcpl);
  H5Sclose(space);
  H5Fclose(file);
  lb_hdf5_unlock();
  fixture_read_once(x, &lb_format_hdf5, &p, &f, &cost, &err);
  ok(strstr(err.msg, "bomb.hdf5") && strstr(err.msg, "1000 bytes"),
     "a bomb: %s", err.msg);
}

static void with_library(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return;
  for (int i = 0; i < N_WAYS; i++)
    if (available(&ways[i]))
      check_way(&x, &ways[i]);
  flipped(&x, 0, true, "sample 0");
  flipped(&x, 1, true, "sample 0");
  flipped(&x, 7, false, "sample 1");
  for (int i = 1; i < N_WAYS; i += 6)
    damaged(&x, i);
  foreign(&x);
  bomb(&x);
  is_int(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0,
         "no handle of the library is left");
  fixture_fini(&x);
}
#else
static void with_library(void)
{
}
#endif

int main(void)
{
  for (int i = 0; i < N_WAYS; i++)
    geometry(&ways[i]);
  guesses();
  refused();
  described();
  with_library();
  return done();
}
