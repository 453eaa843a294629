/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jpeg and png: known bytes and sizes, what a reader asks for, decoding,
 * comparing, and images that are damaged or claim too much. */
#include "lb-config.h"

#include "loadbank/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format_fixture.h"
#include "loadbank/content.h"
#include "tap.h"

static struct fixture x;

static struct lb_file make(const struct lb_format *f,
                           const struct lb_format_params *p, int64_t bytes,
                           struct lb_err *err)
{
  struct lb_file file = fixture_file(&x, f->name, 1, bytes);
  fixture_make(f, p, &file, err);
  return file;
}

static unsigned char *made(const struct lb_format *f, int64_t bytes, size_t *n)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file file = make(f, &p, bytes, &err);
  is_str(err.msg, "", "%s of %lld bytes is made", f->name, (long long)bytes);
  return fixture_slurp(file.path, n);
}

/* ---- jpeg ---- */

/* The same as the generator does, but bit by bit and block by block: each
 * block has a DC value within the range and nine others, and they end exactly
 * where the file does. */
struct bits {
  const unsigned char *v;
  size_t at, end;
};

static unsigned next_bit(struct bits *b)
{
  unsigned bit = b->at < b->end ? b->v[b->at / 8] >> (7 - b->at % 8) & 1 : 0;
  b->at++;
  return bit;
}

/* One code and its value: the code of category s is 7 - s ones and a zero. */
static int next_value(struct bits *b)
{
  int ones = 0, v = 0;
  while (ones < 7 && next_bit(b))
    ones++;
  int s = 7 - ones;
  for (int i = 0; i < s; i++)
    v = 2 * v + (int)next_bit(b);
  return s && v < 1 << (s - 1) ? v - (1 << s) + 1 : v;
}

static bool scan_is_good(const unsigned char *v, size_t n, uint64_t blocks)
{
  struct bits b = {.v = v, .end = 8 * n};
  int dc = 0;
  for (uint64_t i = 0; i < blocks; i++) {
    int by = next_value(&b);
    dc += by;
    if (by == 0 || dc > 1023 || dc < -1023)
      return false;
    for (int k = 7; k < 64; k += 7)
      if (next_value(&b) == 0)
        return false;
  }
  return b.at == b.end;
}

/* Offset of a marker's first byte, from `at' on; segments are skipped. */
static size_t find_marker(const unsigned char *v, size_t n, unsigned marker)
{
  size_t at = 2;
  while (at + 4 < n && v[at + 1] != marker)
    at += 2 + (size_t)(v[at + 2] << 8 | v[at + 3]);
  return at;
}

static void test_jpeg_bytes(const struct lb_format *f, int64_t bytes)
{
  size_t n;
  unsigned char *v = made(f, bytes, &n);
  is_int(n, bytes, "jpeg %lld: exactly as long", (long long)bytes);
  size_t frame = find_marker(v, n, 0xc0), scan = find_marker(v, n, 0xda) + 10;
  unsigned rows = v[frame + 5] << 8 | v[frame + 6];
  unsigned columns = v[frame + 7] << 8 | v[frame + 8];
  uint64_t blocks = (uint64_t)(rows / 8) * (columns / 8);
  is_int(n - scan - 2, 10 * blocks, "jpeg %lld: 10 bytes a block",
         (long long)bytes);
  ok(rows % 8 == 0 && columns % 8 == 0 && (columns <= 2 * rows || rows < 64),
     "jpeg %lld: %u x %u pixels", (long long)bytes, columns, rows);
  ok(scan_is_good(v + scan, n - scan - 2, blocks),
     "jpeg %lld: every code is in the table, every DC value in range",
     (long long)bytes);
  ok(!memchr(v + scan, 0xff, n - scan - 2), "jpeg %lld: no marker in the scan",
     (long long)bytes);
  ok(v[n - 2] == 0xff && v[n - 1] == 0xd9, "jpeg %lld: ends", (long long)bytes);
  free(v);
}

/* Content but for the bytes that are replaced, and the signs of DC values. */
static void test_jpeg_content(const struct lb_format *f)
{
  enum { BYTES = 100000 };
  unsigned char *want = malloc(BYTES);
  size_t n, same = 0, ones = 0;
  unsigned char *v = made(f, BYTES, &n);
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, BYTES);
  size_t scan = find_marker(v, n, 0xda) + 10;
  for (size_t i = scan; i < n - 2; i++) {
    same += v[i] == want[i];
    ones += want[i] >= 0xfe;
  }
  is_int(n - 2 - scan - same >= ones, 1, "jpeg: 0xfe and 0xff are replaced");
  ok(n - 2 - scan - same < ones + BYTES / 10,
     "jpeg: little else is: %zu of "
     "%zu bytes are the content's",
     same, n - 2 - scan);
  free(want);
  free(v);
}

