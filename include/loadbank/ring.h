/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks many I/O lists over a blocking backend's files with one io_uring, on
 * one thread.  The operations of a list follow each other; the requests of one
 * READ or WRITE may be under way together, up to the depth of the ring, which
 * all lists share in turn.  What io_uring has no use for here (locks, folders,
 * new files) is done at once on the thread, and so is a piece of a WRITE that
 * O_DIRECT does not take, when the others of it have ended; a library's call is
 * refused.
 *
 * Everything but lb_ring_wake is for the thread that made the ring. */
#ifndef LOADBANK_RING_H
#define LOADBANK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/err.h"
#include "loadbank/iolist.h"
#include "loadbank/storage.h"

struct lb_ring;

/* One list on its way; embedded in its owner. */
struct lb_rtask {
  /* The user's. */
  void *owner;
  struct lb_iolist *list;
  int *fd; /* [LB_IO_SLOTS] */
  enum lb_phase phase;
  /* As that of struct lb_iothread, for this list.  in_order: requests of one
   * READ then follow each other. */
  int (*inspect)(void *arg, const struct lb_io *io, uint64_t at,
                 const void *bytes, size_t n, struct lb_err *err);
  void *inspect_arg;
  /* Of a WRITE without buf: makes its n bytes from `at' of it on.  Once for
   * each request, in order. */
  void (*fill)(void *arg, const struct lb_io *io, uint64_t at, void *bytes,
               size_t n);
  void *fill_arg;
  bool in_order;
  bool failed; /* out: it ended before its list did; lb_ring_failure has why */
  /* The ring's. */
  size_t op;
  uint64_t at;        /* bytes of op that have been asked for */
  unsigned in_flight; /* requests of op */
  bool queued;
  struct {
    int64_t s, ns;
  } until; /* as the kernel's timespec */
  struct lb_rtask *next;
  struct lb_rtask *later, **link; /* of those that are delayed */
};

/* NULL, or why this build or this kernel has no io_uring. */
const char *lb_ring_unavailable(void);

struct lb_ring_room {
  size_t depth;   /* requests under way, at most; each has a buffer */
  size_t request; /* bytes of the longest */
  size_t used;    /* most are no longer; more memory is taken when one is */
};
/* io: the thread's, borrowed. */
struct lb_ring *lb_ring_new(struct lb_storage *s, struct lb_iothread *io,
                            const struct lb_ring_room *room,
                            struct lb_err *err);
/* What is under way ends first.  NULL is fine. */
void lb_ring_free(struct lb_ring *r);

/* Memory of a ring of that depth for requests of so many bytes. */
uint64_t lb_ring_bytes(int64_t depth, uint64_t request);

/* Starts a list. */
void lb_ring_submit(struct lb_ring *r, struct lb_rtask *task);
/* The task is done at that time. */
void lb_ring_delay(struct lb_ring *r, struct lb_rtask *task, uint64_t t_ns);
/* Goes on with all; `wait': not before something has ended or somebody has
 * woken it. */
void lb_ring_go(struct lb_ring *r, bool wait);
/* A task that is done, or NULL. */
struct lb_rtask *lb_ring_reap(struct lb_ring *r);
/* Ends all: nothing new is asked for, what is under way is waited for, and the
 * tasks are forgotten. */
void lb_ring_drain(struct lb_ring *r);
/* One list from its beginning to its end, while nothing else is under way.
 * tick: after each turn; false: give up `what', once all that is under way has
 * ended.  NULL: none. */
int lb_ring_run(struct lb_ring *r, struct lb_rtask *task,
                bool (*tick)(void *arg), void *tick_arg, const char *what,
                struct lb_err *err);
/* The first failure, or an unset error. */
const struct lb_err *lb_ring_failure(const struct lb_ring *r);
/* Any thread: ends a wait, or the next one. */
void lb_ring_wake(struct lb_ring *r);

#endif
