/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JPEG files, one greyscale image each, of exactly the sample's bytes.
 *
 * No encoder runs: the Huffman table is such that any byte but 0xfe and 0xff is
 * one coefficient, so that the dataset's content, with these two bytes
 * replaced, is the entropy-coded data.  The code of category s (a value of s
 * bits) is 7 - s ones and a zero: with its s bits it always takes 8.  Every AC
 * symbol skips six coefficients, so a block of 8 x 8 pixels is a DC byte and
 * nine AC bytes, about as dense as a photograph, and needs no mark of its end.
 */
#include "lb-config.h"

#include "format/decode.h"
#include "format/image.h"

#include <inttypes.h>
#include <string.h>

#include "loadbank/content.h"

enum {
  CATEGORIES = 7, /* 1 .. 7 */
  SKIP = 6,       /* zeros before each AC coefficient */
  BLOCK_BYTES = 10,
  PIXELS = 64,        /* of a block */
  SIDE = 8,           /* of its square */
  FIRST_BYTES = 24,   /* before the comment's text */
  TABLES_BYTES = 144, /* behind it */
  HEAD_BYTES = FIRST_BYTES + TABLES_BYTES,
  END_BYTES = 2,
  COMMENT_MAX = 65533,
  SIDE_MAX = 8187, /* blocks; libjpeg takes 65500 pixels */
  DC_MAX = 1000,   /* of 1023 */
};
#define BLOCKS_MAX ((int64_t)64000000)

/* ---- the header ---- */

struct out {
  unsigned char *to;
};

static void put(struct out *o, unsigned v)
{
  *o->to++ = (unsigned char)v;
}

static void put16(struct out *o, unsigned v)
{
  put(o, v >> 8);
  put(o, v & 0xff);
}

static void put_marker(struct out *o, unsigned marker, unsigned length)
{
  put16(o, marker);
  put16(o, length);
}

/* Start of image, JFIF 1.1, and the beginning of a comment. */
static void put_first(struct out *o, unsigned comment)
{
  put16(o, 0xffd8);
  put_marker(o, 0xffe0, 16);
  memcpy(o->to, "JFIF", 5);
  o->to += 5;
  put16(o, 0x0101);
  put(o, 0);
  put16(o, 1);
  put16(o, 1);
  put16(o, 0);
  put_marker(o, 0xfffe, 2 + comment);
}

/* One code of each length from 1 on: the longest value first. */
static void put_table(struct out *o, unsigned id, unsigned run)
{
  put(o, id);
  for (int length = 1; length <= 16; length++)
    put(o, length <= CATEGORIES);
  for (unsigned s = CATEGORIES; s >= 1; s--)
    put(o, run << 4 | s);
}

/* Quantisation by 1, the frame, the Huffman tables, the scan. */
static void put_tables(struct out *o, unsigned width, unsigned height)
{
  put_marker(o, 0xffdb, 2 + 1 + PIXELS);
  put(o, 0);
  memset(o->to, 1, PIXELS);
  o->to += PIXELS;
  put_marker(o, 0xffc0, 11);
  put(o, 8);
  put16(o, height);
  put16(o, width);
  put(o, 1);
  put(o, 1);
  put(o, 0x11);
  put(o, 0);
  put_marker(o, 0xffc4, 2 + 2 * (17 + CATEGORIES));
  put_table(o, 0x00, 0);
  put_table(o, 0x10, SKIP);
  put_marker(o, 0xffda, 8);
  put(o, 1);
  put(o, 1);
  put(o, 0);
  put(o, 0);
  put(o, PIXELS - 1);
  put(o, 0);
}

/* ---- its dimensions ---- */

/* Blocks in a row: not far from a square, with as few as can be left over for
 * the comment. */
static int64_t choose_columns(int64_t blocks)
{
  int64_t root = lb_image_root(blocks), best = root, left = blocks;
  for (int64_t w = root; w >= root - root / 4 && left > 0; w--)
    if (blocks / w <= SIDE_MAX && blocks % w < left) {
      best = w;
      left = blocks % w;
    }
  return best;
}

static int jpeg_begin(struct lb_image_stream *s, const struct lb_file *f,
                      struct lb_err *err)
{
  if (s->p->n_dims > 0)
    return lb_err_set(err, LB_USAGE,
                      "dataset.record_dims with format jpeg: the image's "
                      "follow from its bytes (dataset.record_length_bytes)");
  int64_t blocks = (f->sample_bytes - HEAD_BYTES - END_BYTES) / BLOCK_BYTES;
  int64_t columns = choose_columns(blocks), rows = blocks / columns;
  s->end = (uint64_t)f->sample_bytes;
  s->u.jpeg.blocks = (uint64_t)(columns * rows);
  s->u.jpeg.pad =
      s->end - HEAD_BYTES - END_BYTES - BLOCK_BYTES * s->u.jpeg.blocks;
  if (s->u.jpeg.pad > COMMENT_MAX)
    return lb_err_set(err, LB_USAGE,
                      "a jpeg of %" PRIu64 " bytes: no rectangle of 8 x 8 "
                      "blocks is near enough to it",
                      s->end);
  struct out o = {s->head};
  put_first(&o, (unsigned)s->u.jpeg.pad);
  put_tables(&o, (unsigned)(SIDE * columns), (unsigned)(SIDE * rows));
  s->head_bytes = (size_t)(o.to - s->head);
  return 0;
}

static uint64_t jpeg_pixels(const struct lb_image_stream *s)
{
  return PIXELS * s->u.jpeg.blocks;
}

