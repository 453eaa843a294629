/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file of a checkpoint, written and read back.  Rank-local. */
#ifndef LOADBANK_SHARD_H
#define LOADBANK_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "loadbank/checkpoint.h"
#include "loadbank/err.h"
#include "loadbank/storage.h"

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

uint64_t lb_shard_id(uint64_t seed, int64_t checkpoint,
                     const struct lb_shard_ref *ref);

/* Writes folder/name under a temporary name and renames it.  On failure no
 * file is left. */
int lb_shard_write(const struct lb_shard_job *job, const struct lb_shard *shard,
                   struct lb_err *err);
/* Reads it back: size and every stamp must be those written. */
int lb_shard_verify(const struct lb_shard_job *job,
                    const struct lb_shard *shard, struct lb_err *err);

#endif
