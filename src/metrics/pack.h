/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank's share of the metrics as bytes, for its way to rank 0.  All ranks
 * run the same program on the same architecture: values go as they lie in
 * memory; histograms go without their empty buckets. */
#ifndef LB_METRICS_PACK_H
#define LB_METRICS_PACK_H

#include <stddef.h>

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/histogram.h"
#include "loadbank/iostats.h"

/* Reading: `left' bytes at p; bad once they did not suffice. */
struct lb_unpack {
  const char *p;
  size_t left;
  bool bad;
};
void lb_unpack(struct lb_unpack *u, void *out, size_t n);

void lb_pack_histogram(struct lb_buf *b, const struct lb_histogram *h);
/* Adds to h. */
void lb_unpack_histogram(struct lb_unpack *u, struct lb_histogram *h);

/* s may be NULL: nothing. */
void lb_pack_iostats(struct lb_buf *b, const struct lb_iostats *s);
/* Adds to s. */
void lb_unpack_iostats(struct lb_unpack *u, struct lb_iostats *s);

#endif
