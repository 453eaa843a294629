/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See thrift.h. */
#include "lb-config.h"

#include "format/thrift.h"

#include <endian.h>
#include <string.h>

/* Deeper nesting than any metadata have. */
enum { DEPTH_MAX = 32, VARINT_MAX = 10 };

/* ---- writing ---- */

void thrift_raw(struct thrift_out *o, const void *bytes, size_t n)
{
  o->total += n;
  const unsigned char *from = bytes;
  while (o->buf && n > 0) {
    size_t part = o->cap - o->n < n ? o->cap - o->n : n;
    memcpy(o->buf + o->n, from, part);
    o->n += part;
    from += part;
    n -= part;
    if (o->n < o->cap)
      continue;
    if (!o->flush)
      return;
    o->flush(o);
  }
}

static void put_byte(struct thrift_out *o, int byte)
{
  unsigned char b = (unsigned char)byte;
  thrift_raw(o, &b, 1);
}

size_t thrift_varint(uint64_t value, unsigned char out[10])
{
  size_t n = 0;
  for (; value > 0x7f; value >>= 7)
    out[n++] = (unsigned char)(value | 0x80);
  out[n++] = (unsigned char)value;
  return n;
}

static void put_varint(struct thrift_out *o, uint64_t value)
{
  unsigned char bytes[VARINT_MAX];
  thrift_raw(o, bytes, thrift_varint(value, bytes));
}

