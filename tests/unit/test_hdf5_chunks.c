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
#include "loadbank/content.h"
#include "loadbank/format_cost.h"
#include "tap.h"

/* One way of storing samples; dimensions as text, "5,7". */
struct way {
  const char *name, *dtype;
  int64_t samples;
  const char *shape; /* of a sample; "3000 B": so many bytes without one */
  const char *compression;
  int datasets;
  const char *chunk, *max; /* chunk_dims and max_shape, or "" */
  int64_t chunk_size;      /* of enable_chunking; -1: none given; 0: off */
};

static const struct way ways[] = {
    {"chunk of a row", "uint8", 4, "3000 B", "none", 1, "1,1000", "", 0},
    {"chunk over rows, clipped", "uint8", 5, "5,7", "none", 1, "2,3,4", "", 0},
    {"one chunk", "int16", 3, "10,12", "none", 1, "3,10,12", "", 0},
    {"by size", "float64", 3, "3000", "none", 1, "", "", 8000},
    {"guessed", "uint8", 3, "70000 B", "none", 1, "", "", -1},
    {"larger than the cache", "uint8", 3, "1200,1000", "none", 1, "2,1100,1000",
     "", 0},
    {"larger than the cache, clipped", "uint8", 2, "1200,1000", "none", 1,
     "2,1100,990", "", 0},
    {"gzip, guessed", "uint8", 3, "70000 B", "gzip", 1, "", "", 0},
    {"gzip, clipped", "float32", 5, "5,7", "gzip", 1, "2,3,4", "", 0},
    {"lzf", "uint8", 4, "30000 B", "lzf", 1, "1,8000", "", 0},
    {"resizable", "uint8", 3, "20,30", "none", 1, "1,7,11", "40,30", 0},
    {"without limit", "uint8", 3, "20,30", "none", 1, "", "-1,30", 0},
    {"without limit, in chunks", "uint8", 3, "20,30", "none", 1, "1,7,11",
     "-1,40", 0},
    {"without limit, the last, gzip", "uint8", 3, "6,20,30", "gzip", 1,
     "2,3,7,11", "9,40,-1", 0},
    {"without two limits, gzip", "uint8", 3, "20,30", "gzip", 1, "2,7,11",
     "-1,-1", 0},
    {"3 datasets", "uint16", 3, "9,50", "none", 3, "", "", 0},
    {"9 datasets, of 1 row", "uint8", 3, "9,50", "none", 9, "", "", 0},
    {"2 flat datasets", "uint8", 3, "3000 B", "none", 2, "", "", 0},
    {"2 datasets in chunks over rows", "uint8", 5, "4,30", "none", 2, "3,2,30",
     "", 0},
    {"3 datasets, gzip", "float32", 4, "6,40", "gzip", 3, "2,1,13", "", 0},
    {"scalars", "float32", 7, "1", "gzip", 1, "3", "", 0},
    {"complex", "complex64", 3, "6,10", "none", 1, "", "", 0},
    {"complex of 5 dimensions", "complex64", 3, "2,3,4,5", "none", 1, "", "",
     0},
    {"complex of 9 dimensions", "complex128", 3, "2,1,2,1,3,1,2,2", "none", 1,
     "", "", 0},
    {"complex in chunks", "complex128", 3, "6,10", "gzip", 1, "1,4,10", "", 0},
    {"bool", "bool", 3, "6,10", "gzip", 1, "1,4,10", "", 0},
    {"float16", "float16", 3, "6,10", "none", 1, "1,4,10", "", 0},
    {"many small chunks", "uint8", 3, "60,100", "gzip", 1, "1,2,5", "", 0}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* A way as the reader is told it. */
struct told {
  struct lb_h5_options o;
  struct lb_format_params p; /* of o */
  int64_t sample_bytes;
};

static int dims_of(const char *text, int64_t *v)
{
  int n = 0;
  char *end;
  for (; *text; text = *end ? end + 1 : end)
    v[n++] = strtoll(text, &end, 10);
  return n;
}

static void tell(const struct way *w, struct told *t)
{
  *t = (struct told){.p = fixture_params(w->samples),
                     .o = {.num_dset_per_record = w->datasets}};
  struct lb_format_params *p = &t->p;
  p->options = &t->o;
  p->dtype = lb_dtype_find(w->dtype);
  snprintf(p->compression, sizeof p->compression, "%s", w->compression);
  p->compression_level = 4;
  p->chunking = w->chunk_size != 0;
  p->chunk_size = w->chunk_size > 0 ? w->chunk_size : 0;
  t->o.chunk_dims.n = dims_of(w->chunk, t->o.chunk_dims.v);
  t->o.max_shape.n = dims_of(w->max, t->o.max_shape.v);
  t->sample_bytes = strtoll(w->shape, NULL, 10);
  if (strchr(w->shape, 'B'))
    return;
  p->n_dims = dims_of(w->shape, p->dims);
  t->sample_bytes = p->dtype->bytes;
  for (int i = 0; i < p->n_dims; i++)
    t->sample_bytes *= p->dims[i];
}

/* ---- pure ---- */

/* Every byte of the payload is in one place of the chunks, and the runs of a
 * row cover it. */
static void geometry(const struct way *w)
{
  struct told t;
  tell(w, &t);
  struct lb_file f = {.samples = w->samples, .sample_bytes = t.sample_bytes};
  struct lb_err err = LB_ERR_INIT;
  struct lb_h5_shape s;
  lb_h5_shape_of(&t.p, &f, &s, &err);
  is_str(err.msg, "", "%s: possible", w->name);
  size_t all = (size_t)(w->samples * t.sample_bytes);
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
       {"", "uint8", 4, "5,7", "none", 1, "1,7", "", 0}},
      {{"chunk_dims", "8 in dimension 3 is more than the 7"},
       {"", "uint8", 4, "5,7", "none", 1, "1,5,8", "", 0}},
      {{"max_shape", "has 3 dimensions"},
       {"", "uint8", 4, "5,7", "none", 1, "", "9,9,9", 0}},
      {{"max_shape", "4 in dimension 1 is less than the 5"},
       {"", "uint8", 4, "5,7", "none", 1, "", "4,7", 0}},
      {{"num_dset_per_record", "3 does not divide 5"},
       {"", "uint8", 4, "5,7", "none", 3, "", "", 0}},
      {{"dataset.compression", "'zip'"},
       {"", "uint8", 4, "5,7", "zip", 1, "", "", 0}},
      {{"4 GiB", "chunk"},
       {"", "uint8", 4, "70000,70000", "none", 1, "1,70000,70000", "", 0}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct told t;
    tell(&rows[i].w, &t);
    struct lb_err err = LB_ERR_INIT;
    ok(lb_format_hdf5.check(&t.p, &err) < 0 && err.code == LB_USAGE &&
           strstr(err.msg, rows[i].words[0]) &&
           strstr(err.msg, rows[i].words[1]),
       "refused: %s", err.msg);
  }
}

