/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed streams, both ways: bytes go in by pieces of any size and come
 * out through a small buffer, so that nothing of a file is ever whole in
 * memory.  Knows nothing of files or formats.  Only for src/format. */
#ifndef LB_COMPRESS_H
#define LB_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

struct lb_codec_library; /* compress_impl.h */

struct lb_codec {
  const char *name;        /* dataset.compression */
  const char *unavailable; /* NULL, or why this build lacks it */
  const char *ending;      /* that pandas knows it by, with the dot */
  /* Streams may follow each other and count as one (gzip, bz2, xz). */
  bool joins;
  uint32_t request;      /* bytes that Python's reader of it asks for at a
                          * time; 0: as many as it is asked for */
  uint64_t unpack_bytes; /* memory of an unpacker, at most */
  /* What is left of text, in percent: of random numbers of one byte, of larger
   * ones, of true and false, of numbers that count. */
  struct {
    uint8_t bytes, words, bools, counting;
  } left;
  const struct lb_codec_library *library; /* NULL when unavailable */
};

/* NULL: no such name. */
const struct lb_codec *lb_codec_find(const char *name);
/* The row, if this build can use it; else NULL and err says how to get it, or
 * that `format' does not know the name. */
const struct lb_codec *lb_codec_need(const char *name, const char *format,
                                     struct lb_err *err);

/* Takes what comes out.  0, or negative with err filled. */
typedef int lb_codec_out(void *arg, const void *bytes, size_t n,
                         struct lb_err *err);

/* ---- packing: level 0 .. 9, the same bytes at any time ---- */

/* zlib's level 0 makes blocks of the pieces that it gets: who wants the same
 * bytes gives the same pieces. */
enum { LB_PACK_PIECE = 65536 };

struct lb_packer;
int lb_packer_new(struct lb_packer **p, const struct lb_codec *codec, int level,
                  lb_codec_out *out, void *arg, struct lb_err *err);
void lb_packer_free(struct lb_packer *p); /* NULL is fine */
int lb_packer_write(struct lb_packer *p, const void *bytes, size_t n,
                    struct lb_err *err);
int lb_packer_end(struct lb_packer *p, struct lb_err *err);

/* A stream of n bytes is at most this long when packed. */
uint64_t lb_pack_bound(uint64_t n);

/* ---- unpacking ---- */

struct lb_unpacker;
int lb_unpacker_new(struct lb_unpacker **u, const struct lb_codec *codec,
                    struct lb_err *err);
void lb_unpacker_free(struct lb_unpacker *u); /* NULL is fine */
/* A new stream, of the file at path (borrowed, for messages), that may unpack
 * to `most' bytes: more is an error.  Allocates nothing where the library can
 * begin again with what it has. */
int lb_unpacker_begin(struct lb_unpacker *u, const char *path, uint64_t most,
                      lb_codec_out *out, void *arg, struct lb_err *err);
int lb_unpacker_write(struct lb_unpacker *u, const void *bytes, size_t n,
                      struct lb_err *err);
/* No more bytes follow: the stream must be at its end. */
int lb_unpacker_end(struct lb_unpacker *u, struct lb_err *err);

#endif
