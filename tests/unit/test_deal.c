/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How samples are dealt out to readers, against doing it one by one. */
#include "lb-config.h"

#include "loadbank/deal.h"

#include <stdio.h>
#include <stdlib.h>

#include "loadbank/rng.h"
#include "tap.h"

enum { MOST = 600 }; /* samples of a share */

/* Who reads what, in which order; and which batch first waits for it. */
struct dealt {
  int64_t n[MOST];        /* samples of reader w; at most MOST readers */
  int64_t at[MOST][MOST]; /* [w][n] */
  int64_t batch[MOST][MOST];
};

static void give(struct dealt *d, int64_t w, int64_t at, int64_t batch)
{
  d->at[w][d->n[w]] = at;
  d->batch[w][d->n[w]++] = batch;
}

static void deal_batches(const struct lb_share *s, struct dealt *d)
{
  for (int64_t i = 0; i < s->samples; i++)
    give(d, i / s->batch % s->readers, i, i / s->batch);
}

/* As cards that come out uneven: the first have one more, and in one piece. */
static void deal_slices(const struct lb_share *s, struct dealt *d)
{
  for (int64_t b = 0; b < s->samples / s->batch; b++) {
    int64_t at = b * s->batch;
    for (int64_t w = 0; w < s->readers; w++)
      for (int64_t i = w; i < s->batch; i += s->readers)
        give(d, w, at++, b);
  }
}

/* Segments to readers, then a sample of each in turn, then the buffer. */
static void deal_interleave(const struct lb_share *s, struct dealt *d)
{
  static int64_t own[MOST][MOST], n[MOST], next[MOST];
  int64_t w = s->readers - 1, out = 0;
  for (int64_t i = 0; i < s->readers; i++)
    n[i] = next[i] = 0;
  for (int64_t i = 0; i < s->samples; i++) {
    if (i == 0 || (s->begin + i) % s->segment == 0)
      w = (w + 1) % s->readers;
    own[w][n[w]++] = i;
  }
  while (out < s->samples)
    for (w = 0; w < s->readers; w++) {
      if (next[w] == n[w])
        continue;
      /* Of batch b, sample 0 leaves a full buffer; 0 and 1 are the same. */
      int64_t behind = s->buffer > 1 ? out - (s->buffer - 1) : out;
      give(d, w, own[w][next[w]++], behind < 0 ? 0 : behind / s->batch);
      out++;
    }
}

/* The reader's samples that come first until batch b is complete. */
static int64_t until(const struct dealt *d, int64_t w, int64_t b)
{
  int64_t n = 0;
  while (n < d->n[w] && d->batch[w][n] <= b)
    n++;
  return n;
}

static int64_t wrong(const struct lb_deal *deal, const struct lb_share *s,
                     const struct dealt *d)
{
  int64_t bad = 0;
  for (int64_t w = 0; w < s->readers; w++) {
    for (int64_t n = 0; n < d->n[w]; n++) {
      int64_t run = -1, follow = 1;
      bad += deal->at(s, w, n, &run) != d->at[w][n];
      bad += deal->batch_of(s, w, n) != d->batch[w][n];
      while (n + follow < d->n[w] &&
             d->at[w][n + follow] == d->at[w][n] + follow)
        follow++;
      bad += run < 1 || run > follow;
    }
    for (int64_t b = 0; b < s->samples / s->batch; b++)
      if (!deal->whole || b % s->readers == w)
        bad += deal->until(s, w, b) != until(d, w, b);
  }
  return bad;
}

static struct lb_share share_at(struct lb_rng *rng)
{
  struct lb_share s = {.batch = 1 + (int64_t)(lb_rng_u64(rng) % 12),
                       .readers = 1 + (int64_t)(lb_rng_u64(rng) % 9),
                       .segment = 1 + (int64_t)(lb_rng_u64(rng) % 30)};
  uint64_t accelerator = lb_rng_u64(rng) % 5;
  s.samples = s.batch * (1 + (int64_t)(lb_rng_u64(rng) % 40));
  s.begin = s.samples * (int64_t)accelerator;
  s.buffer = (int64_t)(lb_rng_u64(rng) % 50) * (int64_t)(lb_rng_u64(rng) % 2);
  return s;
}

