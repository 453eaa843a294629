/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storage: a backend (backend.h) that is open, and what is done with it: I/O
 * lists and single operations, each one counted. */
#ifndef LOADBANK_STORAGE_H
#define LOADBANK_STORAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/backend.h"
#include "loadbank/err.h"
#include "loadbank/iolist.h"
#include "loadbank/iostats.h"
#include "loadbank/rng.h"

struct lb_storage {
  const struct lb_backend *backend;
  void *self;
  bool needs_paths; /* of lists for a virtual backend */
  bool tell_cache;  /* of the environment */
  struct lb_ring_shape ring;
  unsigned open_flags; /* the backend's */
  /* By descriptor: log2 of the alignment of O_DIRECT; 0: the file goes through
   * the page cache.  Whoever has the file open; a number that one thread gives
   * back another may get. */
  _Atomic uint8_t *direct;
  struct lb_storage *inner; /* of a decorator; owned */
};

int lb_storage_open(struct lb_storage **s, const struct lb_backend *backend,
                    const void *options, const struct lb_storage_env *env,
                    struct lb_err *err);
void lb_storage_close(struct lb_storage *s); /* NULL is fine; inner too */

/* O_DIRECT may use so many bytes of scratch behind a request. */
enum { LB_SCRATCH_ROOM = 131072 };

struct lb_ring;

/* What a thread brings along; one at a time uses it. */
struct lb_iothread {
  void *scratch; /* page-aligned; has LB_SCRATCH_ROOM behind it */
  size_t scratch_bytes;
  struct lb_iostats *stats;
  uint64_t waited_ns; /* in all: for the locks of libraries */
  struct lb_rng rng;  /* what varies on virtual storage; set it before a list */
  enum lb_phase phase;
  struct lb_ring *ring; /* of whoever made it (ring.h); NULL: none */
  bool metadata; /* the lists are about a checkpoint's metadata: their requests
                  * are counted once more, as such */
  /* Virtual backends: how late the thread woke up from its last list.  Whoever
   * begins something new sets it to 0. */
  uint64_t late_ns;
  /* Called every tenth of a second while such a list lasts; false: the run is
   * to stop, its end is not waited for.  NULL: none. */
  bool (*look)(void *arg);
  void *look_arg;
  /* While a sample is verified: called after each request of a READ, outside
   * of its time, with the n bytes that are at `at' of io's; what it returns
   * ends the list.  NULL: none. */
  int (*inspect)(void *arg, const struct lb_io *io, uint64_t at,
                 const void *bytes, size_t n, struct lb_err *err);
  void *inspect_arg;
  uint64_t inspect_ns; /* in all: the time of these calls */
};
/* By the thread that will use it.  Stats are made too; phase SETUP. */
int lb_iothread_init(struct lb_iothread *t, size_t scratch_bytes,
                     struct lb_err *err);
/* The same, but only the first `mapped' bytes of scratch take memory now; the
 * others when they are used, should requests be larger than was expected. */
int lb_iothread_init_part(struct lb_iothread *t, size_t scratch_bytes,
                          size_t mapped, struct lb_err *err);
/* Fills scratch with bytes that do not compress, so that what is written from
 * it costs the storage what real data would.  Outside timed intervals. */
void lb_iothread_fill(struct lb_iothread *t);
void lb_iothread_fini(struct lb_iothread *t);

/* Runs the list on the calling thread, request by request, each one counted and
 * timed in t->stats.  On an error the message has operation, path, offset,
 * wanted, got and errno; open files stay in fd (lb_storage_release).  The
 * slots of fd are -1 before the first list. */
int lb_storage_run(struct lb_storage *s, struct lb_iolist *l,
                   int fd[LB_IO_SLOTS], struct lb_iothread *t,
                   struct lb_err *err);
void lb_storage_release(struct lb_storage *s, int fd[LB_IO_SLOTS]);
/* Between passes, when readers have closed all files. */
void lb_storage_settle(struct lb_storage *s);

/* The list of one operation; io->result is its result. */
int lb_storage_op(struct lb_storage *s, struct lb_io *io, int fd[LB_IO_SLOTS],
                  struct lb_iothread *t, struct lb_err *err);

/* Runs one operation that stands alone (mkdir, rename, unlink, stat by path
 * ...).  Returns its result or the negative lb_code; err->sys has errno.
 * On a virtual backend: 0, and nothing happens.  Not for OPEN: its file would
 * stay open. */
int64_t lb_storage_do(struct lb_storage *s, struct lb_io io,
                      struct lb_iothread *t, struct lb_err *err);
/* The same when one errno is an answer (ENOENT, say): then 0, *answered is true
 * and nothing counts as an error. */
int64_t lb_storage_probe(struct lb_storage *s, struct lb_io io, int expected,
                         bool *answered, struct lb_iothread *t,
                         struct lb_err *err);

/* Names of a folder without "." and "..", in no order: calls `each'; stops
 * when that returns non-zero and returns it.  A failure is the negative
 * lb_code, with errno in err->sys.  On a virtual backend: no names. */
int lb_storage_list(struct lb_storage *s, const char *folder,
                    int (*each)(void *arg, const char *name), void *arg,
                    struct lb_iothread *t, struct lb_err *err);

/* mkdir -p; other ranks may do the same at the same time.  sync: the names of
 * the folders that it makes are on stable storage. */
int lb_storage_mkdirs(struct lb_storage *s, const char *folder, bool sync,
                      struct lb_iothread *t, struct lb_err *err);

/* Syncs the names in a folder (flags 0), or with LB_IO_ALL all of its file
 * system that this host has not written back. */
int lb_storage_sync_folder(struct lb_storage *s, const char *folder,
                           unsigned flags, struct lb_iothread *t,
                           struct lb_err *err);

#endif
