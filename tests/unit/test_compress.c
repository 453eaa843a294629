/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed streams: known bytes, every way to cut them, damage, bombs. */
#include "lb-config.h"

#include "format/compress.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

struct bytes {
  unsigned char *v;
  size_t n, cap;
};

static int append(void *arg, const void *bytes, size_t n, struct lb_err *err)
{
  struct bytes *b = arg;
  (void)err;
  if (b->n + n > b->cap) {
    b->cap = 2 * (b->n + n);
    b->v = realloc(b->v, b->cap);
  }
  memcpy(b->v + b->n, bytes, n);
  b->n += n;
  return 0;
}

static void pack(const struct lb_codec *c, int level, const void *bytes,
                 size_t n, size_t piece, struct bytes *out)
{
  struct lb_packer *p;
  struct lb_err err = LB_ERR_INIT;
  out->n = 0;
  lb_packer_new(&p, c, level, append, out, &err);
  for (size_t at = 0; at < n; at += piece)
    lb_packer_write(p, (const char *)bytes + at,
                    n - at < piece ? n - at : piece, &err);
  lb_packer_end(p, &err);
  lb_packer_free(p);
  is_str(err.msg, "", "%s: packed at level %d", c->name, level);
}

static int unpack(struct lb_unpacker *u, const struct bytes *in, size_t piece,
                  uint64_t most, struct bytes *out, struct lb_err *err)
{
  *err = (struct lb_err)LB_ERR_INIT;
  out->n = 0;
  int rc = lb_unpacker_begin(u, "file", most, append, out, err);
  for (size_t at = 0; !rc && at < in->n; at += piece)
    rc = lb_unpacker_write(u, in->v + at,
                           in->n - at < piece ? in->n - at : piece, err);
  return rc ? rc : lb_unpacker_end(u, err);
}

static void round_trip(const struct lb_codec *c, const struct bytes *data)
{
  static const size_t pieces[] = {1, 7, 4096, 1 << 20};
  struct bytes packed = {.n = 0}, again = {.n = 0}, back = {.n = 0};
  struct lb_unpacker *u;
  struct lb_err err = LB_ERR_INIT;
  lb_unpacker_new(&u, c, &err);
  for (int level = 0; level <= 6; level += 3) {
    pack(c, level, data->v, data->n, 1000, &packed);
    pack(c, level, data->v, data->n, 1 << 20, &again);
    ok(level == 0 ||
           (packed.n == again.n && !memcmp(packed.v, again.v, packed.n)),
       "%s: the pieces do not show", c->name);
    ok(packed.n <= lb_pack_bound(data->n), "%s: within the bound", c->name);
    for (int i = 0; i < 4; i++) {
      unpack(u, &packed, pieces[i], data->n, &back, &err);
      ok(!err.code && back.n == data->n && !memcmp(back.v, data->v, data->n),
         "%s: back again by %zu: %s", c->name, pieces[i], err.msg);
    }
  }
  lb_unpacker_free(u);
  free(packed.v);
  free(again.v);
  free(back.v);
}

static void damage(const struct lb_codec *c, const struct bytes *data)
{
  struct bytes packed = {.n = 0}, back = {.n = 0};
  struct lb_unpacker *u;
  struct lb_err err = LB_ERR_INIT;
  int unseen = 0;
  lb_unpacker_new(&u, c, &err);
  pack(c, 4, data->v, data->n, data->n, &packed);
  size_t whole = packed.n;
  for (packed.n = 0; packed.n < whole; packed.n += packed.n < 50 ? 1 : 501)
    unseen += unpack(u, &packed, 4096, data->n, &back, &err) == 0;
  is_int(unseen, 0, "%s: every cut is noticed", c->name);
  packed.n = whole - 1;
  unpack(u, &packed, 4096, data->n, &back, &err);
  ok(strstr(err.msg, "file: cut short"), "%s: says so: %s", c->name, err.msg);
  packed.n = whole;
  unpack(u, &packed, 4096, data->n - 1, &back, &err);
  ok(strstr(err.msg, "unpacks to more than"), "%s: a byte more: %s", c->name,
     err.msg);
  append(&packed, "garbage!", 8, &err);
  unpack(u, &packed, 4096, data->n, &back, &err);
  ok(strstr(err.msg, "followed by something else"), "%s: garbage: %s", c->name,
     err.msg);
  packed.n = 16;
  memcpy(packed.v, "\x07jpgjpgjpgjpgjpg", 16);
  unpack(u, &packed, 4096, data->n, &back, &err);
  ok(strstr(err.msg, "damaged"), "%s: not such a stream: %s", c->name, err.msg);
  lb_unpacker_free(u);
  free(packed.v);
  free(back.v);
}

