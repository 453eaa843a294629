/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of a record that is verified: its checksums, piece by piece, and the content
 * of what was in the reader's buffer before (what is read for the record is
 * compared by whoever runs the list). */
#include "lb-config.h"

#include "format/tfrecord_reader.h"

#include <inttypes.h>
#include <string.h>

#include "loadbank/content.h"
#include "loadbank/crc32c.h"

enum { COMPARE_BYTES = 512 };

bool lb_tfr_image_range(const struct lb_tfr_reader *st, uint64_t *at,
                        uint64_t *end)
{
  *at = st->rec.at + st->made.head_bytes;
  *end = *at + st->made.image;
  return st->rec.end - st->rec.at == st->made.record;
}

void lb_tfr_check_begin(struct lb_tfr_reader *st)
{
  st->checked = st->rec.at;
  st->crc = 0;
}

static int refuse_checksum(const struct lb_tfr_reader *st,
                           const struct lb_sample *s, const char *what,
                           uint32_t found, uint32_t want, struct lb_err *err)
{
  return lb_err_set(err, LB_FAILED,
                    "%s: damaged: record %" PRId64 " at %" PRIu64
                    ": the checksum of its %s is 0x%08" PRIx32
                    ", and should be 0x%08" PRIx32,
                    s->file.path, s->in_file, st->rec.at, what, found, want);
}

static int check_header(const struct lb_tfr_reader *st,
                        const struct lb_sample *s, struct lb_err *err)
{
  const unsigned char *head = st->rec.head;
  uint32_t found = lb_tfr_u32(head + 8);
  uint32_t want = lb_crc32c_masked(lb_crc32c(0, head, 8));
  if (found == want)
    return 0;
  return refuse_checksum(st, s, "length", found, want, err);
}

static int check_data(const struct lb_tfr_reader *st, const struct lb_sample *s,
                      struct lb_err *err)
{
  uint32_t found = lb_tfr_u32(st->footer), want = lb_crc32c_masked(st->crc);
  if (found == want)
    return 0;
  return refuse_checksum(st, s, "data", found, want, err);
}

/* got[0..n), which are at `at' of the file, differ from want. */
static int differs(const struct lb_format_params *p, const struct lb_sample *s,
                   const unsigned char *got, const unsigned char *want,
                   uint64_t at, size_t n, struct lb_err *err)
{
  char text[LB_CONTENT_TEXT];
  size_t i = 0;
  while (got[i] == want[i])
    i++;
  lb_content_judge(p->content_seed, p->n_files, got + i, want + i, n - i, text);
  return lb_err_set(err, LB_FAILED,
                    "%s: sample %" PRId64 ": byte %" PRIu64
                    " of the file is 0x%02x, should be 0x%02x by dataset.seed "
                    "%" PRIu64 ": %s",
                    s->file.path, s->in_file, at + i, got[i], want[i],
                    p->content_seed, text);
}

/* What of bytes[0..n), which are at `at' of the file, is the sample's. */
static int compare(const struct lb_reader *r, const struct lb_sample *s,
                   const unsigned char *bytes, uint64_t at, uint64_t n,
                   struct lb_err *err)
{
  const struct lb_tfr_reader *st = r->state;
  const struct lb_format_params *p = r->params;
  uint64_t from, end;
  unsigned char want[COMPARE_BYTES];
  if (!lb_tfr_image_range(st, &from, &end))
    return 0;
  uint64_t first = (uint64_t)s->in_file * st->made.image - from;
  end = lb_min_u64(end, at + n);
  for (uint64_t x = at > from ? at : from; x < end;) {
    size_t part = (size_t)lb_min_u64(COMPARE_BYTES, end - x);
    lb_content_fill(p->content_seed, s->file.set, s->file.index, first + x,
                    want, part);
    if (memcmp(bytes + (x - at), want, part) != 0)
      return differs(p, s, bytes + (x - at), want, x, part, err);
    x += part;
  }
  return 0;
}

/* The next bytes, of one part of the record: header, data or footer; how many
 * they were. */
static uint64_t take_part(struct lb_tfr_reader *st, const unsigned char *bytes,
                          uint64_t n)
{
  uint64_t in = st->checked - st->rec.at;
  uint64_t footer = st->rec.end - LB_TFR_FOOTER;
  if (in < LB_TFR_HEADER) {
    n = lb_min_u64(n, LB_TFR_HEADER - in);
    memmove(st->rec.head + in, bytes, (size_t)n);
  } else if (st->checked < footer) {
    n = lb_min_u64(n, footer - st->checked);
    st->crc = lb_crc32c(st->crc, bytes, (size_t)n);
  } else {
    n = lb_min_u64(n, st->rec.end - st->checked);
    memcpy(st->footer + (st->checked - footer), bytes, (size_t)n);
  }
  st->checked += n;
  return n;
}

int lb_tfr_check(struct lb_reader *r, const struct lb_sample *s,
                 const unsigned char *bytes, uint64_t at, uint64_t n,
                 bool compare_too, struct lb_err *err)
{
  struct lb_tfr_reader *st = r->state;
  uint64_t header = st->rec.at + LB_TFR_HEADER;
  if (st->checked < at || st->checked - at >= n)
    return 0;
  if (compare_too && compare(r, s, bytes, at, n, err) < 0)
    return -err->code;
  for (uint64_t i = st->checked - at; i < n && st->checked < st->rec.end;) {
    i += take_part(st, bytes + i, n - i);
    if (st->checked == header && (check_header(st, s, err) < 0 ||
                                  lb_tfr_agrees(st, s, st->rec.head, err) < 0))
      return -err->code;
    if (st->checked == st->rec.end && check_data(st, s, err) < 0)
      return -err->code;
  }
  return 0;
}
