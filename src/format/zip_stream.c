/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See zip_stream.h. */
#include "lb-config.h"

#include "format/zip_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

/* ---- writing ---- */

static int write_packed(void *arg, const void *bytes, size_t n,
                        struct lb_err *err)
{
  struct lb_zip_writer *w = arg;
  if (w->sink->write(w->sink, w->at, bytes, n, err) < 0)
    return -err->code;
  w->at += n;
  return 0;
}

int lb_zip_writer_begin(struct lb_zip_writer *w, struct lb_sink *sink,
                        uint64_t at, int level, struct lb_err *err)
{
  *w = (struct lb_zip_writer){.sink = sink, .at = at, .from = at};
  return lb_packer_new(&w->packer, lb_codec_find("zip"), level, write_packed, w,
                       err);
}

int lb_zip_write(struct lb_zip_writer *w, const void *bytes, size_t n,
                 struct lb_err *err)
{
  w->crc = (uint32_t)crc32_z(w->crc, bytes, n);
  w->taken += n;
  return lb_packer_write(w->packer, bytes, n, err);
}

int lb_zip_writer_end(struct lb_zip_writer *w, struct lb_zip_member *m,
                      struct lb_err *err)
{
  if (lb_packer_end(w->packer, err) < 0)
    return -err->code;
  m->size = w->at - w->from;
  m->inflated = w->taken;
  m->crc = w->crc;
  return 0;
}

void lb_zip_writer_fini(struct lb_zip_writer *w)
{
  lb_packer_free(w->packer);
}

/* ---- reading ---- */

int lb_zip_reader_init(struct lb_zip_reader *r, size_t piece_bytes,
                       struct lb_err *err)
{
  if (r->unpacker)
    return 0;
  void *piece = NULL;
  if (posix_memalign(&piece, LB_PAGE, piece_bytes) != 0)
    return lb_err_set(err, LB_FAILED, "no memory to inflate %zu bytes",
                      piece_bytes);
  r->piece = piece;
  r->piece_bytes = piece_bytes;
  return lb_unpacker_new(&r->unpacker, lb_codec_find("zip"), err);
}

uint64_t lb_zip_reader_bytes(size_t piece_bytes)
{
  return piece_bytes + lb_codec_find("zip")->unpack_bytes;
}

void lb_zip_reader_fini(struct lb_zip_reader *r)
{
  lb_unpacker_free(r->unpacker);
  free(r->piece);
}

static int take_inflated(void *arg, const void *bytes, size_t n,
                         struct lb_err *err)
{
  struct lb_zip_reader *r = arg;
  r->crc = (uint32_t)crc32_z(r->crc, bytes, n);
  r->got += n;
  return r->out ? r->out(r->arg, bytes, n, err) : 0;
}

int lb_zip_reader_begin(struct lb_zip_reader *r, const struct lb_zip_member *m,
                        const char *path, uint64_t planned, lb_codec_out *out,
                        void *arg, struct lb_err *err)
{
  uint64_t most = lb_unpack_most(planned);
  if (m->inflated > most)
    return lb_err_set(err, LB_FAILED,
                      "%s: a member inflates to %" PRIu64 " bytes, and %" PRIu64
                      " are the most that it may have "
                      "here",
                      path, m->inflated, most);
  r->member = m;
  r->left = m->size;
  r->got = 0;
  r->crc = 0;
  r->out = out;
  r->arg = arg;
  return lb_unpacker_begin(r->unpacker, path, m->inflated, take_inflated, r,
                           err);
}

int lb_zip_read(struct lb_zip_reader *r, const void *bytes, size_t n,
                struct lb_err *err)
{
  n = (size_t)lb_min_u64(n, r->left);
  r->left -= n;
  return lb_unpacker_write(r->unpacker, bytes, n, err);
}

int lb_zip_reader_end(struct lb_zip_reader *r, const char *path,
                      struct lb_err *err)
{
  if (lb_unpacker_end(r->unpacker, err) < 0)
    return -err->code;
  if (r->got != r->member->inflated)
    return lb_err_set(err, LB_FAILED,
                      "%s: a member inflates to %" PRIu64
                      " bytes, and its directory says %" PRIu64,
                      path, r->got, r->member->inflated);
  if (r->crc != r->member->crc)
    return lb_err_set(err, LB_FAILED,
                      "%s: a member is damaged: CRC-32 %08" PRIx32
                      ", the directory says %08" PRIx32,
                      path, r->crc, r->member->crc);
  return 0;
}
