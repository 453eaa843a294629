/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the ring share: ring.c, ring_make.c and ring_ask.c. */
#ifndef RING_IMPL_H
#define RING_IMPL_H

#include <liburing.h>
#include <sys/stat.h>

#include "loadbank/ring.h"
#include "storage/storage_impl.h"

/* A request that is under way. */
struct flight {
  struct lb_rtask *task;
  struct request q; /* buf: where its bytes are wanted, or the buffer */
  struct lb_span span;
  char *buffer; /* its own, page-aligned */
  size_t room;  /* its bytes */
  bool whole;   /* the request fits it, with blocks at both ends */
  uint64_t start_ns;
  struct statx stat;
  struct flight *next; /* of those that are free */
};

struct tasks {
  struct lb_rtask *first, *last;
};

struct lb_ring {
  struct io_uring ring;
  struct lb_storage *s;
  struct lb_iothread *io;
  struct flight *flights, *free;
  char *buffers;
  size_t buffer_bytes;
  bool registered, waiting; /* waiting: the wake is being read */
  struct tasks ready, done; /* ready: may ask for more */
  struct lb_rtask *delayed;
  unsigned in_flight;
  int wake;
  uint64_t woken; /* what is read from it */
  struct lb_err failure;
};

/* What the low bits of a completion's data say of the rest. */
enum { OF_FLIGHT, OF_DELAY, OF_WAKE, OF_NOTHING, OF_MASK = 3 };

/* A place in the submission queue: when it is full, what is there goes off. */
struct io_uring_sqe *lb_ring_place(struct lb_ring *r);
/* Behind the preparation, which clears it in older versions of the library. */
void lb_ring_mark(struct io_uring_sqe *sqe, const void *data, unsigned kind);

/* Is it an operation that a ring does?  The others are done at once. */
bool lb_ring_does(enum lb_op op);
/* Asks for what is left of the flight's request. */
void lb_ring_ask(struct lb_ring *r, struct flight *f);

#endif
