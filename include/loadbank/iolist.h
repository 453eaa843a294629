/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The I/O list: what a format plans, and the one list that everybody else
 * uses: executors run it, `plan' counts it, `simulated' charges it, the tests
 * check it.  Operations of one list follow each other in order.
 *
 *   open    path, flags -> slot       rename, link  path, path2
 *   stat    path, else slot -> size   mkdir, rmdir, unlink  path
 *   read, write  slot, offset, length, request, buf
 *   sync, close  slot
 *   lock    slot: the whole file, shared or (LB_IO_WRITE) alone, until it is
 *           closed; does not wait (EAGAIN)
 *   list    slot of an open folder -> the next names, each with its final
 *           zero, in buf (length bytes of room; without buf, in scratch); the
 *           result is their bytes, 0: no more.  A name with a slash behind it
 *           is that of a pipe, a socket or a device: opening one may hang */
#ifndef LOADBANK_IOLIST_H
#define LOADBANK_IOLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"

#define LB_OP_LIST(X) \
  X(OPEN, "open")     \
  X(STAT, "stat")     \
  X(READ, "read")     \
  X(WRITE, "write")   \
  X(SYNC, "sync")     \
  X(CLOSE, "close")   \
  X(LIST, "list")     \
  X(MKDIR, "mkdir")   \
  X(RMDIR, "rmdir")   \
  X(RENAME, "rename") \
  X(LINK, "link")     \
  X(UNLINK, "unlink") \
  X(LOCK, "lock")
enum lb_op {
#define X(id, name) LB_OP_##id,
  LB_OP_LIST(X)
#undef X
      LB_N_OPS
};
extern const char *const lb_op_names[LB_N_OPS];

/* Flags, most of OPEN; none means: for reading. */
enum {
  LB_IO_WRITE = 1,     /* for writing */
  LB_IO_CREATE = 2,    /* make it when absent */
  LB_IO_EXCLUSIVE = 4, /* with CREATE: it must not be there */
  LB_IO_TRUNCATE = 8,
  LB_IO_DIRECT = 16,    /* O_DIRECT */
  LB_IO_DIRECTORY = 32, /* a folder, to be synced or listed; STAT, too, then
                         * fails with ENOTDIR on anything else */
  LB_IO_ALL = 64,       /* of SYNC: all of the file system that it is on */
  LB_IO_OPTIONAL = 128, /* of OPEN: that there is no such file is an answer, and
                         * the slot stays empty; of READ without buf: that the
                         * file ends before, and the result tells where */
  LB_IO_FILE = 256 /* of STAT: fails with EISDIR on a folder, and with ENXIO
                    * on a pipe, a socket or a device */
};

/* Open files of one reader or writer, by slot. */
enum { LB_IO_SLOTS = 4 };

/* Did a read come from the page cache?  Of a request in several parts all must,
 * to be a hit.  Asked is also the answer of who cannot tell. */
enum lb_cache { LB_CACHE_OFF, LB_CACHE_ASKED, LB_CACHE_HIT, LB_CACHE_MISS };

struct lb_io;
/* A library's own call (HDF5's metadata) that stands for an operation and the
 * `covers' ones behind it: an executor with real bytes makes the call and
 * skips those; one without charges them all.  May set handles.  0 or -errno
 * with err filled.  The library does not say which request took how long: the
 * time of the call is counted in equal parts for all that it stands for, but
 * for what is not the storage's: the library's own CPU time outside system
 * calls, and io->waited_ns, which the call sets to its wait for a lock. */
typedef int lb_io_call(void *arg, struct lb_io *io, int fd[LB_IO_SLOTS],
                       struct lb_err *err);

struct lb_io {
  enum lb_op op;
  unsigned flags;
  int slot;          /* which open file; OPEN fills it, CLOSE empties it.
                      * -1 for an operation without one. */
  int kept;          /* READ: 1 + the descriptor of a file that the reader
                      * keeps open, in place of a slot's; else 0 */
  uint32_t request;  /* READ, WRITE: bytes of one request; 0: all at once */
  uint64_t offset;   /* READ, WRITE; READ past the end is an error */
  uint64_t length;   /* READ, WRITE: bytes */
  void *buf;         /* READ: where to; NULL: through scratch, dropped.
                      * WRITE: where from; NULL: from scratch. */
  const char *path;  /* OPEN, STAT without slot, ...: borrowed */
  const char *path2; /* RENAME, LINK: the new name */
  lb_io_call *call;  /* see above; NULL for most */
  void *call_arg;
  unsigned covers;
  /* READ: [skip, skip + length) of the bytes that it reads are the file's
   * payload from `at' on, as lb_content_fill makes it; length 0: none is. */
  struct {
    uint64_t skip, length, at;
  } content;
  /* READ without buf: its bytes [from, from + length) are kept in `to'; as many
   * of them as there are.  length 0: none. */
  struct {
    void *to;
    uint64_t from;
    size_t length;
  } keep[2];
  uint64_t waited_ns; /* out, of a call */
  int cache;          /* out, of a request of a READ: enum lb_cache */
  int64_t result;     /* out: bytes done, or STAT's size */
};

/* The descriptor that an operation is about, or -1. */
static inline int lb_io_file(const struct lb_io *io, const int fd[LB_IO_SLOTS])
{
  if (io->kept)
    return io->kept - 1;
  return io->slot >= 0 && io->slot < LB_IO_SLOTS ? fd[io->slot] : -1;
}

/* One of a format's stages.  Made once per reader, reused: no allocation
 * after the first samples. */
struct lb_iolist {
  struct lb_io *v;
  size_t n, cap;
  uint64_t payload_bytes; /* dataset content (no headers) that the list reads */
};

void lb_iolist_init(struct lb_iolist *l);
void lb_iolist_fini(struct lb_iolist *l);
void lb_iolist_clear(struct lb_iolist *l);
/* Appends a copy; the pointer is good until the next append.  NULL: no memory.
 */
struct lb_io *lb_iolist_add(struct lb_iolist *l, struct lb_io io);

/* Shorthands for the usual operations (slot 0). */
struct lb_io *lb_iolist_open(struct lb_iolist *l, const char *path,
                             unsigned flags);
struct lb_io *lb_iolist_stat(struct lb_iolist *l); /* fstat of slot 0 */
struct lb_io *lb_iolist_read(struct lb_iolist *l, uint64_t offset,
                             uint64_t length, uint32_t request, void *buf);
struct lb_io *lb_iolist_write(struct lb_iolist *l, uint64_t offset,
                              uint64_t length, uint32_t request,
                              const void *buf);
struct lb_io *lb_iolist_close(struct lb_iolist *l);

/* Requests that an operation is cut into (>= 1). */
uint64_t lb_io_requests(const struct lb_io *io);

/* What a list costs: operations counted as requests, bytes read and written.
 * Adds to count and bytes. */
void lb_iolist_cost(const struct lb_iolist *l, uint64_t count[LB_N_OPS],
                    uint64_t bytes[LB_N_OPS]);

#endif
