/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bzip2, by libbz2. */
#include "lb-config.h"

#include "format/compress_impl.h"

#ifdef HAVE_BZ2

#include <bzlib.h>
#include <limits.h>
#include <string.h>

struct state {
  bz_stream z;
  bool begun;
};

static enum lb_codec_state state_of(int rc)
{
  switch (rc) {
  case BZ_OK:
  case BZ_RUN_OK:
  case BZ_FINISH_OK:
    return LB_CODEC_MORE;
  case BZ_STREAM_END:
    return LB_CODEC_END;
  case BZ_MEM_ERROR:
    return LB_CODEC_NO_MEMORY;
  default:
    return LB_CODEC_BAD;
  }
}

/* Its levels are 1 .. 9. */
static enum lb_codec_state pack_begin(void *state, int level)
{
  struct state *st = state;
  int rc = BZ2_bzCompressInit(&st->z, level > 0 ? level : 1, 0, 0);
  st->begun = rc == BZ_OK;
  return state_of(rc);
}

static unsigned limit(size_t n)
{
  return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

static void give(struct state *st, const struct lb_codec_step *s)
{
  st->z.next_in = (char *)(uintptr_t)s->in;
  st->z.avail_in = limit(s->n_in);
  st->z.next_out = (char *)s->out;
  st->z.avail_out = limit(s->n_out);
}

static void take(const struct state *st, struct lb_codec_step *s)
{
  size_t in = limit(s->n_in) - st->z.avail_in;
  size_t out = limit(s->n_out) - st->z.avail_out;
  s->in += in;
  s->n_in -= in;
  s->out += out;
  s->n_out -= out;
}

static enum lb_codec_state pack(void *state, struct lb_codec_step *s)
{
  struct state *st = state;
  bool last = s->last && s->n_in < UINT_MAX;
  if (!last && s->n_in == 0)
    return LB_CODEC_MORE; /* to run on nothing is an error to the library */
  give(st, s);
  int rc = BZ2_bzCompress(&st->z, last ? BZ_FINISH : BZ_RUN);
  take(st, s);
  return state_of(rc);
}

static void pack_fini(void *state)
{
  struct state *st = state;
  if (st->begun)
    BZ2_bzCompressEnd(&st->z);
}

static void unpack_fini(void *state)
{
  struct state *st = state;
  if (st->begun)
    BZ2_bzDecompressEnd(&st->z);
  st->begun = false;
}

/* The library cannot begin again with what it has. */
static enum lb_codec_state unpack_begin(void *state)
{
  struct state *st = state;
  unpack_fini(st);
  memset(&st->z, 0, sizeof st->z);
  int rc = BZ2_bzDecompressInit(&st->z, 0, 0);
  st->begun = rc == BZ_OK;
  return state_of(rc);
}

static enum lb_codec_state unpack(void *state, struct lb_codec_step *s)
{
  struct state *st = state;
  give(st, s);
  int rc = BZ2_bzDecompress(&st->z);
  take(st, s);
  return state_of(rc);
}

const struct lb_codec_library lb_codec_bz2 = {
    .state_bytes = sizeof(struct state),
    .pack_begin = pack_begin,
    .pack = pack,
    .pack_fini = pack_fini,
    .unpack_begin = unpack_begin,
    .unpack = unpack,
    .unpack_fini = unpack_fini,
};

#endif
