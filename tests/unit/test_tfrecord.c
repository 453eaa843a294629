/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tfrecord: the bytes of files and indices, and what readers ask for: in order
 * and by the index, of storage that has bytes and of one that has none. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_fixture.h"
#include "loadbank/dataset.h"
#include "loadbank/rng.h"
#include "tap.h"

static const struct lb_format *format;
static struct fixture x;

static void index_path(const struct lb_file *f, char *path, size_t size)
{
  lb_format_sidecar(&format->sidecars[0], f, path, size);
}

/* ---- bytes ---- */

/* Two samples of 10 bytes, by Python's protobuf and a CRC-32C of bits. */
static const unsigned char two[] = {
    0x2a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xae, 0x8d, 0x91, 0xf5,
    0x0a, 0x28, 0x0a, 0x17, 0x0a, 0x05, 0x69, 0x6d, 0x61, 0x67, 0x65, 0x12,
    0x0e, 0x0a, 0x0c, 0x0a, 0x0a, 0x79, 0xc6, 0x87, 0xee, 0x80, 0x84, 0x13,
    0x73, 0xee, 0xe7, 0x0a, 0x0d, 0x0a, 0x04, 0x73, 0x69, 0x7a, 0x65, 0x12,
    0x05, 0x1a, 0x03, 0x0a, 0x01, 0x0a, 0xbf, 0x18, 0x02, 0x51, 0x2a, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xae, 0x8d, 0x91, 0xf5, 0x0a, 0x28,
    0x0a, 0x17, 0x0a, 0x05, 0x69, 0x6d, 0x61, 0x67, 0x65, 0x12, 0x0e, 0x0a,
    0x0c, 0x0a, 0x0a, 0xe9, 0x3c, 0xe1, 0x7e, 0x69, 0xf4, 0x37, 0xec, 0xc8,
    0x1d, 0x0a, 0x0d, 0x0a, 0x04, 0x73, 0x69, 0x7a, 0x65, 0x12, 0x05, 0x1a,
    0x03, 0x0a, 0x01, 0x0a, 0x43, 0x1d, 0xbc, 0x46};

static void test_bytes(void)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(&x, "two", 2, 10);
  struct lb_err err = LB_ERR_INIT;
  char path[600];
  size_t n, n_index;
  fixture_make(format, &p, &f, &err);
  index_path(&f, path, sizeof path);
  unsigned char *bytes = fixture_slurp(f.path, &n);
  unsigned char *index = fixture_slurp(path, &n_index);
  ok(bytes && n == sizeof two && !memcmp(bytes, two, n),
     "a file is what TensorFlow would write");
  ok(index && n_index == 11 && !memcmp(index, "0 58\n58 58\n", 11),
     "and its index what DLIO would");
  free(bytes);
  free(index);
}

/* Lengths of lengths change at these sizes; records as Python has them. */
static void test_sizes(void)
{
  static const struct {
    int64_t sample;
    uint64_t record;
  } rows[] = {{1, 49},    {127, 179},     {128, 182},
              {300, 354}, {16383, 16441}, {16384, 16444}};
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_file f = {.samples = 1, .sample_bytes = rows[i].sample};
    struct lb_file_sizes sizes = {0};
    format->sizes(&p, &f, &sizes, &err);
    is_int(sizes.file_bytes, rows[i].record, "a record of %" PRId64 " bytes",
           rows[i].sample);
  }
  struct lb_file huge = {.samples = INT64_MAX / 64, .sample_bytes = 30};
  struct lb_file_sizes sizes;
  ok(format->sizes(&p, &huge, &sizes, &err) < 0 && strstr(err.msg, "2^62"),
     "a file beyond 2^62 bytes: %s", err.msg);
}

/* The closed form of an index's size, and an index longer than the scratch of
 * the generation. */
static void test_index(void)
{
  static const int64_t counts[] = {1, 2, 10, 11, 200, 201, 2001, 20000};
  struct lb_err err = LB_ERR_INIT;
  int wrong = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int64_t bytes = 1; bytes < 60; bytes += 58) {
      struct lb_format_params p = fixture_params(counts[i]);
      struct lb_file f = fixture_file(&x, "counts", counts[i], bytes);
      struct lb_file_sizes sizes = {0};
      char path[600];
      size_t n;
      fixture_make(format, &p, &f, &err);
      lb_format_sizes(format, &p, &f, &sizes, &err);
      index_path(&f, path, sizeof path);
      free(fixture_slurp(path, &n));
      wrong += n != sizes.beside_bytes;
    }
  is_int(wrong, 0, "sizes of indices are known before");
  is_str(err.msg, "", "... which are made");
}

