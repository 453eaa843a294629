/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/storage share. */
#ifndef STORAGE_IMPL_H
#define STORAGE_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/storage.h"

#define X(n) extern const struct lb_backend lb_backend_##n;
LB_BACKEND_LIST(X)
#undef X

/* One list on its way through a blocking backend. */
struct lb_run {
  struct lb_storage *s;
  struct lb_iolist *l;
  int *fd; /* [LB_IO_SLOTS] */
  struct lb_iothread *t;
  /* When the request before was done, where nothing but its bookkeeping lies
   * between it and the next one: one clock reading serves both.  0: it does. */
  uint64_t last_ns;
  bool tried;       /* the next request's first call was made ... */
  int64_t first_rc; /* ... and this was its answer */
  int expected;     /* an errno that is an answer, not a failure; 0: none */
  int answer;       /* out: the last operation had the expected errno */
};

/* One request of operation i. */
struct request {
  size_t i;
  uint64_t offset;
  char *buf;
  size_t length, got;
  size_t align;   /* of O_DIRECT, or 0 */
  uint64_t moved; /* bytes that the storage has moved, whole blocks with it */
  int64_t rc;     /* the last answer of the backend */
};

/* READ or WRITE. */
bool lb_run_moves(enum lb_op op);

/* Words what the request has met.  Always fails. */
int lb_run_report(const struct lb_run *r, const struct request *q,
                  struct lb_err *err);

/* Runs operation i, and with it those that its call covers; *next is the one
 * after. */
int lb_run_operation(struct lb_run *r, size_t i, size_t *next,
                     struct lb_err *err);

/* Runs the READs from operation i on that are one request each, whose bytes
 * nobody keeps or looks at: in one go, if the backend has a way.  How many. */
size_t lb_run_reads(struct lb_run *r, size_t i);

/* After a request of a READ, n bytes from `at' of it on: keeps what the list
 * wants of them. */
void lb_run_keep(const struct lb_io *io, uint64_t at, const void *bytes,
                 size_t n);
/* Does the answer to a request that moves bytes leave nothing to be desired? */
bool lb_run_complete(const struct lb_io *io, const struct request *q);
/* After a request of a READ: whoever wants to look at its bytes does, and the
 * time of that is booked. */
int lb_run_inspect(struct lb_iothread *t, const struct lb_io *io, uint64_t at,
                   const void *bytes, size_t n, struct lb_err *err);

/* The name of an open file from the kernel, for messages; false: unknown. */
bool lb_fd_path(int fd, char *text, size_t size);

/* ---- O_DIRECT: direct.c ---- */

/* The largest alignment that is served: LB_SCRATCH_ROOM has room for the blocks
 * at both ends of a request. */
enum {
  LB_DIRECT_MAX = LB_SCRATCH_ROOM / 2,
  LB_DIRECT_FILES = 1 << 20 /* descriptors in lb_storage.direct */
};

/* A range widened to whole blocks; what was asked begins at `skip' of it. */
struct lb_span {
  uint64_t offset;
  size_t length, skip;
};
struct lb_span lb_direct_widen(uint64_t offset, size_t length, size_t align);

/* Of n bytes that a widened read brought, those that were asked for. */
size_t lb_direct_useful(const struct lb_span *s, int64_t n, size_t asked);

/* After the open of a file, with O_DIRECT or without.  0 or -errno: the file
 * takes the flag, but not what it stands for. */
int lb_direct_note(struct lb_storage *s, int fd, bool direct);
/* The file's alignment; 0: it was opened without O_DIRECT. */
static inline size_t lb_direct_align(const struct lb_storage *s, int fd)
{
  if (!s->direct || fd < 0 || fd >= LB_DIRECT_FILES)
    return 0;
  uint8_t log2 = atomic_load_explicit(&s->direct[fd], memory_order_relaxed);
  return log2 ? (size_t)1 << log2 : 0;
}

/* One call of the backend for what is left of a read or write of a file with
 * O_DIRECT.  Bytes of the request that are done, or -errno.  Bytes read are in
 * scratch, or with a larger buffer of the operation's own there. */
int64_t lb_direct_move(struct lb_run *r, struct request *q);
/* Is what is left of a write, at its place and in memory, whole blocks?  Else
 * lb_direct_move changes the file's ways for a moment. */
bool lb_direct_is_whole(const struct request *q);
/* At the end of a read: puts the bytes into the operation's buffer. */
void lb_direct_deliver(const struct lb_run *r, struct request *q);

/* What the backends of mounted file systems share (local_fs.c). */
int64_t lb_local_fs_perform(void *self, struct lb_io *io, int fd[LB_IO_SLOTS],
                            uint64_t offset, void *buf, size_t length);
size_t lb_local_fs_read_many(void *self, struct lb_reads *reads);

#endif
