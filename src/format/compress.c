/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See compress.h: the table of compressions and the streams through them. */
#include "lb-config.h"

#include "format/compress_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_BYTES = 65536, KIB = 1024, MIB = 1024 * 1024 };

#ifdef HAVE_BZ2
#define BZ2_ROW .library = &lb_codec_bz2
#else
#define BZ2_ROW \
  .unavailable = "this build lacks libbz2; install libbz2-dev and configure"
#endif
#ifdef HAVE_LZMA
#define XZ_ROW .library = &lb_codec_xz
#else
#define XZ_ROW \
  .unavailable = "this build lacks liblzma; install liblzma-dev and configure"
#endif

/* Memory: zlib's window; bzip2's block of 900 kB and its table; the dictionary
 * of xz at level 9.  What is left of text was measured at level 4. */
static const struct lb_codec codecs[] = {
    {.name = "gzip",
     .ending = ".gz",
     .joins = true,
     .request = 4096,
     .unpack_bytes = 48 * KIB,
     .left = {40, 47, 6, 37},
     .library = &lb_codec_gzip},
    {.name = "zip",
     .ending = ".zip",
     .unpack_bytes = 48 * KIB,
     .left = {40, 47, 6, 37},
     .library = &lb_codec_deflate},
    {.name = "bz2",
     .ending = ".bz2",
     .joins = true,
     .request = 8192,
     .unpack_bytes = 4 * MIB,
     .left = {30, 41, 3, 22},
     BZ2_ROW},
    {.name = "xz",
     .ending = ".xz",
     .joins = true,
     .request = 8192,
     .unpack_bytes = 66 * MIB,
     .left = {35, 44, 6, 4},
     XZ_ROW},
};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

const struct lb_codec *lb_codec_find(const char *name)
{
  for (int i = 0; i < N_CODECS; i++)
    if (!strcmp(codecs[i].name, name))
      return &codecs[i];
  return NULL;
}

const struct lb_codec *lb_codec_need(const char *name, const char *format,
                                     struct lb_err *err)
{
  const struct lb_codec *c = lb_codec_find(name);
  if (c && !c->unavailable)
    return c;
  if (c) {
    lb_err_set(err, LB_USAGE, "dataset.compression: '%s': %s", name,
               c->unavailable);
    return NULL;
  }
  char allowed[64] = "none";
  for (int i = 0; i < N_CODECS; i++) {
    size_t n = strlen(allowed);
    snprintf(allowed + n, sizeof allowed - n, ", %s", codecs[i].name);
  }
  lb_err_set(err, LB_USAGE,
             "dataset.compression: '%s' with format %s; allowed: %s", name,
             format, allowed);
  return NULL;
}

static int no_memory(const struct lb_codec *codec, const char *what,
                     struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory to %s %s", what, codec->name);
}

/* ---- packing ---- */

struct lb_packer {
  const struct lb_codec *codec;
  lb_codec_out *out;
  void *arg, *state;
  unsigned char room[OUT_BYTES];
};

int lb_packer_new(struct lb_packer **p, const struct lb_codec *codec, int level,
                  lb_codec_out *out, void *arg, struct lb_err *err)
{
  const struct lb_codec_library *lib = codec->library;
  struct lb_packer *n = malloc(sizeof *n);
  void *state = calloc(1, lib->state_bytes);
  *p = NULL;
  if (!n || !state || lib->pack_begin(state, level) != LB_CODEC_MORE) {
    free(n);
    free(state);
    return no_memory(codec, "pack", err);
  }
  n->codec = codec;
  n->out = out;
  n->arg = arg;
  n->state = state;
  *p = n;
  return 0;
}

void lb_packer_free(struct lb_packer *p)
{
  if (!p)
    return;
  p->codec->library->pack_fini(p->state);
  free(p->state);
  free(p);
}

static int pack(struct lb_packer *p, const void *bytes, size_t n, bool last,
                struct lb_err *err)
{
  struct lb_codec_step s = {.in = bytes, .n_in = n, .last = last};
  for (;;) {
    s.out = p->room;
    s.n_out = OUT_BYTES;
    enum lb_codec_state state = p->codec->library->pack(p->state, &s);
    if (state != LB_CODEC_MORE && state != LB_CODEC_END)
      return no_memory(p->codec, "pack", err);
    size_t got = OUT_BYTES - s.n_out;
    if (got && p->out(p->arg, p->room, got, err) < 0)
      return -err->code;
    if (state == LB_CODEC_END || (!last && s.n_in == 0 && s.n_out > 0))
      return 0;
  }
}

int lb_packer_write(struct lb_packer *p, const void *bytes, size_t n,
                    struct lb_err *err)
{
  return n ? pack(p, bytes, n, false, err) : 0;
}

int lb_packer_end(struct lb_packer *p, struct lb_err *err)
{
  return pack(p, "", 0, true, err); /* NULL + 0 is undefined in C */
}

