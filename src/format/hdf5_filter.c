/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_filter.h. */
#include "lb-config.h"

#include "format/hdf5_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_LZF
#include <lzf.h>
#endif

const char *lb_h5_lzf_absent(void)
{
#ifdef HAVE_LZF
  return NULL;
#else
  return "not in this build; install liblzf-dev and configure --with-lzf";
#endif
}

/* ---- zlib ---- */

void lb_h5_zlib_fini(struct lb_h5_zlib *z)
{
  if (z->z && z->deflates)
    deflateEnd(z->z);
  else if (z->z)
    inflateEnd(z->z);
  free(z->z);
  z->z = NULL;
}

/* A stream that is as good as new; false: no memory. */
static bool begin_zlib(struct lb_h5_zlib *z, bool deflates, int level)
{
  if (z->z)
    return (deflates ? deflateReset(z->z) : inflateReset(z->z)) == Z_OK;
  z->z = calloc(1, sizeof *z->z);
  z->deflates = deflates;
  if (z->z &&
      (deflates ? deflateInit(z->z, level) : inflateInit(z->z)) != Z_OK) {
    free(z->z);
    z->z = NULL;
  }
  return z->z != NULL;
}

/* The whole of a chunk, which has less than 4 GiB.  Bytes made, or 0. */
static size_t run_zlib(struct lb_h5_zlib *z, const void *in, size_t n,
                       void *out, size_t room)
{
  z->z->next_in = (unsigned char *)(uintptr_t)in;
  z->z->avail_in = (uInt)n;
  z->z->next_out = out;
  z->z->avail_out = (uInt)lb_min_u64(room, UINT32_MAX);
  int rc = z->deflates ? deflate(z->z, Z_FINISH) : inflate(z->z, Z_FINISH);
  return rc == Z_STREAM_END ? (size_t)z->z->total_out : 0;
}

/* ---- one filter each ---- */

/* Bytes made, or 0: damaged, or more than there is room for. */
typedef size_t undo(const struct lb_h5_filter *f, struct lb_h5_zlib *z,
                    const unsigned char *in, size_t n, unsigned char *out,
                    size_t room);

static size_t undo_deflate(const struct lb_h5_filter *f, struct lb_h5_zlib *z,
                           const unsigned char *in, size_t n,
                           unsigned char *out, size_t room)
{
  (void)f;
  return begin_zlib(z, false, 0) ? run_zlib(z, in, n, out, room) : 0;
}

/* Byte k of all elements, then byte k + 1; a rest stays where it is. */
static size_t undo_shuffle(const struct lb_h5_filter *f, struct lb_h5_zlib *z,
                           const unsigned char *in, size_t n,
                           unsigned char *out, size_t room)
{
  (void)z;
  size_t width = f->arg, elements = width > 1 ? n / width : 0;
  if (n > room)
    return 0;
  for (size_t k = 0; k < width && elements; k++)
    for (size_t i = 0; i < elements; i++)
      out[i * width + k] = in[k * elements + i];
  size_t done = elements * width;
  memcpy(out + done, in + done, n - done);
  return n;
}

#ifdef HAVE_LZF
static size_t undo_lzf(const struct lb_h5_filter *f, struct lb_h5_zlib *z,
                       const unsigned char *in, size_t n, unsigned char *out,
                       size_t room)
{
  (void)f, (void)z;
  return lzf_decompress(in, (unsigned)n, out, (unsigned)room);
}
#endif

static const struct {
  int id;
  const char *name;
  undo *undo;
} filters[] = {
    {LB_H5_DEFLATE, "gzip", undo_deflate},
    {LB_H5_SHUFFLE, "shuffle", undo_shuffle},
#ifdef HAVE_LZF
    {LB_H5_LZF, "lzf", undo_lzf},
#endif
};
enum { N_FILTERS = sizeof filters / sizeof filters[0] };

/* Its row, or -1. */
static int row_of(int id)
{
  int i = N_FILTERS - 1;
  while (i >= 0 && filters[i].id != id)
    i--;
  return i;
}

bool lb_h5_filters_known(const struct lb_h5_shape *s)
{
  bool known = true;
  for (int i = 0; i < s->n_filters; i++)
    known = known && row_of(s->filter[i].id) >= 0;
  return known;
}

