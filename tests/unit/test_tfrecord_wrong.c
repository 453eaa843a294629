/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tfrecord: files that others made, files and indices that are wrong, and what
 * verification finds. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format_fixture.h"
#include "loadbank/content.h"
#include "loadbank/crc32c.h"
#include "tap.h"

static const struct lb_format *format;
static struct fixture x;

/* ---- files made here ---- */

struct bytes {
  unsigned char b[4096];
  size_t n;
};

static void put(struct bytes *to, const void *from, size_t n)
{
  memcpy(to->b + to->n, from, n);
  to->n += n;
}

static void put_u32(struct bytes *to, uint32_t v)
{
  unsigned char le[4] = {(unsigned char)v, (unsigned char)(v >> 8),
                         (unsigned char)(v >> 16), (unsigned char)(v >> 24)};
  put(to, le, sizeof le);
}

/* With right checksums. */
static void put_record(struct bytes *to, const void *data, size_t n)
{
  size_t at = to->n;
  put_u32(to, (uint32_t)n);
  put_u32(to, 0);
  put_u32(to, lb_crc32c_masked(lb_crc32c(0, to->b + at, 8)));
  put(to, data, n);
  put_u32(to, lb_crc32c_masked(lb_crc32c(0, data, n)));
}

/* The file of x.path, and its index; NULL: none. */
static void spit(const struct bytes *b, const char *index)
{
  struct lb_file f = {.path = x.path};
  char path[600];
  lb_format_sidecar(&format->sidecars[0], &f, path, sizeof path);
  fixture_spit(x.path, b->b, b->n);
  remove(path);
  if (index)
    fixture_spit(path, index, strlen(index));
}

/* ---- reading, and verifying as a loader would ---- */

static int compare(const struct lb_sample *s, const struct lb_io *io,
                   const unsigned char *bytes, struct lb_err *err)
{
  static unsigned char want[65536];
  size_t n = (size_t)io->content.length;
  lb_content_fill(10, s->file.set, s->file.index, io->content.at, want, n);
  if (!memcmp(bytes + io->content.skip, want, n))
    return 0;
  return lb_err_set(err, LB_FAILED, "%s: content differs", s->file.path);
}

/* One READ, request by request; all that it reads is compared. */
static int run_read(struct lb_reader *r, const struct lb_sample *s,
                    const struct lb_io *io, struct lb_err *err)
{
  static unsigned char all[65536];
  for (uint64_t at = 0; at < io->length;) {
    uint64_t n = io->length - at < io->request ? io->length - at : io->request;
    struct lb_io one = *io;
    one.offset += at;
    one.length = n;
    one.buf = (io->buf ? (unsigned char *)io->buf : all) + at;
    if (lb_storage_op(x.storage, &one, r->fd, &x.thread, err) < 0 ||
        format->inspect(r, s, io, at, one.buf, (size_t)n, err) < 0)
      return -err->code;
    if (io->buf)
      memcpy(all + at, one.buf, (size_t)n);
    at += n;
  }
  return compare(s, io, all, err);
}

static int read_verified(struct lb_reader *r, const struct lb_sample *s,
                         struct lb_err *err)
{
  struct lb_iolist list;
  lb_iolist_init(&list);
  int rc = 1;
  for (int stage = 0; rc > 0; stage++) {
    lb_iolist_clear(&list);
    rc = format->plan(r, s, stage, &list, err);
    for (size_t i = 0; rc > 0 && i < list.n; i++) {
      struct lb_io *io = &list.v[i];
      int bad = io->op == LB_OP_READ && io->slot == 0
                    ? run_read(r, s, io, err)
                    : lb_storage_op(x.storage, io, r->fd, &x.thread, err);
      rc = bad < 0 ? bad : rc;
    }
    if (rc > 0 && format->parse(r, s, stage, &list, err) < 0)
      rc = -err->code;
  }
  lb_iolist_fini(&list);
  return rc;
}

enum way { ANYWHERE, IN_ORDER, VERIFIED = 2 };

/* All samples of x.path, one after the other. */
static struct lb_err read_all(int64_t samples, int64_t bytes, unsigned way,
                              uint32_t request, uint64_t *payload)
{
  struct lb_format_params p = fixture_params(samples);
  struct lb_err err = LB_ERR_INIT;
  struct cost c = {.stages = 0};
  struct lb_reader r;
  struct lb_sample s = {
      .file = {.samples = samples, .sample_bytes = bytes, .path = x.path},
      .verify = way & VERIFIED};
  p.in_order = way & IN_ORDER;
  p.request = request;
  lb_reader_init(&r, format, &p, &err);
  for (; !err.code && s.in_file < samples; s.in_file++)
    if (s.verify)
      read_verified(&r, &s, &err);
    else
      fixture_read(&x, &r, &s, &c, &err);
  if (payload)
    *payload = r.sample_bytes_seen;
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
  return err;
}