static void test_jpeg_limits(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_file file = {.samples = 1, .sample_bytes = 179};
  struct lb_file_sizes sizes;
  struct lb_err err = LB_ERR_INIT;
  f->sizes(&p, &file, &sizes, &err);
  ok(strstr(err.msg, "179") && strstr(err.msg, "180"),
     "jpeg: smaller than the smallest: %s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  file.sample_bytes = 640000171;
  f->sizes(&p, &file, &sizes, &err);
  ok(strstr(err.msg, "640000170"), "jpeg: larger than the largest: %s",
     err.msg);
  int bad = 0;
  for (int64_t i = 640000170; i > 639900000; i -= 997) {
    err = (struct lb_err)LB_ERR_INIT;
    file.sample_bytes = i;
    bad += f->sizes(&p, &file, &sizes, &err) != 0 ||
           sizes.file_bytes != (uint64_t)i;
  }
  is_int(bad, 0, "jpeg: the largest ones are possible");
}

/* ---- png ---- */

static uint32_t word(const unsigned char *v)
{
  return (uint32_t)v[0] << 24 | (uint32_t)v[1] << 16 | (uint32_t)v[2] << 8 |
         v[3];
}

/* The rows, by zlib; and whether all checksums are right. */
static unsigned char *unpack(const unsigned char *v, size_t n, size_t rows,
                             bool *good)
{
  unsigned char *raw = malloc(rows + 1);
  z_stream z = {.next_out = raw, .avail_out = (unsigned)rows + 1};
  int rc = Z_OK;
  *good = inflateInit(&z) == Z_OK;
  for (size_t at = 8; *good && at + 12 <= n; at += 12 + word(v + at)) {
    uint32_t length = word(v + at);
    *good = crc32(0, v + at + 4, length + 4) == word(v + at + 8 + length);
    if (memcmp(v + at + 4, "IDAT", 4) != 0)
      continue;
    z.next_in = (unsigned char *)(uintptr_t)(v + at + 8);
    z.avail_in = length;
    rc = inflate(&z, Z_NO_FLUSH);
  }
  *good = *good && rc == Z_STREAM_END && z.total_out == rows;
  inflateEnd(&z);
  return raw;
}

static void test_png_bytes(const struct lb_format *f, int64_t bytes)
{
  size_t n;
  bool good;
  struct lb_format_params p = fixture_params(1);
  struct lb_file file = {.samples = 1, .sample_bytes = bytes};
  struct lb_file_sizes sizes;
  struct lb_err err = LB_ERR_INIT;
  f->sizes(&p, &file, &sizes, &err);
  unsigned char *v = made(f, bytes, &n);
  is_int(n, sizes.file_bytes, "png %lld: as long as planned", (long long)bytes);
  uint64_t width = word(v + 16), height = word(v + 20);
  ok(width * height >= (uint64_t)bytes &&
         width * (height - 1) < (uint64_t)bytes,
     "png %lld: %d x %d pixels", (long long)bytes, (int)width, (int)height);
  unsigned char *raw = unpack(v, n, (width + 1) * height, &good);
  ok(good, "png %lld: checksums, one whole stream", (long long)bytes);
  unsigned char *want = malloc(width * height);
  lb_content_fill(10, LB_SET_TRAIN, 0, 0, want, width * height);
  int wrong = 0;
  for (uint64_t r = 0; r < height; r++)
    wrong += raw[r * (width + 1)] != 0 ||
             memcmp(raw + r * (width + 1) + 1, want + r * width, width) != 0;
  is_int(wrong, 0, "png %lld: the rows are the content", (long long)bytes);
  free(want);
  free(raw);
  free(v);
}

static void test_png_dims(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  p.n_dims = 2;
  p.dims[0] = 30;
  p.dims[1] = 70;
  struct lb_file file = make(f, &p, 2100, &err);
  size_t n;
  unsigned char *v = fixture_slurp(file.path, &n);
  ok(v && word(v + 16) == 70 && word(v + 20) == 30,
     "png: record_dims are rows and columns");
  free(v);
}

/* ---- reading ---- */

/* Requests of a file of `size' bytes, as Pillow 9.4 on Python 3.11 makes them
 * (strace; files that it wrote itself). */
static void test_requests(const struct lb_format *f, int64_t bytes,
                          const uint64_t *want, int n_want)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_sample s = {
      .file = {.samples = 1, .sample_bytes = bytes, .path = "file"}};
  struct lb_reader r;
  struct lb_iolist list;
  struct lb_err err = LB_ERR_INIT;
  int n = 0, same = 0, more = 1;
  p.has_bytes = false;
  lb_reader_init(&r, f, &p, &err);
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = f->plan(&r, &s, stage, &list, &err);
    for (size_t i = 0; i < list.n; i++)
      if (list.v[i].op == LB_OP_READ) {
        same += n < n_want && list.v[i].length == want[n];
        n++;
      }
  }
  ok(n == n_want && same == n, "%s of %lld bytes: %d requests, %d as Pillow's",
     f->name, (long long)bytes, n, same);
  lb_iolist_fini(&list);
  lb_reader_fini(&r);
}

