/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Format parquet: known bytes, sizes in closed form, costs, columns of many
 * types and compressions verified, footers that lie. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/parquet_codec.h"
#include "format/parquet_meta.h"
#include "format_fixture.h"
#include "loadbank/content.h"
#include "loadbank/format_cost.h"
#include "parquet_rig.h"
#include "tap.h"

static const struct lb_format *const format = &lb_format_parquet;

enum { N_MIXED = 6 };
static struct lb_column mixed[N_MIXED] = {
    {"a", "int8", 1, true},    {"b", "float32", 2, true},
    {"c", "bool", 1, false},   {"d", "uint16", 70, true},
    {"e", "float16", 1, true}, {"f", "int64", 1, true},
};

static struct lb_parquet_options options_of(struct lb_column *v, int64_t n,
                                            int64_t group)
{
  return (struct lb_parquet_options){
      .columns = {v, n}, .row_group_size = group, .read_mode = "default"};
}

static struct lb_format_params params_of(const struct lb_parquet_options *o,
                                         int64_t rows, const char *codec)
{
  struct lb_format_params p = fixture_params(rows);
  p.options = o;
  p.compression_level = 4;
  snprintf(p.compression, sizeof p.compression, "%s", codec);
  return p;
}

static struct lb_file file_of(struct fixture *x,
                              const struct lb_parquet_options *o, int64_t rows)
{
  struct lb_err err = LB_ERR_INIT;
  int64_t bytes = o->columns.n ? lb_parquet_row_bytes(o, &err) : 33;
  return fixture_file(x, "t.parquet", rows, bytes);
}

/* Makes the file; its bytes are in rig. */
static bool make(struct fixture *x, const struct lb_format_params *p,
                 struct lb_file *f, struct rig *rig)
{
  struct lb_err err = LB_ERR_INIT;
  *f = file_of(x, p->options, p->samples_per_file);
  fixture_make(format, p, f, &err);
  rig->bytes = fixture_slurp(f->path, &rig->n);
  return ok(!err.code && rig->bytes, "made, %s %s", p->compression, err.msg);
}

static void unmake(struct rig *rig)
{
  free((void *)rig->bytes);
}

/* Written by hand from the format's definition, but for the payload. */
static void test_known_bytes(struct fixture *x)
{
  static const char head_a[] = "\x15\x00\x15\x10\x15\x10\x2c\x15\x04\x15\x00"
                               "\x15\x06\x15\x06\x00\x00";
  static const char head_b[] = "\x15\x00\x15\x38\x15\x38\x2c\x15\x08\x15\x00"
                               "\x15\x06\x15\x06\x00\x00"
                               "\x02\x00\x00\x00\x03\xfa"
                               "\x02\x00\x00\x00\x08\x01";
  static const char footer[] =
      "\x15\x04\x19\x5c\x48\x06schema\x15\x04\x00"
      "\x15\x02\x25\x00\x18\x01"
      "a\x25\x1e\x4c\xac\x13\x08\x11\x00\x00\x00"
      "\x35\x00\x18\x01"
      "b\x15\x02\x15\x06\x4c\x3c\x00\x00\x00"
      "\x35\x04\x18\x04list\x15\x02\x00"
      "\x15\x08\x25\x00\x18\x07"
      "element\x00"
      "\x16\x04\x19\x1c\x19\x2c"
      "\x26\x00\x1c\x15\x02\x19\x25\x00\x06\x19\x18\x01"
      "a\x15\x00\x16\x04\x16\x32\x16\x32\x26\x08\x00\x00"
      "\x26\x00\x1c\x15\x08\x19\x25\x00\x06\x19\x38\x01"
      "b\x04list\x07"
      "element\x15\x00\x16\x08\x16\x5a\x16\x5a\x26\x3a\x00\x00"
      "\x16\x8c\x01\x16\x04\x00"
      "\x28\x08loadbank\x00";
  unsigned char want[512], payload[18];
  size_t n = 0;
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, payload, sizeof payload);
#define PUT(bytes, count) (memcpy(want + n, bytes, count), n += (count))
  PUT("PAR1", 4);
  PUT(head_a, sizeof head_a - 1);
  for (int i = 0; i < 2; i++) { /* two int8, as int32 */
    char sign = payload[i] & 0x80 ? '\xff' : '\0';
    char value[4] = {(char)payload[i], sign, sign, sign};
    PUT(value, 4);
  }
  PUT(head_b, sizeof head_b - 1);
  PUT(payload + 2, 16);
  PUT(footer, sizeof footer - 1);
  char tail[8] = {(char)(sizeof footer - 1), 0, 0, 0, 'P', 'A', 'R', '1'};
  PUT(tail, 8);
