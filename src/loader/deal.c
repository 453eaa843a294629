/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three ways in which samples are dealt out to readers; see deal.h. */
#include "lb-config.h"

#include "loadbank/deal.h"

static int64_t min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* ---- whole batches in turn ---- */

static int64_t batches_until(const struct lb_share *s, int64_t w, int64_t b)
{
  return (b - w + s->readers) / s->readers * s->batch;
}

static int64_t batches_of(const struct lb_share *s, int64_t w, int64_t n)
{
  return n / s->batch * s->readers + w;
}

static int64_t batches_at(const struct lb_share *s, int64_t w, int64_t n,
                          int64_t *run)
{
  int64_t i = n % s->batch;
  *run = s->batch - i;
  return batches_of(s, w, n) * s->batch + i;
}

const struct lb_deal lb_deal_batches = {
    .doc = "whole batches in turn",
    .whole = true,
    .until = batches_until,
    .batch_of = batches_of,
    .at = batches_at,
};

/* ---- a slice of every batch ---- */

/* The first readers have one sample more when it does not come out even. */
static int64_t slice(const struct lb_share *s, int64_t w)
{
  return s->batch / s->readers + (w < s->batch % s->readers);
}

static int64_t slices_until(const struct lb_share *s, int64_t w, int64_t b)
{
  return (b + 1) * slice(s, w);
}

static int64_t slices_of(const struct lb_share *s, int64_t w, int64_t n)
{
  return n / slice(s, w);
}

static int64_t slices_at(const struct lb_share *s, int64_t w, int64_t n,
                         int64_t *run)
{
  int64_t len = slice(s, w);
  int64_t first = w * (s->batch / s->readers) + min(w, s->batch % s->readers);
  *run = len - n % len;
  return n / len * s->batch + first + n % len;
}

const struct lb_deal lb_deal_slices = {
    .doc = "a part of every batch",
    .until = slices_until,
    .batch_of = slices_of,
    .at = slices_at,
};

/* ---- segments in turn, interleaved ---- */

/* Samples in the share's first segment, of which the share before may have
 * the beginning. */
static int64_t first_segment(const struct lb_share *s)
{
  return min(s->segment - s->begin % s->segment, s->samples);
}

static int64_t n_segments(const struct lb_share *s)
{
  return 1 + (s->samples - first_segment(s) + s->segment - 1) / s->segment;
}

/* Samples that reader w would have if all segments were whole. */
static int64_t if_whole(const struct lb_share *s, int64_t w)
{
  int64_t n = n_segments(s);
  return (n / s->readers + (w < n % s->readers)) * s->segment;
}

/* Samples that the first and the last segment lack, if reader w has them. */
static int64_t lacking(const struct lb_share *s, int64_t w)
{
  int64_t n = n_segments(s), first = s->segment - first_segment(s);
  int64_t both = n * s->segment - s->samples;
  return (w == 0 ? first : 0) + (w == (n - 1) % s->readers ? both - first : 0);
}

/* Samples that reader w has in all. */
static int64_t has(const struct lb_share *s, int64_t w)
{
  return if_whole(s, w) - lacking(s, w);
}

/* Samples that the readers before w have delivered after n rounds. */
static int64_t rounds(const struct lb_share *s, int64_t w, int64_t n)
{
  int64_t segments = n_segments(s), last = (segments - 1) % s->readers;
  int64_t longer = min(w, segments % s->readers);
  int64_t sum = longer * min(if_whole(s, 0), n) +
                (w - longer) * min(segments / s->readers * s->segment, n);
  if (w > 0)
    sum -= min(if_whole(s, 0), n) - min(has(s, 0), n);
  if (w > last && last > 0)
    sum -= min(if_whole(s, last), n) - min(has(s, last), n);
  return sum;
}

/* Which sample of the interleaved stream the reader's n-th is. */
static int64_t in_stream(const struct lb_share *s, int64_t w, int64_t n)
{
  return rounds(s, w, n + 1) + rounds(s, s->readers, n) - rounds(s, w, n);
}

/* How many of the reader's samples are among the stream's first p. */
static int64_t among(const struct lb_share *s, int64_t w, int64_t p)
{
  int64_t low = 0, high = has(s, w);
  if (p >= s->samples)
    return high;
  /* No reader is passed over so early: the usual case. */
  int64_t even = (p + s->readers - 1 - w) / s->readers;
  if (even < high && in_stream(s, w, even) >= p &&
      (even == 0 || in_stream(s, w, even - 1) < p))
    return even;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (in_stream(s, w, middle) < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Samples that the buffer takes in before one leaves it, beside that one. */
static int64_t waiting(const struct lb_share *s)
{
  return s->buffer > 0 ? s->buffer - 1 : 0;
}

static int64_t interleave_until(const struct lb_share *s, int64_t w, int64_t b)
{
  return among(s, w, min((b + 1) * s->batch + waiting(s), s->samples));
}

static int64_t interleave_of(const struct lb_share *s, int64_t w, int64_t n)
{
  int64_t p = in_stream(s, w, n) - waiting(s);
  return p > 0 ? p / s->batch : 0;
}

static int64_t interleave_at(const struct lb_share *s, int64_t w, int64_t n,
                             int64_t *run)
{
  int64_t first = first_segment(s), begin = 0, i = n, len = first;
  if (w > 0 || n >= first) {
    int64_t m = w > 0 ? n : n - first;
    int64_t segment = w + s->readers * (m / s->segment + (w == 0));
    begin = first + (segment - 1) * s->segment;
    i = m % s->segment;
    len = min(s->segment, s->samples - begin);
  }
  *run = len - i;
  return begin + i;
}

const struct lb_deal lb_deal_interleave = {
    .doc = "samples in turn",
    .until = interleave_until,
    .batch_of = interleave_of,
    .at = interleave_at,
};
