/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of a model, and what of each tensor one file holds.  Pure; nothing
 * is kept: the layers between the first and the last are all alike. */
#ifndef LOADBANK_CHECKPOINT_LAYERS_H
#define LOADBANK_CHECKPOINT_LAYERS_H

#include "loadbank/checkpoint.h"

/* What of a tensor is meant: its part on one of `tensor' accelerators and one
 * of `copies' copies, as DLIO divides; or, when pieces > 0, a range of its rows
 * as PyTorch divides: the piece-th of so many. */
struct lb_share {
  const struct lb_checkpoint_model *model;
  int64_t tensor, copies;
  int pieces, piece;
};

/* Layers first .. last: 0 is the embedding, 1 .. L are the transformer's, L + 1
 * is the head and L + 2 its norm. */
struct lb_span {
  int64_t first, last;
};

struct lb_sum {
  int64_t tensors;
  uint64_t elements;
};

/* One tensor of them. */
struct lb_param {
  int64_t layer;
  int index; /* within the layer */
  uint64_t elements;
};

/* All layers; none when first > last. */
struct lb_span lb_layers_all(const struct lb_checkpoint_model *m);
/* Those of a stage of the pipeline. */
struct lb_span lb_layers_of(const struct lb_checkpoint_model *m, int64_t stage);

/* Tensors of which the share is empty do not count, and have no number. */
struct lb_sum lb_layers_sum(const struct lb_share *s, struct lb_span span);
struct lb_param lb_layers_at(const struct lb_share *s, struct lb_span span,
                             int64_t t);
const struct lb_dtype *lb_layers_dtype(const struct lb_checkpoint_model *m);

/* How many of the `pieces' of all tensors are not empty, together. */
int64_t lb_layers_chunks(const struct lb_share *s, struct lb_span span);

/* Parameters of the transformer: 0 without layers. */
int64_t lb_layers_parameters(const struct lb_checkpoint_model *m);
/* Of a tensor of so many rows, those of the share's piece; how many of the
 * pieces are not empty. */
uint64_t lb_share_rows(const struct lb_share *s, uint64_t rows);
uint64_t lb_share_chunks(const struct lb_share *s, uint64_t rows);

/* LB_USAGE: numbers that no model has, or whose bytes cannot be counted. */
int lb_layers_check(const struct lb_checkpoint_model *m, struct lb_err *err);

#endif
