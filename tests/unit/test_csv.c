/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of text: known bytes, lengths, costs, what is compared, damage, every
 * compression. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/csv_text.h"
#include "format/zip_stream.h"
#include "format_fixture.h"
#include "loadbank/content.h"
#include "tap.h"

static const char *const dtypes[] = {"uint8",  "int8",   "uint16",
                                     "int16",  "uint32", "int32",
                                     "uint64", "int64",  "bool"};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0], TEXT_MAX = 1 << 20 };

/* A value as printf writes it. */
static int print_value(char *to, const char *dtype, const unsigned char *b,
                       int bytes)
{
  uint64_t v = 0;
  for (int i = bytes; i-- > 0;)
    v = v << 8 | b[i];
  if (!strcmp(dtype, "bool"))
    return snprintf(to, 32, ",%s", v & 1 ? "True" : "False");
  if (dtype[0] == 'u')
    return snprintf(to, 32, ",%" PRIu64, v);
  int shift = 64 - 8 * bytes;
  return snprintf(to, 32, ",%" PRId64, (int64_t)(v << shift) >> shift);
}

/* The whole text, made in another way. */
static size_t print_table(char *text, const struct lb_format_params *p,
                          const struct lb_file *f)
{
  size_t bytes = (size_t)(f->samples * f->sample_bytes), n = 0;
  int64_t columns = f->sample_bytes / p->dtype->bytes;
  unsigned char *content = malloc(bytes), *at = content;
  lb_content_fill(p->content_seed, f->set, f->index, 0, content, bytes);
  for (int64_t c = 0; c < columns; c++)
    n += (size_t)snprintf(text + n, 32, ",%" PRId64, c);
  text[n++] = '\n';
  for (int64_t s = 0; s < f->samples; s++) {
    n += (size_t)snprintf(text + n, 32, "%" PRId64, s);
    for (int64_t c = 0; c < columns; c++, at += p->dtype->bytes)
      n += (size_t)print_value(text + n, p->dtype->name, at, p->dtype->bytes);
    text[n++] = '\n';
  }
  free(content);
  return n;
}

static void known_text(struct fixture *x, char *want)
{
  static const int64_t shapes[][2] = {
      {1, 1}, {3, 2}, {12, 11}, {2, 1111}, {5, 9001}};
  for (int i = 0; i < N_DTYPES; i++)
    for (int k = 0; k < 5; k++) {
      struct lb_format_params p = fixture_params(shapes[k][0]);
      p.dtype = lb_dtype_find(dtypes[i]);
      struct lb_file f =
          fixture_file(x, "t.csv", shapes[k][0], shapes[k][1] * p.dtype->bytes);
      struct lb_err err = LB_ERR_INIT;
      uint64_t expected = 0, longest = 0;
      size_t got_n, n = print_table(want, &p, &f);
      fixture_make(&lb_format_csv, &p, &f, &err);
      unsigned char *got = fixture_slurp(f.path, &got_n);
      ok(!err.code && got_n == n && !memcmp(got, want, n),
         "%s, %d samples of %d: the text %s", dtypes[i], (int)shapes[k][0],
         (int)shapes[k][1], err.msg);
      lb_csv_text_sizes(&p, &f, &expected, &longest, &err);
      is_near((double)expected, (double)n, (double)n * (k == 4 ? 0.01 : 1) + 20,
              "its length is expected");
      ok(longest >= n, "and within the longest");
      free(got);
    }
}

