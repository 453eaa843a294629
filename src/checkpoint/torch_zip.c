/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zip archive of torch.save.  PyTorch's writer streams: sizes and checksum
 * follow the data, and padding in the header puts the data at a multiple of 64
 * bytes.  Fields of 64 bits appear where 32 do not suffice, but for the end
 * records, which always have them. */
#include "lb-config.h"

#include "checkpoint/torch_zip.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint/torch_pickle.h"

#define SIGNATURE(a, b) (0x4b50u | (uint32_t)(a) << 16 | (uint32_t)(b) << 24)
enum {
  SIZES_FOLLOW = 1 << 3,
  NAME_IS_UTF8 = 1 << 11,
  ZIP64_FIELD = 1,
  MADE_BY = 0x031e,
  NEEDS = 0x2d,
  END64 = 56,
  ID_DIGITS = 40,
};
static const uint64_t full32 = UINT32_MAX;

static void put(unsigned char **to, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++)
    *(*to)++ = (unsigned char)(value >> 8 * i & 0xff);
}

static void put_text(unsigned char **to, const char *text)
{
  size_t n = strlen(text);
  memcpy(*to, text, n);
  *to += n;
}

static uint64_t low(uint64_t v, uint64_t most)
{
  return v < most ? v : most;
}

/* ---- members ---- */

/* Of small records: names, and data that never change. */
static const struct {
  const char *name, *data;
} before[LB_TORCH_BEFORE] = {{"data.pkl", NULL},
                             {".format_version", "1"},
                             {".storage_alignment", "64"},
                             {"byteorder", "little"}},
  behind[LB_TORCH_BEHIND] = {{"version", "3\n"},
                             {".data/serialization_id", NULL}};

const char *lb_torch_record(const struct lb_torch_archive *a, int64_t k)
{
  if (k < LB_TORCH_BEFORE)
    return before[k].data;
  k -= LB_TORCH_BEFORE + a->tensors;
  return k < 0 ? NULL : behind[k].data;
}

bool lb_torch_is_id(const struct lb_torch_archive *a, int64_t k)
{
  return k == a->members - 1;
}

static uint32_t zip64_bytes(const struct lb_torch_member *m)
{
  uint32_t n = (m->size >= full32 ? 16 : 0) + (m->at >= full32 ? 8 : 0);
  return n ? n + 4 : 0;
}

static void describe(const struct lb_torch_archive *a, int64_t k,
                     struct lb_torch_member *m)
{
  const char *data = lb_torch_record(a, k), *name;
  m->tensor = -1;
  m->size = data ? strlen(data) : ID_DIGITS;
  int64_t t = k - LB_TORCH_BEFORE;
  if (t >= 0 && t < a->tensors) {
    struct lb_tensor tensor;
    m->tensor = a->first + t;
    a->file->tensor(a->file->arg, m->tensor, &tensor);
    m->size = tensor.elements * (uint64_t)tensor.dtype->bytes;
    snprintf(m->name, sizeof m->name, "archive/data/%" PRId64, t);
    return;
  }
  if (k == 0)
    m->size = a->pickle_bytes;
  name = t < 0 ? before[k].name : behind[t - a->tensors].name;
  snprintf(m->name, sizeof m->name, "archive/%s", name);
}

void lb_torch_member(const struct lb_torch_archive *a, int64_t k, uint64_t at,
                     struct lb_torch_member *out)
{
  out->at = at;
  describe(a, k, out);
  uint32_t bare =
      (uint32_t)(LB_TORCH_LOCAL + strlen(out->name)) + zip64_bytes(out) + 4;
  out->padding = (uint32_t)(-(at + bare) % LB_TORCH_ALIGN);
  out->header = bare + out->padding;
  out->descriptor = 0;
  if (out->size)
    out->descriptor = zip64_bytes(out) ? 24 : 16;
  out->end = at + out->header + out->size + out->descriptor;
}

uint32_t lb_torch_central_bytes(const struct lb_torch_member *m)
{
  return (uint32_t)(LB_TORCH_CENTRAL + strlen(m->name)) + zip64_bytes(m);
}

int64_t lb_torch_archives(const struct lb_torch_file *f)
{
  return f->items ? f->count : 1;
}