/* ---- writing ---- */

size_t lb_h5_packed_room(size_t chunk_bytes)
{
  return compressBound((uLong)chunk_bytes);
}

/* zlib stores such content in blocks of at most 16383 bytes, each with 5
 * bytes before it, and has 6 bytes around them all; lzf has one byte more for
 * 32, and gives up where that makes a chunk larger.  Zeros are next to none. */
uint64_t lb_h5_packed_estimate(const struct lb_h5_shape *s, uint64_t inside)
{
  uint64_t n = lb_h5_chunk_bytes(s), padding = n - inside;
  if (s->n_filters == 0)
    return n;
  if (s->filter[0].id == LB_H5_DEFLATE)
    return inside + (inside / 16383 + 1) * 5 + 6 + padding / 256;
  return lb_min_u64(n, inside + inside / 32 + padding / 88);
}

int lb_h5_pack(const struct lb_h5_shape *s, struct lb_h5_zlib *z,
               const void *chunk, size_t bytes, void *out, size_t room,
               size_t *n, uint32_t *skipped, struct lb_err *err)
{
  *skipped = 0;
  *n = 0;
  if (s->n_filters > 0 && s->filter[0].id == LB_H5_DEFLATE) {
    if (begin_zlib(z, true, (int)s->filter[0].arg))
      *n = run_zlib(z, chunk, bytes, out, room);
    return *n ? 0
              : lb_err_set(err, LB_FAILED, "zlib cannot compress %zu bytes",
                           bytes);
  }
#ifdef HAVE_LZF
  if (s->n_filters > 0)
    *n = lzf_compress(chunk, (unsigned)bytes, out, (unsigned)bytes);
#endif
  if (*n == 0) {
    memcpy(out, chunk, bytes);
    *n = bytes;
    *skipped = s->n_filters > 0;
  }
  return 0;
}

/* ---- reading ---- */

void lb_h5_unpacked_fini(struct lb_h5_unpacked *u)
{
  for (int i = 0; i < 2; i++)
    free(u->buf[i]);
  lb_h5_zlib_fini(&u->zlib);
  *u = (struct lb_h5_unpacked){.cap = 0};
}

/* One byte more than a chunk: what does not end there is seen. */
static int make_room(const struct lb_h5_shape *s, struct lb_h5_unpacked *u,
                     size_t bytes, const char *path, struct lb_err *err)
{
  int n = s->n_filters > 1 ? 2 : 1;
  if (u->cap > bytes && u->buf[n - 1])
    return 0;
  for (int i = 0; i < n; i++) {
    unsigned char *more = realloc(u->buf[i], bytes + 1);
    if (!more)
      return lb_err_set(err, LB_FAILED, "%s: no memory for a chunk of %zu",
                        path, bytes);
    u->buf[i] = more;
  }
  u->cap = bytes + 1;
  return 0;
}

const unsigned char *lb_h5_unpack(const struct lb_h5_shape *s,
                                  struct lb_h5_unpacked *u, const void *packed,
                                  size_t n, uint32_t skipped, const char *path,
                                  struct lb_err *err)
{
  size_t bytes = (size_t)lb_h5_chunk_bytes(s);
  const unsigned char *in = packed;
  int to = 0;
  if (make_room(s, u, bytes, path, err) < 0)
    return NULL;
  for (int i = s->n_filters - 1; i >= 0; i--) {
    if (skipped >> i & 1)
      continue;
    int row = row_of(s->filter[i].id);
    n = filters[row].undo(&s->filter[i], &u->zlib, in, n, u->buf[to], u->cap);
    if (n == 0 || n > bytes) {
      lb_err_set(err, LB_FAILED,
                 "%s: a chunk is damaged: undoing filter %s does not make the "
                 "%zu bytes that it should have",
                 path, filters[row].name, bytes);
      return NULL;
    }
    in = u->buf[to];
    to = !to;
  }
  if (n != bytes) {
    lb_err_set(err, LB_FAILED,
               "%s: a chunk is damaged: %zu bytes where %zu belong", path, n,
               bytes);
    return NULL;
  }
  return in;
}
