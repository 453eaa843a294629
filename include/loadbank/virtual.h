/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks I/O lists over a backend of the virtual kind (backend.h): no bytes, no
 * thread, only a heap of the times at which tasks go on.  One thread, the
 * rank's conductor. */
#ifndef LOADBANK_VIRTUAL_H
#define LOADBANK_VIRTUAL_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/clock.h"
#include "loadbank/err.h"
#include "loadbank/iolist.h"
#include "loadbank/iostats.h"
#include "loadbank/storage.h"

/* One list on its way; embedded in its owner, who keeps it until reaped.  The
 * owner sets list, rng, phase and owner. */
struct lb_vtask {
  struct lb_iolist *list;
  size_t op;         /* next operation */
  uint64_t at;       /* its next offset within the operation */
  uint64_t t_ns;     /* when the last request was done */
  struct lb_rng rng; /* goes on from list to list */
  enum lb_phase phase;
  bool metadata; /* as of lb_iothread */
  void *owner;
  uint64_t turn; /* among tasks of the same time, the first come is first */
  struct lb_vtask *child, *next; /* in the heap; next also among the done */
};

struct lb_virtual;
/* s and stats: borrowed; stats is written by the conductor's thread only.  Any
 * number of tasks: their links are in themselves, nothing is allocated. */
struct lb_virtual *lb_virtual_new(struct lb_storage *s,
                                  struct lb_iostats *stats, struct lb_err *err);
void lb_virtual_free(struct lb_virtual *v);

/* Starts task->list at t_ns (<= now or not): charges its requests one after
 * another, each from the done time of the one before, as long as that is not
 * after now_ns; the rest goes on in lb_virtual_advance.  Other tasks that are
 * due before it go first: requests reach `charge' in order of their time. */
void lb_virtual_submit(struct lb_virtual *v, struct lb_vtask *task,
                       uint64_t t_ns, uint64_t now_ns);
/* Runs everything that is due at now_ns, in order of time. */
void lb_virtual_advance(struct lb_virtual *v, uint64_t now_ns);
/* A task whose list was done at or before the last now_ns (task->t_ns says
 * when), or NULL. */
struct lb_vtask *lb_virtual_reap(struct lb_virtual *v);
/* When advance has something to do next; LB_NEVER when idle.  Reap first: done
 * tasks are not counted here. */
uint64_t lb_virtual_deadline(const struct lb_virtual *v);
/* For delays that are not I/O (preprocessing): done at t_ns, whatever the
 * list; found by the next advance. */
void lb_virtual_delay(struct lb_virtual *v, struct lb_vtask *task,
                      uint64_t t_ns);

/* The list alone, from start_ns on, on the calling thread, which sleeps until
 * it is done (a checkpoint's writes); returns when that is. */
uint64_t lb_virtual_sleep_through(struct lb_storage *s, struct lb_iolist *l,
                                  struct lb_iothread *t, uint64_t start_ns);

#endif
