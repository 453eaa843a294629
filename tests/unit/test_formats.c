/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every row of the table of formats must do; a new row is tested here
 * without a change. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format_fixture.h"
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

/* Made size is the planned one; reading a made file costs what was planned
 * without it; the payload is all there. */
static void check_shape(struct fixture *x, const struct lb_format *f,
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
  f->check(&p, &err);
  f->sizes(&p, &file, &sizes, &err);
  fixture_make(f, &p, &file, &err);
  is_str(err.msg, "", "%s %d: made", f->name, i);
  is_int(size_of(file.path), sizes.file_bytes, "%s %d: size", f->name, i);
  is_int(sizes.payload_bytes, shape->samples * shape->sample_bytes,
         "%s %d: payload", f->name, i);
  fixture_read_once(x, f, &p, &file, &cost, &err);
  is_str(err.msg, "", "%s %d: read", f->name, i);
  is_int(cost.payload % (uint64_t)shape->sample_bytes, 0,
         "%s %d: whole samples were read", f->name, i);
  lb_format_cost(f, &p, &s, count, bytes, &err);
  ok(same_cost(cost.count, count) && same_cost(cost.bytes, bytes),
     "%s %d: a virtual backend is asked the same", f->name, i);
  is_int(cost.count[LB_OP_OPEN],
         cost.count[LB_OP_CLOSE] + (f->keeps_open && f->keeps_open(&p)),
         "%s %d: what is opened is closed, or kept", f->name, i);
}

static void check_payload(struct fixture *x, const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file file = fixture_file(x, f->name, 3, 70000);
  struct lb_err err = LB_ERR_INIT;
  unsigned char *want = malloc(210000);
  size_t n, n2;
  fixture_make(f, &p, &file, &err);
  unsigned char *got = fixture_slurp(file.path, &n);
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, 210000);
  size_t at = 0;
  while (n >= 210000 && at < n - 210000 && memcmp(got + at, want, 210000) != 0)
    at++;
  ok(n >= 210000 && !memcmp(got + at, want, 210000),
     "%s: the file holds the content in one piece", f->name);
  fixture_make(f, &p, &file, &err);
  unsigned char *again = fixture_slurp(file.path, &n2);
  ok(n == n2 && !memcmp(got, again, n), "%s: made twice, the same bytes",
     f->name);
  free(want);
  free(got);
  free(again);
}

static void check_memory(struct fixture *x, const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(4);
  struct lb_file file = fixture_file(x, f->name, 4, 10000);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  p.memory = true;
  p.n_files[LB_SET_TRAIN] = 3;
  file.index = 2;
  fixture_make(f, &p, &file, &err);
  lb_reader_init(&r, f, &p, &err);
  uint64_t opens = 0, payload = 0;
  for (int i = 0; i < 8; i++) {
    struct lb_sample s = {.file = file, .in_file = i % 4};
    struct cost cost = {.stages = 0};
    fixture_read(x, &r, &s, &cost, &err);
    opens += cost.count[LB_OP_OPEN];
    payload += cost.payload;
  }
  is_str(err.msg, "", "%s: memory: reads", f->name);
  is_int(opens, 1 + f->n_sidecars, "%s: memory: opens a file once", f->name);
  ok(payload == 40000 || payload == 80000,
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
  snprintf(p.compression, sizeof p.compression, "rar");
  f->check(&p, &err);
  ok(strstr(err.msg, "rar"), "%s: unknown compression is refused: %s", f->name,
     err.msg);
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

/* Whatever is cut off or broken: an error or a read, never a crash. */
static void check_damage(struct fixture *x, const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file file = fixture_file(x, f->name, 2, 3000);
  struct lb_err err = LB_ERR_INIT;
  struct cost cost;
  size_t n;
  fixture_make(f, &p, &file, &err);
  unsigned char *whole = fixture_slurp(file.path, &n);
  int unseen = 0;
  for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 97) {
    fixture_spit(file.path, whole, cut);
    unseen += fixture_read_once(x, f, &p, &file, &cost, &err) == 0;
  }
  is_int(unseen, 0, "%s: every cut is noticed", f->name);
  for (size_t at = 0; at < n; at += at < 2200 || at + 400 > n ? 1 : 50) {
    unsigned char was = whole[at];
    whole[at] = (unsigned char)(was ^ 0xff);
    fixture_spit(file.path, whole, n);
    fixture_read_once(x, f, &p, &file, &cost, &err);
    whole[at] = was;
  }
  ok(true, "%s: survives any damaged byte", f->name);
  free(whole);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  for (const struct lb_format *const *f = lb_formats; *f; f++) {
    check_row(*f);
    if ((*f)->unavailable)
      continue;
    for (int i = 0; i < N_SHAPES; i++)
      check_shape(&x, *f, &shapes[i], i);
    check_payload(&x, *f);
    check_memory(&x, *f);
    check_refusals(&x, *f);
    check_damage(&x, *f);
  }
  ok(!lb_format_find("nonesuch"), "an unknown name is not found");
  fixture_fini(&x);
  return done();
}