static void described(void)
{
  struct told t;
  tell(&ways[10], &t);
  struct lb_format_params p = fixture_params(1);
  struct lb_buf text;
  lb_buf_init(&text, 500);
  lb_format_hdf5.describe(&t.p, &text);
  is_str(text.data, "chunk_dims=1,7,11;max_shape=40,30;", "manifest");
  lb_buf_reset(&text);
  lb_format_hdf5.describe(&p, &text);
  is_int(text.len, 0, "nothing to say of a plain file");
  lb_buf_fini(&text);
}

#ifdef HAVE_HDF5
#include <hdf5.h>

#include "loadbank/hdf5lock.h"

/* ---- files ---- */

static bool available(const struct way *w)
{
  return strcmp(w->compression, "lzf") != 0 || !lb_h5_lzf_absent();
}

/* What the library finds in dataset i is what the seed makes. */
static bool library_reads(const struct way *w, const char *path, int i,
                          const unsigned char *content, int64_t sample_bytes)
{
  size_t row = (size_t)(sample_bytes / w->datasets);
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
                   content + s * sample_bytes + (size_t)i * row, row);
  free(got);
  return same;
}

static void check_library(const struct way *w, const struct lb_file *f)
{
  if (!strcmp(w->compression, "lzf")) /* the library has no such filter */
    return;
  size_t all = (size_t)(w->samples * f->sample_bytes);
  unsigned char *content = malloc(all);
  int good = 0;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, content, all);
  for (int i = 0; i < w->datasets; i++)
    good += library_reads(w, f->path, i, content, f->sample_bytes);
  is_int(good, w->datasets, "%s: the library reads it", w->name);
  free(content);
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
  struct told t;
  tell(w, &t);
  struct lb_format_params p = t.p;
  struct lb_file f = fixture_file(x, "w.hdf5", w->samples, t.sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost = {.stages = 0}, later = cost;
  lb_format_hdf5.check(&p, &err);
  fixture_make(&lb_format_hdf5, &p, &f, &err);
  is_str(err.msg, "", "%s: made", w->name);
  check_library(w, &f);
  fixture_verify_cost(x, &lb_format_hdf5, &p, &f, &cost, &err);
  is_str(err.msg, "", "%s: read and verified", w->name);
  is_int(cost.payload, w->samples * f.sample_bytes, "%s: payload", w->name);
  is_int(cost.count[LB_OP_OPEN], cost.count[LB_OP_CLOSE], "%s: closed",
         w->name);
  check_cost(w, &p, &f, &cost);
  check_size(w, &p, &f);
  p.memory = true;
  p.request = (uint32_t)(t.sample_bytes / 100 + 5); /* chunks in parts */
  fixture_verify_cost(x, &lb_format_hdf5, &p, &f, &later, &err);
  is_str(err.msg, "", "%s: read with memory", w->name);
  is_int(later.count[LB_OP_OPEN],
         lb_format_hdf5.keeps_open(&p) ? 1 : w->samples,
         "%s: opened as often as it must", w->name);
}

