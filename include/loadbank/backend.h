/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storage backends: the table of what can execute I/O lists.  Two kinds:
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
#ifndef LOADBANK_BACKEND_H
#define LOADBANK_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/iolist.h"
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
  bool tell_cache;   /* reads are to be told apart by the page cache */
  bool burst_buffer; /* it is where checkpoints are saved first */
};

/* How many requests may be under way at once, and whether their buffers are
 * known to the kernel beforehand. */
struct lb_ring_shape {
  int64_t depth; /* 0: there is no ring */
  bool registered;
};

/* READs of a list that follow each other: each is one request, its bytes go to
 * io's buffer or to scratch. */
enum { LB_READS_MAX = 64 };
struct lb_reads {
  const struct lb_io *io; /* n <= LB_READS_MAX */
  size_t n;
  const int *fd; /* [LB_IO_SLOTS] */
  void *scratch;
  uint64_t done_ns[LB_READS_MAX]; /* out: when each was done */
  int64_t other; /* out: what the first that did not bring all of its bytes has
                  * answered: bytes or -errno */
};

struct lb_backend {
  const char *name; /* storage.storage_type */
  const char *doc;  /* one sentence */
  const char *unavailable;
  bool is_virtual;  /* charge, not perform; reads deliver no bytes */
  bool tells_cache; /* answers LB_CACHE_ASKED */
  bool is_cached;   /* reads cannot go past the page cache (mappings) */
  /* Optional: of every file that it opens, LB_IO_DIRECT or 0; none: 0.  Use
   * lb_backend_open_flags. */
  unsigned (*open_flags)(const void *options);
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
  /* Blocking kind, optional.  Makes these READs as perform would, each with one
   * call, with nothing between them but a reading of the clock.  How many have
   * brought all of their bytes; the first that has not is the last one made.
   * Any thread. */
  size_t (*read_many)(void *self, struct lb_reads *reads);
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
unsigned lb_backend_open_flags(const struct lb_backend *b, const void *options);

#endif
