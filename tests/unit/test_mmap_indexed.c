/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mmap_indexed_binary: which pages a reader asks for, and indices that are
 * wrong.  The files are those of indexed_binary, see its test. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_fixture.h"
#include "tap.h"

static const struct lb_format *format;
static struct fixture x;

static void test_same_files(void)
{
  const struct lb_format *other = lb_format_find("indexed_binary");
  struct lb_format_params p = fixture_params(70);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file f = fixture_file(&x, "same", 70, 3001);
  size_t n[2];
  fixture_make(format, &p, &f, &err);
  unsigned char *a = fixture_slurp(f.path, &n[0]);
  fixture_make(other, &p, &f, &err);
  unsigned char *b = fixture_slurp(f.path, &n[1]);
  ok(a && b && n[0] == n[1] && !memcmp(a, b, n[0]),
     "the files are those of indexed_binary");
  free(a);
  free(b);
}

/* What sample i of 1200 samples of 5000 bytes asks for. */
static void sample_asks(struct lb_reader *r, const struct lb_file *f, int64_t i,
                        uint64_t opens, uint64_t pages, uint64_t bytes)
{
  struct lb_sample s = {.file = *f, .in_file = i};
  struct lb_err err = LB_ERR_INIT;
  struct cost c = {.stages = 0};
  fixture_read(&x, r, &s, &c, &err);
  is_str(err.msg, "", "sample %d is read", (int)i);
  is_int(c.count[LB_OP_OPEN], opens, "sample %d: files opened", (int)i);
  is_int(c.count[LB_OP_READ], pages, "sample %d: requests", (int)i);
  is_int(c.bytes[LB_OP_READ], bytes, "sample %d: bytes", (int)i);
  is_int(c.payload, 5000, "sample %d: payload", (int)i);
  is_int(c.count[LB_OP_CLOSE], 0, "sample %d: all stays open", (int)i);
}

static void test_pages(void)
{
  struct lb_format_params p = fixture_params(1200);
  struct lb_file f = fixture_file(&x, "pages", 1200, 5000);
  struct lb_err err = LB_ERR_INIT;
  struct lb_reader r;
  fixture_make(format, &p, &f, &err);
  is_str(err.msg, "", "1200 samples are made");
  lb_reader_init(&r, format, &p, &err);
  /* 0..5000: two pages of data; a page of each index */
  sample_asks(&r, &f, 0, 3, 3, 2 * 4096 + 2 * 4096);
  /* 15000..20000: bytes 12288..20480, the same page of the indices */
  sample_asks(&r, &f, 3, 0, 1, 2 * 4096);
  /* 2560000..2565000: entry 512 is on the next page */
  sample_asks(&r, &f, 512, 0, 3, 2 * 4096 + 2 * 4096);
  /* 5995000..6000000: to the end of the file, as of the index: 1408 bytes */
  sample_asks(&r, &f, 1199, 0, 3, 2 * 1408 + 6000000 - 5992448);
  sample_asks(&r, &f, 1, 0, 3, 2 * 4096 + 2 * 4096);
  lb_reader_reset(&r);
  sample_asks(&r, &f, 1, 3, 3, 2 * 4096 + 2 * 4096);
  fixture_end_reader(&x, &r);
}

/* Requests are what the kernel reads ahead at most. */
static void test_requests(void)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_file f = fixture_file(&x, "large", 1, 1 << 20);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  fixture_make(format, &p, &f, &err);
  p.request = 1 << 20;
  fixture_read_once(&x, format, &p, &f, &c, &err);
  is_str(err.msg, "", "1 MiB is read");
  is_int(c.count[LB_OP_READ], 2 + 8, "in requests of 128 KiB");
}

static struct lb_err read_with(const uint64_t *offset, const uint64_t *bytes,
                               size_t entries, int64_t i)
{
  static const char *const endings[] = {".off.idx", ".sz.idx"};
  static char data[1000];
  struct lb_format_params p = fixture_params(4);
  struct lb_file f = fixture_file(&x, "others", 4, 100);
  struct lb_sample s = {.file = f, .in_file = i};
  struct lb_err err = LB_ERR_INIT;
  struct cost c = {.stages = 0};
  struct lb_reader r;
  fixture_spit(f.path, data, sizeof data);
  for (int k = 0; k < 2; k++) {
    char path[600];
    uint64_t words[8];
    for (size_t e = 0; e < entries; e++)
      words[e] = htole64((k ? bytes : offset)[e]);
    snprintf(path, sizeof path, "%s%s", f.path, endings[k]);
    fixture_spit(path, words, 8 * entries);
  }
  lb_reader_init(&r, format, &p, &err);
  fixture_read(&x, &r, &s, &c, &err);
  fixture_end_reader(&x, &r);
  return err;
}

#define U64(...) ((const uint64_t[]){__VA_ARGS__})
static void test_others(void)
{
  is_str(read_with(U64(900, 0, 10, 20), U64(100, 1, 2, 3), 4, 0).msg, "",
         "any order, any size");
  struct lb_err e = read_with(U64(901, 0, 10, 20), U64(100, 1, 2, 3), 4, 0);
  ok(strstr(e.msg, "1001") && strstr(e.msg, "others"), "beyond the end: %s",
     e.msg);
  e = read_with(U64(0, 0, 0, 0), U64(1, 1, 1, UINT64_MAX), 4, 3);
  ok(strstr(e.msg, "18446744073709551615") && strstr(e.msg, ".sz.idx"),
     "a size that overflows: %s", e.msg);
  is_str(read_with(U64(0, 0, 0, 0), U64(1, 1, 1, UINT64_MAX), 4, 2).msg, "",
         "which another sample does not see");
  e = read_with(U64(0, 0, 0), U64(1, 1, 1), 3, 0);
  ok(strstr(e.msg, ".off.idx") && strstr(e.msg, "24"), "a short index: %s",
     e.msg);
}

static void test_direct(void)
{
  struct lb_format_params p = fixture_params(4);
  struct lb_err err = LB_ERR_INIT;
  p.open_flags = LB_IO_DIRECT;
  format->check(&p, &err);
  ok(strstr(err.msg, "O_DIRECT"), "O_DIRECT is refused: %s", err.msg);
}

int main(void)
{
  format = lb_format_find("mmap_indexed_binary");
  if (!ok(fixture_init(&x) && format, "storage and format"))
    return done();
  test_same_files();
  test_pages();
  test_requests();
  test_others();
  test_direct();
  fixture_fini(&x);
  return done();
}
