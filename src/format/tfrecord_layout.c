/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tfrecord_layout.h.  An Example is, with the tags of protocol buffers,
 *
 *   Example   { 0a Features }
 *   Features  { 0a entry "image", 0a entry "size" }
 *   entry     { 0a key, 12 Feature }
 *   Feature   { 0a BytesList { 0a bytes } }  or  { 1a Int64List { 0a packed } }
 *
 * each with its length.  A map's entries stand in the order of their keys, as
 * deterministic serialization has them; `size' is the number of bytes of the
 * image. */
#include "lb-config.h"

#include "format/tfrecord_layout.h"

#include <endian.h>
#include <string.h>

#include "loadbank/crc32c.h"
#include "loadbank/units.h"

/* Tags: number of the field x 8 + 2, for all here have a length. */
enum { TAG_1 = 0x0a, TAG_2 = 0x12, TAG_3 = 0x1a };

/* ---- making ---- */

static size_t varint_bytes(uint64_t v)
{
  size_t n = 1;
  for (; v >= 128; v >>= 7)
    n++;
  return n;
}

/* A field with its tag and length. */
static uint64_t field_bytes(uint64_t content)
{
  return 1 + varint_bytes(content) + content;
}

struct writer {
  unsigned char *bytes;
  size_t n;
};

static void put_varint(struct writer *w, uint64_t v)
{
  for (; v >= 128; v >>= 7)
    w->bytes[w->n++] = (unsigned char)(v | 128);
  w->bytes[w->n++] = (unsigned char)v;
}

static void put_field(struct writer *w, unsigned char tag, uint64_t content)
{
  w->bytes[w->n++] = tag;
  put_varint(w, content);
}

static void put_key(struct writer *w, const char *key)
{
  size_t n = strlen(key);
  put_field(w, TAG_1, n);
  memcpy(w->bytes + w->n, key, n);
  w->n += n;
}

static void put_u64(unsigned char bytes[8], uint64_t v)
{
  v = htole64(v);
  memcpy(bytes, &v, sizeof v);
}

void lb_tfr_put_u32(unsigned char bytes[4], uint32_t v)
{
  v = htole32(v);
  memcpy(bytes, &v, sizeof v);
}

void lb_tfr_lay_out(uint64_t image, struct lb_tfr_layout *l)
{
  *l = (struct lb_tfr_layout){.image = image};
  struct writer head = {.bytes = l->head, .n = LB_TFR_HEADER};
  struct writer tail = {.bytes = l->tail};
  uint64_t list = field_bytes(image), feature = field_bytes(list);
  uint64_t first = field_bytes(strlen("image")) + field_bytes(feature);
  uint64_t packed = varint_bytes(image), ints = field_bytes(packed);
  uint64_t value = field_bytes(ints);
  uint64_t second = field_bytes(strlen("size")) + field_bytes(value);
  uint64_t features = field_bytes(first) + field_bytes(second);

  put_field(&head, TAG_1, features);
  put_field(&head, TAG_1, first);
  put_key(&head, "image");
  put_field(&head, TAG_2, feature);
  put_field(&head, TAG_1, list);
  put_field(&head, TAG_1, image);

  put_field(&tail, TAG_1, second);
  put_key(&tail, "size");
  put_field(&tail, TAG_2, value);
  put_field(&tail, TAG_3, ints);
  put_field(&tail, TAG_1, packed);
  put_varint(&tail, image);

  l->data = field_bytes(features);
  l->record = l->data + LB_TFR_OVERHEAD;
  l->head_bytes = head.n;
  l->tail_bytes = tail.n;
  put_u64(l->head, l->data);
  lb_tfr_put_u32(l->head + 8, lb_crc32c_masked(lb_crc32c(0, l->head, 8)));
}

/* A line is "offset length\n".  Of the offsets i x record, i < n, those of at
 * least 10^k have a digit more for that. */
uint64_t lb_tfr_index_bytes(const struct lb_tfr_layout *l, uint64_t n)
{
  uint64_t line = 1 + 1 + (uint64_t)lb_digits((int64_t)l->record) + 1;
  uint64_t bytes = n * line;
  for (uint64_t ten = 10;; ten *= 10) {
    uint64_t below = (ten + l->record - 1) / l->record;
    if (below >= n)
      return bytes;
    bytes += n - below;
    if (ten > UINT64_MAX / 10 - l->record)
      return bytes;
  }
}

/* ---- taking apart ---- */

uint64_t lb_tfr_u64(const unsigned char bytes[8])
{
  uint64_t v;
  memcpy(&v, bytes, sizeof v);
  return le64toh(v);
}

uint32_t lb_tfr_u32(const unsigned char bytes[4])
{
  uint32_t v;
  memcpy(&v, bytes, sizeof v);
  return le32toh(v);
}

/* What is there of a message: the bytes up to `end' that are in the buffer. */
struct scan {
  const unsigned char *bytes;
  size_t at, have;
};

/* A field's tag and length; at is then where its content begins. */
static bool get_field(struct scan *s, uint64_t *tag, uint64_t *content)
{
  uint64_t *const out[] = {tag, content};
  for (int i = 0; i < 2; i++) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (s->at >= s->have || shift > 56)
        return false;
      unsigned char byte = s->bytes[s->at++];
      v |= (uint64_t)(byte & 127) << shift;
      if (byte < 128)
        break;
    }
    *out[i] = v;
  }
  return true;
}

/* Goes into a field of that tag. */
static bool enter(struct scan *s, uint64_t want, uint64_t *content)
{
  uint64_t tag;
  return get_field(s, &tag, content) && tag == want;
}

/* The key of an entry that begins here. */
static bool has_key(struct scan *s, const char *key)
{
  uint64_t n;
  size_t length = strlen(key);
  if (!enter(s, TAG_1, &n) || n != length || s->have - s->at < length)
    return false;
  s->at += length;
  return !memcmp(s->bytes + s->at - length, key, length);
}

bool lb_tfr_find_image(const unsigned char *bytes, size_t have, uint64_t data,
                       uint64_t *image)
{
  struct scan s = {.bytes = bytes, .have = have};
  uint64_t n;
  if (!enter(&s, TAG_1, &n))
    return false;
  while (enter(&s, TAG_1, &n)) {
    struct scan in = s;
    if (has_key(&in, "image"))
      return enter(&in, TAG_2, &n) && enter(&in, TAG_1, &n) &&
             enter(&in, TAG_1, image) && *image <= data;
    if (n > s.have - s.at)
      return false;
    s.at += (size_t)n;
  }
  return false;
}
