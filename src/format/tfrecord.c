/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TFRecord files with an index each, as DLIO has them: what they hold.  How
 * they are read is in tfrecord_reader.c. */
#include "lb-config.h"

#include "format/format_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/tfrecord_layout.h"
#include "format/tfrecord_reader.h"
#include "loadbank/content.h"
#include "loadbank/crc32c.h"

enum { LINE_MAX_BYTES = 48 }; /* of an index, with its zero */

static int tfr_check(const struct lb_format_params *p, struct lb_err *err)
{
  return lb_check_plain(p, "tfrecord", err);
}

/* The records of a file, and all of it. */
static int lay_out(const struct lb_file *f, struct lb_tfr_layout *l,
                   uint64_t *file_bytes, struct lb_err *err)
{
  uint64_t payload;
  if (lb_payload_bytes(f, &payload, err) < 0)
    return -err->code;
  lb_tfr_lay_out((uint64_t)f->sample_bytes, l);
  if (__builtin_mul_overflow(l->record, (uint64_t)f->samples, file_bytes) ||
      *file_bytes > INT64_MAX / 2)
    return lb_err_set(err, LB_USAGE,
                      "a file of %" PRId64 " records of %" PRIu64
                      " bytes: it must be below 2^62 bytes",
                      f->samples, l->record);
  return 0;
}

static int tfr_sizes(const struct lb_format_params *p, const struct lb_file *f,
                     struct lb_file_sizes *out, struct lb_err *err)
{
  struct lb_tfr_layout l = {.record = 0};
  int64_t dims[LB_MAX_DIMS];
  int n;
  uint64_t bytes;
  if (lb_sample_dims(p, f, dims, &n, err) < 0 ||
      lay_out(f, &l, &bytes, err) < 0)
    return -err->code;
  *out = (struct lb_file_sizes){
      .file_bytes = bytes, .payload_bytes = l.image * (uint64_t)f->samples};
  return 0;
}

/* ---- making: records of any size through the scratch ---- */

struct stream {
  struct lb_sink *sink;
  uint64_t at; /* in the file, of the scratch's beginning */
  size_t n;    /* bytes in the scratch */
};

static int flush(struct stream *s, struct lb_err *err)
{
  if (s->n && s->sink->write(s->sink, s->at, s->sink->scratch, s->n, err) < 0)
    return -err->code;
  s->at += s->n;
  s->n = 0;
  return 0;
}

/* Room for up to n bytes: how many. */
static size_t room(const struct stream *s, uint64_t n)
{
  return (size_t)lb_min_u64(s->sink->scratch_bytes - s->n, n);
}

static int put(struct stream *s, const void *bytes, size_t n,
               struct lb_err *err)
{
  const unsigned char *from = bytes;
  while (n) {
    size_t part = room(s, n);
    memcpy((unsigned char *)s->sink->scratch + s->n, from, part);
    s->n += part;
    from += part;
    n -= part;
    if (s->n == s->sink->scratch_bytes && flush(s, err) < 0)
      return -err->code;
  }
  return 0;
}

/* Content of the file from `at' on; crc goes on. */
static int put_content(struct stream *s, const struct lb_format_params *p,
                       const struct lb_file *f, uint64_t at, uint64_t n,
                       uint32_t *crc, struct lb_err *err)
{
  while (n) {
    size_t part = room(s, n);
    unsigned char *to = (unsigned char *)s->sink->scratch + s->n;
    lb_content_fill(p->content_seed, f->set, f->index, at, to, part);
    *crc = lb_crc32c(*crc, to, part);
    s->n += part;
    at += part;
    n -= part;
    if (s->n == s->sink->scratch_bytes && flush(s, err) < 0)
      return -err->code;
  }
  return 0;
}

static int put_record(struct stream *s, const struct lb_format_params *p,
                      const struct lb_file *f, const struct lb_tfr_layout *l,
                      int64_t i, struct lb_err *err)
{
  unsigned char footer[LB_TFR_FOOTER];
  uint32_t crc =
      lb_crc32c(0, l->head + LB_TFR_HEADER, l->head_bytes - LB_TFR_HEADER);
  if (put(s, l->head, l->head_bytes, err) < 0 ||
      put_content(s, p, f, (uint64_t)i * l->image, l->image, &crc, err) < 0)
    return -err->code;
  crc = lb_crc32c(crc, l->tail, l->tail_bytes);
  lb_tfr_put_u32(footer, lb_crc32c_masked(crc));
  if (put(s, l->tail, l->tail_bytes, err) < 0)
    return -err->code;
  return put(s, footer, sizeof footer, err);
}

static int tfr_make(const struct lb_format_params *p, const struct lb_file *f,
                    struct lb_sink *sink, struct lb_err *err)
{
  struct lb_tfr_layout l = {.record = 0};
  struct stream s = {.sink = sink};
  uint64_t bytes;
  if (lay_out(f, &l, &bytes, err) < 0)
    return -err->code;
  for (int64_t i = 0; i < f->samples; i++)
    if (put_record(&s, p, f, &l, i, err) < 0)
      return -err->code;
  return flush(&s, err);
}

/* ---- the index ---- */

static int index_size(const struct lb_format_params *p, const struct lb_file *f,
                      uint64_t *bytes, struct lb_err *err)
{
  struct lb_tfr_layout l = {.record = 0};
  uint64_t file_bytes;
  (void)p;
  if (lay_out(f, &l, &file_bytes, err) < 0)
    return -err->code;
  *bytes = lb_tfr_index_bytes(&l, (uint64_t)f->samples);
  return 0;
}

static int make_index(const struct lb_format_params *p, const struct lb_file *f,
                      struct lb_sink *sink, struct lb_err *err)
{
  struct lb_tfr_layout l = {.record = 0};
  struct stream s = {.sink = sink};
  char line[LINE_MAX_BYTES];
  uint64_t bytes;
  (void)p;
  if (lay_out(f, &l, &bytes, err) < 0)
    return -err->code;
  for (int64_t i = 0; i < f->samples; i++) {
    int n = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 "\n",
                     (uint64_t)i * l.record, l.record);
    if (put(&s, line, (size_t)n, err) < 0)
      return -err->code;
  }
  return flush(&s, err);
}

const struct lb_sidecar lb_tfr_sidecar = {.folder = "index",
                                          .ending = ".idx",
                                          .size = index_size,
                                          .make = make_index};

const struct lb_format lb_format_tfrecord = {
    .name = "tfrecord",
    .doc = "TensorFlow's records of examples with an image, and an index each.",
    .extension = "tfrecord",
    .check = tfr_check,
    .sizes = tfr_sizes,
    .make = tfr_make,
    .sidecars = &lb_tfr_sidecar,
    .n_sidecars = 1,
    .reader_size = sizeof(struct lb_tfr_reader),
    .reader_init = lb_tfr_reader_init,
    .reader_fini = lb_tfr_reader_fini,
    .reader_reset = lb_tfr_reader_reset,
    .reader_notes = lb_tfr_reader_notes,
    .keeps_open = lb_tfr_keeps_open,
    .plan = lb_tfr_plan,
    .parse = lb_tfr_parse,
    .inspect = lb_tfr_inspect,
};
