/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are, and are not, the archive that was described. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/torch_load.h"
#include "tap.h"

struct shape {
  int shift; /* of the names */
  uint64_t elements;
};

static void shape_tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  const struct shape *s = arg;
  *out = (struct lb_tensor){.dtype = lb_dtype_find("float32"),
                            .elements = s->elements + (uint64_t)t};
  snprintf(out->name, sizeof out->name, "t%" PRId64, t + s->shift);
}

enum { TENSORS = 12 };

/* A whole file; payload is zeros. */
static unsigned char *make(const struct lb_torch_file *f, uint64_t *size)
{
  uint32_t crc[TENSORS] = {0};
  struct lb_torch_walk w;
  struct lb_torch_segment s;
  *size = lb_torch_bytes(f);
  unsigned char *file = calloc(1, *size);
  lb_torch_begin(&w, f, crc);
  while (file && lb_torch_next(&w, &s))
    if (s.bytes)
      memcpy(file + s.offset, s.bytes, s.length);
  return file;
}

/* The directory is given in pieces of `piece' bytes. */
static int check(const struct lb_torch_file *f, const unsigned char *file,
                 uint64_t size, size_t piece, struct lb_err *err)
{
  struct lb_torch_archive a;
  struct lb_torch_checker c;
  *err = (struct lb_err)LB_ERR_INIT;
  if (lb_torch_check_size(f, size, "x.pt", err) < 0)
    return -1;
  lb_torch_lay_out(f, 0, 0, &a);
  if (lb_torch_check_tail(&c, &a, file + size - LB_TORCH_TAIL, "x.pt", err) < 0)
    return -1;
  for (uint64_t at = 0; at < a.directory_bytes; at += piece) {
    size_t n = piece;
    if (n > a.directory_bytes - at)
      n = (size_t)(a.directory_bytes - at);
    if (lb_torch_check_directory(&c, file + a.directory + at, n, err) < 0)
      return -1;
  }
  return lb_torch_check_end(&c, err);
}

static void test_whole(const struct lb_torch_file *f, unsigned char *file,
                       uint64_t size)
{
  struct lb_err err;
  struct lb_torch_archive a;
  ok(check(f, file, size, 4096, &err) == 0, "a whole file");
  ok(check(f, file, size, 1, &err) == 0, "its directory byte by byte");
  ok(check(f, file, size, 53, &err) == 0, "in pieces that cut entries");
  lb_torch_lay_out(f, 0, 0, &a);
  file[a.directory + 16] ^= 1; /* checksum */
  file[a.directory + 12] = 33; /* time */
  ok(check(f, file, size, 4096, &err) == 0,
     "checksums and dates may be others");
  file[a.directory + 16] ^= 1;
}

static void test_other(const struct lb_torch_file *f, unsigned char *file,
                       uint64_t size)
{
  struct lb_err err;
  struct shape other = {.shift = 0, .elements = 11};
  struct lb_torch_file g = *f;
  g.arg = &other;
  ok(check(f, file, size - 1, 64, &err) < 0 && strstr(err.msg, "4606"), "%s",
     err.msg);
  ok(check(f, file, size + 1, 64, &err) < 0, "%s", err.msg);
  ok(check(&g, file, size, 64, &err) < 0, "%s", err.msg);
}

/* Each byte of end records and directory matters, but for those that do not. */
static void test_damage(const struct lb_torch_file *f, unsigned char *file,
                        uint64_t size)
{
  struct lb_err err;
  struct lb_torch_archive a;
  int found = 0;
  lb_torch_lay_out(f, 0, 0, &a);
  for (uint64_t at = a.directory; at < size; at++) {
    file[at] ^= 0x10;
    found += check(f, file, size, 64, &err) < 0;
    file[at] ^= 0x10;
  }
  /* of an entry 22 bytes are free; of the end records those that repeat what
   * others say, disks and versions */
  is_int(found, (int)(a.directory_bytes - 22 * (uint64_t)a.members) + 46,
         "damage that is found");
  file[a.directory + 46 + 8] = 'X';
  ok(check(f, file, size, 64, &err) < 0 && strstr(err.msg, "archive/Xata.pkl"),
     "%s", err.msg);
}

static void test_short(const struct lb_torch_file *f, const unsigned char *file,
                       uint64_t size)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_torch_archive a;
  struct lb_torch_checker c;
  lb_torch_lay_out(f, 0, 0, &a);
  lb_torch_check_tail(&c, &a, file + size - LB_TORCH_TAIL, "x.pt", &err);
  lb_torch_check_directory(&c, file + a.directory, 100, &err);
  ok(lb_torch_check_end(&c, &err) < 0, "%s", err.msg);
}

int main(void)
{
  const struct shape s = {.elements = 10};
  const struct lb_torch_file f = {
      .count = TENSORS, .tensor = shape_tensor, .arg = &s};
  uint64_t size;
  unsigned char *file = make(&f, &size);
  ok(file != NULL, "memory");
  if (file) {
    test_whole(&f, file, size);
    test_other(&f, file, size);
    test_short(&f, file, size);
    test_damage(&f, file, size);
  }
  free(file);
  return done();
}
