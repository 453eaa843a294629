/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See format_impl.h. */
#include "lb-config.h"

#include "format/format_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/content.h"

int lb_list_full(struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED, "no memory for a list of operations");
}

int lb_sample_dims(const struct lb_format_params *p, const struct lb_file *f,
                   int64_t dims[LB_MAX_DIMS], int *n, struct lb_err *err)
{
  int element = p->dtype->bytes;
  if (p->n_dims == 0) {
    if (f->sample_bytes <= 0 || f->sample_bytes % element)
      return lb_err_set(err, LB_USAGE,
                        "a sample of %" PRId64 " bytes is not a whole number "
                        "of %s elements of %d bytes (record_length_bytes, "
                        "record_element_type)",
                        f->sample_bytes, p->dtype->name, element);
    dims[0] = f->sample_bytes / element;
    *n = 1;
    return 0;
  }
  int64_t bytes = element;
  for (int i = 0; i < p->n_dims; i++) {
    dims[i] = p->dims[i];
    if (dims[i] <= 0 || __builtin_mul_overflow(bytes, dims[i], &bytes))
      return lb_err_set(err, LB_USAGE,
                        "record_dims: dimension %d, %" PRId64
                        ": must be positive, and the product below 2^63",
                        i + 1, dims[i]);
  }
  *n = p->n_dims;
  if (bytes != f->sample_bytes)
    return lb_err_set(err, LB_USAGE,
                      "record_dims of %s make %" PRId64
                      " bytes and a sample was planned with %" PRId64,
                      p->dtype->name, bytes, f->sample_bytes);
  return 0;
}

int lb_payload_bytes(const struct lb_file *f, uint64_t *bytes,
                     struct lb_err *err)
{
  int64_t n;
  if (f->samples <= 0 || f->sample_bytes <= 0 ||
      __builtin_mul_overflow(f->samples, f->sample_bytes, &n) ||
      n > INT64_MAX / 2)
    return lb_err_set(err, LB_USAGE,
                      "a file of %" PRId64 " samples of %" PRId64
                      " bytes: both must be positive, and the file below "
                      "2^62 bytes",
                      f->samples, f->sample_bytes);
  *bytes = (uint64_t)n;
  return 0;
}

int lb_check_plain(const struct lb_format_params *p, const char *format,
                   struct lb_err *err)
{
  if (p->compression[0] && strcmp(p->compression, "none") != 0)
    return lb_err_set(err, LB_USAGE,
                      "dataset.compression: '%s' with format %s, whose files "
                      "are not compressed; allowed: none",
                      p->compression, format);
  return 0;
}

/* Bytes of the next piece of a stream: as large as the scratch, cut so that
 * the piece after it begins on a page of the file. */
static size_t piece(const struct lb_sink *sink, uint64_t at, uint64_t left)
{
  size_t n = sink->scratch_bytes;
  if (n > LB_PAGE)
    n -= (at + n) % LB_PAGE;
  return left < n ? (size_t)left : n;
}

/* Content in the scratch.  The checksum is taken of parts that are still in the
 * core's own cache. */
static void fill_scratch(const struct lb_format_params *p,
                         const struct lb_file *f, const struct lb_sink *sink,
                         uint64_t at, size_t n, uint32_t *crc)
{
  enum { PART = 32768 };
  unsigned char *to = sink->scratch;
  for (size_t done = 0; done < n;) {
    size_t part = crc ? (size_t)lb_min_u64(n - done, PART) : n;
    lb_content_fill(p->content_seed, f->set, f->index, at + done, to + done,
                    part);
    if (crc)
      *crc = lb_crc32(*crc, to + done, part);
    done += part;
  }
}

int lb_payload_write(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_sink *sink, uint64_t at, uint64_t bytes,
                     uint32_t *crc, struct lb_err *err)
{
  for (uint64_t done = 0; done < bytes;) {
    size_t n = piece(sink, at + done, bytes - done);
    fill_scratch(p, f, sink, done, n, crc);
    if (sink->write(sink, at + done, sink->scratch, n, err) < 0)
      return -err->code;
    done += n;
  }
  return 0;
}

int lb_zeros_write(struct lb_sink *sink, uint64_t at, uint64_t bytes,
                   uint32_t *crc, struct lb_err *err)
{
  memset(sink->scratch, 0, (size_t)lb_min_u64(sink->scratch_bytes, bytes));
  for (uint64_t done = 0; done < bytes;) {
    size_t n = piece(sink, at + done, bytes - done);
    if (crc)
      *crc = lb_crc32(*crc, sink->scratch, n);
    if (sink->write(sink, at + done, sink->scratch, n, err) < 0)
      return -err->code;
    done += n;
  }
  return 0;
}

bool lb_list_content(struct lb_io *io, uint64_t at, uint64_t bytes)
{
  if (!io)
    return false;
  uint64_t begin = io->offset > at ? io->offset : at;
  uint64_t end = lb_min_u64(io->offset + io->length, at + bytes);
  if (begin < end) {
    io->content.skip = begin - io->offset;
    io->content.length = end - begin;
    io->content.at = begin - at;
  }
  return true;
}

static size_t kept_bytes(const struct lb_format_params *p, int set)
{
  return (size_t)p->n_files[set] / 8 + 1;
}

uint64_t lb_kept_bits(const struct lb_format_params *p)
{
  uint64_t n = 0;
  for (int set = 0; set < LB_N_SETS; set++)
    n += kept_bytes(p, set);
  return n;
}

uint64_t lb_kept_bytes(const struct lb_format_params *p)
{
  return p->memory ? lb_kept_bits(p) : 0;
}

int lb_kept_init(struct lb_kept *k, const struct lb_format_params *p,
                 bool keeps, struct lb_err *err)
{
  if (!keeps)
    return 0;
  for (int set = 0; set < LB_N_SETS; set++) {
    k->bits[set] = calloc(kept_bytes(p, set), 1);
    if (!k->bits[set])
      return lb_err_set(err, LB_FAILED,
                        "no memory to note %" PRId64 " files of a reader",
                        p->n_files[set]);
  }
  return 0;
}

void lb_kept_clear(struct lb_kept *k)
{
  for (int set = 0; set < LB_N_SETS; set++) {
    struct lb_used *u = &k->used[set];
    if (k->bits[set])
      memset(k->bits[set] + u->from, 0, (size_t)(u->to - u->from));
    *u = (struct lb_used){0, 0};
  }
}

void lb_kept_fini(struct lb_kept *k)
{
  for (int set = 0; set < LB_N_SETS; set++)
    free(k->bits[set]);
}

bool lb_kept_has(const struct lb_kept *k, const struct lb_file *f)
{
  const uint8_t *bits = k->bits[f->set];
  return bits && (bits[f->index / 8] >> (f->index % 8) & 1);
}

void lb_kept_add(struct lb_kept *k, const struct lb_file *f)
{
  uint8_t *bits = k->bits[f->set];
  if (!bits)
    return;
  bits[f->index / 8] |= (uint8_t)(1u << (f->index % 8));
  lb_used_add(&k->used[f->set], f->index / 8);
}

bool lb_list_sample(struct lb_iolist *list, const struct lb_sample *s, int kept,
                    uint64_t at, uint64_t bytes, uint64_t from, uint64_t to,
                    uint32_t request)
{
  struct lb_io *io = lb_iolist_read(list, from, to - from, request, NULL);
  if (!io)
    return false;
  list->payload_bytes += bytes;
  io->kept = kept;
  io->content.skip = at - from;
  io->content.length = bytes;
  io->content.at = (uint64_t)s->in_file * (uint64_t)s->file.sample_bytes;
  return true;
}
