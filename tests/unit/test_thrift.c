/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thrift's compact protocol: what is written is read, with and without room
 * behind it, and nothing that is cut short is. */
#include "lb-config.h"

#include "format/thrift.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { ROOM = 64, FIELD = 3 };

/* Of a struct that has one field, read as it stands and nothing behind it, or
 * with `behind' other bytes; malloc'ed so that a sanitizer sees each of them.
 */
static bool read_back(const unsigned char *bytes, size_t n, size_t behind,
                      int64_t *value)
{
  unsigned char *copy = malloc(n + behind);
  if (!copy)
    return false;
  memset(copy, 0xff, n + behind);
  memcpy(copy, bytes, n);
  struct thrift_in in = {.p = copy, .end = copy + n + behind};
  struct thrift_field f = {0};
  bool there = thrift_next(&in, &f) && f.id == FIELD;
  *value = there ? thrift_get_int(&in, f.type) : 0;
  bool good = there && !in.bad && in.p == copy + n;
  free(copy);
  return good;
}

static int check_value(int64_t value)
{
  unsigned char bytes[ROOM] = {0};
  struct thrift_out o = {.buf = bytes, .cap = ROOM};
  int last = 0, bad = 0;
  int64_t got;
  thrift_int(&o, &last, FIELD, THRIFT_I64, value);
  bad += !read_back(bytes, o.n, 0, &got) || got != value;
  bad += !read_back(bytes, o.n, 16, &got) || got != value;
  for (size_t n = 1; n < o.n; n++)
    bad += read_back(bytes, n, 0, &got);
  return bad;
}

static void integers(void)
{
  int bad = 0;
  for (int bit = 0; bit < 63; bit++)
    for (int64_t near = -2; near <= 2; near++) {
      int64_t value = ((int64_t)1 << bit) + near;
      bad += check_value(value) + check_value(-value);
    }
  bad += check_value(INT64_MAX) + check_value(INT64_MIN);
  is_int(bad, 0, "integers of all lengths come back; cut short, none does");
  unsigned char bytes[16] = {FIELD << 4 | THRIFT_I64};
  int64_t got;
  memset(bytes + 1, 0x80, 10);
  ok(!read_back(bytes, 12, 0, &got), "11 bytes are too many for one");
}

/* A struct with a field of each type; 2 and 12 are wanted. */
static size_t make_struct(unsigned char bytes[256])
{
  struct thrift_out o = {.buf = bytes, .cap = 256};
  int last = 0, inner = 0;
  thrift_bool(&o, &last, 1, true);
  thrift_int(&o, &last, 2, THRIFT_I32, -70000);
  thrift_int(&o, &last, 3, THRIFT_BYTE, 5);
  thrift_text(&o, &last, 4, "of no interest");
  thrift_list(&o, &last, 5, THRIFT_I64, 20);
  for (int i = 0; i < 20; i++)
    thrift_element_int(&o, (int64_t)i << 40);
  thrift_struct(&o, &last, 6);
  thrift_list(&o, &inner, 1, THRIFT_BINARY, 2);
  thrift_element_text(&o, "a");
  thrift_element_text(&o, "b");
  thrift_stop(&o);
  thrift_raw(&o, (const unsigned char[]){1 << 4 | THRIFT_DOUBLE}, 1);
  thrift_raw(&o, "8 bytes.", 8);
  /* Two pairs of a byte and a bool; field 12 by its number. */
  thrift_raw(&o, (const unsigned char[]){1 << 4 | THRIFT_MAP, 2, 3 << 4 | 1},
             3);
  thrift_raw(&o, (const unsigned char[]){7, 1, 8, 2}, 4);
  thrift_raw(&o, (const unsigned char[]){THRIFT_I64, 24}, 2);
  thrift_element_int(&o, (int64_t)1 << 35);
  thrift_stop(&o);
  return o.n;
}

static void wanted(void)
{
  unsigned char bytes[256] = {0};
  size_t n = make_struct(bytes);
  const uint32_t want = 1U << 2 | 1U << 9 | 1U << 12;
  int64_t value[THRIFT_WANT_MAX] = {[9] = -1};
  struct thrift_in in = {.p = bytes, .end = bytes + n};
  thrift_get_ints(&in, THRIFT_STRUCT, want, value);
  ok(!in.bad && in.p == bytes + n, "a struct is read to its end");
  ok(value[2] == -70000 && value[12] == (int64_t)1 << 35,
     "its integers that are wanted");
  ok(value[3] == 0 && value[9] == -1, "and no others");
  int good = 0;
  for (size_t k = 0; k < n; k++) {
    unsigned char *part = malloc(k + 1);
    if (part)
      memcpy(part, bytes, k);
    in = (struct thrift_in){.p = part, .end = part + (part ? k : 0)};
    thrift_get_ints(&in, THRIFT_STRUCT, want, value);
    good += !in.bad;
    free(part);
  }
  is_int(good, 0, "cut anywhere, it is bad");
}

static void deep(void)
{
  unsigned char bytes[100];
  memset(bytes, 1 << 4 | THRIFT_STRUCT, sizeof bytes);
  struct thrift_in in = {.p = bytes, .end = bytes + sizeof bytes};
  thrift_skip(&in, THRIFT_STRUCT);
  ok(in.bad, "nested too deeply");
}

int main(void)
{
  integers();
  wanted();
  deep();
  return done();
}
