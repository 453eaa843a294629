/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every row of the table of formats must do; a new row is tested here
 * without a change. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format_fixture.h"
#include "loadbank/content.h"
#include "loadbank/format_cost.h"
#include "tap.h"

struct shape {
  const char *dtype;
  int n_dims;
  int64_t dims[LB_MAX_DIMS];
  int64_t samples, sample_bytes;
};

/* From the smallest to more than a generation buffer; odd sizes on purpose. */
static const struct shape shapes[] = {
    {"uint8", 0, {0}, 1, 1},
    {"uint8", 0, {0}, 1, 3969},
    {"uint8", 0, {0}, 7, 1},
    {"uint8", 0, {0}, 1, 700001},
    {"uint8", 0, {0}, 5, 54321},
    {"float32", 0, {0}, 3, 4 * 2050},
    {"int16", 2, {13, 29}, 4, 2 * 13 * 29},
    {"float64", 8, {1, 2, 1, 3, 1, 2, 1, 5}, 2, 8 * 60},
    {"bool", 1, {777}, 1, 777},
    {"float16", 3, {4, 5, 6}, 2, 240},
    {"uint64", 2, {1024, 33}, 9, 8 * 1024 * 33},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static void check_row(const struct lb_format *f)
{
  int same_name = 0;
  for (const struct lb_format *const *g = lb_formats; *g; g++)
    same_name += !strcmp((*g)->name, f->name);
  is_int(same_name, 1, "%s: the name is unique", f->name);
  ok(lb_format_find(f->name) == f, "%s: is found", f->name);
  size_t n = strlen(f->doc);
  ok(n > 10 && f->doc[n - 1] == '.' && isupper((unsigned char)f->doc[0]),
     "%s: the doc is a sentence", f->name);
  ok(f->extension && f->extension[0] && f->extension[0] != '.',
     "%s: has an ending", f->name);
  ok(f->check && f->sizes && f->make && f->plan, "%s: required hooks", f->name);
  int bad = 0;
  for (size_t i = 0; i < f->n_options; i++) {
    const struct lb_option *o = &f->options[i];
    size_t len = strlen(o->doc);
    bad += !len || o->doc[len - 1] != '.';
    bad += o->offset + o->size > f->options_size;
  }
  is_int(bad, 0, "%s: options have a doc and lie in the struct", f->name);
}

static struct lb_format_params params_of(const struct shape *s)
{
  struct lb_format_params p = fixture_params(s->samples);
  p.dtype = lb_dtype_find(s->dtype);
  p.n_dims = s->n_dims;
  memcpy(p.dims, s->dims, sizeof p.dims);
  return p;
}

static uint64_t size_of(const char *path)
{
  struct stat st;
  return stat(path, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

static bool same_cost(const uint64_t *a, const uint64_t *b)
{
  return !memcmp(a, b, LB_N_OPS * sizeof *a);
}

/* n, or 1 for a format that has one sample a file. */
static int64_t samples_of(const struct lb_format *f, int64_t n)
{
  struct lb_format_params p = fixture_params(n);
  struct lb_err err = LB_ERR_INIT;
  return f->check(&p, &err) ? 1 : n;
}

/* Made size is the planned one; reading a made file costs what was planned
 * without it; the payload is all there.  false: refused, which not all shapes
 * may be. */
static bool check_shape(struct fixture *x, const struct lb_format *f,
                        const struct shape *shape, int i)
{
  struct lb_format_params p = params_of(shape);
  struct lb_file file =
      fixture_file(x, f->name, shape->samples, shape->sample_bytes);
  struct lb_file_sizes sizes = {0};
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  struct lb_sample s = {.file = file};
  if (f->check(&p, &err) || f->sizes(&p, &file, &sizes, &err)) {
    ok(err.code == LB_USAGE, "%s %d: refused: %s", f->name, i, err.msg);
    return false;
  }
  fixture_make(f, &p, &file, &err);
  is_str(err.msg, "", "%s %d: made", f->name, i);
  uint64_t size = size_of(file.path);
  if (sizes.estimated)
    ok(size < 2 * sizes.file_bytes + 64 && sizes.file_bytes < 2 * size + 64,
       "%s %d: %" PRIu64 " bytes, %" PRIu64 " were estimated", f->name, i, size,
       sizes.file_bytes);
  else
    is_int(size, sizes.file_bytes, "%s %d: size", f->name, i);
  is_int(sizes.payload_bytes, shape->samples * shape->sample_bytes,
         "%s %d: payload", f->name, i);
  fixture_read_once(x, f, &p, &file, &cost, &err);
  is_str(err.msg, "", "%s %d: read", f->name, i);
  is_int(cost.payload % (uint64_t)shape->sample_bytes, 0,
         "%s %d: whole samples were read", f->name, i);
  lb_format_cost(f, &p, &s, count, bytes, &err);
  ok(sizes.estimated ||
         (same_cost(cost.count, count) && same_cost(cost.bytes, bytes)),
     "%s %d: a virtual backend is asked the same", f->name, i);
  int kept = !f->keeps_open || !f->keeps_open(&p) ? 0
             : f->kept_files                      ? f->kept_files
                                                  : 1;
  is_int(cost.count[LB_OP_OPEN], cost.count[LB_OP_CLOSE] + (uint64_t)kept,
         "%s %d: what is opened is closed, or kept", f->name, i);
  return true;
}

/* Does the list of a sample say that its content stands in the file as it is?
 */
static bool is_raw(const struct lb_format *f, const struct lb_format_params *p,
                   const struct lb_file *file)
{
  struct lb_format_params planned = *p;
  struct lb_sample s = {.file = *file};
  struct lb_iolist list;
  struct lb_reader r;
  struct lb_err err = LB_ERR_INIT;
  uint64_t raw = 0, payload = 0;
  planned.has_bytes = false;
  int more = lb_reader_init(&r, f, &planned, &err) == 0;
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = f->plan(&r, &s, stage, &list, &err);
    payload += list.payload_bytes;
    for (size_t i = 0; more > 0 && i < list.n; i++)
      raw += list.v[i].content.length;
  }
  lb_iolist_fini(&list);
  lb_reader_fini(&r);
  return raw == payload;
}

static void check_payload(struct fixture *x, const struct lb_format *f)
{
  const int64_t samples = samples_of(f, 3);
  const size_t bytes = (size_t)samples * 70000;
  struct lb_format_params p = fixture_params(samples);
  struct lb_file file = fixture_file(x, f->name, samples, 70000);
  struct lb_err err = LB_ERR_INIT;
  unsigned char *want = malloc(bytes);
  size_t n, n2;
  fixture_make(f, &p, &file, &err);
  unsigned char *got = fixture_slurp(file.path, &n);
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, bytes);
  int found = 0;
  size_t at = 0;
  for (int64_t i = 0; n >= bytes && i < samples; i++) {
    while (at < n - 70000 && memcmp(got + at, want + 70000 * i, 70000) != 0)
      at++;
    found += !memcmp(got + at, want + 70000 * i, 70000);
  }
  /* What is not raw is proved by the format's own test. */
  if (is_raw(f, &p, &file))
    is_int(found, samples, "%s: the file holds the content of each sample",
           f->name);
  fixture_make(f, &p, &file, &err);
  unsigned char *again = fixture_slurp(file.path, &n2);
  ok(n == n2 && !memcmp(got, again, n), "%s: made twice, the same bytes",
     f->name);
  free(want);
  free(got);
  free(again);
}

/* Where the content stands in one piece; n: it does not. */
static size_t find_content(const unsigned char *file, size_t n,
                           size_t content_bytes)
{
  unsigned char *want = malloc(content_bytes);
  size_t at = 0;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, content_bytes);
  while (at + content_bytes <= n && memcmp(file + at, want, content_bytes) != 0)
    at++;
  free(want);
  return at + content_bytes <= n ? at : n;
}

