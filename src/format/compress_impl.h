/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a compression library must do for compress.c. */
#ifndef LB_COMPRESS_IMPL_H
#define LB_COMPRESS_IMPL_H

#include "format/compress.h"

/* One step of a stream: takes from in, gives to out, and moves both on. */
struct lb_codec_step {
  const unsigned char *in;
  size_t n_in;
  unsigned char *out;
  size_t n_out;
  bool last; /* packing: nothing follows what is in `in' */
};

enum lb_codec_state {
  LB_CODEC_MORE,     /* more input or room is needed */
  LB_CODEC_END,      /* the stream is complete */
  LB_CODEC_BAD,      /* not such a stream, or damaged */
  LB_CODEC_NO_MEMORY /* or the stream wants more than it may have */
};

struct lb_codec_library {
  size_t state_bytes; /* zeroed before the first begin */
  enum lb_codec_state (*pack_begin)(void *state, int level);
  enum lb_codec_state (*pack)(void *state, struct lb_codec_step *step);
  void (*pack_fini)(void *state);
  /* Also of a stream that has begun or ended: begins anew. */
  enum lb_codec_state (*unpack_begin)(void *state);
  enum lb_codec_state (*unpack)(void *state, struct lb_codec_step *step);
  void (*unpack_fini)(void *state); /* also when nothing has begun */
};

extern const struct lb_codec_library lb_codec_gzip, lb_codec_deflate;
/* Only with HAVE_BZ2 and HAVE_LZMA. */
extern const struct lb_codec_library lb_codec_bz2, lb_codec_xz;

#endif
