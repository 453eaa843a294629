/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which checkpoints of ours are in a folder, and the removing of one.  Only
 * folders with a mark are looked at, and only files that the mark's model names
 * are removed.  Rank-local; who does what together is in src/bench. */
#ifndef LOADBANK_RETENTION_H
#define LOADBANK_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/mark.h"
#include "loadbank/shard.h"
#include "loadbank/storage.h"

struct lb_found {
  char name[96]; /* of its folder */
  bool complete;
  uint64_t utc_ns;
  int64_t number;
};

struct lb_found_list {
  struct lb_found *v; /* oldest first; owned */
  size_t n, cap;
};

/* What is in `folder', which may be absent.  A mark that cannot be understood
 * is a warning: its folder counts as nobody's. */
int lb_found_list(struct lb_found_list *l, const char *folder,
                  struct lb_storage *s, struct lb_iothread *io,
                  struct lb_err *err);
void lb_found_fini(struct lb_found_list *l);
size_t lb_found_complete(const struct lb_found_list *l);
/* Pure.  Is the i-th a whole one that does not belong to the last `keep'? */
bool lb_found_surplus(const struct lb_found_list *l, size_t i, int64_t keep);

/* The files of every step-th accelerator from `first' on. */
struct lb_shard_remover {
  const struct lb_mark *mark;
  const char *folder;
  struct lb_storage *storage;
  struct lb_iothread *io;
  int first, step;
  bool (*tick)(void *arg); /* now and then, false: stop; NULL: none */
  void *tick_arg;
};
/* Files that are not there are no failure.  1: the tick said stop. */
int lb_shards_remove(const struct lb_shard_remover *r, struct lb_err *err);
/* After all those: the mark and the folder.  *left: it holds other files, and
 * stays. */
int lb_checkpoint_rmdir(const struct lb_shard_remover *r, bool *left,
                        struct lb_err *err);

#endif