/* A flipped bit anywhere in raw content is seen and its place is told; other
 * damage is seen or does no harm.  What is encoded is tested by its format. */
static void check_verify(struct fixture *x, const struct lb_format *f)
{
  const int64_t samples = samples_of(f, 3);
  const size_t payload = (size_t)samples * 5000;
  struct lb_format_params p = fixture_params(samples);
  struct lb_file file = fixture_file(x, f->name, samples, 5000);
  struct lb_err err = LB_ERR_INIT;
  size_t n, seen = 0, told = 0, flips = 0;
  fixture_make(f, &p, &file, &err);
  unsigned char *bytes = fixture_slurp(file.path, &n);
  size_t at = find_content(bytes, n, payload);
  fixture_verify(x, f, &p, &file, &err);
  is_str(err.msg, "", "%s: verified", f->name);
  for (size_t i = at; i < n && i < at + payload; i += i % 5000 < 3 ? 1 : 61) {
    char place[100];
    snprintf(place, sizeof place, "byte %zu of the file is 0x%02x, should be",
             i, bytes[i] ^ 4u);
    bytes[i] ^= 4;
    fixture_spit(file.path, bytes, n);
    bytes[i] ^= 4;
    flips++;
    seen += fixture_verify(x, f, &p, &file, &err) < 0;
    told += strstr(err.msg, file.path) && strstr(err.msg, place);
  }
  ok(seen == flips && told == flips,
     "%s: of %zu flipped bytes %zu are seen, %zu told", f->name, flips, seen,
     told);
  p.content_seed = 11;
  err = (struct lb_err)LB_ERR_INIT;
  fixture_make(f, &p, &file, &err);
  p.content_seed = 10;
  fixture_verify(x, f, &p, &file, &err);
  ok(strstr(err.msg, "another dataset.seed"), "%s: another seed is told: %s",
     f->name, err.msg);
  free(bytes);
}

