/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A deflated member of a zip archive, into a file and out of it, as a stream.
 * For formats whose file is such an archive (npz, csv). */
#ifndef LB_ZIP_STREAM_H
#define LB_ZIP_STREAM_H

#include "format/compress.h"
#include "format/npz_layout.h"

/* ---- writing ---- */

/* Packs what it is given to a place of a sink. */
struct lb_zip_writer {
  struct lb_packer *packer;
  struct lb_sink *sink;
  uint64_t at, from; /* in the sink: the next byte, the first */
  uint64_t taken;    /* bytes that it was given */
  uint32_t crc;      /* of them */
};
int lb_zip_writer_begin(struct lb_zip_writer *w, struct lb_sink *sink,
                        uint64_t at, int level, struct lb_err *err);
int lb_zip_write(struct lb_zip_writer *w, const void *bytes, size_t n,
                 struct lb_err *err);
/* Sets size, inflated and crc of the member. */
int lb_zip_writer_end(struct lb_zip_writer *w, struct lb_zip_member *m,
                      struct lb_err *err);
void lb_zip_writer_fini(struct lb_zip_writer *w);

/* ---- reading ---- */

/* A reader's: the file's bytes come in pieces, which are planned one by one,
 * for what is behind a piece need not be asked for if it is damaged. */
struct lb_zip_reader {
  struct lb_unpacker *unpacker;
  unsigned char *piece; /* piece_bytes */
  size_t piece_bytes;
  const struct lb_zip_member *member; /* borrowed */
  uint64_t left;                      /* of its bytes in the archive */
  uint64_t got;                       /* inflated */
  uint32_t crc;
  lb_codec_out *out;
  void *arg;
};
/* Allocates, once; piece_bytes is that of a request, or more. */
int lb_zip_reader_init(struct lb_zip_reader *r, size_t piece_bytes,
                       struct lb_err *err);
uint64_t lb_zip_reader_bytes(size_t piece_bytes); /* memory */
void lb_zip_reader_fini(struct lb_zip_reader *r);
/* The member of the file at path; planned: bytes that it should have. */
int lb_zip_reader_begin(struct lb_zip_reader *r, const struct lb_zip_member *m,
                        const char *path, uint64_t planned, lb_codec_out *out,
                        void *arg, struct lb_err *err);
/* The member's bytes; what is behind its end is left alone. */
int lb_zip_read(struct lb_zip_reader *r, const void *bytes, size_t n,
                struct lb_err *err);
/* All was read: its size and checksum must be right. */
int lb_zip_reader_end(struct lb_zip_reader *r, const char *path,
                      struct lb_err *err);

/* How much data of a file may come out where `planned' bytes should: samples of
 * other files may be larger, but not without end. */
static inline uint64_t lb_unpack_most(uint64_t planned)
{
  return planned < UINT64_MAX / 32 ? 16 * planned + (1 << 20) : UINT64_MAX;
}

#endif