#undef PUT
  struct lb_parquet_options o = options_of(mixed, 2, 1024);
  struct lb_format_params p = params_of(&o, 2, "none");
  struct lb_file f;
  struct rig rig;
  if (make(x, &p, &f, &rig)) {
    is_int(rig.n, n, "known bytes: how many");
    ok(rig.n == n && !memcmp(rig.bytes, want, n), "known bytes");
  }
  unmake(&rig);
}

/* ---- sizes ---- */

static void check_footer(const char *name, struct lb_column *v, int64_t n,
                         int64_t rows, int64_t group)
{
  struct lb_parquet_options o = options_of(v, n, group);
  struct lb_format_params p = params_of(&o, rows, "none");
  struct lb_err err = LB_ERR_INIT;
  struct lb_file f = {.samples = rows,
                      .sample_bytes = lb_parquet_row_bytes(&o, &err)};
  struct thrift_out counted = {.buf = NULL};
  struct pq_layout l;
  if (pq_layout_init(&l, &p, &err) == 0 &&
      pq_layout_file(&l, &p, &f, &err) == 0) {
    pq_footer_write(&counted, &l, NULL);
    is_int(l.footer_bytes, counted.total, "%s: the footer's closed form", name);
  }
  is_str(err.msg, "", "%s", name);
  pq_layout_fini(&l);
}

/* 200 columns, of which 40 are read. */
static void make_wide(struct lb_column v[200])
{
  static const char *const dtypes[] = {"float16", "float32", "float64", "int8"};
  for (int i = 0; i < 200; i++) {
    v[i] = (struct lb_column){.size = 1, .read = i % 5 == 0};
    snprintf(v[i].name, sizeof v[i].name, "feature_%03d", i);
    snprintf(v[i].dtype, sizeof v[i].dtype, "%s", dtypes[i % 4]);
  }
}

static void test_sizes(void)
{
  static struct lb_column wide[200];
  static struct lb_column flux[] = {{"t5_encodings", "float32", 524328, true},
                                    {"clip_encodings", "float32", 409, true},
                                    {"mean", "float32", 8232, true},
                                    {"logvar", "float32", 8232, true},
                                    {"timestamp", "float32", 7, true}};
  make_wide(wide);
  check_footer("dlrm", wide, 200, 1536000, 6144);
  check_footer("dlrm, a rest", wide, 200, 1536001, 6144);
  check_footer("flux", flux, 5, 288, 48);
  check_footer("tiny groups", mixed, N_MIXED, 100000, 1);
  check_footer("one row", mixed, 1, 1, 1);
}

/* ---- reading ---- */

/* A row group costs a request for each chosen column, and its other rows
 * nothing; a virtual backend is asked the same. */
static void test_cost(struct fixture *x)
{
  static struct lb_column wide[200];
  make_wide(wide);
  struct lb_parquet_options o = options_of(wide, 200, 100);
  struct lb_format_params p = params_of(&o, 250, "none");
  struct lb_file f;
  struct rig rig;
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  if (!make(x, &p, &f, &rig) || lb_reader_init(&r, format, &p, &err) < 0)
    return;
  struct cost first = {.stages = 0}, same = first, next = first;
  struct lb_sample s = {.file = f};
  fixture_read(x, &r, &s, &first, &err);
  is_int(first.count[LB_OP_READ], 1 + 40, "the footer and 40 chunks");
  is_int(first.count[LB_OP_OPEN], 1, "one open");
  is_int(first.payload, 100 * 150, "40 columns have 150 bytes a row");
  for (s.in_file = 1; s.in_file < 100; s.in_file++)
    fixture_read(x, &r, &s, &same, &err);
  is_int(same.stages, 0, "the other rows of a group cost nothing");
  fixture_read(x, &r, &s, &next, &err);
  is_int(next.count[LB_OP_READ], 40, "the next group: 40 chunks");
  is_int(next.count[LB_OP_OPEN], 0, "the file stays open");
  s.in_file = 249;
  fixture_read(x, &r, &s, &next, &err);
  is_int(next.payload, 150 * 150, "the last group has 50 rows");
  is_int(r.sample_bytes_seen / r.samples_seen, f.sample_bytes, "bytes a row");
  is_str(err.msg, "", "all were read");
  lb_storage_release(x->storage, r.fd);
  lb_reader_fini(&r);
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  s.in_file = 0;
  lb_format_cost(format, &p, &s, count, bytes, &err);
  ok(!memcmp(count, first.count, sizeof count) &&
         !memcmp(bytes, first.bytes, sizeof bytes),
     "a virtual backend is asked the same");
  struct lb_format_run run;
  lb_format_cost_run(format, &p, &f, 2, &run, &err);
  ok(run.in_hand, "several samples are in hand");
  is_int(run.samples, 200, "two that are read bring two groups");
  is_int(run.count[LB_OP_READ], 1 + 2 * 40, "their chunks, and the footer");
  lb_format_cost_run(format, &p, &f, 250, &run, &err);
  is_int(run.samples, 250, "no more than the file has");
  is_int(run.count[LB_OP_READ], 1 + 3 * 40, "its footer and 120 chunks");
  unmake(&rig);
}