/* reader.odirect is about every file of the dataset: indices, too. */
static void check_direct(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(4);
  struct lb_sample s = {
      .file = {.samples = 4, .sample_bytes = 100000, .path = "d/train/file"},
      .in_file = 1};
  struct lb_err err = LB_ERR_INIT, refused = LB_ERR_INIT;
  struct lb_iolist list;
  struct lb_reader r;
  int opens = 0, direct = 0;
  p.has_bytes = false;
  p.open_flags = LB_IO_DIRECT;
  if (f->no_data)
    return;
  if (f->check(&p, &refused)) {
    p.samples_per_file = s.file.samples = 1;
    s.in_file = 0;
    refused = (struct lb_err)LB_ERR_INIT;
  }
  if (f->check(&p, &refused)) {
    ok(strstr(refused.msg, "O_DIRECT"), "%s: %s", f->name, refused.msg);
    return;
  }
  lb_iolist_init(&list);
  lb_reader_init(&r, f, &p, &err);
  for (int stage = 0; f->plan(&r, &s, stage, &list, &err) > 0; stage++)
    ;
  for (size_t i = 0; i < list.n; i++)
    if (list.v[i].op == LB_OP_OPEN) {
      opens++;
      direct += (list.v[i].flags & LB_IO_DIRECT) != 0;
    }
  ok(opens > 0 && direct == opens, "%s: %d opens, %d with O_DIRECT: %s",
     f->name, opens, direct, err.msg);
  lb_iolist_fini(&list);
  lb_reader_fini(&r);
}

static void check_memory(struct fixture *x, const struct lb_format *f)
{
  const int64_t samples = samples_of(f, 4);
  struct lb_format_params p = fixture_params(samples);
  struct lb_file file = fixture_file(x, f->name, samples, 10000);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  p.memory = true;
  p.n_files[LB_SET_TRAIN] = 3;
  file.index = 2;
  fixture_make(f, &p, &file, &err);
  lb_reader_init(&r, f, &p, &err);
  uint64_t opens = 0, payload = 0;
  for (int i = 0; i < 8; i++) {
    struct lb_sample s = {.file = file, .in_file = i % samples};
    struct cost cost = {.stages = 0};
    fixture_read(x, &r, &s, &cost, &err);
    opens += cost.count[LB_OP_OPEN];
    payload += cost.payload;
  }
  is_str(err.msg, "", "%s: memory: reads", f->name);
  is_int(opens, 1 + f->n_sidecars, "%s: memory: opens a file once", f->name);
  ok(payload == (uint64_t)samples * 10000 || payload == 80000,
     "%s: memory: reads the array once, or each sample from an open file",
     f->name);
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
}

