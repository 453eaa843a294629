/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See differs.h.  Single wrong bytes are damage; where half of them or more are
 * wrong, something else stands there, and loadbank's own is traced back. */
#include "lb-config.h"

#include "loadbank/differs.h"

#include <inttypes.h>
#include <stdio.h>

#include "loadbank/content.h"

/* So many bytes behind the first wrong one tell damage from other data. */
enum { LOOK_BYTES = 64, LOOK_LEAST = 16 };

bool lb_differs_traced(const struct lb_format_params *p,
                       const unsigned char *got, size_t n, char *text,
                       size_t size)
{
  n = n < LOOK_BYTES ? n : LOOK_BYTES;
  struct lb_content_trace t =
      lb_content_trace(p->content_seed, p->n_files, got, n);
  switch (t.kind) {
  case LB_CONTENT_ZEROS:
    snprintf(text, size, "zeros, as of a hole or of writes that were lost");
    return n >= LOOK_LEAST;
  case LB_CONTENT_OTHER:
    snprintf(text, size,
             "made by loadbank with another dataset.seed, or of "
             "a larger dataset");
    return true;
  case LB_CONTENT_MISPLACED:
    snprintf(text, size,
             "content of file %" PRId64 " of the %s set from its byte %" PRIu64
             " of content on: it is in the wrong place",
             t.file, lb_sets[t.set].folder, t.offset);
    return true;
  default:
    return false;
  }
}

int lb_differs_say(const struct lb_differs *d, struct lb_err *err)
{
  const struct lb_file *f = d->file;
  uint64_t seed = d->params->content_seed;
  unsigned char want[LOOK_BYTES];
  char instead[200];
  size_t n = d->n < LOOK_BYTES ? d->n : LOOK_BYTES, n_wrong = 0;
  lb_content_fill(seed, f->set, f->index, d->in_payload, want, n);
  for (size_t i = 0; i < n; i++)
    n_wrong += d->got[i] != want[i];
  int64_t sample = (int64_t)(d->in_payload / (uint64_t)f->sample_bytes);
  if (n < LOOK_LEAST || n_wrong < n / 2)
    return lb_err_set(err, LB_FAILED,
                      "%s: damaged: sample %" PRId64
                      ": %s is 0x%02x, should be 0x%02x (%zu of the %zu "
                      "bytes from there on are wrong)",
                      f->path, sample, d->place, *d->got, *want, n_wrong, n);
  if (!lb_differs_traced(d->params, d->got, n, instead, sizeof instead))
    snprintf(instead, sizeof instead,
             "made by another program, or overwritten");
  return lb_err_set(err, LB_FAILED,
                    "%s: sample %" PRId64
                    ": from %s on it is not what dataset.seed %" PRIu64
                    " makes (0x%02x, should be 0x%02x): %s",
                    f->path, sample, d->place, seed, *d->got, *want, instead);
}
