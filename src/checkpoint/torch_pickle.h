/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data.pkl of torch.save, piece by piece.  Only for src/checkpoint. */
#ifndef LB_TORCH_PICKLE_H
#define LB_TORCH_PICKLE_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/torch_file.h"

/* How PyTorch calls an element type; NULL: it has none. */
struct lb_torch_type;
const struct lb_torch_type *lb_torch_type(const struct lb_dtype *t);

/* Pieces 0 .. tensors of the archive's pickle, in order; memo is zeroed before
 * the first.  Bytes written to out. */
size_t lb_torch_pickle(const struct lb_torch_archive *a, int64_t piece,
                       struct lb_torch_memo *memo,
                       unsigned char out[LB_TORCH_PIECE]);

/* Bytes of all of them. */
uint64_t lb_torch_pickle_bytes(const struct lb_torch_archive *a);

#endif