/* ---- verification ---- */

static void flip(int fd, const unsigned char *whole, size_t at, int mask)
{
  unsigned char byte = (unsigned char)(whole[at] ^ mask);
  if (pwrite(fd, &byte, 1, (off_t)at) != 1)
    ok(false, "a byte is written");
}

/* Every byte of a file matters, in any way of reading it. */
static void test_verify(void)
{
  static const uint32_t requests[] = {7, 64, 4096};
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(&x, "verified", 3, 60);
  struct lb_err err = LB_ERR_INIT;
  size_t n;
  fixture_make(format, &p, &f, &err);
  unsigned char *whole = fixture_slurp(f.path, &n);
  int fd = open(f.path, O_RDWR);
  for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
    for (unsigned way = VERIFIED; way <= (VERIFIED | IN_ORDER); way++) {
      int unseen = 0, unnamed = 0;
      is_str(read_all(3, 60, way, requests[k], NULL).msg, "",
             "verified%s, requests of %" PRIu32,
             way & IN_ORDER ? " in order" : "", requests[k]);
      for (size_t at = 0; at < n; at++) {
        flip(fd, whole, at, 0x10);
        err = read_all(3, 60, way, requests[k], NULL);
        flip(fd, whole, at, 0);
        unseen += !err.code;
        unnamed += !strstr(err.msg, f.path);
      }
      is_int(unseen, 0, "... every byte that is flipped is found");
      is_int(unnamed, 0, "... and the file named");
    }
  close(fd);
  free(whole);
}

static void says(unsigned way, const char *word, const char *other)
{
  struct lb_err err = read_all(3, 130, way, 4096, NULL);
  ok(strstr(err.msg, word) && strstr(err.msg, other), "says '%s', '%s': %s",
     word, other, err.msg);
}

static void test_verify_words(void)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(&x, "verified", 3, 130);
  struct lb_err err = LB_ERR_INIT;
  struct bytes b = {.n = 0};
  size_t n;
  fixture_make(format, &p, &f, &err);
  unsigned char *whole = fixture_slurp(f.path, &n);
  put(&b, whole, n);
  b.b[10] ^= 1;
  fixture_spit(x.path, b.b, n);
  says(VERIFIED, "checksum of its length", "record 0 at 0");
  says(VERIFIED | IN_ORDER, "checksum of its length", "record 0 at 0");
  is_str(read_all(3, 130, IN_ORDER, 4096, NULL).msg, "",
         "... but only when it is verified");
  b.b[10] ^= 1;
  b.b[n - 1] ^= 1;
  fixture_spit(x.path, b.b, n);
  says(VERIFIED, "checksum of its data", "record 2 at ");
  says(VERIFIED | IN_ORDER, "checksum of its data", "record 2 at ");
  b.b[n - 1] ^= 1;
  b.b[n / 3 + 100] ^= 1;
  fixture_spit(x.path, b.b, n);
  says(VERIFIED | IN_ORDER, "sample 1: byte 284 ", "damaged (1 of the ");
  p.content_seed = 11;
  fixture_make(format, &p, &f, &err);
  free(whole);
  whole = fixture_slurp(f.path, &n);
  fixture_spit(x.path, whole, n);
  says(VERIFIED | IN_ORDER, "sample 0: byte ", "another dataset.seed");
  free(whole);
}

/* ---- made by others ---- */

/* Examples of 3 to 5 bytes of image: the size first, as a map that is not
 * sorted may have it; the side of a square as the size; a label before. */
