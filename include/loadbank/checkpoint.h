/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: who writes and reads which tensors of which file.  Pure.  The
 * writing and reading of a file is in shard.h, when it is due in plan.h, how
 * ranks do it together in src/bench/checkpointing.c.
 *
 * To add a scheme: src/checkpoint/NAME.c, its name in LB_CHECKPOINT_LIST, its
 * line in src/checkpoint/local.mk. */
#ifndef LOADBANK_CHECKPOINT_H
#define LOADBANK_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/dtype.h"
#include "loadbank/err.h"
#include "loadbank/option.h"
#include "loadbank/tensor.h"

/* What decides names and sizes; lb_plan_checkpoint_model makes it of the keys.
 * An accelerator is what DLIO calls a rank. */
struct lb_checkpoint_model {
  int accelerators;     /* that write */
  uint64_t model_bytes; /* of state that is not layers; 0: none */
  int64_t layers;       /* of the transformer; <= 0: no layers */
  int64_t hidden, ffn, vocab, heads, kv_heads;
  const struct lb_dtype *weights, *optimizer; /* element types */
  /* Bytes of each; what follows from the transformer when n is 0. */
  struct lb_ints layer_parameters, optimization_groups;
  int64_t tensor, pipeline;
  int64_t data; /* copies of the model; <= 0: as many as write */
  int zero;     /* 0 .. 3 */
  bool all_ranks, subset;
};

/* How a container is laid around the tensors of a file. */
enum lb_shard_layout {
  LB_SHARD_STATE, /* one for all of them */
  LB_SHARD_ITEMS, /* one for each, in a row */
  LB_SHARD_PLAIN, /* none, and no tensors: metadata of so many bytes */
};

/* One file of a checkpoint. */
struct lb_shard {
  char name[128]; /* below the checkpoint's own folder; may hold a '/' */
  enum lb_shard_layout layout;
  uint64_t bytes;           /* of all tensors, without a container */
  uint64_t optimizer_bytes; /* of these, the optimizer's state */
  int64_t tensors;
};

/* Names it: the i-th that this accelerator writes in this stage. */
struct lb_shard_ref {
  int stage, accelerator;
  int64_t i;
};

/* Every function is pure and knows nothing of files but by computing them:
 * nothing is kept for an accelerator, a file or a tensor. */
struct lb_checkpoint_scheme {
  const char *name;
  const char *doc;
  const char *unavailable;
  int stages; /* of a save; all writers meet between two */
  /* Required.  LB_USAGE with the numbers when the model cannot be written so.
   * The other functions are only called of a model that passed. */
  int (*check)(const struct lb_checkpoint_model *m, struct lb_err *err);
  /* Required.  Files that the accelerator writes in the stage. */
  int64_t (*count)(const struct lb_checkpoint_model *m, int stage,
                   int accelerator);
  /* Required. */
  void (*shard)(const struct lb_checkpoint_model *m,
                const struct lb_shard_ref *ref, struct lb_shard *out);
  /* Required.  The t-th tensor of the file. */
  void (*tensor)(const struct lb_checkpoint_model *m,
                 const struct lb_shard_ref *ref, int64_t t,
                 struct lb_tensor *out);
  /* Optional: else each reads what it wrote itself, stage by stage, which needs
   * as many readers as writers.  Use lb_checkpoint_load_*. */
  int load_stages; /* all readers meet between two */
  int64_t (*load_count)(const struct lb_checkpoint_model *m, int stage,
                        int readers, int reader);
  /* The k-th file that the reader reads in this stage. */
  void (*load)(const struct lb_checkpoint_model *m, int stage, int readers,
               int reader, int64_t k, struct lb_shard_ref *out);
  bool any_readers; /* may be another number than the writers */
};

#define LB_CHECKPOINT_LIST(X) \
  X(dlio) X(ddp) X(fsdp) X(full_state_dict) X(consolidate)
#define X(n) extern const struct lb_checkpoint_scheme lb_checkpoint_##n;
LB_CHECKPOINT_LIST(X)
#undef X
extern const struct lb_checkpoint_scheme *const lb_checkpoint_schemes[];
const struct lb_checkpoint_scheme *lb_checkpoint_find(const char *name);

/* What an accelerator writes of one checkpoint. */
struct lb_checkpoint_sum {
  int64_t files;
  uint64_t bytes, optimizer_bytes; /* payload; the second is part of it */
};
void lb_checkpoint_sum(const struct lb_checkpoint_scheme *s,
                       const struct lb_checkpoint_model *m, int accelerator,
                       struct lb_checkpoint_sum *out);

/* Payload that an accelerator writes of one, that a reader reads of one. */
uint64_t lb_checkpoint_bytes(const struct lb_checkpoint_scheme *s,
                             const struct lb_checkpoint_model *m,
                             int accelerator);
uint64_t lb_checkpoint_load_bytes(const struct lb_checkpoint_scheme *s,
                                  const struct lb_checkpoint_model *m,
                                  int readers, int reader);
int lb_checkpoint_load_stages(const struct lb_checkpoint_scheme *s);
int64_t lb_checkpoint_load_count(const struct lb_checkpoint_scheme *s,
                                 const struct lb_checkpoint_model *m, int stage,
                                 int readers, int reader);
void lb_checkpoint_load(const struct lb_checkpoint_scheme *s,
                        const struct lb_checkpoint_model *m, int stage,
                        int readers, int reader, int64_t k,
                        struct lb_shard_ref *out);

/* <folder>/global_epoch<e>_step<s>, as DLIO names it.  -1: does not fit. */
int lb_checkpoint_folder(const char *folder, int64_t epoch, int64_t step,
                         char *buf, size_t size);

#endif
