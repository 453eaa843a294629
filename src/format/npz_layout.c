/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zip archive around .npy members: only what NumPy needs.  Members are
 * stored or deflated, times are the first of 1980, zip64 records appear where a
 * size or an offset needs more than 32 bits. */
#include "lb-config.h"

#include "format/npz_layout.h"

#include <inttypes.h>
#include <string.h>

#include "format/compress.h"

#define SIGNATURE(a, b) (0x4b50u | (uint32_t)(a) << 16 | (uint32_t)(b) << 24)
#define LOCAL SIGNATURE(3, 4)
#define CENTRAL SIGNATURE(1, 2)
#define END SIGNATURE(5, 6)
#define END64 SIGNATURE(6, 6)
#define LOCATOR64 SIGNATURE(6, 7)
enum {
  ZIP64_EXTRA = 1,
  DATE_1980 = 0x21, /* the first of January */
  ZIP20 = 20,
  ZIP45 = 45,
  MADE_ON_UNIX = 3 << 8,
};
static const uint32_t full32 = UINT32_MAX;

/* Little-endian fields, one behind the other. */
static void put(unsigned char **to, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++)
    *(*to)++ = (unsigned char)(value >> 8 * i & 0xff);
}

/* A name: no zero behind it. */
static void put_text(unsigned char **to, const char *text)
{
  while (*text)
    *(*to)++ = (unsigned char)*text++;
}

static uint64_t get(const unsigned char *from, int bytes)
{
  uint64_t v = 0;
  for (int i = bytes; i-- > 0;)
    v = v << 8 | from[i];
  return v;
}

static bool large(uint64_t v)
{
  return v >= full32;
}

static uint32_t low32(uint64_t v)
{
  return large(v) ? full32 : (uint32_t)v;
}

/* ---- writing ---- */

uint32_t lb_zip_local_size(const struct lb_zip_member *m, const char *name)
{
  return (uint32_t)(LB_ZIP_LOCAL + strlen(name)) + (m->zip64 ? 20 : 0);
}

static uint32_t central_bytes(const struct lb_zip_member *m, const char *name)
{
  uint32_t extra = (m->zip64 ? 16 : 0) + (large(m->at) ? 8 : 0);
  return (uint32_t)(LB_ZIP_CENTRAL + strlen(name)) + (extra ? extra + 4 : 0);
}

bool lb_npz_deflates(const struct lb_format_params *p)
{
  return !strcmp(p->compression, "zip") || !strcmp(p->compression, "gzip");
}

/* Deflated, contents are as long as they are, and 5 bytes in each block. */
static void describe(struct lb_zip_member *m, const struct lb_npy_array *a,
                     bool deflates)
{
  m->size = m->inflated = a->header_bytes + a->bytes;
  m->method = deflates ? LB_ZIP_DEFLATED : LB_ZIP_STORED;
  m->zip64 = large(deflates ? lb_pack_bound(m->inflated) : m->inflated);
}

void lb_npz_place(struct lb_npz_layout *l)
{
  l->x_local = lb_zip_local_size(&l->x, "x.npy");
  l->y_local = lb_zip_local_size(&l->y, "y.npy");
  l->y.at = l->x_local + l->x.size;
  l->directory = l->y.at + l->y_local + l->y.size;
  l->directory_bytes =
      (uint64_t)central_bytes(&l->x, "x.npy") + central_bytes(&l->y, "y.npy");
  l->end64 = large(l->directory);
  l->file_bytes =
      l->directory + l->directory_bytes + (l->end64 ? LB_ZIP_TAIL : LB_ZIP_END);
}

int lb_npz_lay_out(const struct lb_format_params *p, const struct lb_file *f,
                   struct lb_npz_layout *l, struct lb_err *err)
{
  *l = (struct lb_npz_layout){.file_bytes = 0};
  if (lb_npy_describe(p, f, &l->x_array, err) < 0)
    return -err->code;
  lb_npy_describe_labels(f, &l->y_array);
  describe(&l->x, &l->x_array, lb_npz_deflates(p));
  describe(&l->y, &l->y_array, lb_npz_deflates(p));
  lb_npz_place(l);
  return 0;
}

/* Version, flags, method, time, date, CRC and both sizes: the same fields in
 * local and central headers. */
static void put_common(unsigned char **to, const struct lb_zip_member *m,
                       bool zip64)
{
  put(to, zip64 ? ZIP45 : ZIP20, 2);
  put(to, 0, 2);
  put(to, (uint64_t)m->method, 2);
  put(to, 0, 2);
  put(to, DATE_1980, 2);
  put(to, m->crc, 4);
  put(to, m->zip64 ? full32 : m->size, 4);
  put(to, m->zip64 ? full32 : m->inflated, 4);
}