struct seen {
  struct lb_err err;
  struct cost cost;
};

static struct seen read_file(const struct lb_format *f,
                             const struct lb_file *file, bool decode)
{
  struct lb_format_params p = fixture_params(1);
  struct seen seen = {.err = LB_ERR_INIT};
  p.decode = decode;
  fixture_read_once(&x, f, &p, file, &seen.cost, &seen.err);
  return seen;
}

static bool can_decode(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  p.decode = true;
  return f->check(&p, &err) == 0;
}

static void test_decode(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  static const int64_t sizes[] = {180, 5000, 300000, 3000000};
  if (!can_decode(f)) {
    ok(true, "%s: decoding # SKIP not in this build", f->name);
    return;
  }
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct lb_err err = LB_ERR_INIT;
    struct lb_file file = make(f, &p, sizes[i], &err);
    struct seen plain = read_file(f, &file, false);
    struct seen seen = read_file(f, &file, true);
    is_str(seen.err.msg, "", "%s of %lld bytes is decoded", f->name,
           (long long)sizes[i]);
    ok(!memcmp(plain.cost.count, seen.cost.count, sizeof plain.cost.count),
       "%s: and read as without", f->name);
  }
}

/* ---- comparing ---- */

/* As the engine does: every request of every READ, from the file. */
static int inspect_all(const struct lb_format *f,
                       const struct lb_format_params *p,
                       const struct lb_file *file, const unsigned char *bytes,
                       struct lb_err *err)
{
  struct lb_reader r;
  struct lb_sample s = {.file = *file, .verify = true};
  struct lb_iolist list;
  int more = lb_reader_init(&r, f, p, err) == 0;
  lb_iolist_init(&list);
  for (int stage = 0; more > 0; stage++) {
    lb_iolist_clear(&list);
    more = f->plan(&r, &s, stage, &list, err);
    if (more <= 0)
      break;
    lb_storage_run(x.storage, &list, r.fd, &x.thread, err);
    for (size_t i = 0; !err->code && i < list.n; i++) {
      const struct lb_io *io = &list.v[i];
      for (uint64_t at = 0; io->op == LB_OP_READ && at < io->length; at += 999)
        f->inspect(&r, &s, io, at, bytes + io->offset + at,
                   io->length - at < 999 ? io->length - at : 999, err);
    }
    if (!err->code)
      f->parse(&r, &s, stage, &list, err);
    more = !err->code;
  }
  lb_iolist_fini(&list);
  lb_storage_release(x.storage, r.fd);
  lb_reader_fini(&r);
  return -err->code;
}

static void test_inspect(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file file = make(f, &p, 200000, &err);
  size_t n;
  int unseen = 0;
  unsigned char *v = fixture_slurp(file.path, &n);
  inspect_all(f, &p, &file, v, &err);
  is_str(err.msg, "", "%s: what was made is found", f->name);
  for (size_t at = 0; at < n; at += at < 200 || at + 50 > n ? 1 : 9973) {
    err = (struct lb_err)LB_ERR_INIT;
    v[at] ^= 4;
    inspect_all(f, &p, &file, v, &err);
    char where[40];
    snprintf(where, sizeof where, "byte %zu of", at);
    unseen += !strstr(err.msg, where) || !strstr(err.msg, file.path);
    v[at] ^= 4;
  }
  is_int(unseen, 0, "%s: every byte that was changed is named", f->name);
  err = (struct lb_err)LB_ERR_INIT;
  p.content_seed = 11;
  const char *what =
      f == &lb_format_png ? "another dataset.seed" : "of this seed";
  ok(inspect_all(f, &p, &file, v, &err) < 0 && strstr(err.msg, what),
     "%s: another seed: %s", f->name, err.msg);
  free(v);
}

/* ---- what is wrong ---- */

static void wrong(const struct lb_format *f, const struct lb_file *file,
                  bool decode, const char *word_, const char *what)
{
  struct seen seen = read_file(f, file, decode);
  ok(seen.err.code && strstr(seen.err.msg, word_) &&
         strstr(seen.err.msg, file->path),
     "%s: %s: %s", f->name, what, seen.err.msg);
}