void lb_torch_lay_out(const struct lb_torch_file *f, int64_t i, uint64_t at,
                      struct lb_torch_archive *out)
{
  struct lb_torch_member m = {.end = 0};
  *out = (struct lb_torch_archive){.file = f,
                                   .first = f->items ? i : 0,
                                   .tensors = f->items ? 1 : f->count,
                                   .at = at};
  out->members = LB_TORCH_BEFORE + out->tensors + LB_TORCH_BEHIND;
  out->pickle_bytes = lb_torch_pickle_bytes(out);
  for (int64_t k = 0; k < out->members; k++) {
    lb_torch_member(out, k, m.end, &m);
    out->directory_bytes += lb_torch_central_bytes(&m);
  }
  out->directory = m.end;
  out->bytes = out->directory + out->directory_bytes + LB_TORCH_TAIL;
}

/* ---- records ---- */

/* Version, flags, method, time and date: no time, no date. */
static void put_common(unsigned char **to, const struct lb_torch_member *m)
{
  put(to, 0, 2);
  put(to, NAME_IS_UTF8 | (m->size ? SIZES_FOLLOW : 0), 2);
  put(to, 0, 2 + 2 + 2);
}

/* `packed': the writer does not know that size yet in the header, and says 0;
 * readers take it from the directory. */
static void put_zip64(unsigned char **to, const struct lb_torch_member *m,
                      uint64_t packed)
{
  uint32_t n = zip64_bytes(m);
  if (!n)
    return;
  put(to, ZIP64_FIELD, 2);
  put(to, n - 4, 2);
  if (m->size >= full32) {
    put(to, m->size, 8);
    put(to, packed, 8);
  }
  if (m->at >= full32)
    put(to, m->at, 8);
}

size_t lb_torch_put_local(const struct lb_torch_member *m, unsigned char *out)
{
  unsigned char *to = out;
  size_t name = strlen(m->name);
  put(&to, SIGNATURE(3, 4), 4);
  put_common(&to, m);
  put(&to, 0, 8); /* checksum, first half of the sizes */
  put(&to, 0, 4);
  put(&to, name, 2);
  put(&to, m->header - LB_TORCH_LOCAL - name, 2);
  put_text(&to, m->name);
  put_zip64(&to, m, 0);
  put_text(&to, "FB");
  put(&to, m->padding, 2);
  memset(to, 'Z', m->padding);
  to += m->padding;
  return (size_t)(to - out);
}

size_t lb_torch_put_descriptor(const struct lb_torch_member *m, uint32_t crc,
                               unsigned char *out)
{
  unsigned char *to = out;
  int bytes = m->descriptor == 24 ? 8 : 4;
  put(&to, SIGNATURE(7, 8), 4);
  put(&to, crc, 4);
  put(&to, m->size, bytes);
  put(&to, m->size, bytes);
  return (size_t)(to - out);
}

size_t lb_torch_put_central(const struct lb_torch_member *m, uint32_t crc,
                            unsigned char *out)
{
  unsigned char *to = out;
  put(&to, SIGNATURE(1, 2), 4);
  put(&to, 0, 2);
  put_common(&to, m);
  put(&to, crc, 4);
  put(&to, low(m->size, full32), 4);
  put(&to, low(m->size, full32), 4);
  put(&to, strlen(m->name), 2);
  put(&to, zip64_bytes(m), 2);
  put(&to, 0, 2 + 2 + 2); /* comment, disk, attributes */
  put(&to, 0, 4);
  put(&to, low(m->at, full32), 4);
  put_text(&to, m->name);
  put_zip64(&to, m, m->size);
  return (size_t)(to - out);
}

size_t lb_torch_put_end(const struct lb_torch_archive *a, unsigned char *out)
{
  unsigned char *to = out;
  uint64_t n = (uint64_t)a->members;
  put(&to, SIGNATURE(6, 6), 4);
  put(&to, END64 - 12, 8);
  put(&to, MADE_BY, 2);
  put(&to, NEEDS, 2);
  put(&to, 0, 8); /* disks */
  put(&to, n, 8);
  put(&to, n, 8);
  put(&to, a->directory_bytes, 8);
  put(&to, a->directory, 8);
  put(&to, SIGNATURE(6, 7), 4);
  put(&to, 0, 4);
  put(&to, a->directory + a->directory_bytes, 8);
  put(&to, 1, 4);
  put(&to, SIGNATURE(5, 6), 4);
  put(&to, 0, 4);
  put(&to, low(n, UINT16_MAX), 2);
  put(&to, low(n, UINT16_MAX), 2);
  put(&to, low(a->directory_bytes, full32), 4);
  put(&to, low(a->directory, full32), 4);
  put(&to, 0, 2);
  return (size_t)(to - out);
}