/* The layout, which the generation goes by, and a path alone say the same. */
static void test_paths(void)
{
  struct lb_layout l = {.root = "/data/train",
                        .prefix = "img",
                        .extension = "tfrecord",
                        .n_files = {20, 20},
                        .n_used = {20, 20}};
  for (int set = 0; set < LB_N_SETS; set++)
    for (l.n_folders[set] = 0; l.n_folders[set] < 5; l.n_folders[set] += 4) {
      char path[PATH_MAX], want[PATH_MAX] = "", got[PATH_MAX] = "";
      struct lb_file f = {.set = set, .path = path};
      lb_layout_path(&l, set, 7, path, sizeof path);
      lb_layout_sidecar(&l, set, 7, &format->sidecars[0], want, sizeof want);
      int n = lb_format_sidecar(&format->sidecars[0], &f, got, sizeof got);
      is_str(got, want, "the index of %s", path);
      is_int(n, strlen(want), "... and how long it is");
      is_int(lb_format_sidecar(&format->sidecars[0], &f, got, (size_t)n), -1,
             "... which must fit");
    }
}

/* ---- costs ---- */

enum { SAMPLES = 23 };

/* What reading the sample costs by the lists, which nobody runs. */
static void plan_only(struct lb_reader *r, const struct lb_sample *s,
                      struct cost *c, struct lb_err *err)
{
  struct lb_iolist list;
  int more = 1;
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = format->plan(r, s, stage, &list, err);
    c->stages += more > 0;
    c->payload += list.payload_bytes;
    lb_iolist_cost(&list, c->count, c->bytes);
  }
  lb_iolist_fini(&list);
}

/* All samples one after the other: the file is read once, whatever the size of
 * requests and however they cut headers. */
static void test_in_order(void)
{
  static const uint32_t requests[] = {1, 5, 12, 13, 64, 997, 4096, 262144};
  struct lb_format_params p = fixture_params(SAMPLES);
  struct lb_file f = fixture_file(&x, "order", SAMPLES, 700);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file_sizes sizes = {0};
  p.in_order = true;
  fixture_make(format, &p, &f, &err);
  format->sizes(&p, &f, &sizes, &err);
  for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
    struct cost c = {.stages = 0};
    int wrong = 0;
    p.request = requests[k];
    struct lb_reader r = fixture_reader(format, &p);
    for (int64_t i = 0; i < SAMPLES; i++) {
      struct lb_sample s = {.file = f, .in_file = i};
      fixture_read(&x, &r, &s, &c, &err);
      wrong += c.payload != 700 * (uint64_t)(i + 1);
      wrong += c.count[LB_OP_CLOSE] != (i == SAMPLES - 1);
    }
    is_str(err.msg, "", "requests of %" PRIu32, p.request);
    is_int(wrong, 0, "... payload of each sample, closed behind the last");
    is_int(c.bytes[LB_OP_READ], sizes.file_bytes, "... bytes of the file");
    is_int(c.count[LB_OP_READ], (sizes.file_bytes - 1) / p.request + 1,
           "... requests");
    is_int(c.count[LB_OP_OPEN], 1, "... one open, no index");
    is_int(r.sample_bytes_seen, 700 * SAMPLES, "... sizes were met");
    fixture_end_reader(&x, &r);
  }
}

/* The same samples with bytes and without ask for the same. */
static void same_plans(bool in_order, bool jumps, uint32_t request)
{
  struct lb_format_params p = fixture_params(SAMPLES), q;
  struct lb_err err = LB_ERR_INIT;
  struct lb_rng rng = lb_rng_stream(request, LB_RNG_CONTENT, 1, in_order);
  struct lb_file f[2] = {fixture_file(&x, "order", SAMPLES, 700)};
  char path[sizeof x.path];
  memcpy(path, x.path, sizeof path);
  f[0].path = path;
  f[1] = fixture_file(&x, "other", SAMPLES, 5003);
  f[1].index = 1;
  p.n_files[LB_SET_TRAIN] = 2;
  p.in_order = in_order;
  p.request = request;
  q = p;
  q.has_bytes = false;
  for (int i = 0; i < 2; i++)
    fixture_make(format, &p, &f[i], &err);
  struct lb_reader r = fixture_reader(format, &p),
                   v = fixture_reader(format, &q);
  int wrong = 0;
  for (int64_t i = 0; i < 3 * SAMPLES; i++) {
    int64_t draw = (int64_t)(lb_rng_u64(&rng) >> 1);
    bool jump = jumps && (!in_order || draw % 4 == 0);
    struct lb_sample s = {.file = f[(jump ? draw / 256 : i / SAMPLES) % 2],
                          .in_file = (jump ? draw / 512 : i) % SAMPLES};
    struct cost with = {.stages = 0}, without = {.stages = 0};
    fixture_read(&x, &r, &s, &with, &err);
    plan_only(&v, &s, &without, &err);
    wrong += memcmp(&with, &without, sizeof with) != 0;
    wrong += with.payload != (uint64_t)s.file.sample_bytes;
  }
  is_str(err.msg, "", "%s%s, requests of %" PRIu32,
         in_order ? "in order" : "anywhere", jumps ? " with jumps" : "",
         request);
  is_int(wrong, 0, "... a virtual backend is asked the same");
  fixture_end_reader(&x, &r);
  fixture_end_reader(&x, &v);
}

