/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of torch.save: bytes that PyTorch's own writer made of the same
 * records, the stream of segments, zip64, and the order of torch.load's reads.
 */
#include "lb-config.h"

#include "loadbank/torch_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/torch_stream.h"
#include "loadbank/crc32.h"
#include "tap.h"

static const struct lb_dtype *dtype(const char *name)
{
  for (const struct lb_dtype *t = lb_model_dtypes; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

struct row {
  const char *name, *type;
  uint64_t elements;
};

static void row_tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  const struct row *r = (const struct row *)arg + t;
  *out = (struct lb_tensor){.dtype = dtype(r->type), .elements = r->elements};
  snprintf(out->name, sizeof out->name, "%s", r->name);
}

static void many_tensor(const void *arg, int64_t t, struct lb_tensor *out)
{
  (void)arg;
  *out = (struct lb_tensor){.dtype = dtype(t % 3 ? "fp32" : "bf16"),
                            .elements = (uint64_t)t % 7};
  snprintf(out->name, sizeof out->name, "layers.%" PRId64 ".weight", t);
}

static const struct row small[] = {{"layer.0.weight", "fp16", 1000},
                                   {"b", "bf16", 12},
                                   {"c", "int64", 7},
                                   {"d", "uint8", 5},
                                   {"e", "fp32", 0}};
static const struct lb_torch_file state = {
    .count = 5, .tensor = row_tensor, .arg = small};
static const struct lb_torch_file items = {
    .count = 4, .items = true, .tensor = row_tensor, .arg = small};

static unsigned char payload_byte(int64_t tensor, uint64_t at)
{
  return (unsigned char)((at + (uint64_t)tensor) % 251);
}

static void fill(const struct lb_torch_segment *s, unsigned char *to)
{
  if (s->bytes)
    memcpy(to, s->bytes, s->length);
  else
    for (uint64_t i = 0; i < s->length; i++)
      to[i] = payload_byte(s->tensor, i);
}

/* The whole file, as a writer makes it.  NULL: segments left gaps. */
static unsigned char *stream(const struct lb_torch_file *f, uint32_t *crc)
{
  uint64_t size = lb_torch_bytes(f), at = 0;
  unsigned char *file = malloc(size);
  struct lb_torch_walk w;
  struct lb_torch_segment s;
  lb_torch_begin(&w, f, crc);
  while (file && lb_torch_next(&w, &s)) {
    if (s.offset != at || s.length > size - at) {
      free(file);
      return NULL;
    }
    fill(&s, file + at);
    if (!s.bytes)
      crc[s.tensor] = lb_crc32(0, file + at, s.length);
    at += s.length;
  }
  if (at != size) {
    free(file);
    return NULL;
  }
  return file;
}

/* Laid over the payload piece by piece, it is the same file. */
static bool same_in_pieces(const struct lb_torch_file *f, uint32_t *crc,
                           const unsigned char *file, uint64_t step)
{
  uint64_t size = lb_torch_bytes(f);
  unsigned char *bytes = malloc(size);
  struct lb_torch_walk w;
  struct lb_torch_segment seg;
  struct lb_torch_stream s;
  struct lb_err err = LB_ERR_INIT;
  if (!bytes || lb_torch_stream_begin(&s, f, &err) < 0) {
    free(bytes);
    return false;
  }
  memset(bytes, 0xee, size);
  lb_torch_begin(&w, f, crc);
  while (lb_torch_next(&w, &seg))
    if (!seg.bytes)
      fill(&seg, bytes + seg.offset);
  for (uint64_t at = 0; at < size; at += step)
    lb_torch_stream_lay(&s, at, bytes + at,
                        size - at < step ? size - at : step);
  bool same = !memcmp(bytes, file, size) && !s.more;
  lb_torch_stream_end(&s);
  free(bytes);
  return same;
}

static void test_bytes(void)
{
  uint32_t crc[5] = {0};
  unsigned char *file = stream(&state, crc);
  is_int(lb_torch_bytes(&state), 4569, "the size of a dictionary's file");
  ok(file != NULL, "segments follow each other to the size");
  if (!file)
    return;
  is_int(lb_crc32(0, file, 4569), 0x56a37b34,
         "the bytes that PyTorch's writer makes");
  ok(same_in_pieces(&state, crc, file, 1), "laid byte by byte");
  free(file);
}

static void test_items(void)
{
  uint32_t crc[5] = {0};
  unsigned char *file = stream(&items, crc);
  uint64_t at = 0;
  bool starts = file != NULL;
  ok(file != NULL, "archives one behind the other");
  is_int(lb_torch_archives(&items), 4, "one for each tensor");
  for (int64_t i = 0; starts && i < 4; i++) {
    struct lb_torch_archive a;
    lb_torch_lay_out(&items, i, at, &a);
    starts = a.at == at && !memcmp(file + at, "PK\3\4", 4) &&
             !memcmp(file + at + a.bytes - 22, "PK\5\6", 4);
    at += a.bytes;
  }
  ok(starts && at == lb_torch_bytes(&items), "each whole by itself");
  if (file)
    ok(same_in_pieces(&items, crc, file, 13), "laid in pieces of 13");
  free(file);
}

/* More than 255 objects in the pickle, more than 1000 items, empty payloads. */
static void test_many(void)
{
  enum { MANY = 2001 };
  const struct lb_torch_file f = {.count = MANY, .tensor = many_tensor};
  uint32_t *crc = calloc(MANY, sizeof *crc);
  unsigned char *file = crc ? stream(&f, crc) : NULL;
  ok(file != NULL, "%d tensors", MANY);
  if (file)
    ok(same_in_pieces(&f, crc, file, 4096), "laid in pieces of 4096");
  free(file);
  free(crc);
}

static void test_aligned(const struct lb_torch_file *f, const char *what)
{
  struct lb_torch_archive a;
  struct lb_torch_member m = {.end = 0};
  bool aligned = true;
  lb_torch_lay_out(f, 0, 0, &a);
  for (int64_t k = 0; k < a.members; k++) {
    lb_torch_member(&a, k, m.end, &m);
    aligned = aligned && (m.at + m.header) % 64 == 0;
  }
  ok(aligned, "%s: all data at multiples of 64", what);
}

/* Sizes and offsets that 32 bits do not hold; PyTorch's writer gave the sizes
 * of file and records. */
static void test_zip64(void)
{
  static const struct row rows[] = {{"a", "uint8", 10},
                                    {"b", "fp32", 1200000000},
                                    {"c", "bf16", 33},
                                    {"d", "uint8", UINT32_MAX},
                                    {"e", "fp16", 4}};
  const struct lb_torch_file f = {
      .count = 5, .tensor = row_tensor, .arg = rows};
  uint32_t crc[5] = {0};
  struct lb_torch_walk w;
  struct lb_torch_segment s;
  int large = 0;
  is_int(lb_torch_bytes(&f), 9094970113, "the size of a file of 8.5 GiB");
  test_aligned(&f, "beyond 4 GiB");
  lb_torch_begin(&w, &f, crc);
  while (lb_torch_next(&w, &s))
    if (s.bytes && !memcmp(s.bytes, "PK\7\10", 4))
      large += s.length == 24;
  is_int(large, 6, "descriptors of 64 bits: of b and of all behind it");
  is_int(w.at, 9094970113, "the walk ends at the file's end");
}

static void test_reads(void)
{
  static const struct row rows[] = {
      {"t0", "fp32", 300000}, {"t1", "fp32", 300000}, {"t2", "fp32", 300000}};
  /* As seen with strace. */
  static const uint64_t want[][2] = {
      {0, 4096},       {0, 4096},         {3597857, 4096}, {3601931, 22},
      {3601911, 42},   {3601855, 98},     {3601272, 681},  {3600976, 977},
      {0, 4096},       {4096, 1196736},   {1200848, 4096}, {1204944, 1195952},
      {2400912, 4096}, {2405008, 1195952}};
  const struct lb_torch_file f = {
      .count = 3, .tensor = row_tensor, .arg = rows};
  struct lb_torch_reads r;
  uint64_t at, n, sum = 0;
  size_t i = 0;
  bool same = true;
  lb_torch_reads_begin(&r, &f, 4096);
  for (r.old = true; lb_torch_reads_next(&r, &at, &n); i++)
    same = same && i < 14 && at == want[i][0] && n == want[i][1];
  ok(same && i == 14, "the reads of a load by PyTorch 1");
  lb_torch_reads_begin(&r, &f, 4096);
  for (i = 0; lb_torch_reads_next(&r, &at, &n); i++)
    sum += n;
  ok(i >= 14 && sum >= 3600000, "PyTorch 2 reads the same tensors");
  lb_torch_reads_begin(&r, &items, 4096);
  for (same = true, i = 0; lb_torch_reads_next(&r, &at, &n); i++)
    same = same && n && at + n <= lb_torch_bytes(&items);
  ok(same && i > 8, "archive by archive");
}

static void test_refused(void)
{
  static const struct row rows[] = {{"w", "fp64", UINT64_MAX / 8},
                                    {"v", "none", 1}};
  struct lb_torch_file f = {.count = 1, .tensor = row_tensor, .arg = rows};
  struct lb_err err = LB_ERR_INIT;
  ok(lb_torch_check(&state, &err) == 0, "types that PyTorch has");
  ok(lb_torch_check(&f, &err) < 0 && strstr(err.msg, "2^63"), "%s", err.msg);
  f.arg = rows + 1;
  err = (struct lb_err)LB_ERR_INIT;
  ok(lb_torch_check(&f, &err) < 0 && strstr(err.msg, "'v'"), "%s", err.msg);
}

int main(void)
{
  test_bytes();
  test_items();
  test_many();
  test_aligned(&state, "a small file");
  test_zip64();
  test_reads();
  test_refused();
  return done();
}