/* Values at the ends of each type. */
static void extremes(void)
{
  static const struct {
    const char *dtype, *text;
    unsigned char bytes[16];
  } rows[] = {
      {"uint8", ",0,1\n0,0,255\n", {0, 255}},
      {"int8", ",0,1\n0,-128,127\n", {0x80, 0x7f}},
      {"bool", ",0,1\n0,True,False\n", {255, 254}},
      {"uint16", ",0,1\n0,65535,0\n", {255, 255}},
      {"int16", ",0,1\n0,-32768,-1\n", {0, 0x80, 255, 255}},
      {"int32", ",0,1\n0,-2147483648,10\n", {0, 0, 0, 0x80, 10}},
      {"uint64",
       ",0,1\n0,18446744073709551615,100\n",
       {255, 255, 255, 255, 255, 255, 255, 255, 100}},
      {"int64",
       ",0,1\n0,-9223372036854775808,-10\n",
       {0, 0, 0, 0, 0, 0, 0, 0x80, 246, 255, 255, 255, 255, 255, 255, 255}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_format_params p = fixture_params(1);
    struct lb_csv_text t;
    struct lb_err err = LB_ERR_INIT;
    char text[200];
    p.dtype = lb_dtype_find(rows[i].dtype);
    struct lb_file f = {.samples = 1, .sample_bytes = 2 * p.dtype->bytes};
    lb_csv_text_begin(&t, &p, &f, &err);
    memcpy(t.content, rows[i].bytes, sizeof rows[i].bytes);
    t.have = 16;
    text[lb_csv_text_fill(&t, text, sizeof text)] = '\0';
    is_str(text, rows[i].text, "%s: the ends", rows[i].dtype);
  }
}

static void refusals(void)
{
  static const char *const none[] = {"float16", "float32", "float64",
                                     "complex64", "complex128"};
  for (int i = 0; i < 5; i++) {
    struct lb_format_params p = fixture_params(1);
    struct lb_err err = LB_ERR_INIT;
    p.dtype = lb_dtype_find(none[i]);
    lb_format_csv.check(&p, &err);
    ok(strstr(err.msg, none[i]) && strstr(err.msg, "int64"), "%s", err.msg);
  }
}

static void costs(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "c.csv", 3, 100000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  size_t n;
  fixture_make(&lb_format_csv, &p, &f, &err);
  free(fixture_slurp(f.path, &n));
  p.request = 100000;
  fixture_read_once(x, &lb_format_csv, &p, &f, &c, &err);
  is_str(err.msg, "", "reads its own file");
  is_int(c.count[LB_OP_OPEN], 1, "one open");
  is_int(c.count[LB_OP_STAT], 1, "one stat");
  is_int(c.count[LB_OP_READ], (n + 99999) / 100000, "reads of the request");
  is_int(c.bytes[LB_OP_READ], n, "the file, once");
  is_int(c.count[LB_OP_CLOSE], 1, "one close");
  is_int(c.payload, 300000, "all samples");
  snprintf(p.compression, sizeof p.compression, "gzip");
  fixture_make(&lb_format_csv, &p, &f, &err);
  free(fixture_slurp(f.path, &n));
  fixture_read_once(x, &lb_format_csv, &p, &f, &c, &err);
  is_int(c.count[LB_OP_READ], (n + 4095) / 4096, "gzip: reads of 4096");
  is_int(c.bytes[LB_OP_READ], n, "gzip: the file, once");
}

/* Of a tiny archive nearly all is frame: a plan that has no file to look at
 * ends, too. */
static void tiny(struct fixture *x, const char *kind)
{
  enum { MOST_STAGES = 20 };
  struct lb_format_params p = fixture_params(1);
  struct lb_sample s = {.file = fixture_file(x, "t.csv", 1, 8)};
  struct lb_iolist list;
  struct lb_reader r;
  struct lb_err err = LB_ERR_INIT;
  int stage = 0;
  p.dtype = lb_dtype_find("int16");
  p.has_bytes = false;
  snprintf(p.compression, sizeof p.compression, "%s", kind);
  int more = lb_reader_init(&r, &lb_format_csv, &p, &err) == 0;
  lb_iolist_init(&list);
  for (; more > 0 && stage < MOST_STAGES; stage++) {
    lb_iolist_clear(&list);
    more = lb_format_csv.plan(&r, &s, stage, &list, &err);
  }
  ok(more == 0, "%s: a tiny file is read in %d stages", kind, stage);
  lb_iolist_fini(&list);
  lb_reader_fini(&r);
}

/* Reads the second sample, verified. */
static int verify(struct fixture *x, const struct lb_format_params *p,
                  const struct lb_file *f, struct lb_err *err)
{
  struct lb_reader r;
  struct lb_sample s = {.file = *f, .in_file = 1, .verify = true};
  struct cost c = {.stages = 0};
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_reader_init(&r, &lb_format_csv, p, err) < 0)
    return -err->code;
  fixture_read(x, &r, &s, &c, err);
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  return -err->code;
}