size_t lb_zip_local(const struct lb_zip_member *m, const char *name,
                    unsigned char *out)
{
  unsigned char *to = out;
  size_t name_bytes = strlen(name);
  put(&to, LOCAL, 4);
  put_common(&to, m, m->zip64);
  put(&to, name_bytes, 2);
  put(&to, m->zip64 ? 20 : 0, 2);
  put_text(&to, name);
  if (m->zip64) {
    put(&to, ZIP64_EXTRA, 2);
    put(&to, 16, 2);
    put(&to, m->inflated, 8);
    put(&to, m->size, 8);
  }
  return (size_t)(to - out);
}

static void put_central(unsigned char **to, const struct lb_zip_member *m,
                        const char *name)
{
  size_t name_bytes = strlen(name);
  uint64_t extra = central_bytes(m, name) - LB_ZIP_CENTRAL - name_bytes;
  put(to, CENTRAL, 4);
  put(to, MADE_ON_UNIX | (extra ? ZIP45 : ZIP20), 2);
  put_common(to, m, extra != 0);
  put(to, name_bytes, 2);
  put(to, extra, 2);
  put(to, 0, 2 + 2 + 2);      /* comment, disk, internal attributes */
  put(to, 0100644u << 16, 4); /* external: a file's mode */
  put(to, low32(m->at), 4);
  put_text(to, name);
  if (extra) {
    put(to, ZIP64_EXTRA, 2);
    put(to, extra - 4, 2);
  }
  if (m->zip64) {
    put(to, m->inflated, 8);
    put(to, m->size, 8);
  }
  if (large(m->at))
    put(to, m->at, 8);
}

/* End records of `members' entries, `bytes' long at `directory'. */
static void put_end(unsigned char **to, uint64_t members, uint64_t bytes,
                    uint64_t directory)
{
  if (large(directory)) {
    put(to, END64, 4);
    put(to, LB_ZIP_END64 - 12, 8);
    put(to, MADE_ON_UNIX | ZIP45, 2);
    put(to, ZIP45, 2);
    put(to, 0, 4 + 4); /* disks */
    put(to, members, 8);
    put(to, members, 8);
    put(to, bytes, 8);
    put(to, directory, 8);
    put(to, LOCATOR64, 4);
    put(to, 0, 4);
    put(to, directory + bytes, 8);
    put(to, 1, 4);
  }
  put(to, END, 4);
  put(to, 0, 2 + 2);
  put(to, members, 2);
  put(to, members, 2);
  put(to, bytes, 4);
  put(to, low32(directory), 4);
  put(to, 0, 2);
}

size_t lb_npz_directory(const struct lb_npz_layout *l, unsigned char *out)
{
  unsigned char *to = out;
  put_central(&to, &l->x, "x.npy");
  put_central(&to, &l->y, "y.npy");
  put_end(&to, 2, l->directory_bytes, l->directory);
  return (size_t)(to - out);
}

size_t lb_zip_directory(const struct lb_zip_member *m, const char *name,
                        uint64_t directory, unsigned char *out)
{
  unsigned char *to = out;
  put_central(&to, m, name);
  put_end(&to, 1, central_bytes(m, name), directory);
  return (size_t)(to - out);
}

/* ---- reading ---- */

static int damaged(const char *path, const char *what, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "%s: not a whole zip archive: %s", path,
                    what);
}

bool lb_zip_has_end64(const unsigned char *tail, size_t n)
{
  enum { BOTH = LB_ZIP_LOCATOR64 + LB_ZIP_END };
  return n >= BOTH && get(tail + n - BOTH, 4) == LOCATOR64;
}

int lb_zip_find_directory(const unsigned char *tail, size_t n, uint64_t size,
                          uint64_t *at, uint64_t *bytes, const char *path,
                          struct lb_err *err)
{
  if (n < LB_ZIP_END || get(tail + n - LB_ZIP_END, 4) != END)
    return damaged(path, "no end record in its last 22 bytes", err);
  const unsigned char *end = tail + n - LB_ZIP_END;
  *bytes = get(end + 12, 4);
  *at = get(end + 16, 4);
  if (n >= LB_ZIP_TAIL && get(end - LB_ZIP_LOCATOR64, 4) == LOCATOR64) {
    const unsigned char *end64 = end - LB_ZIP_LOCATOR64 - LB_ZIP_END64;
    if (get(end64, 4) != END64)
      return damaged(path, "no zip64 end record before its locator", err);
    *bytes = get(end64 + 40, 8);
    *at = get(end64 + 48, 8);
  }
  if (*at > size || *bytes > size - *at || *bytes < LB_ZIP_CENTRAL)
    return damaged(path, "its central directory lies outside of the file", err);
  return 0;
}