static uint64_t zigzag(int64_t v)
{
  return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

unsigned thrift_int_bytes(uint64_t value)
{
  unsigned char bytes[VARINT_MAX];
  return (unsigned)thrift_varint(value << 1, bytes);
}

static void put_field(struct thrift_out *o, int *last, int id,
                      enum thrift_type type)
{
  put_byte(o, (id - *last) << 4 | (int)type);
  *last = id;
}

void thrift_int(struct thrift_out *o, int *last, int id, enum thrift_type type,
                int64_t value)
{
  put_field(o, last, id, type);
  if (type == THRIFT_BYTE)
    put_byte(o, (int)value);
  else
    thrift_element_int(o, value);
}

void thrift_bool(struct thrift_out *o, int *last, int id, bool value)
{
  put_field(o, last, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_text(struct thrift_out *o, int *last, int id, const char *text)
{
  put_field(o, last, id, THRIFT_BINARY);
  thrift_element_text(o, text);
}

void thrift_list(struct thrift_out *o, int *last, int id,
                 enum thrift_type element, uint32_t n)
{
  put_field(o, last, id, THRIFT_LIST);
  put_byte(o, (n < 15 ? (int)n : 15) << 4 | (int)element);
  if (n >= 15)
    put_varint(o, n);
}

void thrift_struct(struct thrift_out *o, int *last, int id)
{
  put_field(o, last, id, THRIFT_STRUCT);
}

void thrift_stop(struct thrift_out *o)
{
  put_byte(o, THRIFT_STOP);
}

void thrift_element_int(struct thrift_out *o, int64_t value)
{
  put_varint(o, zigzag(value));
}

void thrift_element_text(struct thrift_out *o, const char *text)
{
  size_t n = strlen(text);
  put_varint(o, n);
  thrift_raw(o, text, n);
}

/* ---- reading ---- */

static size_t left(const struct thrift_in *in)
{
  return (size_t)(in->end - in->p);
}

/* Nothing is left to be read, so that all checks are of the end alone. */
static void fail(struct thrift_in *in)
{
  in->bad = true;
  in->p = in->end;
}

static unsigned get_byte(struct thrift_in *in)
{
  if (in->p == in->end) {
    fail(in);
    return 0;
  }
  return *in->p++;
}

/* Byte by byte. */
static uint64_t get_any_varint(struct thrift_in *in)
{
  size_t most = left(in) < VARINT_MAX ? left(in) : VARINT_MAX;
  uint64_t value = 0;
  for (size_t i = 0; i < most; i++) {
    value |= (uint64_t)(in->p[i] & 0x7f) << (7 * i);
    if (in->p[i] < 0x80) {
      in->p += i + 1;
      return value;
    }
  }
  fail(in);
  return 0;
}

/* Most have one byte, nearly all 8 at most: these are cut out of one word. */
static inline uint64_t get_varint(struct thrift_in *in)
{
  uint64_t w;
  if (in->p != in->end && *in->p < 0x80)
    return *in->p++;
  if (left(in) < sizeof w)
    return get_any_varint(in);
  memcpy(&w, in->p, sizeof w);
  w = le64toh(w);
  uint64_t ends = ~w & 0x8080808080808080; /* at bytes that are the last */
  if (!ends)
    return get_any_varint(in);
  in->p += __builtin_ctzll(ends) / 8 + 1;
  w &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f; /* up to the first of them */
  w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
  w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
  return (w & 0x0fffffff) | (w & 0x0fffffff00000000) >> 4;
}

static inline int64_t get_zigzag(struct thrift_in *in)
{
  uint64_t v = get_varint(in);
  return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

static inline void get_raw(struct thrift_in *in, uint64_t n)
{
  if (n > left(in))
    fail(in);
  else
    in->p += n;
}

static bool next_by_number(struct thrift_in *in, struct thrift_field *f)
{
  int64_t id = get_zigzag(in);
  if (f->type > THRIFT_STRUCT || id < 0 || id > INT16_MAX)
    fail(in);
  f->id = in->bad ? 0 : (int)id;
  return !in->bad;
}

static inline bool next(struct thrift_in *in, struct thrift_field *f)
{
  unsigned byte = get_byte(in);
  f->type = (enum thrift_type)(byte & 15);
  if (f->type == THRIFT_STOP)
    return false;
  if (byte >> 4 == 0)
    return next_by_number(in, f);
  f->id += (int)(byte >> 4);
  if (f->type <= THRIFT_STRUCT && f->id <= INT16_MAX)
    return true;
  fail(in);
  f->id = 0;
  return false;
}

bool thrift_next(struct thrift_in *in, struct thrift_field *f)
{
  return next(in, f);
}

static inline bool is_int(enum thrift_type type)
{
  return type >= THRIFT_I16 && type <= THRIFT_I64;
}

static inline int64_t get_int(struct thrift_in *in, enum thrift_type type)
{
  if (is_int(type))
    return get_zigzag(in);
  if (type == THRIFT_BYTE)
    return (int8_t)get_byte(in);
  fail(in);
  return 0;
}

int64_t thrift_get_int(struct thrift_in *in, enum thrift_type type)
{
  return get_int(in, type);
}

const unsigned char *thrift_get_text(struct thrift_in *in,
                                     enum thrift_type type, size_t *n)
{
  if (type != THRIFT_BINARY)
    fail(in);
  *n = (size_t)get_varint(in);
  const unsigned char *text = in->p;
  get_raw(in, *n);
  if (in->bad)
    *n = 0;
  return text;
}

uint32_t thrift_get_list(struct thrift_in *in, enum thrift_type type,
                         enum thrift_type *element)
{
  if (type != THRIFT_LIST && type != THRIFT_SET)
    fail(in);
  unsigned byte = get_byte(in);
  uint64_t n = byte >> 4 == 15 ? get_varint(in) : byte >> 4;
  *element = (enum thrift_type)(byte & 15);
  /* Each element takes a byte at least. */
  if (n > left(in) || *element > THRIFT_STRUCT || n > UINT32_MAX)
    fail(in);
  return in->bad ? 0 : (uint32_t)n;
}

/* ---- skipping ---- */

static void skip(struct thrift_in *in, enum thrift_type type, int depth);

/* All but those that have others inside. */
static inline bool skip_scalar(struct thrift_in *in, enum thrift_type type)
{
  if (is_int(type))
    get_varint(in);
  else if (type == THRIFT_BINARY)
    get_raw(in, get_varint(in));
  else if (type == THRIFT_DOUBLE)
    get_raw(in, 8);
  else if (type == THRIFT_BYTE)
    get_raw(in, 1);
  else
    return type == THRIFT_TRUE || type == THRIFT_FALSE;
  return true;
}

static void skip_element(struct thrift_in *in, enum thrift_type type, int depth)
{
  if (type == THRIFT_TRUE || type == THRIFT_FALSE)
    get_raw(in, 1); /* in a list or a map a bool is a byte */
  else
    skip(in, type, depth);
}

static void skip_list(struct thrift_in *in, enum thrift_type type, int depth)
{
  enum thrift_type element;
  uint32_t n = thrift_get_list(in, type, &element);
  for (uint32_t i = 0; i < n && !in->bad; i++)
    skip_element(in, element, depth);
}

static void skip_map(struct thrift_in *in, int depth)
{
  uint64_t n = get_varint(in);
  unsigned types = n ? get_byte(in) : 0;
  if (n > left(in))
    fail(in);
  for (uint64_t i = 0; i < n && !in->bad; i++) {
    skip_element(in, (enum thrift_type)(types >> 4), depth);
    skip_element(in, (enum thrift_type)(types & 15), depth);
  }
}

/* No deeper than DEPTH_MAX, whatever the bytes say. */
static void skip(struct thrift_in *in, enum thrift_type type, int depth)
{
  struct thrift_field f = {0};
  if (depth > DEPTH_MAX)
    fail(in);
  else if (skip_scalar(in, type))
    return;
  else if (type == THRIFT_LIST || type == THRIFT_SET)
    skip_list(in, type, depth + 1);
  else if (type == THRIFT_MAP)
    skip_map(in, depth + 1);
  else if (type == THRIFT_STRUCT)
    while (next(in, &f))
      skip(in, f.type, depth + 1);
  else
    fail(in);
}

void thrift_skip(struct thrift_in *in, enum thrift_type type)
{
  skip(in, type, 0);
}

void thrift_get_ints(struct thrift_in *in, enum thrift_type type, uint32_t want,
                     int64_t value[THRIFT_WANT_MAX])
{
  struct thrift_field f = {0};
  if (type != THRIFT_STRUCT)
    fail(in);
  while (next(in, &f))
    if (f.id < THRIFT_WANT_MAX && want >> f.id & 1)
      value[f.id] = get_int(in, f.type);
    else
      skip(in, f.type, 1);
}