static void check_refusals(struct fixture *x, const struct lb_format *f)
{
  struct lb_file file = fixture_file(x, "absent", 2, 1001);
  struct lb_format_params p = fixture_params(2);
  struct lb_file_sizes sizes;
  struct cost cost;
  struct lb_err err = LB_ERR_INIT;
  p.dtype = lb_dtype_find("int32");
  f->sizes(&p, &file, &sizes, &err);
  ok(strstr(err.msg, "1001") && strstr(err.msg, "int32"),
     "%s: a broken element is refused: %s", f->name, err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  p.dtype = lb_dtype_find("uint8");
  snprintf(p.compression, sizeof p.compression, "brotli");
  f->check(&p, &err);
  ok(strstr(err.msg, "brotli"), "%s: unknown compression is refused: %s",
     f->name, err.msg);
  snprintf(p.compression, sizeof p.compression, "none");
  fixture_read_once(x, f, &p, &file, &cost, &err);
  ok(strstr(err.msg, "absent") && strstr(err.msg, "o such file"),
     "%s: a missing file: %s", f->name, err.msg);
  file = fixture_file(x, "junk", 2, 1001);
  fixture_spit(file.path, "", 0);
  ok(fixture_read_once(x, f, &p, &file, &cost, &err) < 0 &&
         strstr(err.msg, "junk"),
     "%s: an empty file: %s", f->name, err.msg);
  char junk[5000];
  memset(junk, 'j', sizeof junk);
  fixture_spit(file.path, junk, sizeof junk);
  ok(fixture_read_once(x, f, &p, &file, &cost, &err) < 0 &&
         strstr(err.msg, "junk"),
     "%s: junk: %s", f->name, err.msg);
}

/* All samples of the file, by one reader: 0, or the first error. */
static int read_all(struct fixture *x, const struct lb_format *f,
                    const struct lb_format_params *p,
                    const struct lb_file *file)
{
  struct lb_err err = LB_ERR_INIT;
  struct cost cost = {.stages = 0};
  struct lb_reader r;
  int rc = lb_reader_init(&r, f, p, &err);
  for (int64_t i = 0; !rc && i < file->samples; i++) {
    struct lb_sample s = {.file = *file, .in_file = i};
    rc = fixture_read(x, &r, &s, &cost, &err);
  }
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  return rc;
}

/* Whatever is cut off or broken: an error or a read, never a crash. */
static void check_damage(struct fixture *x, const struct lb_format *f)
{
  const int64_t samples = samples_of(f, 2);
  struct lb_format_params p = fixture_params(samples);
  struct lb_file file = fixture_file(x, f->name, samples, 3000);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  size_t n;
  fixture_make(f, &p, &file, &err);
  unsigned char *whole = fixture_slurp(file.path, &n);
  int unseen = 0;
  for (size_t cut = 0; cut < n; cut += cut < 32 ? 1 : 197) {
    fixture_spit(file.path, whole, cut);
    unseen += read_all(x, f, &p, &file) == 0;
  }
  is_int(unseen, 0, "%s: every cut is noticed", f->name);
  for (size_t at = 0; at < n; at += at < 256 || at + 160 > n ? 1 : 50) {
    unsigned char was = whole[at];
    whole[at] = (unsigned char)(was ^ 0xff);
    fixture_spit(file.path, whole, n);
    fixture_read_once(x, f, &p, &file, &cost, &err);
    whole[at] = was;
  }
  ok(true, "%s: survives any damaged byte", f->name);
  free(whole);
}

/* Nothing to write and nothing to read. */
static void check_no_data(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(4);
  struct lb_sample s = {.file = {.samples = 4, .sample_bytes = 100}};
  struct lb_file_sizes sizes;
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0}, none[LB_N_OPS] = {0};
  struct lb_err err = LB_ERR_INIT;
  f->sizes(&p, &s.file, &sizes, &err);
  is_int(sizes.file_bytes + sizes.payload_bytes, 0, "%s: no bytes", f->name);
  lb_format_cost(f, &p, &s, count, bytes, &err);
  is_str(err.msg, "", "%s: a sample is read", f->name);
  ok(same_cost(count, none) && same_cost(bytes, none), "%s: which is nothing",
     f->name);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  for (const struct lb_format *const *f = lb_formats; *f; f++) {
    check_row(*f);
    if ((*f)->unavailable || (*f)->no_data)
      continue;
    int shapes_made = 0;
    for (int i = 0; i < N_SHAPES; i++)
      shapes_made += check_shape(&x, *f, &shapes[i], i);
    ok(shapes_made > 1, "%s: %d shapes are possible", (*f)->name, shapes_made);
    check_payload(&x, *f);
    check_verify(&x, *f);
    check_memory(&x, *f);
    check_direct(*f);
    check_refusals(&x, *f);
    check_damage(&x, *f);
  }
  check_no_data(lb_format_find("synthetic"));
  ok(!lb_format_find("nonesuch"), "an unknown name is not found");
  fixture_fini(&x);
  return done();
}
