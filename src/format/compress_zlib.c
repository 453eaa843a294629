/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip and raw deflate, by zlib.  A gzip header has no name and no time. */
#include "lb-config.h"

#include "format/compress_impl.h"

#include <limits.h>
#include <zlib.h>

enum { RAW = -MAX_WBITS, GZIP = MAX_WBITS + 16, MEMORY_LEVEL = 8 };

struct state {
  z_stream z;
  bool begun;
};

static enum lb_codec_state begin_pack(struct state *st, int level, int bits)
{
  int rc = deflateInit2(&st->z, level, Z_DEFLATED, bits, MEMORY_LEVEL,
                        Z_DEFAULT_STRATEGY);
  st->begun = rc == Z_OK;
  return st->begun ? LB_CODEC_MORE : LB_CODEC_NO_MEMORY;
}

static enum lb_codec_state pack_begin_gzip(void *state, int level)
{
  return begin_pack(state, level, GZIP);
}

static enum lb_codec_state pack_begin_raw(void *state, int level)
{
  return begin_pack(state, level, RAW);
}

/* zlib counts in unsigned int. */
static uInt limit(size_t n)
{
  return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

static enum lb_codec_state step(struct state *st, struct lb_codec_step *s,
                                int (*move)(z_stream *z, int flush), int flush)
{
  z_stream *z = &st->z;
  uInt n_in = limit(s->n_in), n_out = limit(s->n_out);
  z->next_in = (unsigned char *)(uintptr_t)s->in;
  z->avail_in = n_in;
  z->next_out = s->out;
  z->avail_out = n_out;
  int rc = move(z, flush);
  s->in += n_in - z->avail_in;
  s->n_in -= n_in - z->avail_in;
  s->out += n_out - z->avail_out;
  s->n_out -= n_out - z->avail_out;
  switch (rc) {
  case Z_OK:
  case Z_BUF_ERROR:
    return LB_CODEC_MORE;
  case Z_STREAM_END:
    return LB_CODEC_END;
  case Z_MEM_ERROR:
    return LB_CODEC_NO_MEMORY;
  default:
    return LB_CODEC_BAD;
  }
}

static enum lb_codec_state pack(void *state, struct lb_codec_step *s)
{
  bool last = s->last && s->n_in < UINT_MAX;
  return step(state, s, deflate, last ? Z_FINISH : Z_NO_FLUSH);
}

static void pack_fini(void *state)
{
  struct state *st = state;
  if (st->begun)
    deflateEnd(&st->z);
}

static enum lb_codec_state begin_unpack(struct state *st, int bits)
{
  int rc = st->begun ? inflateReset(&st->z) : inflateInit2(&st->z, bits);
  st->begun = st->begun || rc == Z_OK;
  return rc == Z_OK ? LB_CODEC_MORE : LB_CODEC_NO_MEMORY;
}

static enum lb_codec_state unpack_begin_gzip(void *state)
{
  return begin_unpack(state, GZIP);
}

static enum lb_codec_state unpack_begin_raw(void *state)
{
  return begin_unpack(state, RAW);
}

static enum lb_codec_state unpack(void *state, struct lb_codec_step *s)
{
  return step(state, s, inflate, Z_NO_FLUSH);
}

static void unpack_fini(void *state)
{
  struct state *st = state;
  if (st->begun)
    inflateEnd(&st->z);
}

const struct lb_codec_library lb_codec_gzip = {
    .state_bytes = sizeof(struct state),
    .pack_begin = pack_begin_gzip,
    .pack = pack,
    .pack_fini = pack_fini,
    .unpack_begin = unpack_begin_gzip,
    .unpack = unpack,
    .unpack_fini = unpack_fini,
};
const struct lb_codec_library lb_codec_deflate = {
    .state_bytes = sizeof(struct state),
    .pack_begin = pack_begin_raw,
    .pack = pack,
    .pack_fini = pack_fini,
    .unpack_begin = unpack_begin_raw,
    .unpack = unpack,
    .unpack_fini = unpack_fini,
};
