/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the samples of an accelerator are dealt out to its readers, and when a
 * batch has all of its own: pure functions of positions, so that nothing is
 * stored of a sample. */
#ifndef LOADBANK_DEAL_H
#define LOADBANK_DEAL_H

#include <stdbool.h>
#include <stdint.h>

/* What one accelerator reads of an epoch: one run of the order. */
struct lb_share {
  int64_t begin;   /* position of its first sample in the order */
  int64_t samples; /* in the whole epoch */
  int64_t batch;
  int64_t readers; /* >= 1 */
  int64_t buffer;  /* samples that wait in a shuffle buffer; 0: none */
  int64_t segment; /* samples that follow each other in a file, from position
                    * 0 of the order on */
};

/* Reader w reads its samples 0, 1, ... one after the other. */
struct lb_deal {
  const char *doc; /* for the plan's text: "each takes ..." */
  bool whole;      /* batch b is all of reader b % readers */
  /* How many samples reader w has read when the batches up to b are complete;
   * 0 <= w < readers, 0 <= b < samples / batch. */
  int64_t (*until)(const struct lb_share *s, int64_t w, int64_t b);
  /* The first batch that waits for the reader's n-th sample. */
  int64_t (*batch_of)(const struct lb_share *s, int64_t w, int64_t n);
  /* Which of the share's samples, 0 .. samples - 1, its n-th is; *run: how many
   * of its samples, with this one, follow each other in the share. */
  int64_t (*at)(const struct lb_share *s, int64_t w, int64_t n, int64_t *run);
};

/* Reader w makes the batches w, w + readers, ... whole (PyTorch). */
extern const struct lb_deal lb_deal_batches;
/* Every batch is cut into a slice for each reader (DALI). */
extern const struct lb_deal lb_deal_slices;
/* Reader w reads the share's segments w, w + readers, ...; they deliver in
 * turn, one sample each, and who has no more is passed over.  That stream goes
 * through the shuffle buffer, which must be full before a sample leaves it
 * (tf.data). */
extern const struct lb_deal lb_deal_interleave;

#endif
