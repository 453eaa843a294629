/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See crew.h.  A job is a round: a number that changes wakes the members, a
 * count of those at work that reaches zero wakes the main thread. */
#include "lb-config.h"

#include "loadbank/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "loadbank/thread.h"

struct member {
  struct lb_crew *crew;
  int number;
  pthread_t id;
  struct lb_iothread io;
  uint64_t before;        /* bytes that it had moved when the job began ... */
  _Atomic uint64_t moved; /* ... and since then, for the main thread to see */
};

struct lb_crew {
  struct lb_crew_config c;
  struct member *member;
  int started;            /* threads that exist */
  _Atomic uint32_t round; /* futex of the members */
  _Atomic uint32_t busy;  /* futex of the main thread: members at work */
  _Atomic bool given_up;  /* of the job that runs */
  bool quit;              /* set before the round that ends all */
  lb_crew_work *work;     /* of the round; written before it begins */
  void *arg;
  enum lb_phase phase;
  pthread_mutex_t lock; /* of the failure */
  struct lb_err failure;
};

static void fail(struct lb_crew *c, const struct lb_err *err)
{
  pthread_mutex_lock(&c->lock);
  /* That others gave up because of it is no cause. */
  if (!lb_err_is_set(&c->failure) || lb_err_gave_up(&c->failure))
    c->failure = *err;
  pthread_mutex_unlock(&c->lock);
  atomic_store(&c->given_up, true);
}

static void done(struct lb_crew *c)
{
  if (atomic_fetch_sub(&c->busy, 1) == 1)
    lb_futex_wake(&c->busy, LB_FUTEX_PROCESS);
}

static int prepare(struct member *m, struct lb_err *err)
{
  struct lb_crew *c = m->crew;
  int rc = lb_iothread_init(&m->io, c->c.buffer_bytes, err);
  if (rc)
    return rc;
  if (c->c.ring.depth) {
    m->io.ring = lb_ring_new(c->c.storage, &m->io, &c->c.ring, err);
    if (!m->io.ring)
      return -err->code;
  }
  if (c->c.prepare)
    c->c.prepare(c->c.prepare_arg, &m->io);
  m->io.look = lb_crew_goes_on;
  m->io.look_arg = &m->io;
  return 0;
}

static uint64_t bytes_of(const struct member *m)
{
  enum lb_phase phase = m->crew->phase;
  enum lb_op op = phase == LB_PHASE_LOAD ? LB_OP_READ : LB_OP_WRITE;
  const struct lb_iostat *cell = m->io.stats->cell[phase][op];
  return cell ? cell->bytes : 0;
}

static void *member_main(void *arg)
{
  struct member *m = arg;
  struct lb_crew *c = m->crew;
  struct lb_err err = LB_ERR_INIT;
  uint32_t seen = 0;
  lb_clock_precise_thread();
  if (prepare(m, &err))
    fail(c, &err);
  for (;;) {
    done(c);
    while (atomic_load(&c->round) == seen)
      lb_futex_wait(&c->round, seen, LB_NEVER, LB_FUTEX_PROCESS);
    seen++;
    if (c->quit)
      break;
    err = (struct lb_err)LB_ERR_INIT;
    m->io.phase = c->phase;
    m->before = bytes_of(m);
    if (c->work(c->arg, m->number, &m->io, &err))
      fail(c, &err);
  }
  lb_ring_free(m->io.ring); /* its maker's */
  m->io.ring = NULL;
  return NULL;
}

static void next_round(struct lb_crew *c)
{
  atomic_fetch_add(&c->round, 1);
  lb_futex_wake(&c->round, LB_FUTEX_PROCESS);
}

static int start_threads(struct lb_crew *c, struct lb_err *err)
{
  atomic_store(&c->busy, (uint32_t)c->c.members);
  for (; c->started < c->c.members; c->started++) {
    struct member *m = &c->member[c->started];
    m->crew = c;
    m->number = c->started;
    int sys = lb_thread_start(&m->id, "lb-checkpoint", member_main, m);
    if (sys) {
      lb_err_sys(err, LB_FAILED, sys, "cannot start checkpoint thread %d of %d",
                 c->started + 1, c->c.members);
      atomic_fetch_sub(&c->busy, (uint32_t)(c->c.members - c->started));
      break;
    }
  }
  lb_crew_wait(c, LB_NEVER);
  return lb_err_is_set(err) ? -err->code : lb_crew_result(c, err);
}

int lb_crew_new(struct lb_crew **out, const struct lb_crew_config *config,
                struct lb_err *err)
{
  struct lb_crew *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "threads for checkpoints");
  c->c = *config;
  c->failure = (struct lb_err)LB_ERR_INIT;
  pthread_mutex_init(&c->lock, NULL);
  c->member = calloc((size_t)config->members, sizeof *c->member);
  int rc = c->member
               ? start_threads(c, err)
               : lb_err_sys(err, LB_FAILED, ENOMEM, "threads for checkpoints");
  if (rc) {
    lb_crew_free(c);
    return rc;
  }
  *out = c;
  return 0;
}

void lb_crew_free(struct lb_crew *c)
{
  if (!c)
    return;
  c->quit = true;
  next_round(c);
  for (int i = 0; i < c->started; i++) {
    pthread_join(c->member[i].id, NULL);
    lb_iothread_fini(&c->member[i].io);
  }
  pthread_mutex_destroy(&c->lock);
  free(c->member);
  free(c);
}

void lb_crew_start(struct lb_crew *c, lb_crew_work *work, void *arg,
                   enum lb_phase phase)
{
  c->work = work;
  c->arg = arg;
  c->phase = phase;
  c->failure = (struct lb_err)LB_ERR_INIT;
  atomic_store(&c->given_up, false);
  for (int i = 0; i < c->c.members; i++)
    atomic_store(&c->member[i].moved, 0);
  atomic_store(&c->busy, (uint32_t)c->c.members);
  next_round(c);
}

bool lb_crew_wait(struct lb_crew *c, uint64_t until_ns)
{
  uint32_t busy;
  while ((busy = atomic_load(&c->busy)) > 0)
    if (!lb_futex_wait(&c->busy, busy, until_ns, LB_FUTEX_PROCESS))
      return atomic_load(&c->busy) == 0;
  return true;
}

void lb_crew_give_up(struct lb_crew *c)
{
  atomic_store(&c->given_up, true);
}

bool lb_crew_goes_on(void *arg)
{
  struct member *m =
      (struct member *)(void *)((char *)arg - offsetof(struct member, io));
  atomic_store_explicit(&m->moved, bytes_of(m) - m->before,
                        memory_order_relaxed);
  return !atomic_load_explicit(&m->crew->given_up, memory_order_relaxed);
}

uint64_t lb_crew_moved(const struct lb_crew *c)
{
  uint64_t sum = 0;
  for (int i = 0; i < c->c.members; i++)
    sum += atomic_load_explicit(&c->member[i].moved, memory_order_relaxed);
  return sum;
}

int lb_crew_result(const struct lb_crew *c, struct lb_err *err)
{
  if (!lb_err_is_set(&c->failure))
    return 0;
  *err = c->failure;
  return -err->code;
}

void lb_crew_stats(const struct lb_crew *c, struct lb_iostats *into)
{
  for (int i = 0; i < c->c.members; i++)
    lb_iostats_merge(into, c->member[i].io.stats);
}
