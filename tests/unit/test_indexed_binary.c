/* SPDX-License-Identifier: GPL-3.0-or-later */
/* indexed_binary: the index files' bytes, what a reader asks for, indices made
 * by others and indices that are wrong. */
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

/* n little-endian integers. */
static void put_index(const char *ending, const uint64_t *entry, size_t n)
{
  char path[600];
  uint64_t bytes[64];
  for (size_t i = 0; i < n; i++)
    bytes[i] = htole64(entry[i]);
  snprintf(path, sizeof path, "%s%s", x.path, ending);
  fixture_spit(path, bytes, 8 * n);
}

static bool index_is(const char *ending, uint64_t first, uint64_t step,
                     size_t samples)
{
  char path[600];
  size_t n;
  snprintf(path, sizeof path, "%s%s", x.path, ending);
  unsigned char *bytes = fixture_slurp(path, &n);
  bool same = bytes && n == 8 * samples;
  for (size_t i = 0; same && i < samples; i++) {
    uint64_t entry;
    memcpy(&entry, bytes + 8 * i, sizeof entry);
    same = le64toh(entry) == first + i * step;
  }
  free(bytes);
  return same;
}

/* More entries than the scratch of the generation has room for. */
static void test_made(void)
{
  enum { SAMPLES = 20000 };
  struct lb_format_params p = fixture_params(SAMPLES);
  struct lb_file f = fixture_file(&x, "made", SAMPLES, 77);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file_sizes sizes = {0};
  fixture_make(format, &p, &f, &err);
  is_str(err.msg, "", "20000 samples are made");
  ok(index_is(".off.idx", 0, 77, SAMPLES), "offsets of all samples");
  ok(index_is(".sz.idx", 77, 0, SAMPLES), "sizes of all samples");
  lb_format_sizes(format, &p, &f, &sizes, &err);
  is_int(sizes.file_bytes, 77 * SAMPLES, "the file has samples only");
  is_int(sizes.beside_bytes, 2 * 8 * SAMPLES, "16 bytes of index a sample");
}

static void test_cost(void)
{
  struct lb_format_params p = fixture_params(100);
  struct lb_file f = fixture_file(&x, "cost", 100, 5000);
  struct lb_sample s = {.file = f, .in_file = 42};
  struct lb_err err = LB_ERR_INIT;
  struct cost first = {0}, second = {0}, again = {0};
  fixture_make(format, &p, &f, &err);
  p.request = 256; /* an index of 800 bytes in 4 requests */
  struct lb_reader r = fixture_reader(format, &p);
  fixture_read(&x, &r, &s, &first, &err);
  is_str(err.msg, "", "a sample is read");
  is_int(first.count[LB_OP_OPEN], 3, "the file and two indices");
  is_int(first.count[LB_OP_CLOSE], 2, "the file stays open");
  is_int(first.count[LB_OP_READ], 4 + 4 + 20, "requests");
  is_int(first.bytes[LB_OP_READ], 800 + 800 + 5000, "bytes");
  is_int(first.payload, 5000, "of these payload");
  s.in_file = 7;
  fixture_read(&x, &r, &s, &second, &err);
  is_int(second.stages, 1, "the next one is a read");
  is_int(second.bytes[LB_OP_READ], 5000, "... of the sample alone");
  is_int(second.count[LB_OP_OPEN], 0, "... that opens nothing");
  lb_reader_reset(&r);
  fixture_read(&x, &r, &s, &again, &err);
  is_int(again.count[LB_OP_OPEN], 3, "the next epoch begins anew");
  is_str(err.msg, "", "no error");
  fixture_end_reader(&x, &r);
}

/* What reading sample i asks for, by an index of others. */
static struct lb_err read_one(int64_t samples, int64_t i, struct cost *cost)
{
  struct lb_format_params p = fixture_params(samples);
  struct lb_file f = fixture_file(&x, "others", samples, 100);
  struct lb_sample s = {.file = f, .in_file = i};
  struct lb_err err = LB_ERR_INIT;
  *cost = (struct cost){0};
  struct lb_reader r = fixture_reader(format, &p);
  fixture_read(&x, &r, &s, cost, &err);
  fixture_end_reader(&x, &r);
  return err;
}

static void test_others(void)
{
  static char bytes[1000];
  struct cost c;
  fixture_file(&x, "others", 4, 100);
  fixture_spit(x.path, bytes, sizeof bytes);
  put_index(".off.idx", (uint64_t[]){0, 200, 400, 600}, 4);
  put_index(".sz.idx", (uint64_t[]){150, 150, 150, 150}, 4);
  is_str(read_one(4, 3, &c).msg, "", "samples with gaps between them");
  is_int(c.payload, 150, "... are as long as the index says");
  put_index(".off.idx", (uint64_t[]){0, 100, 0, 100}, 4);
  put_index(".sz.idx", (uint64_t[]){100, 100, 100, 300}, 4);
  is_str(read_one(4, 3, &c).msg, "", "offsets that begin again, other sizes");
  is_int(c.payload, 300, "... are read as the index says");
  is_int((read_one(4, 1, &c), c.payload), 100, "... each of them");
  put_index(".off.idx", (uint64_t[]){900}, 1);
  put_index(".sz.idx", (uint64_t[]){100}, 1);
  is_str(read_one(1, 0, &c).msg, "", "one sample, not at the beginning");
}

static void wrong(const char *what, const char *word, int64_t samples)
{
  struct cost c;
  struct lb_err err = read_one(samples, samples - 1, &c);
  ok(err.code && strstr(err.msg, word) && strstr(err.msg, "others"), "%s: %s",
     what, err.msg);
}

static void test_wrong(void)
{
  static char bytes[1000];
  fixture_file(&x, "others", 4, 100);
  fixture_spit(x.path, bytes, sizeof bytes);
  put_index(".off.idx", (uint64_t[]){0, 300, 600, 900}, 4);
  put_index(".sz.idx", (uint64_t[]){100, 100, 100, 100}, 4);
  wrong("an index of fewer samples", "an index of 5 samples", 5);
  put_index(".sz.idx", (uint64_t[]){100, 100, 100, 101}, 4);
  wrong("a sample beyond the end", "1001", 4);
  put_index(".sz.idx", (uint64_t[]){200, 200, 200, 200}, 4);
  wrong("samples beyond the end", "1100", 4);
  put_index(".sz.idx", (uint64_t[]){100, 100, 100, UINT64_MAX}, 4);
  wrong("a size that overflows", "18446744073709551615", 4);
  put_index(".sz.idx", (uint64_t[]){100}, 1);
  wrong("two indices of different lengths", ".sz.idx", 4);
  put_index(".off.idx", NULL, 0);
  wrong("an empty index", ".off.idx", 4);
  char path[600];
  snprintf(path, sizeof path, "%s.off.idx", x.path);
  remove(path);
  wrong("no index", "No such file", 4);
}

int main(void)
{
  format = lb_format_find("indexed_binary");
  if (!ok(fixture_init(&x) && format, "storage and format"))
    return done();
  test_made();
  test_cost();
  test_others();
  test_wrong();
  fixture_fini(&x);
  return done();
}
