/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xz, by liblzma: as Python's lzma writes it, with a CRC-64. */
#include "lb-config.h"

#include "format/compress_impl.h"

#ifdef HAVE_LZMA

#include <lzma.h>
#include <string.h>

/* Level 9 needs 65 MiB to unpack; a header may ask for 4 GiB. */
#define UNPACK_MEMORY (128ull << 20)

struct state {
  lzma_stream z; /* zeros are LZMA_STREAM_INIT */
};

static enum lb_codec_state state_of(lzma_ret rc)
{
  switch (rc) {
  case LZMA_OK:
  case LZMA_BUF_ERROR:
    return LB_CODEC_MORE;
  case LZMA_STREAM_END:
    return LB_CODEC_END;
  case LZMA_MEM_ERROR:
  case LZMA_MEMLIMIT_ERROR:
    return LB_CODEC_NO_MEMORY;
  default:
    return LB_CODEC_BAD;
  }
}

static enum lb_codec_state step(struct state *st, struct lb_codec_step *s,
                                lzma_action action)
{
  st->z.next_in = s->in;
  st->z.avail_in = s->n_in;
  st->z.next_out = s->out;
  st->z.avail_out = s->n_out;
  lzma_ret rc = lzma_code(&st->z, action);
  s->in = st->z.next_in;
  s->n_in = st->z.avail_in;
  s->out = st->z.next_out;
  s->n_out = st->z.avail_out;
  return state_of(rc);
}

static enum lb_codec_state pack_begin(void *state, int level)
{
  struct state *st = state;
  return state_of(lzma_easy_encoder(&st->z, (uint32_t)level, LZMA_CHECK_CRC64));
}

static enum lb_codec_state pack(void *state, struct lb_codec_step *s)
{
  return step(state, s, s->last ? LZMA_FINISH : LZMA_RUN);
}

static void fini(void *state)
{
  struct state *st = state;
  lzma_end(&st->z);
}

static enum lb_codec_state unpack_begin(void *state)
{
  struct state *st = state;
  return state_of(lzma_stream_decoder(&st->z, UNPACK_MEMORY, 0));
}

static enum lb_codec_state unpack(void *state, struct lb_codec_step *s)
{
  return step(state, s, LZMA_RUN);
}

const struct lb_codec_library lb_codec_xz = {
    .state_bytes = sizeof(struct state),
    .pack_begin = pack_begin,
    .pack = pack,
    .pack_fini = fini,
    .unpack_begin = unpack_begin,
    .unpack = unpack,
    .unpack_fini = fini,
};

#endif