/* Two streams count as one where the kind allows it, zeros behind them, too. */
static void joined(const struct lb_codec *c, const struct bytes *data)
{
  struct bytes packed = {.n = 0}, two = {.n = 0}, back = {.n = 0};
  struct lb_unpacker *u;
  struct lb_err err = LB_ERR_INIT;
  lb_unpacker_new(&u, c, &err);
  pack(c, 4, data->v, data->n, data->n, &packed);
  append(&two, packed.v, packed.n, &err);
  append(&two, packed.v, packed.n, &err);
  unpack(u, &two, 777, 2 * data->n, &back, &err);
  if (c->joins) {
    append(&two, "\0\0\0\0", 4, &err);
    unpack(u, &two, 777, 2 * data->n, &back, &err);
    ok(!err.code && back.n == 2 * data->n &&
           !memcmp(back.v + data->n, data->v, data->n),
       "%s: two streams: %s", c->name, err.msg);
  } else {
    ok(strstr(err.msg, "followed"), "%s: one stream: %s", c->name, err.msg);
  }
  lb_unpacker_free(u);
  free(packed.v);
  free(two.v);
  free(back.v);
}

/* 64 MiB of zeros: the bomb is noticed after a little more than may come. */
static void bomb(const struct lb_codec *c)
{
  static unsigned char zeros[1 << 20];
  struct bytes packed = {.n = 0}, back = {.n = 0};
  struct lb_packer *p;
  struct lb_unpacker *u;
  struct lb_err err = LB_ERR_INIT;
  lb_packer_new(&p, c, 1, append, &packed, &err);
  for (int i = 0; i < 64; i++)
    lb_packer_write(p, zeros, sizeof zeros, &err);
  lb_packer_end(p, &err);
  lb_packer_free(p);
  lb_unpacker_new(&u, c, &err);
  unpack(u, &packed, packed.n, 100000, &back, &err);
  ok(strstr(err.msg, "file: unpacks to more than the 100000 bytes"), "%s: %s",
     c->name, err.msg);
  ok(back.n <= 100000, "%s: and %zu bytes came out", c->name, back.n);
  lb_unpacker_free(u);
  free(packed.v);
  free(back.v);
}

/* Written by Python: gzip.compress(b"loadbank\n", mtime=0) and so on. */
static const struct {
  const char *name, *bytes;
  size_t n;
} known[] = {
    {"gzip",
     "\037\213\010\000\000\000\000\000\002\003\313\311\117\114\111\112"
     "\314\313\346\002\000\007\327\314\257\011\000\000\000",
     29},
    {"zip", "\313\311\117\114\111\112\314\313\346\002\000", 11},
    {"bz2",
     "\102\132\150\071\061\101\131\046\123\131\232\127\207\322\000\000"
     "\003\101\000\000\020\064\015\240\000\042\032\062\172\204\060\041"
     "\216\103\260\361\167\044\123\205\011\011\245\170\175\040",
     46},
    {"xz",
     "\375\067\172\130\132\000\000\004\346\326\264\106\002\000\041\001"
     "\026\000\000\000\164\057\345\243\001\000\010\154\157\141\144\142"
     "\141\156\153\012\000\000\000\000\174\276\227\036\010\172\007\221"
     "\000\001\041\011\154\030\305\325\037\266\363\175\001\000\000\000"
     "\000\004\131\132",
     68},
};

static void known_bytes(void)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct lb_codec *c = lb_codec_find(known[i].name);
    struct bytes in = {.n = 0}, out = {.n = 0};
    struct lb_unpacker *u;
    struct lb_err err = LB_ERR_INIT;
    if (c->unavailable)
      continue;
    append(&in, known[i].bytes, known[i].n, &err);
    lb_unpacker_new(&u, c, &err);
    unpack(u, &in, 3, 9, &out, &err);
    ok(!err.code && out.n == 9 && !memcmp(out.v, "loadbank\n", 9),
       "%s: Python's bytes: %s", c->name, err.msg);
    lb_unpacker_free(u);
    free(in.v);
    free(out.v);
  }
  struct bytes gz = {.n = 0};
  pack(lb_codec_find("gzip"), 4, "x", 1, 1, &gz);
  ok(gz.n > 10 && !memcmp(gz.v, "\x1f\x8b\x08\0\0\0\0\0", 8),
     "gzip: no name, no time");
  free(gz.v);
}

static void names(void)
{
  struct lb_err err = LB_ERR_INIT;
  ok(!lb_codec_find("none") && !lb_codec_find("lzf"), "others are not found");
  ok(!lb_codec_need("lzf", "csv", &err) && strstr(err.msg, "lzf") &&
         strstr(err.msg, "csv"),
     "and refused: %s", err.msg);
}

int main(void)
{
  static const char *const kinds[] = {"gzip", "zip", "bz2", "xz"};
  struct bytes data = {.n = 0};
  struct lb_err err = LB_ERR_INIT;
  uint32_t x = 1;
  for (int i = 0; i < 30000; i++) {
    x = x * 1664525 + 1013904223;
    append(&data, &"0123456789,\nabcd"[x >> 28], 1, &err);
    append(&data, &x, 1 + (i % 97 == 0), &err);
  }
  names();
  known_bytes();
  for (int i = 0; i < 4; i++) {
    const struct lb_codec *c = lb_codec_find(kinds[i]);
    if (c->unavailable) {
      ok(true, "%s # SKIP %s", c->name, c->unavailable);
      continue;
    }
    round_trip(c, &data);
    damage(c, &data);
    joined(c, &data);
    bomb(c);
  }
  free(data.v);
  return done();
}