static const struct {
  const char *name;
  const struct lb_deal *deal;
  void (*one_by_one)(const struct lb_share *s, struct dealt *d);
} rows[] = {{"batches", &lb_deal_batches, deal_batches},
            {"slices", &lb_deal_slices, deal_slices},
            {"interleave", &lb_deal_interleave, deal_interleave}};

static void test_any(size_t row, struct dealt *d)
{
  struct lb_rng rng = lb_rng_stream(7, LB_RNG_ORDER, 0, 0);
  int64_t bad = 0, shares = 3000;
  for (int64_t i = 0; i < shares && !bad; i++) {
    struct lb_share s = share_at(&rng);
    for (int64_t w = 0; w < s.readers; w++)
      d->n[w] = 0;
    rows[row].one_by_one(&s, d);
    bad = wrong(rows[row].deal, &s, d);
    if (bad)
      printf("# begin %d, samples %d, batch %d, readers %d, buffer %d, segment "
             "%d\n",
             (int)s.begin, (int)s.samples, (int)s.batch, (int)s.readers,
             (int)s.buffer, (int)s.segment);
  }
  is_int(bad, 0, "%s: as dealt one by one, %d shares", rows[row].name,
         (int)shares);
}

/* Numbers that a reader of the documentation can follow. */
static void test_example(void)
{
  /* The second of two accelerators with 5 files of 4 samples: its share begins
   * in the middle of file 2. */
  const struct lb_share s = {.begin = 10,
                             .samples = 10,
                             .batch = 5,
                             .readers = 2,
                             .buffer = 3,
                             .segment = 4};
  static const int64_t first[] = {0, 1, 6, 7, 8, 9}, second[] = {2, 3, 4, 5};
  int64_t run, bad = 0;
  for (int64_t n = 0; n < 6; n++)
    bad += lb_deal_interleave.at(&s, 0, n, &run) != first[n];
  for (int64_t n = 0; n < 4; n++)
    bad += lb_deal_interleave.at(&s, 1, n, &run) != second[n];
  is_int(bad, 0, "files 2 and 4 for the first reader, 3 for the second");
  is_int(lb_deal_interleave.until(&s, 0, 0), 4, "batch 0: 5 and 2 more, 4 ...");
  is_int(lb_deal_interleave.until(&s, 1, 0), 3, "... of one, 3 of the other");
  is_int(lb_deal_interleave.until(&s, 0, 1), 6, "batch 1: all");
  is_int(lb_deal_interleave.until(&s, 1, 1), 4, "of both");
}

/* Whole epochs of the largest sizes: nothing overflows. */
static void test_large(void)
{
  const struct lb_share s = {.begin = INT64_C(3000000000000),
                             .samples = INT64_C(1000000000000),
                             .batch = 400,
                             .readers = 8,
                             .buffer = 1024,
                             .segment = 1251};
  int64_t last = s.samples / s.batch - 1, sum = 0, run;
  for (int64_t w = 0; w < s.readers; w++) {
    int64_t n = lb_deal_interleave.until(&s, w, last);
    sum += n;
    int64_t at = lb_deal_interleave.at(&s, w, n - 1, &run);
    ok(at >= 0 && at < s.samples && run == 1,
       "reader %d: its last of 10^12 samples ends a segment", (int)w);
  }
  is_int(sum, s.samples, "8 readers have them all");
}

int main(void)
{
  struct dealt *d = calloc(1, sizeof *d);
  if (!d)
    return 99;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    test_any(i, d);
  test_example();
  test_large();
  free(d);
  return done();
}