/* A flipped byte of a chunk is an error that names the sample. */
static void flipped(struct fixture *x, int i, bool raw, const char *word)
{
  const struct way *w = &ways[i];
  struct told t;
  tell(w, &t);
  struct lb_file f = fixture_file(x, "flip.hdf5", w->samples, t.sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost = {.stages = 0};
  size_t n;
  fixture_make(&lb_format_hdf5, &t.p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  unsigned char first[4];
  size_t at = raw ? 0 : n / 2;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, first, sizeof first);
  while (raw && at + 4 < n && memcmp(bytes + at, first, 4) != 0)
    at++;
  bytes[at + 1] ^= 0x10;
  fixture_spit(f.path, bytes, n);
  fixture_verify_cost(x, &lb_format_hdf5, &t.p, &f, &cost, &err);
  ok(strstr(err.msg, "flip.hdf5") && strstr(err.msg, word), "%s, flipped: %s",
     w->name, err.msg);
  free(bytes);
}

/* Any damage: a read or one error, never a crash. */
static void damaged(struct fixture *x, int i)
{
  const struct way *w = &ways[i];
  struct told t;
  tell(w, &t);
  struct lb_file f = fixture_file(x, "dmg.hdf5", w->samples, t.sample_bytes);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  size_t n;
  int silent = 0;
  fixture_make(&lb_format_hdf5, &t.p, &f, &err);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  for (size_t at = 0; at < n; at += at < 1200 ? 5 : n / 60 + 1) {
    bytes[at] ^= 0xff;
    fixture_spit(f.path, bytes, n);
    bytes[at] ^= 0xff;
    fixture_read_once(x, &lb_format_hdf5, &t.p, &f, &cost, &err);
    silent += err.code && !strstr(err.msg, "dmg.hdf5");
  }
  is_int(silent, 0, "%s: every error names the file", w->name);
  int unseen = 0;
  for (size_t cut = 0; cut < n; cut += n / 40 + 1) {
    fixture_spit(f.path, bytes, cut);
    unseen += fixture_read_once(x, &lb_format_hdf5, &t.p, &f, &cost, &err) == 0;
  }
  is_int(unseen, 0, "%s: every cut is noticed", w->name);
  free(bytes);
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
