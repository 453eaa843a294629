/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/roll.h"

#include <errno.h>

#include "loadbank/clock.h"
#include "world/world_impl.h"

static int sign_in(struct lb_roll_entry *e, int rank)
{
  pthread_mutexattr_t a;
  int rc = pthread_mutexattr_init(&a);
  if (rc)
    return rc;
  rc = pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
  rc = rc ? rc : pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  rc = rc ? rc : pthread_mutex_init(&e->alive, &a);
  rc = rc ? rc : pthread_mutex_lock(&e->alive);
  pthread_mutexattr_destroy(&a);
  e->rank = rank;
  lb_proc_self(&e->proc);
  return rc;
}

int lb_roll_open(const struct lb_world *w, struct lb_roll **roll,
                 struct lb_err *err)
{
  void *memory;
  size_t bytes =
      sizeof **roll + sizeof(struct lb_roll_entry) * (size_t)w->node_ranks;
  if (lb_world_shared(w, bytes, &memory, err))
    return -err->code;
  struct lb_roll *r = (struct lb_roll *)memory;
  int rc = sign_in(&r->entries[w->node_rank], lb_world_root(w)->rank);
  if (rc)
    lb_err_sys(err, LB_FAILED, rc, "a mutex in shared memory");
  *roll = r;
  return lb_err_agree(w, err, NULL);
}

void lb_roll_leave(struct lb_roll *roll, int node_rank)
{
  pthread_mutex_unlock(&roll->entries[node_rank].alive);
}

enum lb_life lb_roll_life(struct lb_roll_entry *e)
{
  int rc = pthread_mutex_trylock(&e->alive);
  if (rc == 0)
    pthread_mutex_unlock(&e->alive); /* has left in an orderly way */
  if (rc == EOWNERDEAD) {
    /* Unlocked without being made consistent: from now on all others get
     * ENOTRECOVERABLE, so one and only one sees the death first. */
    pthread_mutex_unlock(&e->alive);
    return LB_LIFE_DIED;
  }
  return rc == ENOTRECOVERABLE ? LB_LIFE_KNOWN : LB_LIFE_ALIVE;
}

void lb_roll_progress(const struct lb_world *w)
{
  struct lb_roll *r = w->mpi->roll;
  if (r)
    atomic_fetch_add_explicit(&r->entries[w->node_rank].progress, 1,
                              memory_order_relaxed);
}

void lb_world_watch(const struct lb_world *w)
{
  w = lb_world_root(w);
  struct lb_roll *r = w->mpi->roll;
  /* Past a deadline the ranks leave without each other. */
  if (!r || atomic_load(&r->reported))
    return;
  for (int i = 0; i < w->node_ranks; i++) {
    struct lb_roll_entry *e = &r->entries[i];
    enum lb_life life = i == w->node_rank ? LB_LIFE_ALIVE : lb_roll_life(e);
    if (life == LB_LIFE_ALIVE)
      continue;
    /* The first to see it speaks and ends the job; the others give it time,
     * so that the user reads one line and not one per rank. */
    if (life == LB_LIFE_KNOWN)
      lb_clock_sleep_until(lb_clock_ns() + 3 * (uint64_t)LB_NS_PER_S);
    struct lb_err err = LB_ERR_INIT;
    lb_err_set(&err, LB_FAILED, "rank %d (pid %d on node %s) has died", e->rank,
               e->proc.pid, w->node_name);
    lb_world_abort(w, &err);
  }
}
