/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of a build without liburing: it says so. */
#include "lb-config.h"

#include "loadbank/ring.h"

#ifndef HAVE_LIBURING

static const char *const absent =
    "not in this build: configure found no liburing";

const char *lb_ring_unavailable(void)
{
  return absent;
}

struct lb_ring *lb_ring_new(struct lb_storage *s, struct lb_iothread *io,
                            const struct lb_ring_room *room, struct lb_err *err)
{
  (void)io, (void)room;
  lb_err_set(err, LB_FAILED, "storage '%s': %s", s->backend->name, absent);
  return NULL;
}

void lb_ring_free(struct lb_ring *r)
{
  (void)r;
}

uint64_t lb_ring_bytes(int64_t depth, uint64_t request)
{
  (void)depth, (void)request;
  return 0;
}

void lb_ring_submit(struct lb_ring *r, struct lb_rtask *task)
{
  (void)r, (void)task;
}

void lb_ring_delay(struct lb_ring *r, struct lb_rtask *task, uint64_t t_ns)
{
  (void)r, (void)task, (void)t_ns;
}

void lb_ring_go(struct lb_ring *r, bool wait)
{
  (void)r, (void)wait;
}

struct lb_rtask *lb_ring_reap(struct lb_ring *r)
{
  (void)r;
  return NULL;
}

void lb_ring_drain(struct lb_ring *r)
{
  (void)r;
}

const struct lb_err *lb_ring_failure(const struct lb_ring *r)
{
  (void)r;
  return NULL;
}

void lb_ring_wake(struct lb_ring *r)
{
  (void)r;
}

#endif
