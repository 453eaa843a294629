/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole state of a model, whatever parallelism made it: its weights, and
 * for every weight three of the optimizer's (a copy, two moments).  Pure. */
#ifndef LOADBANK_CHECKPOINT_STATE_H
#define LOADBANK_CHECKPOINT_STATE_H

#include "checkpoint/layers.h"
#include "loadbank/checkpoint.h"

/* Can all of it be counted, and is there any? */
int lb_state_check(const struct lb_checkpoint_model *m, struct lb_err *err);

/* The piece-th of so many pieces of every tensor; pieces 1: all of it.
 * Fills in bytes and tensors. */
void lb_state_sum(const struct lb_checkpoint_model *m, int pieces, int piece,
                  struct lb_shard *out);
/* Its t-th tensor. */
void lb_state_tensor(const struct lb_checkpoint_model *m, int pieces, int piece,
                     int64_t t, struct lb_tensor *out);
int64_t lb_state_tensors(const struct lb_checkpoint_model *m);
/* How many pieces of tensors there are. */
int64_t lb_state_chunks(const struct lb_checkpoint_model *m, int pieces);

/* ---- the state as one file, which accelerator 0 writes: what schemes that do
 * so have in common ---- */
int64_t lb_whole_count(const struct lb_checkpoint_model *m, int stage,
                       int accelerator);
void lb_whole_tensor(const struct lb_checkpoint_model *m,
                     const struct lb_shard_ref *ref, int64_t t,
                     struct lb_tensor *out);
void lb_whole_load(const struct lb_checkpoint_model *m, int stage, int readers,
                   int reader, int64_t k, struct lb_shard_ref *out);

/* ---- model.optimization_groups, when given: two tensors for each, and one of
 * all together; bytes ---- */
int64_t lb_groups_tensors(const struct lb_checkpoint_model *m);
uint64_t lb_groups_bytes(const struct lb_checkpoint_model *m);
void lb_groups_tensor(const struct lb_checkpoint_model *m, int64_t t,
                      struct lb_tensor *out);

#endif
