/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares raw content with what the seed says, in small pieces that stay in
 * the processor's cache.  Whether the dataset is one that may be compared is
 * decided before (src/bench/dataset.c). */
#include "lb-config.h"

#include "loadbank/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/content.h"
#include "loadbank/differs.h"
#include "loadbank/rng.h"

int64_t lb_verify_choice(uint64_t seed, enum lb_set set, int64_t epoch,
                         int64_t accelerator, int64_t batch, int64_t n)
{
  struct lb_rng r =
      lb_rng_stream(seed, LB_RNG_VERIFY, (uint64_t)set, (uint64_t)epoch);
  r = lb_rng_fork(&r, (uint64_t)accelerator);
  r = lb_rng_fork(&r, (uint64_t)batch);
  return (int64_t)(lb_rng_u64(&r) % (uint64_t)n);
}

/* ---- comparing ---- */

/* got[0..n) of the file's content from `at' on, which is at in_file of the
 * file, differs. */
static int differs(struct lb_verifier *v, const unsigned char *got, size_t n,
                   uint64_t at, uint64_t in_file, struct lb_err *err)
{
  char place[64];
  size_t i = 0, piece = n < sizeof v->want ? n : sizeof v->want;
  while (i < piece && got[i] == v->want[i])
    i++;
  snprintf(place, sizeof place, "byte %" PRIu64 " of the file", in_file + i);
  const struct lb_differs d = {.params = v->reader->params,
                               .file = &v->sample->file,
                               .in_payload = at + i,
                               .place = place,
                               .got = got + i,
                               .n = n - i};
  return lb_differs_say(&d, err);
}

static int compare(struct lb_verifier *v, const unsigned char *got, size_t n,
                   uint64_t at, uint64_t in_file, struct lb_err *err)
{
  const struct lb_file *f = &v->sample->file;
  uint64_t seed = v->reader->params->content_seed;
  for (size_t done = 0; done < n;) {
    size_t piece = n - done < sizeof v->want ? n - done : sizeof v->want;
    lb_content_fill(seed, f->set, f->index, at + done, v->want, piece);
    if (memcmp(got + done, v->want, piece) != 0)
      return differs(v, got + done, n - done, at + done, in_file + done, err);
    done += piece;
  }
  return 0;
}

int lb_verify_inspect(void *arg, const struct lb_io *io, uint64_t at,
                      const void *bytes, size_t n, struct lb_err *err)
{
  struct lb_verifier *v = arg;
  const struct lb_format *format = v->reader->format;
  uint64_t from = io->content.skip, to = from + io->content.length;
  uint64_t begin = at > from ? at : from;
  uint64_t end = at + n < to ? at + n : to;
  if (begin < end) {
    const unsigned char *got = (const unsigned char *)bytes + (begin - at);
    if (compare(v, got, (size_t)(end - begin), io->content.at + (begin - from),
                io->offset + begin, err))
      return -err->code;
  }
  if (!format->inspect)
    return 0;
  return format->inspect(v->reader, v->sample, io, at, bytes, n, err);
}

/* ---- around a sample ---- */

void lb_verify_begin(struct lb_verifier *v, struct lb_reader *reader,
                     const struct lb_sample *sample, struct lb_iothread *t)
{
  v->reader = reader;
  v->sample = sample;
  v->samples_seen = reader->samples_seen;
  v->bytes_seen = reader->sample_bytes_seen;
  t->inspect = lb_verify_inspect;
  t->inspect_arg = v;
}

int lb_verify_end(struct lb_verifier *v, struct lb_iothread *t,
                  struct lb_err *err)
{
  const struct lb_file *f = &v->sample->file;
  uint64_t n = v->reader->samples_seen - v->samples_seen;
  uint64_t bytes = v->reader->sample_bytes_seen - v->bytes_seen;
  t->inspect = NULL;
  if (lb_err_is_set(err) || n == 0 || bytes / n == (uint64_t)f->sample_bytes)
    return -err->code;
  return lb_err_set(err, LB_FAILED,
                    "%s: samples of %" PRIu64 " bytes, made were some of "
                    "%" PRId64,
                    f->path, bytes / n, f->sample_bytes);
}