static void test_wrong_jpeg(const struct lb_format *f)
{
  size_t n;
  unsigned char *v = made(f, 9000, &n);
  struct lb_file file = fixture_file(&x, f->name, 1, 9000);
  size_t frame = find_marker(v, n, 0xc0), scan = find_marker(v, n, 0xda) + 10;
  if (can_decode(f)) {
    memset(v + frame + 5, 0x77, 4);
    fixture_spit(file.path, v, n);
    wrong(f, &file, true, "30583 x 30583", "dimensions that cannot be");
    v[frame + 5] = 0x02; /* rows: 512 + 255, far more than there are */
    v[frame + 7] = 0x00;
    fixture_spit(file.path, v, n);
    ok(!read_file(f, &file, true).err.code, "jpeg: rows that are missing are "
                                            "grey, as Pillow has it");
    memset(v + frame, 0, 4);
    fixture_spit(file.path, v, n);
    wrong(f, &file, true, "cannot be decoded", "no frame");
  }
  memset(v + scan, 0, n - scan);
  fixture_spit(file.path, v, n);
  wrong(f, &file, false, "cut short", "no end");
  free(v);
}

static void test_wrong_png(const struct lb_format *f)
{
  size_t n;
  unsigned char *v = made(f, 9000, &n);
  struct lb_file file = fixture_file(&x, f->name, 1, 9000);
  v[24] = 7;
  fixture_spit(file.path, v, n);
  wrong(f, &file, false, "7 bits", "a depth that is none");
  v[24] = 8;
  memset(v + 16, 0, 4);
  fixture_spit(file.path, v, n);
  wrong(f, &file, false, "0 x 96", "no columns");
  memset(v + 16, 0xff, 8);
  fixture_spit(file.path, v, n);
  wrong(f, &file, false, "4294967295 x 4294967295", "more than there can be");
  memset(v + 16, 0, 8);
  v[18] = v[22] = 3; /* 768 x 768 */
  fixture_spit(file.path, v, n);
  ok(!read_file(f, &file, false).err.code, "png: not decoded, not believed");
  if (can_decode(f)) {
    v[29] = v[30] = v[31] = v[32] = 0;
    uint32_t crc = (uint32_t)crc32(0, v + 12, 17);
    for (int i = 0; i < 4; i++)
      v[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
    fixture_spit(file.path, v, n);
    wrong(f, &file, true, "768 x 768", "a bomb");
    memset(v + 16, 0, 8);
    v[19] = v[23] = 96;
    fixture_spit(file.path, v, n);
    wrong(f, &file, true, "cannot be decoded", "a checksum");
  }
  free(v);
}

static void test_too_long(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(1);
  struct lb_err err = LB_ERR_INIT;
  struct lb_file file = make(f, &p, 500000, &err);
  if (!can_decode(f))
    return;
  file.sample_bytes = 7000;
  wrong(f, &file, true, "448000", "a file far beyond the sample");
}

static void test_refusals(const struct lb_format *f)
{
  struct lb_format_params p = fixture_params(4);
  struct lb_err err = LB_ERR_INIT;
  f->check(&p, &err);
  ok(strstr(err.msg, "num_samples_per_file: 4"), "%s: %s", f->name, err.msg);
  p = fixture_params(1);
  p.dtype = lb_dtype_find("float32");
  err = (struct lb_err)LB_ERR_INIT;
  f->check(&p, &err);
  ok(strstr(err.msg, "float32"), "%s: %s", f->name, err.msg);
}

int main(void)
{
  const struct lb_format *jpeg = lb_format_find("jpeg");
  const struct lb_format *png = lb_format_find("png");
  if (!ok(fixture_init(&x) && jpeg && png, "storage and formats"))
    return done();
  static const int64_t sizes[] = {180,   181,   189,   190,    191,    999,
                                  4096,  4097,  65536, 131072, 131073, 135168,
                                  65540, 70001, 88888, 1000003};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    test_jpeg_bytes(jpeg, sizes[i]);
    test_png_bytes(png, sizes[i]);
  }
  for (int64_t i = 1; i < 12; i++)
    test_png_bytes(png, i);
  test_jpeg_content(jpeg);
  test_jpeg_limits(jpeg);
  test_png_dims(png);
  test_requests(jpeg, 1990, (uint64_t[]){1990}, 1);
  test_requests(jpeg, 51570, (uint64_t[]){4096, 47474}, 2);
  test_requests(jpeg, 555191,
                (uint64_t[]){4096, 61440, 65536, 65536, 65536, 65536, 65536,
                             65536, 65536, 30903},
                10);
  test_requests(png, 50 * 50, (uint64_t[]){2618}, 1);
  test_requests(png, 300 * 300, (uint64_t[]){4096, 61440, 4096, 20480, 273}, 5);
  for (int i = 0; i < 2; i++) {
    const struct lb_format *f = i ? png : jpeg;
    test_decode(f);
    test_inspect(f);
    test_too_long(f);
    test_refusals(f);
  }
  test_wrong_jpeg(jpeg);
  test_wrong_png(png);
  fixture_fini(&x);
  return done();
}
