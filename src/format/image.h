/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats of one image a file share: the file is read from its first
 * byte to its last as Pillow does, and perhaps decoded.  Only for src/format.
 */
#ifndef LB_FORMAT_IMAGE_H
#define LB_FORMAT_IMAGE_H

#include "format/format_impl.h"

/* The pixels of one image. */
struct lb_pixels {
  void *bytes; /* malloc'ed; grown to the largest image */
  size_t cap;
};
/* Room for n bytes of them; refused when n > most. */
int lb_pixels_room(struct lb_pixels *px, uint64_t width, uint64_t height,
                   uint64_t channels, uint64_t most, struct lb_err *err);

/* The bytes of a file as it is made, from the first one on. */
struct lb_image_stream {
  const struct lb_format_params *p;
  enum lb_set set;
  int64_t index;
  uint64_t at, end;        /* of the file: the next byte; its length */
  unsigned char head[192]; /* what stands before the content */
  size_t head_bytes;
  union {
    struct {
      uint64_t pad;    /* bytes of the comment */
      uint64_t blocks; /* of 8 x 8 pixels */
      int dc;          /* of the last one */
    } jpeg;
    struct {
      uint64_t width, height;
      uint64_t in_zlib, zlib_bytes; /* the stream in the IDAT chunks */
      uint64_t in_raw, raw_bytes;   /* the rows in that */
      uint32_t crc, adler;
    } png;
  } u;
};

/* What one format has of its own. */
struct lb_image {
  const char *name;
  int64_t least, most; /* bytes of a sample */
  /* The stream of the file's bytes, from p, set and index in s and a size of
   * the sample within the above; sets end and what is its own. */
  int (*begin)(struct lb_image_stream *s, const struct lb_file *f,
               struct lb_err *err);
  void (*next)(struct lb_image_stream *s, unsigned char *out, size_t n);
  uint64_t (*pixels)(const struct lb_image_stream *s);
  /* Bytes that Pillow asks for next when it has read `at' >= LB_PAGE of a
   * file of `size' > at. */
  uint64_t (*request)(uint64_t size, uint64_t at);
  /* Looks at the first n bytes, LB_PAGE or all; *payload is what the sample
   * counts for in the file (size: its length). */
  int (*head)(const unsigned char *bytes, size_t n, const struct lb_sample *s,
              uint64_t size, uint64_t *payload, struct lb_err *err);
  /* Do the last n bytes of the file hold the mark of its end? */
  bool (*ended)(const unsigned char *bytes, size_t n);
  /* Decodes into px at most `most' bytes of pixels; NULL: not in this build.
   * err names the reason, not the file. */
  int (*decode)(const void *bytes, size_t n, struct lb_pixels *px,
                uint64_t most, struct lb_err *err);
};

enum { LB_IMAGE_PIECE = 65536, LB_IMAGE_END = 2 * LB_IMAGE_PIECE };
struct lb_image_reader {
  struct lb_kept kept;
  uint64_t size, at;    /* of the file; read up to here */
  uint64_t payload;     /* that it counts for */
  uint64_t known;       /* bytes that end the file, in `tail' */
  unsigned char *whole; /* decode: the file */
  size_t whole_cap;
  struct lb_pixels pixels;
  struct lb_image_stream stream;    /* of a sample that is verified */
  unsigned char tail[LB_IMAGE_END]; /* the file's end, at the end of this */
  unsigned char head[LB_PAGE];      /* of a file that is longer than that */
};

/* The side of the largest square of at most n >= 1. */
int64_t lb_image_root(int64_t n);

/* The hooks of a format, but for the row that they go by. */
int lb_image_check(const struct lb_image *im, const struct lb_format_params *p,
                   struct lb_err *err);
int lb_image_sizes(const struct lb_image *im, const struct lb_format_params *p,
                   const struct lb_file *f, struct lb_file_sizes *out,
                   struct lb_err *err);
int lb_image_make(const struct lb_image *im, const struct lb_format_params *p,
                  const struct lb_file *f, struct lb_sink *sink,
                  struct lb_err *err);
int lb_image_reader_init(struct lb_reader *r, struct lb_err *err);
void lb_image_reader_reset(struct lb_reader *r);
void lb_image_reader_fini(struct lb_reader *r);
int lb_image_plan(const struct lb_image *im, struct lb_reader *r,
                  const struct lb_sample *s, int stage, struct lb_iolist *list,
                  struct lb_err *err);
int lb_image_parse(const struct lb_image *im, struct lb_reader *r,
                   const struct lb_sample *s, int stage,
                   const struct lb_iolist *list, struct lb_err *err);
int lb_image_inspect(const struct lb_image *im, struct lb_reader *r,
                     const struct lb_sample *s, const struct lb_io *io,
                     uint64_t at, const void *bytes, size_t n,
                     struct lb_err *err);

/* A hook is not told its row, so each format has functions that know it. */
#define LB_IMAGE_HOOKS(im)                                                    \
  static int im##_check(const struct lb_format_params *p, struct lb_err *err) \
  {                                                                           \
    return lb_image_check(&im, p, err);                                       \
  }                                                                           \
  static int im##_sizes(const struct lb_format_params *p,                     \
                        const struct lb_file *f, struct lb_file_sizes *out,   \
                        struct lb_err *err)                                   \
  {                                                                           \
    return lb_image_sizes(&im, p, f, out, err);                               \
  }                                                                           \
  static int im##_make(const struct lb_format_params *p,                      \
                       const struct lb_file *f, struct lb_sink *sink,         \
                       struct lb_err *err)                                    \
  {                                                                           \
    return lb_image_make(&im, p, f, sink, err);                               \
  }                                                                           \
  static int im##_plan(struct lb_reader *r, const struct lb_sample *s,        \
                       int stage, struct lb_iolist *list, struct lb_err *err) \
  {                                                                           \
    return lb_image_plan(&im, r, s, stage, list, err);                        \
  }                                                                           \
  static int im##_parse(struct lb_reader *r, const struct lb_sample *s,       \
                        int stage, const struct lb_iolist *list,              \
                        struct lb_err *err)                                   \
  {                                                                           \
    return lb_image_parse(&im, r, s, stage, list, err);                       \
  }                                                                           \
  static int im##_inspect(struct lb_reader *r, const struct lb_sample *s,     \
                          const struct lb_io *io, uint64_t at,                \
                          const void *bytes, size_t n, struct lb_err *err)    \
  {                                                                           \
    return lb_image_inspect(&im, r, s, io, at, bytes, n, err);                \
  }

#define LB_IMAGE_ROW(im)                                                    \
  .has_lean = true, .check = im##_check, .sizes = im##_sizes,               \
  .make = im##_make, .plan = im##_plan, .parse = im##_parse,                \
  .inspect = im##_inspect, .reader_size = sizeof(struct lb_image_reader),   \
  .reader_init = lb_image_reader_init, .reader_fini = lb_image_reader_fini, \
  .reader_reset = lb_image_reader_reset, .reader_notes = lb_kept_bytes

#endif
