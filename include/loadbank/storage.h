/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storage backends: who executes I/O lists.  Two kinds:
 *
 * - blocking (local_fs): `perform' does one request on the calling
 *   thread; lb_storage_run walks a list.  The loader runs it in pool threads.
 *   One of them, uring, has a ring besides: one thread walks the lists of all
 *   of a rank's readers (ring.h).
 * - virtual (simulated, none): `charge' only says when a request would be
 *   done.  No bytes, no thread; struct lb_virtual (virtual.h) walks lists along
 *   a heap of deadlines, driven by the rank's conductor.
 *
 * A backend's table has every operation of a file system; one that it lacks
 * carries the reason. */
#ifndef LOADBANK_STORAGE_H
#define LOADBANK_STORAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/iolist.h"
#include "loadbank/iostats.h"
#include "loadbank/option.h"
#include "loadbank/rng.h"

/* What a backend is told besides its own options; all borrowed. */
struct lb_storage_env {
  /* Virtual clocks of a server that the ranks of a node share: as many words
   * as the backend's shared_words says, zero at first.  NULL: the rank has its
   * own. */
  _Atomic uint64_t *server_free;
  /* This node's share of the job's accelerators, 0..1. */
  double bandwidth_share;
  bool tell_cache; /* reads are to be told apart by the page cache */
};

/* How many requests may be under way at once, and whether their buffers are
 * known to the kernel beforehand. */
struct lb_ring_shape {
  int64_t depth; /* 0: there is no ring */
  bool registered;
};

struct lb_backend {
  const char *name; /* storage.storage_type */
  const char *doc;  /* one sentence */
  const char *unavailable;
  bool is_virtual;     /* charge, not perform; reads deliver no bytes */
  bool tells_cache;    /* answers LB_CACHE_ASKED */
  bool is_cached;      /* reads cannot go past the page cache (mappings) */
  unsigned open_flags; /* of every file that it opens: LB_IO_DIRECT, or 0 */
  /* Blocking kind, optional: what a ring of this backend is to be like.
   * Absent: readers need threads. */
  struct lb_ring_shape (*ring)(const void *options);
  const struct lb_option *options; /* storage.storage_options.* */
  size_t n_options, options_size;
  /* [op]: NULL when the operation is there, else why not. */
  const char *absent[LB_N_OPS];
  /* Required.  `options' has options_size bytes, borrowed. */
  int (*open)(void **self, const void *options,
              const struct lb_storage_env *env, struct lb_err *err);
  /* Required.  NULL is fine. */
  void (*close)(void *self);
  /* Optional: words of memory that the ranks of a node share; none. */
  size_t (*shared_words)(const void *options);
  /* Virtual kind, optional: does `charge' look at paths?  Absent: it does not,
   * and lists for it may have none. */
  bool (*needs_paths)(const void *options);
  /* Blocking kind.  One request of `io': [offset, offset+length) with buf.
   * Bytes done (fewer than asked: it is called again for the rest), or a
   * size (STAT), or -errno.  Any thread. */
  int64_t (*perform)(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                     uint64_t offset, void *buf, size_t length);
  /* Blocking kind, optional.  A library's call has opened the file (for a
   * list's OPEN). */
  void (*adopt)(void *self, int fd);
  /* Blocking kind, optional.  Nobody reads: forgets files that were closed
   * without its CLOSE (formats close what they keep by themselves). */
  void (*settle)(void *self);
  /* Blocking kind, optional.  Why it does less in this folder than its name
   * says, one clause; false: it does all. */
  bool (*lacks)(void *self, const char *folder, char *text, size_t size);
  /* Virtual kind.  A request made at `t_ns' is done at the returned time.
   * Conductor's thread.  What varies is drawn from rng, the requester's own:
   * so it does not depend on who else asks, nor on the number of ranks. */
  uint64_t (*charge)(void *self, const struct lb_io *io, size_t length,
                     uint64_t t_ns, struct lb_rng *rng);
};

/* Names that are known but not here yet have rows in backends.c. */
#define LB_BACKEND_LIST(X) \
  X(local_fs) X(direct_fs) X(mmap) X(parallel_fs) X(uring) X(simulated) X(none)
extern const struct lb_backend *const lb_backends[]; /* NULL at the end */
const struct lb_backend *lb_backend_find(const char *name); /* or NULL */

struct lb_storage {
  const struct lb_backend *backend;
  void *self;
  bool needs_paths; /* of lists for a virtual backend */
  bool tell_cache;  /* of the environment */
  struct lb_ring_shape ring;
  unsigned open_flags; /* the backend's */
  uint8_t *direct; /* by descriptor: log2 of the alignment of O_DIRECT; 0: the
                    * file goes through the page cache */
  struct lb_storage *inner; /* of a decorator; owned */
};

int lb_storage_open(struct lb_storage **s, const struct lb_backend *backend,
                    const void *options, const struct lb_storage_env *env,
                    struct lb_err *err);
void lb_storage_close(struct lb_storage *s); /* NULL is fine; inner too */

/* What a thread brings along; one at a time uses it. */
struct lb_iothread {
  void *scratch; /* page-aligned; O_DIRECT may use some bytes behind it */
  size_t scratch_bytes;
  struct lb_iostats *stats;
  uint64_t waited_ns; /* in all: for the locks of libraries */
  struct lb_rng rng;  /* what varies on virtual storage; set it before a list */
  enum lb_phase phase;
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