/* ---- its bytes ---- */

#define EACH(byte) ((byte)*UINT64_C(0x0101010101010101))

/* Clears the upper bit of each byte of w that is 0xfe or 0xff. */
static uint64_t without_ones(uint64_t w)
{
  uint64_t x = ~(w | EACH(1)); /* a byte is 0: it was one of them */
  uint64_t other = ((x & EACH(0x7f)) + EACH(0x7f)) | x;
  return w ^ (~other & EACH(0x80));
}

static void clean(unsigned char *bytes, size_t n)
{
  uint64_t w;
  for (; n >= sizeof w; n -= sizeof w, bytes += sizeof w) {
    memcpy(&w, bytes, sizeof w);
    w = without_ones(w);
    memcpy(bytes, &w, sizeof w);
  }
  for (; n > 0; n--, bytes++)
    if (*bytes >= 0xfe)
      *bytes &= 0x7f;
}

/* Of the value that a byte holds behind its code. */
static int bits_of(unsigned char byte)
{
  int bits = CATEGORIES;
  while (byte >> bits & 1)
    bits--;
  return bits;
}

/* The value that a byte stands for. */
static int value_of(unsigned char byte)
{
  int bits = bits_of(byte);
  int v = byte & ((1 << bits) - 1);
  return v >> (bits - 1) ? v : v - (1 << bits) + 1;
}

/* DC values are differences: one that would lead out of range changes its
 * sign, which is done by turning the bits of the value over. */
static int steer(int dc, unsigned char *byte)
{
  int by = value_of(*byte);
  if (dc + by <= DC_MAX && dc + by >= -DC_MAX)
    return dc + by;
  *byte ^= (unsigned char)((1 << bits_of(*byte)) - 1);
  return dc - by;
}

static void fill(const struct lb_image_stream *s, unsigned char *out, size_t n)
{
  lb_content_fill(s->p->content_seed, s->set, s->index, s->at, out, n);
  clean(out, n);
}

static void fill_blocks(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  size_t into = (s->at - HEAD_BYTES - s->u.jpeg.pad) % BLOCK_BYTES;
  fill(s, out, n);
  for (size_t i = into ? BLOCK_BYTES - into : 0; i < n; i += BLOCK_BYTES)
    s->u.jpeg.dc = steer(s->u.jpeg.dc, &out[i]);
}

static const unsigned char end_of_image[] = {0xff, 0xd9};

/* The next bytes up to the end of the part that they belong to. */
static size_t next_part(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  const uint64_t text = FIRST_BYTES + s->u.jpeg.pad;
  const uint64_t data = text + TABLES_BYTES, end = s->end - END_BYTES;
  const uint64_t ends[] = {FIRST_BYTES, text, data, end, s->end};
  int part = 0;
  while (s->at >= ends[part])
    part++;
  n = (size_t)lb_min_u64(n, ends[part] - s->at);
  if (part == 0)
    memcpy(out, s->head + s->at, n);
  else if (part == 1)
    fill(s, out, n);
  else if (part == 2)
    memcpy(out, s->head + (s->at - s->u.jpeg.pad), n);
  else if (part == 3)
    fill_blocks(s, out, n);
  else
    memcpy(out, end_of_image + (s->at - end), n);
  return n;
}

static void jpeg_next(struct lb_image_stream *s, unsigned char *out, size_t n)
{
  while (n > 0) {
    size_t done = next_part(s, out, n);
    s->at += done;
    out += done;
    n -= done;
  }
}

/* ---- reading ---- */

/* The rest of the first 64 KiB, then pieces of that. */
static uint64_t jpeg_request(uint64_t size, uint64_t at)
{
  enum { PIECE = 65536 };
  return lb_min_u64(at < PIECE ? PIECE - at : PIECE, size - at);
}

static int jpeg_head(const unsigned char *bytes, size_t n,
                     const struct lb_sample *s, uint64_t size,
                     uint64_t *payload, struct lb_err *err)
{
  *payload = size;
  if (n >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff)
    return 0;
  return lb_err_set(err, LB_FAILED,
                    "%s: not a JPEG file: begins with %02x %02x %02x, "
                    "not ff d8 ff",
                    s->file.path, bytes[0], n > 1 ? bytes[1] : 0,
                    n > 2 ? bytes[2] : 0);
}

/* The end of image, perhaps with something behind it. */
static bool jpeg_ended(const unsigned char *bytes, size_t n)
{
  for (size_t i = n; i >= 2; i--)
    if (bytes[i - 2] == 0xff && bytes[i - 1] == 0xd9)
      return true;
  return false;
}

static const struct lb_image jpeg = {
    .name = "jpeg",
    .least = HEAD_BYTES + BLOCK_BYTES + END_BYTES,
    .most = HEAD_BYTES + BLOCK_BYTES * BLOCKS_MAX + END_BYTES,
    .begin = jpeg_begin,
    .next = jpeg_next,
    .pixels = jpeg_pixels,
    .request = jpeg_request,
    .head = jpeg_head,
    .ended = jpeg_ended,
    .decode = LB_JPEG_DECODE,
};

LB_IMAGE_HOOKS(jpeg)

const struct lb_format lb_format_jpeg = {
    .name = "jpeg",
    .doc = "JPEG images, one a file, as long as the sample.",
    .extension = "jpeg",
    .least_bytes = HEAD_BYTES + BLOCK_BYTES + END_BYTES,
    .decodes = true,
    LB_IMAGE_ROW(jpeg),
};
