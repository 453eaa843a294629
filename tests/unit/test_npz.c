/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zip archive around the arrays: layout, zip64, checksums, deflated and
 * foreign archives, what reading costs. */
#include "lb-config.h"

#include "format/npz_layout.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format_fixture.h"
#include "tap.h"

#define GIB (1024ll * 1024 * 1024)

static void cost_of_a_sample(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "a.npz", 3, 100000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  fixture_make(&lb_format_npz, &p, &f, &err);
  fixture_read_once(x, &lb_format_npz, &p, &f, &c, &err);
  is_str(err.msg, "", "reads its own file");
  is_int(c.count[LB_OP_OPEN], 1, "one open");
  is_int(c.count[LB_OP_STAT], 2, "two stats");
  /* 4096 | 22, 42 | directory | 2 x 2 x 4096 | chunks that end at 262307 and
   * 300163: whole pages, and the page with the rest, to the file's end */
  is_int(c.count[LB_OP_READ], 12, "twelve reads");
  is_int(c.bytes[LB_OP_READ],
         4096 + 22 + 42 + 124 + 4 * 4096 + (253952 + 4096) + (32768 + 1466),
         "bytes read");
  is_int(c.payload, 300000, "the whole array");
  is_int(c.count[LB_OP_CLOSE], 1, "one close");
}

/* Beyond 4 GiB: every record that needs it has 64-bit fields, and is found
 * again. */
static void zip64(int64_t samples, int64_t bytes, bool end64)
{
  struct lb_format_params p = fixture_params(samples);
  struct lb_file f = {.samples = samples, .sample_bytes = bytes, .path = "f"};
  struct lb_npz_layout l;
  struct lb_err err = LB_ERR_INIT;
  unsigned char dir[400], local[80];
  lb_npz_lay_out(&p, &f, &l, &err);
  l.x.crc = 0x12345678;
  size_t n = lb_npz_directory(&l, dir);
  is_int(l.directory + n, l.file_bytes, "%lld x %lld: size", (long long)samples,
         (long long)bytes);
  is_int(lb_zip_local(&l.x, "x.npy", local), l.x_local, "local header of x");
  ok(l.end64 == end64, "zip64 end record only where it is needed");
  uint64_t at = 0, dir_bytes = 0;
  size_t tail = n < LB_ZIP_TAIL ? n : LB_ZIP_TAIL;
  lb_zip_find_directory(dir + n - tail, tail, l.file_bytes, &at, &dir_bytes,
                        "f", &err);
  ok(at == l.directory && dir_bytes == l.directory_bytes, "directory is found");
  struct lb_zip_member m = {.at = 0};
  lb_zip_find_member(dir, (size_t)dir_bytes, "x.npy", &m, "f", &err);
  ok(m.at == 0 && m.size == l.x.size && m.crc == 0x12345678 && m.method == 0,
     "x is found");
  lb_zip_find_member(dir, (size_t)dir_bytes, "y.npy", &m, "f", &err);
  ok(m.at == l.y.at && m.size == l.y.size, "y is found");
  is_str(err.msg, "", "no error");
}

static void checksums(struct fixture *x)
{
  struct lb_format_params p = fixture_params(2);
  struct lb_file f = fixture_file(x, "c.npz", 2, 20000);
  struct lb_err err = LB_ERR_INIT;
  fixture_make(&lb_format_npz, &p, &f, &err);
  fixture_verify(x, &lb_format_npz, &p, &f, &err);
  is_str(err.msg, "", "the checksum is right");
  size_t n;
  unsigned char *bytes = fixture_slurp(f.path, &n);
  /* A blank of the header, and the checksum itself, for it is content that is
   * compared; both places of the directory. */
  const size_t places[] = {35 + 100, n - 22 - 102 + 16};
  for (int i = 0; i < 2; i++) {
    bytes[places[i]] ^= 1;
    fixture_spit(f.path, bytes, n);
    fixture_verify(x, &lb_format_npz, &p, &f, &err);
    ok(strstr(err.msg, "CRC-32"), "damage is seen: %s", err.msg);
    bytes[places[i]] ^= 1;
  }
  f = fixture_file(x, "c2.npz", 1, 5);
  fixture_make(&lb_format_npz, &p, &f, &err);
  fixture_verify(x, &lb_format_npz, &p, &f, &err);
  is_str(err.msg, "", "a tiny one is right too");
  free(bytes);
}

