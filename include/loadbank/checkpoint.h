/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: who writes which bytes of which file (pure), and one shard's
 * writing and reading (rank-local).  When they are due is in plan.h, how ranks
 * do it together in src/bench/checkpointing.c.
 *
 * To add a scheme: src/checkpoint/NAME.c, its name in LB_CHECKPOINT_LIST, its
 * line in src/checkpoint/local.mk. */
#ifndef LOADBANK_CHECKPOINT_H
#define LOADBANK_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/storage.h"

/* What decides the sizes; from the model's keys. */
struct lb_checkpoint_model {
  uint64_t model_bytes; /* model.model_size_bytes */
  int accelerators;
};

/* One file of a checkpoint. */
struct lb_shard {
  char name[128]; /* below the checkpoint's own folder */
  uint64_t bytes;
};

struct lb_checkpoint_scheme {
  const char *name;
  const char *doc;
  const char *unavailable;
  /* Required, pure.  Files of one accelerator. */
  int64_t (*count)(const struct lb_checkpoint_model *m, int accelerator);
  /* Required, pure.  The i-th of them. */
  void (*shard)(const struct lb_checkpoint_model *m, int accelerator, int64_t i,
                struct lb_shard *out);
};

#define LB_CHECKPOINT_LIST(X) X(rank_zero)
#define X(n) extern const struct lb_checkpoint_scheme lb_checkpoint_##n;
LB_CHECKPOINT_LIST(X)
#undef X
extern const struct lb_checkpoint_scheme *const lb_checkpoint_schemes[];
const struct lb_checkpoint_scheme *lb_checkpoint_find(const char *name);

/* Bytes of one checkpoint that an accelerator writes. */
uint64_t lb_checkpoint_bytes(const struct lb_checkpoint_scheme *s,
                             const struct lb_checkpoint_model *m,
                             int accelerator);

/* <folder>/global_epoch<e>_step<s>, as DLIO names it.  -1: does not fit. */
int lb_checkpoint_folder(const char *folder, int64_t epoch, int64_t step,
                         char *buf, size_t size);

/* The content of a shard's 4-KiB block: a stamp in its first 16 bytes that no
 * other block has, then incompressible bytes that repeat with the buffer. */
enum { LB_SHARD_BLOCK = 4096 };
/* Fills the scratch once, outside timed intervals. */
void lb_shard_prepare(struct lb_iothread *t, uint64_t seed);

/* Writes the shard to folder/name under a temporary name and renames it; with
 * sync it is on stable storage before.  id: what distinguishes this shard from
 * all others (stamped).  A temporary file is removed on failure. */
int lb_shard_write(struct lb_storage *s, const char *folder,
                   const struct lb_shard *shard, uint64_t id, bool sync,
                   struct lb_iothread *t, struct lb_err *err);
/* Reads it back; every stamp must be the written one. */
int lb_shard_verify(struct lb_storage *s, const char *folder,
                    const struct lb_shard *shard, uint64_t id,
                    struct lb_iothread *t, struct lb_err *err);

#endif