/* Other row groups than configured: what is on disk counts. */
static void test_other_groups(struct fixture *x)
{
  struct lb_parquet_options o = options_of(mixed, N_MIXED, 7);
  struct lb_format_params p = params_of(&o, 20, "none");
  struct lb_file f;
  struct rig rig;
  struct lb_err err;
  if (!make(x, &p, &f, &rig))
    return;
  o.row_group_size = 3;
  rig_read(&rig, &p, &f, false, &err);
  is_str(err.msg, "", "other row groups are read");
  is_int(rig.reads, 1 + 3 * 5, "as many as there are");
  is_int(rig.payload, 20 * (f.sample_bytes - 1), "all that is chosen");
  unmake(&rig);
}

/* The fields of a footer of n bytes in that order (0 at the end), each by its
 * number; the bytes made. */
static size_t reorder(const unsigned char *footer, size_t n, const int *order,
                      unsigned char *to)
{
  unsigned char *out = to, number[10];
  for (; *order; order++) {
    struct thrift_in in = {.p = footer, .end = footer + n};
    struct thrift_field f = {0};
    while (thrift_next(&in, &f)) {
      const unsigned char *from = in.p;
      thrift_skip(&in, f.type);
      if (f.id != *order)
        continue;
      size_t bytes = (size_t)(in.p - from);
      size_t digits = thrift_varint((uint64_t)f.id << 1, number);
      *out++ = (unsigned char)f.type;
      memcpy(out, number, digits);
      memcpy(out + digits, from, bytes);
      out += digits + bytes;
    }
  }
  *out++ = THRIFT_STOP;
  return (size_t)(out - to);
}

/* Whatever comes first: schema (2), number of rows (3) or row groups (4). */
static void test_other_order(struct fixture *x)
{
  static const int orders[][6] = {
      {1, 2, 3, 4, 6}, {4, 2, 3, 1, 6}, {2, 4, 3, 6}, {3, 4, 2}, {4, 3}};
  struct lb_parquet_options o = options_of(mixed, N_MIXED, 7);
  struct lb_format_params p = params_of(&o, 20, "none");
  struct lb_file f;
  struct rig whole;
  struct lb_err err;
  if (!make(x, &p, &f, &whole))
    return;
  const unsigned char *end = whole.bytes + whole.n - 8;
  size_t n = end[0] + 256 * (size_t)end[1], first = whole.n - 8 - n;
  unsigned char *bytes = malloc(whole.n + 64);
  for (size_t i = 0; bytes && i < sizeof orders / sizeof *orders; i++) {
    struct rig rig = {.bytes = bytes};
    memcpy(bytes, whole.bytes, first);
    size_t made = reorder(whole.bytes + first, n, orders[i], bytes + first);
    unsigned char *tail = bytes + first + made;
    memcpy(tail, end, 8);
    tail[0] = (unsigned char)made;
    tail[1] = (unsigned char)(made >> 8);
    rig.n = first + made + 8;
    int rc = rig_read(&rig, &p, &f, true, &err);
    if (i < 4)
      is_str(err.msg, "", "fields from %d on", orders[i][0]);
    else
      ok(rc < 0 && strstr(err.msg, "its footer is damaged"), "no schema: %s",
         err.msg);
  }
  free(bytes);
  unmake(&whole);
}

/* ---- verification ---- */

/* Every byte that is read is compared: any flipped one is found. */
static void check_flips(struct rig *rig, const struct lb_format_params *p,
                        const struct lb_file *f, uint64_t data_bytes)
{
  unsigned char *bytes = (unsigned char *)rig->bytes;
  int missed = 0;
  struct lb_err err;
  for (uint64_t at = 4; at < data_bytes; at += at < 300 ? 1 : 31) {
    bytes[at] ^= 0x40;
    missed += rig_read(rig, p, f, true, &err) == 0;
    bytes[at] ^= 0x40;
  }
  is_int(missed, 0, "%s: flipped bytes are found: %s", p->compression, err.msg);
}