/* An archive with one member, deflated or stored, as the library would. */
static size_t archive(unsigned char *out, const char *name, const void *data,
                      size_t n, bool deflated)
{
  unsigned char packed[4096];
  struct lb_npz_layout l = {.x = {.crc = (uint32_t)crc32_z(0, data, n)}};
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)data,
                .avail_in = (uInt)n,
                .next_out = packed,
                .avail_out = sizeof packed};
  memcpy(packed, data, n);
  l.x.size = l.x.inflated = n;
  if (deflated) {
    memset(packed, 0, sizeof packed);
    deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    deflateEnd(&z);
    l.x.size = z.total_out;
  }
  size_t at = lb_zip_local(&l.x, name, out);
  out[8] = deflated ? 8 : 0;
  memcpy(out + at, packed, l.x.size);
  l.y.at = l.directory = at + l.x.size;
  l.directory_bytes = 2 * (LB_ZIP_CENTRAL + 5);
  size_t dir = lb_npz_directory(&l, out + l.directory);
  unsigned char *entry = out + l.directory;
  entry[10] = deflated ? 8 : 0;
  memcpy(entry + LB_ZIP_CENTRAL, name, 5);
  return (size_t)l.directory + dir;
}

static void foreign(struct fixture *x)
{
  struct lb_format_params p = fixture_params(4), q = p;
  struct lb_file f = fixture_file(x, "d.npz", 4, 250), g = f;
  struct lb_npy_array a;
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  char npy[LB_NPY_HEADER_MAX + 1000] = {0};
  unsigned char zip[4096];
  lb_npy_describe(&p, &f, &a, &err);
  lb_npy_header_make(&a, npy);
  size_t n = archive(zip, "x.npy", npy, a.header_bytes + 1000, true);
  fixture_spit(f.path, zip, n);
  fixture_read_once(x, &lb_format_npz, &p, &f, &c, &err);
  is_str(err.msg, "", "a deflated member is read");
  is_int(c.payload, 1000, "its payload counts as inflated");
  g.samples = 3;
  fixture_read_once(x, &lb_format_npz, &p, &g, &c, &err);
  ok(strstr(err.msg, "holds 4 samples"), "and checked: %s", err.msg);
  q.dtype = lb_dtype_find("float32");
  n = archive(zip, "x.npy", npy, a.header_bytes + 1000, false);
  fixture_spit(f.path, zip, n);
  fixture_read_once(x, &lb_format_npz, &q, &f, &c, &err);
  ok(strstr(err.msg, "'|u1'") && strstr(err.msg, "float32"), "element type: %s",
     err.msg);
  zip[n++] = '!';
  fixture_spit(f.path, zip, n);
  fixture_read_once(x, &lb_format_npz, &p, &f, &c, &err);
  ok(strstr(err.msg, "no end record"), "something behind the end: %s", err.msg);
  n = archive(zip, "z.npy", npy, a.header_bytes + 1000, false);
  fixture_spit(f.path, zip, n);
  fixture_read_once(x, &lb_format_npz, &p, &f, &c, &err);
  ok(strstr(err.msg, "no member 'x.npy'"), "no member x: %s", err.msg);
  n = archive(zip, "x.npy", npy, a.header_bytes + 999, false);
  fixture_spit(f.path, zip, n);
  fixture_read_once(x, &lb_format_npz, &p, &f, &c, &err);
  ok(strstr(err.msg, "1127") && strstr(err.msg, "1128"),
     "an array cut short in a whole archive: %s", err.msg);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  cost_of_a_sample(&x);
  zip64(1, 1000, false);
  zip64(1, 4 * GIB - 1 - 128, true);
  zip64(1, 4 * GIB - 2 - 128, true);
  zip64(1, 4 * GIB - 4096, false);
  zip64(1000, 20 * GIB, true);
  checksums(&x);
  foreign(&x);
  fixture_fini(&x);
  return done();
}
