/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See parquet_codec.h. */
#include "lb-config.h"

#include "format/parquet_codec.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#ifdef HAVE_SNAPPY
#include <snappy-c.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LZ4
#include <lz4.h>
#endif

enum { GZIP_WINDOW = MAX_WBITS + 16 }; /* with gzip's header */

/* zlib's own bound is for its own, shorter header and trailer. */
static size_t gzip_bound(size_t n)
{
  return compressBound(n) + 32;
}

static size_t gzip_pack(int level, const void *from, size_t n, void *to,
                        size_t room)
{
  z_stream z = {.next_in = (Bytef *)from,
                .avail_in = (uInt)n,
                .next_out = to,
                .avail_out = (uInt)room};
  if (n > UINT_MAX || room > UINT_MAX ||
      deflateInit2(&z, level < 0 || level > 9 ? Z_DEFAULT_COMPRESSION : level,
                   Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  int rc = deflate(&z, Z_FINISH);
  deflateEnd(&z);
  return rc == Z_STREAM_END ? room - z.avail_out : 0;
}

static bool gzip_expand(const void *from, size_t n, void *to, size_t size)
{
  z_stream z = {.next_in = (Bytef *)from,
                .avail_in = (uInt)n,
                .next_out = to,
                .avail_out = (uInt)size};
  if (n > UINT_MAX || size > UINT_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
    return false;
  int rc = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  return rc == Z_STREAM_END && z.avail_out == 0;
}

#ifdef HAVE_SNAPPY
#define SNAPPY_UNAVAILABLE NULL
static size_t snappy_pack(int level, const void *from, size_t n, void *to,
                          size_t room)
{
  (void)level;
  return snappy_compress(from, n, to, &room) == SNAPPY_OK ? room : 0;
}

static bool snappy_expand(const void *from, size_t n, void *to, size_t size)
{
  size_t claimed = 0;
  return snappy_uncompressed_length(from, n, &claimed) == SNAPPY_OK &&
         claimed == size &&
         snappy_uncompress(from, n, to, &claimed) == SNAPPY_OK;
}
#else
#define SNAPPY_UNAVAILABLE "not in this build; it needs libsnappy"
#define snappy_max_compressed_length NULL
#define snappy_pack NULL
#define snappy_expand NULL
#endif

#ifdef HAVE_ZSTD
#define ZSTD_UNAVAILABLE NULL
static size_t zstd_pack(int level, const void *from, size_t n, void *to,
                        size_t room)
{
  size_t got = ZSTD_compress(to, room, from, n, level);
  return ZSTD_isError(got) ? 0 : got;
}

static bool zstd_expand(const void *from, size_t n, void *to, size_t size)
{
  return ZSTD_decompress(to, size, from, n) == size;
}
#else
#define ZSTD_UNAVAILABLE "not in this build; it needs libzstd"
#define ZSTD_compressBound NULL
#define zstd_pack NULL
#define zstd_expand NULL
#endif

#ifdef HAVE_LZ4
#define LZ4_UNAVAILABLE NULL
static size_t lz4_bound(size_t n)
{
  return n > LZ4_MAX_INPUT_SIZE ? 0 : (size_t)LZ4_compressBound((int)n);
}

static size_t lz4_pack(int level, const void *from, size_t n, void *to,
                       size_t room)
{
  (void)level;
  if (n > LZ4_MAX_INPUT_SIZE || room > INT_MAX)
    return 0;
  int got = LZ4_compress_default(from, to, (int)n, (int)room);
  return got > 0 ? (size_t)got : 0;
}

static bool lz4_expand(const void *from, size_t n, void *to, size_t size)
{
  return n <= INT_MAX && size <= INT_MAX &&
         LZ4_decompress_safe(from, to, (int)n, (int)size) == (int)size;
}
#else
#define LZ4_UNAVAILABLE "not in this build; it needs liblz4"
#define lz4_bound NULL
#define lz4_pack NULL
#define lz4_expand NULL
#endif

/* lz4 is the raw block format, LZ4_RAW, as today's libraries write it. */
static const struct pq_codec codecs[] = {
    {"none", 0, NULL, NULL, NULL, NULL},
    {"snappy", 1, SNAPPY_UNAVAILABLE, snappy_max_compressed_length, snappy_pack,
     snappy_expand},
    {"gzip", 2, NULL, gzip_bound, gzip_pack, gzip_expand},
    {"zstd", 6, ZSTD_UNAVAILABLE, ZSTD_compressBound, zstd_pack, zstd_expand},
    {"lz4", 7, LZ4_UNAVAILABLE, lz4_bound, lz4_pack, lz4_expand},
};

const struct pq_codec *pq_codec_find(const char *name)
{
  if (!name[0])
    return &codecs[0];
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    if (!strcmp(codecs[i].name, name))
      return &codecs[i];
  return NULL;
}