static void check_verify(struct fixture *x, const char *codec,
                         const struct lb_parquet_options *o, int64_t rows,
                         bool flips)
{
  struct lb_format_params p = params_of(o, rows, codec);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file f;
  struct rig rig;
  if (pq_codec_find(codec)->unavailable) {
    ok(format->check(&p, &err) < 0, "%s", err.msg);
    return;
  }
  if (!make(x, &p, &f, &rig))
    return;
  rig_read(&rig, &p, &f, true, &err);
  is_str(err.msg, "", "%s: verified", codec);
  ok(rig.compared > 0, "%s: %llu bytes were looked at", codec,
     (unsigned long long)rig.compared);
  p.request = 7;
  rig_read(&rig, &p, &f, true, &err);
  is_str(err.msg, "", "%s: verified in tiny pieces", codec);
  uint64_t end = rig.n;
  if (flips && (!p.compression[0] || strcmp(codec, "gzip") != 0))
    check_flips(&rig, &p, &f, end > 1500 ? 1500 : end / 2);
  p.content_seed = 11;
  rig_read(&rig, &p, &f, true, &err);
  ok(strstr(err.msg, f.path) && (o->columns.n || !strcmp(codec, "none") ||
                                 strstr(err.msg, "another dataset.seed")),
     "%s: another seed: %s", codec, err.msg);
  unmake(&rig);
}

static void test_verify(struct fixture *x)
{
  static const char *const codecs[] = {"none", "snappy", "gzip", "zstd", "lz4"};
  /* All columns are read, so that no byte of the data is passed over. */
  struct lb_column all[N_MIXED];
  memcpy(all, mixed, sizeof all);
  all[2].read = true;
  struct lb_column paged[] = {{"a", "float64", 1, true},
                              {"b", "int16", 3, true}};
  struct lb_parquet_options flat = options_of(NULL, 0, 4);
  struct lb_parquet_options columns = options_of(all, N_MIXED, 7);
  struct lb_parquet_options pages = options_of(paged, 2, 150000);
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
    check_verify(x, codecs[i], &flat, 10, true);
    check_verify(x, codecs[i], &columns, 20, true);
  }
  check_verify(x, "none", &pages, 160000, false);
  check_verify(x, "snappy", &pages, 160000, false);
}

/* A page that claims to become more than its values: never expanded. */
static void test_bomb(struct fixture *x)
{
  struct lb_parquet_options o = options_of(mixed, 1, 1024);
  struct lb_format_params p = params_of(&o, 100, "gzip");
  struct lb_file f;
  struct rig rig;
  struct lb_err err;
  if (!make(x, &p, &f, &rig))
    return;
  unsigned char *bytes = (unsigned char *)rig.bytes;
  is_int(bytes[7] << 8 | bytes[8], 0xa006 - 0x0000, "400 bytes are claimed");
  bytes[8] = 0x7f; /* two bytes of a varint: 8144 / 2 + ... */
  ok(rig_read(&rig, &p, &f, true, &err) < 0 && strstr(err.msg, "claims to"),
     "a bomb: %s", err.msg);
  unmake(&rig);
}

/* ---- refusals and damage ---- */

static void refused(const struct lb_parquet_options *o, const char *codec,
                    const char *text)
{
  struct lb_format_params p = params_of(o, 10, codec);
  struct lb_err err = LB_ERR_INIT;
  ok(format->check(&p, &err) < 0 && strstr(err.msg, text), "refused: %s",
     err.msg);
}

static void test_refusals(void)
{
  struct lb_column v[2] = {{"a", "int8", 1, true}, {"b", "string", 1, true}};
  struct lb_parquet_options o = options_of(v, 2, 10);
  refused(&o, "none", "'string'");
  snprintf(v[1].dtype, sizeof v[1].dtype, "int8");
  snprintf(v[1].name, sizeof v[1].name, "a");
  refused(&o, "none", "twice");
  o.columns.n = 1;
  refused(&o, "xz", "'xz'");
  snprintf(o.read_mode, sizeof o.read_mode, "table");
  refused(&o, "none", "read_mode");
  snprintf(o.partition_by, sizeof o.partition_by, "a");
  refused(&o, "none", "partition_by");
  v[0].size = (int64_t)1 << 40;
  o = options_of(v, 1, 10);
  refused(&o, "none", "page");
}

