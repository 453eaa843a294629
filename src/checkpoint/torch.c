/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See torch_file.h: the file's size and its bytes as a stream.  Nothing is
 * kept for a tensor but its checksum, which is needed twice, behind the payload
 * and in the directory: where members stand is computed twice instead. */
#include "lb-config.h"

#include "loadbank/torch_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint/torch_pickle.h"
#include "checkpoint/torch_zip.h"
#include "loadbank/crc32.h"
#include "loadbank/rng.h"

int lb_torch_check(const struct lb_torch_file *f, struct lb_err *err)
{
  uint64_t sum = 0, bytes;
  for (int64_t i = 0; i < f->count; i++) {
    struct lb_tensor t;
    f->tensor(f->arg, i, &t);
    if (!lb_torch_type(t.dtype))
      return lb_err_set(err, LB_USAGE,
                        "tensor '%s': PyTorch has no element type '%s'", t.name,
                        t.dtype ? t.dtype->name : "");
    if (__builtin_mul_overflow(t.elements, (uint64_t)t.dtype->bytes, &bytes) ||
        __builtin_add_overflow(sum, bytes, &sum) || sum > INT64_MAX)
      return lb_err_set(err, LB_USAGE,
                        "tensor '%s': with %" PRIu64
                        " elements the file is larger than 2^63 bytes",
                        t.name, t.elements);
  }
  return 0;
}

uint64_t lb_torch_bytes(const struct lb_torch_file *f)
{
  uint64_t at = 0;
  for (int64_t i = 0; i < lb_torch_archives(f); i++) {
    struct lb_torch_archive a;
    lb_torch_lay_out(f, i, at, &a);
    at += a.bytes;
  }
  return at;
}

/* ---- the walk ---- */

enum phase { HEADER, DATA, DESCRIPTOR, DIRECTORY, END, DONE };

static void begin_archive(struct lb_torch_walk *w)
{
  w->k = 0;
  w->phase = DONE;
  if (w->index >= lb_torch_archives(w->file))
    return;
  w->phase = HEADER;
  lb_torch_lay_out(w->file, w->index, w->at, &w->archive);
  lb_torch_member(&w->archive, 0, 0, &w->member);
}

void lb_torch_begin(struct lb_torch_walk *w, const struct lb_torch_file *f,
                    uint32_t *crc)
{
  *w = (struct lb_torch_walk){.file = f, .crc = crc};
  begin_archive(w);
}

/* PyTorch's is 20 digits made of the names and 20 of the checksums; it says no
 * more than that two archives differ, and nobody computes it again. */
static size_t identity(const struct lb_torch_walk *w, char *out)
{
  const struct lb_torch_archive *a = &w->archive;
  uint64_t names = lb_rng_mix((uint64_t)a->members);
  uint64_t sums = lb_rng_mix(w->pickle_crc);
  for (int64_t i = 0; i < a->tensors; i++)
    sums = lb_rng_mix(sums ^ w->crc[a->first + i]);
  return (size_t)snprintf(out, LB_TORCH_PIECE, "%020" PRIu64 "%020" PRIu64,
                          names, sums);
}

/* Data of member k that are not payload and not the pickle. */
static size_t record(const struct lb_torch_walk *w, int64_t k, char *out)
{
  if (lb_torch_is_id(&w->archive, k))
    return identity(w, out);
  return (size_t)snprintf(out, LB_TORCH_PIECE, "%s",
                          lb_torch_record(&w->archive, k));
}

static uint32_t member_crc(const struct lb_torch_walk *w)
{
  char text[LB_TORCH_PIECE];
  if (w->k == 0)
    return w->pickle_crc;
  if (w->member.tensor >= 0)
    return w->crc[w->member.tensor];
  return lb_crc32(0, text, record(w, w->k, text));
}

static size_t step_header(struct lb_torch_walk *w)
{
  size_t n = lb_torch_put_local(&w->member, w->bytes);
  w->phase = DATA;
  w->piece = 0;
  w->pickle_crc = w->k ? w->pickle_crc : 0;
  memset(&w->memo, 0, sizeof w->memo);
  return n;
}

static size_t step_data(struct lb_torch_walk *w)
{
  if (w->k)
    w->phase = DESCRIPTOR;
  if (w->member.tensor >= 0)
    return 0;
  if (w->k)
    return record(w, w->k, (char *)w->bytes);
  size_t n = lb_torch_pickle(&w->archive, w->piece, &w->memo, w->bytes);
  w->pickle_crc = lb_crc32(w->pickle_crc, w->bytes, n);
  if (w->piece++ == w->archive.tensors)
    w->phase = DESCRIPTOR;
  return n;
}

static size_t step_descriptor(struct lb_torch_walk *w)
{
  size_t n = 0;
  if (w->member.descriptor)
    n = lb_torch_put_descriptor(&w->member, member_crc(w), w->bytes);
  w->phase = HEADER;
  if (++w->k == w->archive.members) {
    w->phase = DIRECTORY;
    w->k = 0;
    w->member.end = 0;
  }
  lb_torch_member(&w->archive, w->k, w->member.end, &w->member);
  return n;
}

static size_t step_directory(struct lb_torch_walk *w)
{
  size_t n = lb_torch_put_central(&w->member, member_crc(w), w->bytes);
  if (++w->k == w->archive.members)
    w->phase = END;
  else
    lb_torch_member(&w->archive, w->k, w->member.end, &w->member);
  return n;
}

static size_t step_end(struct lb_torch_walk *w)
{
  w->phase = DONE;
  return lb_torch_put_end(&w->archive, w->bytes);
}

/* One step: a segment, which may be empty. */
static void step(struct lb_torch_walk *w, struct lb_torch_segment *out)
{
  static size_t (*const steps[])(struct lb_torch_walk * w) = {
      step_header, step_data, step_descriptor, step_directory, step_end};
  int phase = w->phase;
  int64_t tensor = w->member.tensor;
  uint64_t payload = tensor >= 0 && phase == DATA ? w->member.size : 0;
  *out = (struct lb_torch_segment){.offset = w->at, .tensor = -1};
  out->length = steps[phase](w);
  out->bytes = w->bytes;
  if (payload) {
    out->bytes = NULL;
    out->length = payload;
    out->tensor = tensor;
  }
  w->at += out->length;
  if (phase == END) {
    w->index++;
    begin_archive(w);
  }
}

bool lb_torch_next(struct lb_torch_walk *w, struct lb_torch_segment *out)
{
  do {
    if (w->phase == DONE)
      return false;
    step(w, out);
  } while (!out->length);
  return true;
}
