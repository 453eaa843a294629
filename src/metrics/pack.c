/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms and I/O statistics as bytes and back. */
#include "lb-config.h"

#include "metrics/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void lb_unpack(struct lb_unpack *u, void *out, size_t n)
{
  if (u->bad || n > u->left) {
    u->bad = true;
    memset(out, 0, n);
    return;
  }
  memcpy(out, u->p, n);
  u->p += n;
  u->left -= n;
}

struct head {
  uint64_t count, min, max;
  double sum;
  uint32_t used; /* buckets that follow, as {index, count} */
};
struct bucket {
  uint64_t index, count;
};

void lb_pack_histogram(struct lb_buf *b, const struct lb_histogram *h)
{
  struct head head;
  memset(&head, 0, sizeof head);
  head.count = h->count;
  head.min = h->min;
  head.max = h->max;
  head.sum = h->sum;
  for (int i = 0; i < LB_HISTOGRAM_BUCKETS; i++)
    head.used += h->bucket[i] != 0;
  lb_buf_add(b, &head, sizeof head);
  for (uint32_t i = 0; i < LB_HISTOGRAM_BUCKETS; i++)
    if (h->bucket[i]) {
      struct bucket one = {i, h->bucket[i]};
      lb_buf_add(b, &one, sizeof one);
    }
}

void lb_unpack_histogram(struct lb_unpack *u, struct lb_histogram *h)
{
  struct head head;
  lb_unpack(u, &head, sizeof head);
  struct lb_histogram got;
  lb_histogram_init(&got);
  got.count = head.count;
  got.min = head.min;
  got.max = head.max;
  got.sum = head.sum;
  for (uint32_t i = 0; i < head.used && !u->bad; i++) {
    struct bucket one;
    lb_unpack(u, &one, sizeof one);
    if (one.index >= LB_HISTOGRAM_BUCKETS)
      u->bad = true;
    else
      got.bucket[one.index] = one.count;
  }
  if (!u->bad && got.count)
    lb_histogram_merge(h, &got);
}

struct cell {
  uint32_t phase, op;
  uint64_t errors, bytes;
};
static const uint32_t last_cell = UINT32_MAX;

void lb_pack_iostats(struct lb_buf *b, const struct lb_iostats *s)
{
  struct cell c = {0};
  for (c.phase = 0; s && c.phase < LB_N_PHASES; c.phase++)
    for (c.op = 0; c.op < LB_N_STATS; c.op++) {
      const struct lb_iostat *one = s->cell[c.phase][c.op];
      if (!one)
        continue;
      c.errors = one->errors;
      c.bytes = one->bytes;
      lb_buf_add(b, &c, sizeof c);
      lb_pack_histogram(b, &one->ns);
    }
  c = (struct cell){.phase = last_cell};
  lb_buf_add(b, &c, sizeof c);
}

static struct lb_iostat *cell_of(struct lb_iostats *s, const struct cell *c)
{
  struct lb_iostat **at = &s->cell[c->phase][c->op];
  if (!*at) {
    *at = calloc(1, sizeof **at);
    if (*at)
      lb_histogram_init(&(*at)->ns);
  }
  return *at;
}

void lb_unpack_iostats(struct lb_unpack *u, struct lb_iostats *s)
{
  for (;;) {
    struct cell c;
    lb_unpack(u, &c, sizeof c);
    if (u->bad || c.phase == last_cell)
      return;
    struct lb_iostat *one = NULL;
    if (c.phase < LB_N_PHASES && c.op < LB_N_STATS)
      one = cell_of(s, &c);
    if (!one) {
      u->bad = true;
      return;
    }
    one->errors += c.errors;
    one->bytes += c.bytes;
    lb_unpack_histogram(u, &one->ns);
  }
}