/* Of the four, bzip2 adds most to what it cannot pack: 1 % and 600 bytes. */
uint64_t lb_pack_bound(uint64_t n)
{
  return n + n / 64 + 1024;
}

/* ---- unpacking ---- */

struct lb_unpacker {
  const struct lb_codec *codec;
  lb_codec_out *out;
  void *arg, *state;
  const char *path;
  uint64_t most, got;
  bool ended; /* a stream is complete, and nothing has followed */
  bool again; /* one has been complete before this one */
  unsigned char room[OUT_BYTES];
};

int lb_unpacker_new(struct lb_unpacker **u, const struct lb_codec *codec,
                    struct lb_err *err)
{
  struct lb_unpacker *n = malloc(sizeof *n);
  void *state = calloc(1, codec->library->state_bytes);
  *u = NULL;
  if (!n || !state) {
    free(n);
    free(state);
    return no_memory(codec, "unpack", err);
  }
  n->codec = codec;
  n->state = state;
  *u = n;
  return 0;
}

void lb_unpacker_free(struct lb_unpacker *u)
{
  if (!u)
    return;
  u->codec->library->unpack_fini(u->state);
  free(u->state);
  free(u);
}

static int begin_stream(struct lb_unpacker *u, struct lb_err *err)
{
  u->ended = false;
  if (u->codec->library->unpack_begin(u->state) == LB_CODEC_MORE)
    return 0;
  return no_memory(u->codec, "unpack", err);
}

int lb_unpacker_begin(struct lb_unpacker *u, const char *path, uint64_t most,
                      lb_codec_out *out, void *arg, struct lb_err *err)
{
  u->path = path;
  u->most = most;
  u->got = 0;
  u->out = out;
  u->arg = arg;
  u->again = false;
  return begin_stream(u, err);
}

static int refuse(const struct lb_unpacker *u, enum lb_codec_state state,
                  struct lb_err *err)
{
  if (state == LB_CODEC_NO_MEMORY)
    return lb_err_set(err, LB_FAILED,
                      "%s: to unpack it (%s) takes more memory than it may",
                      u->path, u->codec->name);
  return lb_err_set(err, LB_FAILED,
                    "%s: its %s stream is %s, after %" PRIu64 " bytes of data",
                    u->path, u->codec->name,
                    u->again ? "followed by something else" : "damaged",
                    u->got);
}

/* What has come out is passed on: never more than may. */
static int pass_on(struct lb_unpacker *u, size_t n, struct lb_err *err)
{
  u->got += n;
  if (u->got > u->most)
    return lb_err_set(err, LB_FAILED,
                      "%s: unpacks to more than the %" PRIu64
                      " bytes that it may have here",
                      u->path, u->most);
  return n ? u->out(u->arg, u->room, n, err) : 0;
}

/* Zeros may stand between and behind streams, up to the end of a block. */
static void skip_zeros(struct lb_codec_step *s)
{
  while (s->n_in > 0 && *s->in == 0) {
    s->in++;
    s->n_in--;
  }
}

/* Bytes after the end of a stream: another one.  1: there is none. */
static int go_on(struct lb_unpacker *u, struct lb_codec_step *s,
                 struct lb_err *err)
{
  u->again = true;
  if (!u->codec->joins)
    return s->n_in ? refuse(u, LB_CODEC_BAD, err) : 1;
  skip_zeros(s);
  return s->n_in ? begin_stream(u, err) : 1;
}

int lb_unpacker_write(struct lb_unpacker *u, const void *bytes, size_t n,
                      struct lb_err *err)
{
  struct lb_codec_step s = {.in = bytes, .n_in = n, .n_out = 1};
  while (s.n_in > 0 || s.n_out == 0) {
    if (u->ended) {
      int rc = go_on(u, &s, err);
      if (rc)
        return rc < 0 ? rc : 0;
    }
    size_t had = s.n_in;
    s.out = u->room;
    s.n_out = OUT_BYTES;
    enum lb_codec_state state = u->codec->library->unpack(u->state, &s);
    if (state == LB_CODEC_BAD || state == LB_CODEC_NO_MEMORY)
      return refuse(u, state, err);
    if (pass_on(u, OUT_BYTES - s.n_out, err) < 0)
      return -err->code;
    u->ended = state == LB_CODEC_END;
    if (!u->ended && s.n_in == had && s.n_out == OUT_BYTES && had > 0)
      return refuse(u, LB_CODEC_BAD, err); /* neither takes nor gives */
  }
  return 0;
}

int lb_unpacker_end(struct lb_unpacker *u, struct lb_err *err)
{
  if (u->ended)
    return 0;
  if (u->again)
    return refuse(u, LB_CODEC_BAD, err);
  return lb_err_set(err, LB_FAILED,
                    "%s: cut short: its %s stream does not end, after %" PRIu64
                    " bytes of data",
                    u->path, u->codec->name, u->got);
}