static void verified(struct fixture *x)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "v.csv", 2, 30000);
  struct lb_err err = LB_ERR_INIT;
  char want[100];
  size_t n;
  p.request = 5000;
  fixture_make(&lb_format_csv, &p, &f, &err);
  unsigned char *text = fixture_slurp(f.path, &n);
  verify(x, &p, &f, &err);
  is_str(err.msg, "", "what was written is there");
  const unsigned char *line2 = memchr(text, '\n', n);
  const unsigned char *line3 = memchr(line2 + 1, '\n', n / 2);
  const size_t places[] = {0, (size_t)(line2 - text) - 3,
                           (size_t)(line3 - text) - 1,
                           (size_t)(line3 - text) + 1, n - 2};
  for (int i = 0; i < 5; i++) {
    unsigned char was = text[places[i]];
    text[places[i]] = 'x';
    fixture_spit(f.path, text, n);
    verify(x, &p, &f, &err);
    snprintf(want, sizeof want, "v.csv: line %d, offset %zu ",
             i < 2    ? 1
             : i == 2 ? 2
                      : 3,
             places[i]);
    ok(strstr(err.msg, want), "a byte: %s", err.msg);
    text[places[i]] = was;
  }
  fixture_spit(f.path, text, n);
  p.content_seed = 11;
  verify(x, &p, &f, &err);
  ok(strstr(err.msg, "line 2"), "another seed: %s", err.msg);
  p.content_seed = 10;
  fixture_spit(f.path, text, n - 1);
  verify(x, &p, &f, &err);
  ok(strstr(err.msg, "cut short"), "%s", err.msg);
  text[n - 1] = ',';
  fixture_spit(f.path, text, n);
  verify(x, &p, &f, &err);
  ok(strstr(err.msg, "line 3"), "%s", err.msg);
  free(text);
}

static void foreign(struct fixture *x)
{
  static const struct {
    const char *text;
    const char *words; /* of the error; "": it is read */
    int64_t sample;
  } rows[] = {
      {",0,1,2\n0,1,2,3\n1,4,5,6\n", "", 3},
      {"1,2,3\n4,5,6\n", "", 3},
      {"a,b,c\n1,2,3\n4,5,6\n", "", 3},
      {"7\n8\n", "", 1},
      {",0,1,2,3\n0,1,2,3,4\n1,4,5,6,7\n", "", 4},
      {",0,1,2\r\n0,1,2,3\r\n1,4,5,6\r\n", "", 3},
      {",0,1,2\n0,1,2,3\n", "has 2 lines, and 2 samples", 0},
      {"1,2,3\n", "has 1 line, and 2 samples", 0},
      {"1,2,3\n1,2,3\n1,2,3\n1,2,3\n", "has 4 lines", 0},
      {",0,1,2\n0,1,2,3\n1,4,5,6", "its last line has no end", 0},
  };
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "f.csv", 2, 3);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_reader r;
    struct lb_sample s = {.file = f};
    struct cost c = {.stages = 0};
    struct lb_err err = LB_ERR_INIT;
    fixture_spit(f.path, rows[i].text, strlen(rows[i].text));
    lb_reader_init(&r, &lb_format_csv, &p, &err);
    fixture_read(x, &r, &s, &c, &err);
    ok(*rows[i].words ? strstr(err.msg, rows[i].words) != NULL : !err.code,
       "foreign %zu: %s", i, err.msg);
    is_int(r.sample_bytes_seen, rows[i].sample, "foreign %zu: its columns", i);
    lb_storage_release(x->storage, r.fd);
    lb_reader_fini(&r);
  }
  struct lb_err err;
  struct cost c;
  p.n_dims = 1;
  p.dims[0] = 3;
  fixture_spit(f.path, ",0,1\n0,1,2\n1,1,2\n", 17);
  fixture_read_once(x, &lb_format_csv, &p, &f, &c, &err);
  ok(strstr(err.msg, "has 2 columns, and record_dims make 3"), "%s", err.msg);
}