/* Takes the next 8 bytes of a zip64 field for a value that did not fit. */
static bool widen(uint64_t *value, const unsigned char *field, size_t n,
                  size_t *used)
{
  if (*value != full32)
    return true;
  if (*used + 8 > n)
    return false;
  *value = get(field + *used, 8);
  *used += 8;
  return true;
}

/* Sizes and offset that did not fit into 32 bits, in their fixed order. */
static int read_extra(const unsigned char *extra, size_t n,
                      struct lb_zip_member *m)
{
  while (n >= 4) {
    size_t len = (size_t)get(extra + 2, 2), used = 0;
    if (len > n - 4)
      return -1;
    if (get(extra, 2) == ZIP64_EXTRA)
      return widen(&m->inflated, extra + 4, len, &used) &&
                     widen(&m->size, extra + 4, len, &used) &&
                     widen(&m->at, extra + 4, len, &used)
                 ? 0
                 : -1;
    extra += 4 + len;
    n -= 4 + len;
  }
  return m->size == full32 || m->at == full32 ? -1 : 0;
}

int lb_zip_find_member(const unsigned char *dir, size_t n, const char *name,
                       struct lb_zip_member *m, const char *path,
                       struct lb_err *err)
{
  size_t want = name ? strlen(name) : 0;
  for (size_t at = 0; n - at >= LB_ZIP_CENTRAL;) {
    const unsigned char *e = dir + at;
    if (get(e, 4) != CENTRAL)
      return damaged(path, "its central directory is damaged", err);
    size_t name_bytes = (size_t)get(e + 28, 2);
    size_t extra = (size_t)get(e + 30, 2);
    size_t all = LB_ZIP_CENTRAL + name_bytes + extra + (size_t)get(e + 32, 2);
    if (all > n - at)
      return damaged(path, "its central directory is cut short", err);
    if (!name && all != n)
      return damaged(path, "it has more than one member", err);
    if (!name ||
        (name_bytes == want && !memcmp(e + LB_ZIP_CENTRAL, name, want))) {
      *m = (struct lb_zip_member){.at = get(e + 42, 4),
                                  .size = get(e + 20, 4),
                                  .inflated = get(e + 24, 4),
                                  .crc = (uint32_t)get(e + 16, 4),
                                  .method = (int)get(e + 10, 2)};
      if (read_extra(e + LB_ZIP_CENTRAL + name_bytes, extra, m) < 0)
        return damaged(path, "a zip64 field is damaged", err);
      return 0;
    }
    at += all;
  }
  return lb_err_set(err, LB_FAILED, "%s: has no member '%s'", path,
                    name ? name : "");
}

bool lb_zip_local_member(const unsigned char *b, size_t n, const char *name,
                         struct lb_zip_member *m, uint32_t *bytes)
{
  enum { SIZES_FOLLOW = 1 << 3 };
  size_t want = strlen(name);
  if (n < LB_ZIP_LOCAL || get(b, 4) != LOCAL || get(b + 6, 2) & SIZES_FOLLOW)
    return false;
  size_t name_bytes = (size_t)get(b + 26, 2), extra = (size_t)get(b + 28, 2);
  if (name_bytes != want || LB_ZIP_LOCAL + want + extra > n ||
      memcmp(b + LB_ZIP_LOCAL, name, want) != 0)
    return false;
  *m = (struct lb_zip_member){.crc = (uint32_t)get(b + 14, 4),
                              .size = get(b + 18, 4),
                              .inflated = get(b + 22, 4),
                              .method = (int)get(b + 8, 2)};
  *bytes = (uint32_t)(LB_ZIP_LOCAL + want + extra);
  return read_extra(b + LB_ZIP_LOCAL + want, extra, m) == 0;
}

int lb_zip_local_bytes(const unsigned char *b, size_t n, uint32_t *bytes,
                       const char *path, struct lb_err *err)
{
  if (n < LB_ZIP_LOCAL || get(b, 4) != LOCAL)
    return damaged(path, "no local header where the directory points", err);
  *bytes = (uint32_t)(LB_ZIP_LOCAL + get(b + 26, 2) + get(b + 28, 2));
  return 0;
}
