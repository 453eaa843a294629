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

/* ---- one shard, written and read back ---- */

/* Each 4-KiB block begins with a stamp that no other block has; the rest is
 * incompressible and repeats with the buffer. */
enum { LB_SHARD_BLOCK = 4096 };

struct lb_shard_job {
  struct lb_storage *storage;
  const char *folder; /* of the checkpoint; exists */
  uint64_t id;        /* of this shard: lb_shard_id */
  bool sync;          /* on stable storage before it is done */
  /* With a buffer of at least LB_SHARD_BLOCK, filled once (lb_iothread_fill)
   * outside timed intervals. */
  struct lb_iothread *io;
  bool (*tick)(void *arg); /* after every buffer, false: give up; NULL: none */
  void *tick_arg;
};

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint, int accelerator,
                     int64_t i);

/* Writes folder/name under a temporary name and renames it.  On failure no
 * file is left. */
int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err);
/* Reads it back: size and every stamp must be those written. */
int lb_shard_verify(const struct lb_shard_job *job,
                    const struct lb_shard *shard, struct lb_err *err);

#endif
