/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See thrift.h. */
#include "lb-config.h"

#include "format/thrift.h"

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
  return in->bad ? 0 : (size_t)(in->end - in->p);
}

static unsigned get_byte(struct thrift_in *in)
{
  if (!left(in)) {
    in->bad = true;
    return 0;
  }
  return *in->p++;
}

static uint64_t get_varint(struct thrift_in *in)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < VARINT_MAX; i++) {
    unsigned byte = get_byte(in);
    value |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80))
      return in->bad ? 0 : value;
  }
  in->bad = true;
  return 0;
}

static int64_t get_zigzag(struct thrift_in *in)
{
  uint64_t v = get_varint(in);
  return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

static void get_raw(struct thrift_in *in, uint64_t n)
{
  if (n > left(in)) {
    in->bad = true;
    return;
  }
  in->p += n;
}

bool thrift_next(struct thrift_in *in, struct thrift_field *f)
{
  unsigned byte = get_byte(in);
  f->type = (enum thrift_type)(byte & 15);
  if (in->bad || f->type == THRIFT_STOP)
    return false;
  int64_t id = byte >> 4 ? f->id + (int64_t)(byte >> 4) : get_zigzag(in);
  if (f->type > THRIFT_STRUCT || id < 0 || id > INT16_MAX)
    in->bad = true;
  f->id = in->bad ? 0 : (int)id;
  return !in->bad;
}

int64_t thrift_get_int(struct thrift_in *in, enum thrift_type type)
{
  if (type == THRIFT_BYTE)
    return (int8_t)get_byte(in);
  if (type >= THRIFT_I16 && type <= THRIFT_I64)
    return get_zigzag(in);
  in->bad = true;
  return 0;
}

const unsigned char *thrift_get_text(struct thrift_in *in,
                                     enum thrift_type type, size_t *n)
{
  if (type != THRIFT_BINARY)
    in->bad = true;
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
    in->bad = true;
  unsigned byte = get_byte(in);
  uint64_t n = byte >> 4 == 15 ? get_varint(in) : byte >> 4;
  *element = (enum thrift_type)(byte & 15);
  /* Each element takes a byte at least. */
  if (n > left(in) || *element > THRIFT_STRUCT || n > UINT32_MAX)
    in->bad = true;
  return in->bad ? 0 : (uint32_t)n;
}

static void skip(struct thrift_in *in, enum thrift_type type, int depth);

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
    in->bad = true;
  for (uint64_t i = 0; i < n && !in->bad; i++) {
    skip_element(in, (enum thrift_type)(types >> 4), depth);
    skip_element(in, (enum thrift_type)(types & 15), depth);
  }
}

/* No deeper than DEPTH_MAX, whatever the bytes say. */
static void skip(struct thrift_in *in, enum thrift_type type, int depth)
{
  struct thrift_field f = {0};
  size_t n;
  if (depth > DEPTH_MAX || type == THRIFT_STOP || type > THRIFT_STRUCT)
    in->bad = true;
  if (in->bad || type == THRIFT_TRUE || type == THRIFT_FALSE)
    return;
  if (type == THRIFT_BINARY)
    thrift_get_text(in, type, &n);
  else if (type == THRIFT_DOUBLE)
    get_raw(in, 8);
  else if (type == THRIFT_LIST || type == THRIFT_SET)
    skip_list(in, type, depth + 1);
  else if (type == THRIFT_MAP)
    skip_map(in, depth + 1);
  else if (type == THRIFT_STRUCT)
    while (thrift_next(in, &f))
      skip(in, f.type, depth + 1);
  else
    thrift_get_int(in, type);
}

void thrift_skip(struct thrift_in *in, enum thrift_type type)
{
  skip(in, type, 0);
}

void thrift_get_ints(struct thrift_in *in, enum thrift_type type,
                     const struct thrift_want *want, size_t n)
{
  struct thrift_field f = {0};
  if (type != THRIFT_STRUCT)
    in->bad = true;
  while (!in->bad && thrift_next(in, &f)) {
    size_t i = 0;
    while (i < n && want[i].id != f.id)
      i++;
    if (i < n)
      *want[i].value = thrift_get_int(in, f.type);
    else
      thrift_skip(in, f.type);
  }
}