static void test_same_plans(void)
{
  for (int way = 0; way < 3; way++)
    for (uint32_t request = 7; request < 1000000; request *= 11)
      same_plans(way<2, way> 0, request);
}

/* By the index: that is read once, and then each record by itself. */
static void test_anywhere(void)
{
  struct lb_format_params p = fixture_params(SAMPLES);
  struct lb_file f = fixture_file(&x, "order", SAMPLES, 700);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file_sizes sizes = {0};
  struct cost first = {0}, second = {0}, again = {0};
  struct lb_sample s = {.file = f, .in_file = 17};
  p.request = 256;
  fixture_make(format, &p, &f, &err);
  lb_format_sizes(format, &p, &f, &sizes, &err);
  uint64_t record = sizes.file_bytes / SAMPLES;
  struct lb_reader r = fixture_reader(format, &p);
  fixture_read(&x, &r, &s, &first, &err);
  is_int(first.count[LB_OP_OPEN], 2, "the file and its index are opened");
  is_int(first.count[LB_OP_CLOSE], 1, "the file stays open");
  is_int(first.bytes[LB_OP_READ], sizes.beside_bytes + record,
         "all of the index and the record are read");
  s.in_file = 18;
  fixture_read(&x, &r, &s, &second, &err);
  is_int(second.stages, 1, "the next record is one list");
  is_int(second.bytes[LB_OP_READ], record, "... of its bytes");
  is_int(second.count[LB_OP_READ], 3, "... in requests");
  lb_reader_reset(&r);
  fixture_read(&x, &r, &s, &again, &err);
  is_int(again.count[LB_OP_OPEN], 2, "the next epoch begins anew");
  is_str(err.msg, "", "no error");
  fixture_end_reader(&x, &r);
}

/* A reader that begins in the middle of a file. */
static void test_jump(void)
{
  struct lb_format_params p = fixture_params(2000);
  struct lb_file f = fixture_file(&x, "jump", 2000, 700);
  struct lb_err err = LB_ERR_INIT;
  struct cost first = {0}, second = {0};
  struct lb_sample s = {.file = f, .in_file = 40};
  char path[600];
  p.in_order = true;
  p.request = 4096;
  fixture_make(format, &p, &f, &err);
  struct lb_reader r = fixture_reader(format, &p);
  fixture_read(&x, &r, &s, &first, &err);
  is_int(first.bytes[LB_OP_READ], 2 * 4096,
         "of the index no more is read than is needed");
  s.in_file = 41;
  fixture_read(&x, &r, &s, &second, &err);
  is_int(second.stages, 0, "the next record is in the buffer");
  is_int(second.payload, 700, "... and counts");
  fixture_end_reader(&x, &r);
  index_path(&f, path, sizeof path);
  remove(path);
  first = (struct cost){0};
  s.in_file = 40;
  r = fixture_reader(format, &p);
  fixture_read(&x, &r, &s, &first, &err);
  ok(first.bytes[LB_OP_READ] > 40 * 700 && first.bytes[LB_OP_READ] < 50 * 700,
     "without an index it reads up to there");
  fixture_end_reader(&x, &r);
  p.in_order = false;
  r = fixture_reader(format, &p);
  first = second = (struct cost){0};
  fixture_read(&x, &r, &s, &first, &err);
  s.in_file = 1999;
  fixture_read(&x, &r, &s, &second, &err);
  ok(first.bytes[LB_OP_READ] > 1000 * 700,
     "one that reads anywhere goes through the file once, but for what lies "
     "between headers");
  ok(second.bytes[LB_OP_READ] < 800, "... and then knows where records are");
  is_str(err.msg, "", "no error");
  fixture_end_reader(&x, &r);
}

int main(void)
{
  format = lb_format_find("tfrecord");
  if (!ok(fixture_init(&x) && format, "storage and format"))
    return done();
  test_bytes();
  test_sizes();
  test_index();
  test_paths();
  test_in_order();
  test_same_plans();
  test_anywhere();
  test_jump();
  fixture_fini(&x);
  return done();
}