static void test_others(void)
{
  static const char size_first[] = "\x0a\x22\x0a\x0d\x0a\x04size\x12\x05\x1a"
                                   "\x03\x0a\x01\x02\x0a\x11\x0a\x05image\x12"
                                   "\x08\x0a\x06\x0a\x04"
                                   "abcd";
  static const char with_label[] = "\x0a\x23\x0a\x0e\x0a\x05label\x12\x05\x1a"
                                   "\x03\x0a\x01\x07\x0a\x11\x0a\x05"
                                   "image\x12\x08\x0a\x06\x0a\x04"
                                   "wxyz";
  struct bytes b = {.n = 0};
  uint64_t payload;
  fixture_file(&x, "others", 3, 4);
  put_record(&b, size_first, sizeof size_first - 1);
  put_record(&b, with_label, sizeof with_label - 1);
  put_record(&b, "no example", 10);
  for (unsigned way = ANYWHERE; way <= IN_ORDER; way++) {
    spit(&b, NULL);
    is_str(read_all(3, 4, way, 262144, &payload).msg, "",
           "%s: records of others, no index", way ? "in order" : "anywhere");
    is_int(payload, 4 + 4 + 10, "... images, or what is in their place");
    spit(&b, "0 52\n52 53\n105 26\n");
    is_str(read_all(3, 4, way, 262144, &payload).msg, "", "... an index");
    is_int(payload, 4 + 4 + 10, "... the same");
    is_str(read_all(3, 4, way, 3, &payload).msg, "", "... small requests");
  }
  spit(&b, "0 52\n52 53\n105 26");
  is_str(read_all(3, 4, ANYWHERE, 64, NULL).msg, "",
         "an index whose last line does not end");
}

/* ---- wrong ---- */

static void wrong(unsigned way, int64_t samples, const char *word,
                  const char *what)
{
  struct lb_err err = read_all(samples, 10, way, 64, NULL);
  ok(err.code && strstr(err.msg, word) && strstr(err.msg, "wrong"), "%s: %s",
     what, err.msg);
}

static void test_wrong_index(void)
{
  static const struct {
    const char *index, *word, *what;
  } rows[] = {
      {"", "0 records", "an empty index"},
      {"0 26\n26 26\n", "2 records", "too few lines"},
      {"0 26\n26 26\n52 26\n78 26\n", "more than 3", "too many lines"},
      {"0 26\n26 27\n53 25\n", "record 1 at 26 has 10", "a wrong length"},
      {"0 26\n25 26\n52 26\n", "record 1 at 25", "a wrong offset"},
      {"0 26\n26 26\n52 27\n", "and the file has 78", "beyond the end"},
      {"0 26\n26 26\n4000000000000000000 27\n", "has 78", "far beyond it"},
      {"0 26\n26 26\n99999999999999999999 1\n", "line 3", "no such number"},
      {"0 26\n26 26\n52 15\n", "15 bytes", "too short for a record"},
      {"0 26\n\n26 26\n", "line 2", "an empty line"},
      {"0 26\n26 x\n", "line 2", "a letter"},
      {"0 26\n26\n52 26\n", "line 2", "one number"},
      {"0 26\n26 26\n52 ", "line 3", "cut in a line"},
      {"0 26 5\n", "line 1", "three numbers"},
      {"0  26\n", "line 1", "two spaces"},
  };
  struct bytes b = {.n = 0};
  fixture_file(&x, "wrong", 3, 10);
  for (int i = 0; i < 3; i++)
    put_record(&b, "0123456789", 10);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    spit(&b, rows[i].index);
    wrong(ANYWHERE, 3, rows[i].word, rows[i].what);
  }
}

static void test_wrong_file(void)
{
  struct bytes good = {.n = 0}, b;
  fixture_file(&x, "wrong", 3, 10);
  for (int i = 0; i < 3; i++)
    put_record(&good, "0123456789", 10);
  for (unsigned way = ANYWHERE; way <= IN_ORDER; way++) {
    b = good;
    spit(&b, NULL);
    wrong(way, 4, "holds 3 records", "fewer records");
    wrong(way, 2, "more than 2", "more records");
    memset(b.b + 26, 0xff, 8);
    spit(&b, NULL);
    wrong(way, 3, "18446744073709551615", "the longest length");
    memset(b.b + 26, 0, 8);
    b.b[26] = 11;
    spit(&b, NULL);
    wrong(way, 3, "record 2 at 53", "a length that is one more");
    b.b[26] = 37;
    spit(&b, NULL);
    wrong(way, 3, "record 1 at 26", "a length beyond the end");
    b = good;
    for (b.n = 1; b.n < good.n; b.n++) {
      spit(&b, NULL);
      struct lb_err err = read_all(3, 10, way, 64, NULL);
      if (!err.code || !strstr(err.msg, "wrong"))
        ok(false, "cut at %zu: %s", b.n, err.msg);
    }
    ok(true, "every cut is an error");
  }
  spit(&good, NULL);
  wrong(ANYWHERE, 1, "by the file's size", "one record was expected");
}

int main(void)
{
  format = lb_format_find("tfrecord");
  if (!ok(fixture_init(&x) && format, "storage and format"))
    return done();
  test_verify();
  test_verify_words();
  test_others();
  test_wrong_index();
  test_wrong_file();
  fixture_fini(&x);
  return done();
}