/* A file read with a configuration that does not fit it. */
static void unfit(const struct rig *whole, const struct lb_file *f,
                  struct lb_column *v, int64_t n, int64_t rows,
                  const char *text)
{
  struct lb_parquet_options o = options_of(v, n, 7);
  struct lb_format_params p = params_of(&o, rows, "none");
  struct lb_err err = LB_ERR_INIT;
  struct lb_file g = *f;
  struct rig rig = *whole;
  g.samples = rows;
  g.sample_bytes = lb_parquet_row_bytes(&o, &err);
  ok(rig_read(&rig, &p, &g, false, &err) < 0 && strstr(err.msg, f->path) &&
         strstr(err.msg, text),
     "does not fit: %s", err.msg);
}

static void test_unfit(struct fixture *x)
{
  struct lb_parquet_options o = options_of(mixed, N_MIXED, 7);
  struct lb_format_params p = params_of(&o, 20, "none");
  struct lb_column v[2] = {{"a", "int8", 1, true}, {"g", "int8", 1, true}};
  struct lb_file f;
  struct rig rig;
  if (!make(x, &p, &f, &rig))
    return;
  unfit(&rig, &f, mixed, N_MIXED, 21,
        "20 rows, dataset.num_samples_per_file is 21");
  unfit(&rig, &f, v, 2, 20, "no column 'g'");
  snprintf(v[0].dtype, sizeof v[0].dtype, "float64");
  unfit(&rig, &f, v, 1, 20, "INT32, and DOUBLE");
  v[0] = (struct lb_column){"b", "float32", 3, true};
  unfit(&rig, &f, v, 1, 20, "14 values in 7 rows");
  unmake(&rig);
}

/* Each byte of the footer, and its length, with some other values: an error
 * or a read within the file. */
static void test_damage(struct fixture *x)
{
  static const unsigned char values[] = {0x00, 0x01, 0x19, 0x7f,
                                         0x80, 0xfc, 0xff};
  struct lb_parquet_options o = options_of(mixed, N_MIXED, 3);
  struct lb_format_params p = params_of(&o, 7, "none");
  struct lb_file f;
  struct rig rig;
  struct lb_err err;
  if (!make(x, &p, &f, &rig))
    return;
  unsigned char *bytes = (unsigned char *)rig.bytes;
  int short_reads = 0, unnamed = 0, failures = 0;
  size_t first = rig.n - 8 - bytes[rig.n - 8] - 256 * (size_t)bytes[rig.n - 7];
  for (size_t at = first; at < rig.n; at++)
    for (size_t i = 0; i < sizeof values; i++) {
      unsigned char was = bytes[at];
      bytes[at] = values[i];
      failures += rig_read(&rig, &p, &f, false, &err) < 0;
      short_reads += strstr(err.msg, "short read") != NULL;
      unnamed += err.code && !strstr(err.msg, f.path);
      bytes[at] = was;
    }
  ok(failures > 1000, "%d damaged footers are refused", failures);
  is_int(short_reads, 0, "nothing beyond the file's end is asked for");
  is_int(unnamed, 0, "all errors name the file");
  unmake(&rig);
}

/* A reader that has read the whole file judges a damaged one as a reader that
 * has not. */
static void test_known_footer(struct fixture *x)
{
  struct lb_parquet_options o = options_of(mixed, N_MIXED, 3);
  struct lb_format_params p = params_of(&o, 7, "none");
  struct lb_reader r;
  struct lb_file f;
  struct rig rig;
  struct lb_err err = LB_ERR_INIT, other;
  if (!make(x, &p, &f, &rig) ||
      !ok(lb_reader_init(&r, format, &p, &err) == 0, "a reader"))
    return;
  unsigned char *bytes = (unsigned char *)rig.bytes;
  size_t first = rig.n - 8 - bytes[rig.n - 8] - 256 * (size_t)bytes[rig.n - 7];
  int different = 0, refused_ones = 0;
  for (size_t at = first; at < rig.n; at++) {
    different += rig_read_by(&rig, &r, &f, false, &err) < 0;
    bytes[at] ^= 0x05;
    refused_ones += rig_read_by(&rig, &r, &f, false, &err) < 0;
    uint64_t reads = rig.reads;
    rig_read(&rig, &p, &f, false, &other);
    different += strcmp(err.msg, other.msg) != 0 || reads != rig.reads;
    bytes[at] ^= 0x05;
  }
  is_int(different, 0, "a known footer hides no other");
  ok(refused_ones > 100, "%d of them are refused", refused_ones);
  lb_reader_fini(&r);
  unmake(&rig);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  test_known_bytes(&x);
  test_sizes();
  test_cost(&x);
  test_other_groups(&x);
  test_other_order(&x);
  test_verify(&x);
  test_bomb(&x);
  test_refusals();
  test_unfit(&x);
  test_known_footer(&x);
  test_damage(&x);
  fixture_fini(&x);
  return done();
}