/* Every cut is an error, and so is every byte in the middle. */
static void damage(struct fixture *x, const struct lb_format_params *p,
                   const struct lb_file *f)
{
  struct lb_err err;
  struct cost c;
  size_t n, unseen = 0;
  unsigned char *whole = fixture_slurp(f->path, &n);
  for (size_t cut = 0; cut < n; cut += cut < 40 || cut + 60 > n ? 1 : 397) {
    fixture_spit(f->path, whole, cut);
    unseen += fixture_read_once(x, &lb_format_csv, p, f, &c, &err) == 0;
  }
  is_int(unseen, 0, "%s: every cut is noticed", p->compression);
  for (size_t at = 0; at < n; at += at < 100 || at + 150 > n ? 1 : 97) {
    whole[at] ^= 0x55;
    fixture_spit(f->path, whole, n);
    int rc = fixture_read_once(x, &lb_format_csv, p, f, &c, &err);
    unseen += rc == 0 && at > 100 && at + 150 < n;
    whole[at] ^= 0x55;
  }
  is_int(unseen, 0, "%s: and every byte", p->compression);
  unsigned char *longer = malloc(n + 16);
  memcpy(longer, whole, n);
  memcpy(longer + n, "trailing garbage", 16);
  fixture_spit(f->path, longer, n + 16);
  free(longer);
  fixture_read_once(x, &lb_format_csv, p, f, &c, &err);
  ok(strstr(err.msg, "follow") || strstr(err.msg, "end record"), "%s: %s",
     p->compression, err.msg);
  free(whole);
}

/* A text without an end, which packs well. */
static void bomb(struct fixture *x, const struct lb_format_params *p,
                 const struct lb_file *f)
{
  struct lb_format_params q = *p;
  struct lb_file big = *f;
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  q.dtype = lb_dtype_find("bool");
  big.sample_bytes = 600000;
  if (fixture_make(&lb_format_csv, &q, &big, &err) < 0)
    ok(false, "made: %s", err.msg);
  q.dtype = p->dtype;
  big.sample_bytes = 10;
  fixture_read_once(x, &lb_format_csv, &q, &big, &c, &err);
  ok(strstr(err.msg, "bytes that it may have here") ||
         strstr(err.msg, "are the most that it may have here"),
     "%s: %s", p->compression, err.msg);
}

static void compressed(struct fixture *x, const char *kind)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "z.csv", 2, 6000);
  struct lb_file_sizes sizes;
  struct lb_err err = LB_ERR_INIT;
  const struct lb_codec *codec = lb_codec_find(kind);
  char name[64];
  snprintf(p.compression, sizeof p.compression, "%s", kind);
  lb_format_extension(&lb_format_csv, kind, name, sizeof name);
  ok(!strncmp(name, "csv.", 4) && !strcmp(name + 3, codec->ending),
     "%s: files are named .%s", kind, name);
  if (codec->unavailable) {
    lb_format_csv.check(&p, &err);
    ok(strstr(err.msg, codec->unavailable), "refused: %s", err.msg);
    return;
  }
  tiny(x, kind);
  for (p.compression_level = 0; p.compression_level <= 6;
       p.compression_level += 3) {
    size_t n;
    fixture_make(&lb_format_csv, &p, &f, &err);
    verify(x, &p, &f, &err);
    is_str(err.msg, "", "%s %d: what was written is there", kind,
           p.compression_level);
    lb_format_csv.sizes(&p, &f, &sizes, &err);
    free(fixture_slurp(f.path, &n));
    ok(p.compression_level == 0 ||
           (sizes.file_bytes > n * 3 / 4 && sizes.file_bytes < n * 4 / 3),
       "%s %d: %zu bytes, %" PRIu64 " were estimated", kind,
       p.compression_level, n, sizes.file_bytes);
  }
  p.content_seed = 11;
  verify(x, &p, &f, &err);
  ok(strstr(err.msg, "line 2"), "%s: another seed: %s", kind, err.msg);
  p.content_seed = 10;
  p.compression_level = 1;
  f.sample_bytes = 500;
  fixture_make(&lb_format_csv, &p, &f, &err);
  damage(x, &p, &f);
  bomb(x, &p, &f);
}

static void two_members(struct fixture *x)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "two.zip", 2, 60);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  snprintf(p.compression, sizeof p.compression, "zip");
  fixture_make(&lb_format_npz, &p, &f, &err);
  fixture_read_once(x, &lb_format_csv, &p, &f, &c, &err);
  ok(strstr(err.msg, "more than one member"), "two files in one: %s", err.msg);
}

int main(void)
{
  static const char *const kinds[] = {"gzip", "zip", "bz2", "xz"};
  struct fixture x;
  char *text = malloc(TEXT_MAX);
  if (!ok(fixture_init(&x) && text, "storage")) {
    free(text);
    return done();
  }
  known_text(&x, text);
  extremes();
  refusals();
  costs(&x);
  verified(&x);
  foreign(&x);
  for (int i = 0; i < 4; i++)
    compressed(&x, kinds[i]);
  two_members(&x);
  free(text);
  fixture_fini(&x);
  return done();
}
