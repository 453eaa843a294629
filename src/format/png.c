/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG files, one greyscale image each, whose pixels are the sample: a square,
 * as near as can be, or what record_dims say.
 *
 * Content does not compress, so the rows stand in stored blocks and the file
 * has a size that is known.  The chunks are as long as those that Pillow
 * writes. */
#include "lb-config.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "format/decode.h"
#include "format/image.h"
#include "loadbank/content.h"

enum {
  SIGNATURE_BYTES = 8,
  AROUND_CHUNK = 12, /* length and type before its data, CRC behind */
  CHUNK_BYTES = 65536,
  IHDR_BYTES = 13,
  FIRST_BYTES = SIGNATURE_BYTES + AROUND_CHUNK + IHDR_BYTES,
  ZLIB_HEAD = 2,
  BLOCK_HEAD = 5, /* of a stored block of deflate */
  BLOCK_BYTES = 65535,
  ADLER_BYTES = 4,
};
#define SAMPLE_MAX ((int64_t)1 << 40)

static const unsigned char signature[SIGNATURE_BYTES] = {
    0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
static const unsigned char end_chunk[AROUND_CHUNK] = {
    0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

/* ---- its layout ---- */

static void put32(unsigned char *to, uint64_t v)
{
  uint32_t big = htobe32((uint32_t)v);
  memcpy(to, &big, sizeof big);
}

static uint32_t get32(const unsigned char *from)
{
  uint32_t big;
  memcpy(&big, from, sizeof big);
  return be32toh(big);
}

static uint64_t pieces(uint64_t bytes, uint64_t piece)
{
  return (bytes + piece - 1) / piece;
}

/* A square of at least the sample's bytes whose last row may be filled up. */
static void shape(const struct lb_format_params *p, const struct lb_file *f,
                  uint64_t *width, uint64_t *height)
{
  *width =
      (uint64_t)(p->n_dims == 2 ? p->dims[1] : lb_image_root(f->sample_bytes));
  *height = pieces((uint64_t)f->sample_bytes, *width);
}

static void put_head(struct lb_image_stream *s)
{
  unsigned char *ihdr = s->head + SIGNATURE_BYTES;
  memcpy(s->head, signature, SIGNATURE_BYTES);
  put32(ihdr, IHDR_BYTES);
  memcpy(ihdr + 4, "IHDR", 4);
  put32(ihdr + 8, s->u.png.width);
  put32(ihdr + 12, s->u.png.height);
  memcpy(ihdr + 16, (const char[]){8, 0, 0, 0, 0}, 5); /* 8 bits, grey */
  put32(ihdr + 21, crc32_z(0, ihdr + 4, 4 + IHDR_BYTES));
  s->head_bytes = FIRST_BYTES;
}

static int png_begin(struct lb_image_stream *s, const struct lb_file *f,
                     struct lb_err *err)
{
  if (s->p->n_dims != 0 && s->p->n_dims != 2)
    return lb_err_set(err, LB_USAGE,
                      "dataset.record_dims: %d dimensions with format png: an "
                      "image has two, rows and columns",
                      s->p->n_dims);
  shape(s->p, f, &s->u.png.width, &s->u.png.height);
  s->u.png.raw_bytes = s->u.png.height * (1 + s->u.png.width);
  s->u.png.zlib_bytes = ZLIB_HEAD +
                        BLOCK_HEAD * pieces(s->u.png.raw_bytes, BLOCK_BYTES) +
                        s->u.png.raw_bytes + ADLER_BYTES;
  s->end = FIRST_BYTES +
           AROUND_CHUNK * pieces(s->u.png.zlib_bytes, CHUNK_BYTES) +
           s->u.png.zlib_bytes + AROUND_CHUNK;
  s->u.png.adler = 1;
  put_head(s);
  return 0;
}

static uint64_t png_pixels(const struct lb_image_stream *s)
{
  return s->u.png.width * s->u.png.height;
}

/* ---- its bytes: rows in blocks in chunks; each gives n or fewer ---- */

/* A row is a filter, none, and its pixels. */
static size_t next_raw(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  uint64_t row = s->u.png.in_raw / (1 + s->u.png.width);
  uint64_t in_row = s->u.png.in_raw % (1 + s->u.png.width);
  if (in_row == 0) {
    n = 1;
    *out = 0;
  } else {
    n = (size_t)lb_min_u64(n, 1 + s->u.png.width - in_row);
    lb_content_fill(s->p->content_seed, s->set, s->index,
                    row * s->u.png.width + in_row - 1, out, n);
  }
  s->u.png.adler = (uint32_t)adler32_z(s->u.png.adler, out, n);
  s->u.png.in_raw += n;
  return n;
}

/* Bytes [skip, skip + n) of what is `all' long, as far as they go. */
static size_t copy(unsigned char *out, const unsigned char *from, size_t all,
                   uint64_t skip, size_t n)
{
  n = (size_t)lb_min_u64(n, all - skip);
  memcpy(out, from + skip, n);
  return n;
}

static size_t next_block(struct lb_image_stream *s, unsigned char *out,
                         size_t n)
{
  uint64_t at = s->u.png.in_zlib - ZLIB_HEAD;
  uint64_t block = at / (BLOCK_HEAD + BLOCK_BYTES);
  uint64_t into = at % (BLOCK_HEAD + BLOCK_BYTES);
  uint64_t left = s->u.png.raw_bytes - block * BLOCK_BYTES;
  uint64_t length = lb_min_u64(left, BLOCK_BYTES);
  const unsigned char head[BLOCK_HEAD] = {left <= BLOCK_BYTES, length & 0xff,
                                          length >> 8, ~length & 0xff,
                                          ~length >> 8 & 0xff};
  if (into < BLOCK_HEAD)
    return copy(out, head, BLOCK_HEAD, into, n);
  return next_raw(s, out, (size_t)lb_min_u64(n, BLOCK_HEAD + length - into));
}

static size_t next_zlib(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  static const unsigned char head[ZLIB_HEAD] = {0x78, 0x01};
  unsigned char adler[ADLER_BYTES];
  uint64_t data_end = s->u.png.zlib_bytes - ADLER_BYTES;
  if (s->u.png.in_zlib < ZLIB_HEAD) {
    n = copy(out, head, ZLIB_HEAD, s->u.png.in_zlib, n);
  } else if (s->u.png.in_zlib < data_end) {
    n = next_block(s, out, n);
  } else {
    put32(adler, s->u.png.adler);
    n = copy(out, adler, ADLER_BYTES, s->u.png.in_zlib - data_end, n);
  }
  s->u.png.in_zlib += n;
  return n;
}

static size_t next_chunk(struct lb_image_stream *s, unsigned char *out,
                         size_t n)
{
  uint64_t chunk = (s->at - FIRST_BYTES) / (CHUNK_BYTES + AROUND_CHUNK);
  uint64_t into = (s->at - FIRST_BYTES) % (CHUNK_BYTES + AROUND_CHUNK);
  uint64_t length =
      lb_min_u64(s->u.png.zlib_bytes - chunk * CHUNK_BYTES, CHUNK_BYTES);
  unsigned char words[8] = {0, 0, 0, 0, 'I', 'D', 'A', 'T'};
  if (into < 8) {
    put32(words, length);
    if (into == 0)
      s->u.png.crc = (uint32_t)crc32_z(0, words + 4, 4);
    return copy(out, words, 8, into, n);
  }
  if (into < 8 + length) {
    n = next_zlib(s, out, (size_t)lb_min_u64(n, 8 + length - into));
    s->u.png.crc = (uint32_t)crc32_z(s->u.png.crc, out, n);
    return n;
  }
  put32(words, s->u.png.crc);
  return copy(out, words, 4, into - 8 - length, n);
}

static void png_next(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  uint64_t data_end = s->end - AROUND_CHUNK;
  while (n > 0) {
    size_t done;
    if (s->at < FIRST_BYTES)
      done = copy(out, s->head, FIRST_BYTES, s->at, n);
    else if (s->at < data_end)
      done = next_chunk(s, out, n);
    else
      done = copy(out, end_chunk, AROUND_CHUNK, s->at - data_end, n);
    s->at += done;
    out += done;
    n -= done;
  }
}

/* ---- reading ---- */

/* Pillow asks for a chunk's data and then for what stands between it and the
 * next one's, through a buffer of a page: what the buffer does not have of the
 * data is read in whole pages at once, the rest with what follows. */
static uint64_t png_request(uint64_t size, uint64_t at)
{
  uint64_t data_end = size - AROUND_CHUNK - 4, left = size - at;
  uint64_t data = at < data_end ? data_end - at : 0;
  uint64_t most = CHUNK_BYTES - LB_PAGE;
  if (at % CHUNK_BYTES != LB_PAGE || data < LB_PAGE)
    return lb_min_u64(LB_PAGE, left);
  return data < most ? data / LB_PAGE * LB_PAGE : most;
}

static bool is_first(const unsigned char *bytes, size_t n)
{
  return n >= FIRST_BYTES && !memcmp(bytes, signature, SIGNATURE_BYTES) &&
         !memcmp(bytes + SIGNATURE_BYTES, "\0\0\0\rIHDR", 8);
}

/* Of the colour type; 0: there is none such. */
static unsigned channels_of(unsigned type)
{
  static const unsigned char channels[] = {1, 0, 3, 1, 2, 0, 4};
  return type < sizeof channels ? channels[type] : 0;
}

/* No stream of deflate expands to more times its length. */
enum { DEFLATE_MOST = 1032 };

static int png_head(const unsigned char *bytes, size_t n,
                    const struct lb_sample *s, uint64_t size, uint64_t *payload,
                    struct lb_err *err)
{
  if (!is_first(bytes, n))
    return lb_err_set(err, LB_FAILED,
                      "%s: not a PNG file: no signature and image header at "
                      "its beginning",
                      s->file.path);
  const unsigned char *ihdr = bytes + SIGNATURE_BYTES + 8;
  uint64_t width = get32(ihdr), height = get32(ihdr + 4), row, all;
  unsigned depth = ihdr[8], channels = channels_of(ihdr[9]);
  if (!width || !height || !channels || depth > 16 || depth & (depth - 1) ||
      !depth || __builtin_mul_overflow(width, depth * channels, &row) ||
      __builtin_mul_overflow(row / 8 + (row % 8 > 0), height, &all))
    return lb_err_set(err, LB_FAILED,
                      "%s: its header says %" PRIu64 " x %" PRIu64
                      " pixels of type %u, %u bits: no such image can be",
                      s->file.path, width, height, ihdr[9], depth);
  if (all / DEFLATE_MOST > size)
    return lb_err_set(err, LB_FAILED,
                      "%s: its header says %" PRIu64 " x %" PRIu64
                      " pixels, and its %" PRIu64
                      " bytes cannot expand to %" PRIu64,
                      s->file.path, width, height, size, all);
  /* The last row of ours may be filled up. */
  uint64_t sample = (uint64_t)s->file.sample_bytes;
  bool filled = all >= sample && all - sample < width;
  *payload = filled ? sample : all;
  return 0;
}

/* The end chunk, perhaps with something behind it. */
static bool png_ended(const unsigned char *bytes, size_t n)
{
  for (size_t i = n; i >= AROUND_CHUNK; i--)
    if (!memcmp(bytes + i - AROUND_CHUNK, end_chunk, AROUND_CHUNK))
      return true;
  return false;
}

static const struct lb_image png = {
    .name = "png",
    .least = 1,
    .most = SAMPLE_MAX,
    .begin = png_begin,
    .next = png_next,
    .pixels = png_pixels,
    .request = png_request,
    .head = png_head,
    .ended = png_ended,
    .decode = LB_PNG_DECODE,
};

LB_IMAGE_HOOKS(png)

const struct lb_format lb_format_png = {
    .name = "png",
    .doc = "PNG images, one a file, whose pixels are the sample.",
    .extension = "png",
    .least_bytes = 1,
    .decodes = true,
    LB_IMAGE_ROW(png),
};
