/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shard goes from one storage to another: what drains a burst buffer. */
#ifndef LOADBANK_SHARD_COPY_H
#define LOADBANK_SHARD_COPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/storage.h"

/* A limit of bytes per second that threads share.  Pure but for its word: time
 * is what the callers say it is, on one clock. */
struct lb_throttle {
  double ns_per_byte; /* 0: no limit */
  _Atomic uint64_t free_ns;
};
/* n bytes are wanted at `now_ns': when they may be done.  First come, first
 * served. */
uint64_t lb_throttle_take(struct lb_throttle *p, uint64_t now_ns, size_t n);

struct lb_shard_copy {
  struct lb_storage *from, *to;
  const char *source, *final, *temporary; /* paths; the folders are there */
  uint64_t bytes;                         /* the source has */
  size_t request; /* bytes of one read and of one write; scratch has them */
  bool sync;      /* on stable storage before it is done */
  struct lb_throttle *throttle;
  /* Its late_ns is kept, so that copies follow each other from done to done. */
  struct lb_iothread *io;
  bool (*tick)(void *arg); /* after every request, false: give up */
  void *tick_arg;
};
/* Reads, and writes under the temporary name, request by request; then it gets
 * its name.  On failure no file is left. */
int lb_shard_copy(const struct lb_shard_copy *c, struct lb_err *err);

#endif
