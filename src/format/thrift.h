/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thrift's compact protocol, as much of it as Parquet's metadata need.  Only
 * for src/format.
 *
 * Writing, a field is a delta to the last one's number and a type:
 *
 *   int last = 0;
 *   thrift_int(o, &last, 1, THRIFT_I32, 7);
 *   thrift_text(o, &last, 4, "name");
 *   thrift_stop(o);
 *
 * Reading survives any bytes: once something is wrong `bad' is set, and all
 * that follows reads as 0. */
#ifndef LB_FORMAT_THRIFT_H
#define LB_FORMAT_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum thrift_type {
  THRIFT_STOP,
  THRIFT_TRUE,
  THRIFT_FALSE,
  THRIFT_BYTE,
  THRIFT_I16,
  THRIFT_I32,
  THRIFT_I64,
  THRIFT_DOUBLE,
  THRIFT_BINARY,
  THRIFT_LIST,
  THRIFT_SET,
  THRIFT_MAP,
  THRIFT_STRUCT
};

struct thrift_out {
  unsigned char *buf; /* NULL: bytes are only counted */
  size_t n, cap;
  uint64_t total;
  /* When buf is full: makes room (n = 0).  NULL: it is large enough. */
  void (*flush)(struct thrift_out *o);
};
void thrift_raw(struct thrift_out *o, const void *bytes, size_t n);
/* Field numbers ascend, by at most 15. */
void thrift_int(struct thrift_out *o, int *last, int id, enum thrift_type type,
                int64_t value);
void thrift_bool(struct thrift_out *o, int *last, int id, bool value);
void thrift_text(struct thrift_out *o, int *last, int id, const char *text);
void thrift_list(struct thrift_out *o, int *last, int id,
                 enum thrift_type element, uint32_t n);
void thrift_struct(struct thrift_out *o, int *last, int id);
void thrift_stop(struct thrift_out *o);
/* Elements of lists. */
void thrift_element_int(struct thrift_out *o, int64_t value);
void thrift_element_text(struct thrift_out *o, const char *text);

/* Bytes of an integer that is not negative. */
unsigned thrift_int_bytes(uint64_t value);
size_t thrift_varint(uint64_t value, unsigned char out[10]);

struct thrift_in {
  const unsigned char *p, *end;
  bool bad;
};
struct thrift_field {
  int id;
  enum thrift_type type;
};
/* The next field of a struct; false: none (or bad).  f->id is that of the
 * field before, 0 at first. */
bool thrift_next(struct thrift_in *in, struct thrift_field *f);
int64_t thrift_get_int(struct thrift_in *in, enum thrift_type type);
/* Borrowed from the bytes that are read. */
const unsigned char *thrift_get_text(struct thrift_in *in,
                                     enum thrift_type type, size_t *n);
/* Elements that follow; never more than bytes are left. */
uint32_t thrift_get_list(struct thrift_in *in, enum thrift_type type,
                         enum thrift_type *element);
void thrift_skip(struct thrift_in *in, enum thrift_type type);

/* A struct of which a few integers are wanted, those whose numbers are bits of
 * `want': value[number].  It stays as it was when the field is absent. */
enum { THRIFT_WANT_MAX = 16 };
void thrift_get_ints(struct thrift_in *in, enum thrift_type type, uint32_t want,
                     int64_t value[THRIFT_WANT_MAX]);

#endif
