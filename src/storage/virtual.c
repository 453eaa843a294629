/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks many lists over a virtual backend in the order of their times.  The
 * heap is a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) whose links
 * are in the tasks, so that no task can fail to find a place. */
#include "lb-config.h"

#include "loadbank/virtual.h"

#include <errno.h>
#include <stdlib.h>

#include "loadbank/clock.h"

enum { NO_MORE = -1 }; /* as an operation's index: the list is over */

struct lb_virtual {
  struct lb_storage *s;
  struct lb_iostats *stats;
  struct lb_vtask *heap;             /* by (t_ns, turn) */
  struct lb_vtask *done, **done_end; /* first come, first reaped */
  uint64_t turns;
};

static bool goes_before(const struct lb_vtask *a, const struct lb_vtask *b)
{
  return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->turn < b->turn;
}

/* Of two heaps, one. */
static struct lb_vtask *meld(struct lb_vtask *a, struct lb_vtask *b)
{
  if (!a || !b)
    return a ? a : b;
  if (goes_before(b, a)) {
    struct lb_vtask *t = a;
    a = b;
    b = t;
  }
  b->next = a->child;
  a->child = b;
  return a;
}

static void push(struct lb_virtual *v, struct lb_vtask *task)
{
  task->turn = v->turns++;
  task->child = task->next = NULL;
  v->heap = meld(v->heap, task);
}

/* Takes the first task out: its children are melded in pairs, then the pairs
 * from the last to the first. */
static struct lb_vtask *pop(struct lb_virtual *v)
{
  struct lb_vtask *first = v->heap, *pairs = NULL;
  for (struct lb_vtask *a = first->child; a;) {
    struct lb_vtask *b = a->next, *rest = b ? b->next : NULL;
    a->next = NULL;
    if (b)
      b->next = NULL;
    struct lb_vtask *pair = meld(a, b);
    pair->next = pairs;
    pairs = pair;
    a = rest;
  }
  v->heap = NULL;
  while (pairs) {
    struct lb_vtask *rest = pairs->next;
    pairs->next = NULL;
    v->heap = meld(v->heap, pairs);
    pairs = rest;
  }
  return first;
}

struct lb_virtual *lb_virtual_new(struct lb_storage *s,
                                  struct lb_iostats *stats, struct lb_err *err)
{
  struct lb_virtual *v = calloc(1, sizeof *v);
  if (!v) {
    lb_err_sys(err, LB_FAILED, ENOMEM, "storage '%s'", s->backend->name);
    return NULL;
  }
  v->s = s;
  v->stats = stats;
  v->done_end = &v->done;
  return v;
}

void lb_virtual_free(struct lb_virtual *v)
{
  free(v);
}

static bool is_over(const struct lb_vtask *task)
{
  return !task->list || task->op >= task->list->n;
}

/* Charges the task's next request and moves on to the one after. */
static void charge_one(struct lb_virtual *v, struct lb_vtask *task)
{
  struct lb_io *io = &task->list->v[task->op];
  bool moves = io->op == LB_OP_READ || io->op == LB_OP_WRITE;
  uint64_t left = moves ? io->length - task->at : 0;
  bool cut = io->request && left > io->request;
  uint64_t length = cut ? io->request : left;
  uint64_t t =
      v->s->backend->charge(v->s->self, io, length, task->t_ns, &task->rng);
  const struct lb_done done = {.phase = task->phase,
                               .op = io->op,
                               .ns = t - task->t_ns,
                               .end_ns = t,
                               .bytes = length,
                               .metadata = task->metadata};
  lb_iostats_count(v->stats, &done);
  task->t_ns = t;
  task->at += length;
  if (!cut) {
    io->result = moves ? (int64_t)io->length : 0;
    task->at = 0;
    task->op++;
  }
}

static void finish(struct lb_virtual *v, struct lb_vtask *task)
{
  task->next = NULL;
  *v->done_end = task;
  v->done_end = &task->next;
}

/* Goes on with the task until another one is due first or now is reached.  A
 * request that took no time leaves it in front. */
static void go_on(struct lb_virtual *v, struct lb_vtask *task, uint64_t now_ns)
{
  while (!is_over(task)) {
    uint64_t before = task->t_ns;
    charge_one(v, task);
    if (task->t_ns == before)
      continue;
    if (task->t_ns > now_ns || (v->heap && v->heap->t_ns <= task->t_ns)) {
      push(v, task);
      return;
    }
  }
  finish(v, task);
}

void lb_virtual_submit(struct lb_virtual *v, struct lb_vtask *task,
                       uint64_t t_ns, uint64_t now_ns)
{
  task->op = 0;
  task->at = 0;
  task->t_ns = t_ns;
  if (t_ns > now_ns || (v->heap && v->heap->t_ns <= t_ns))
    push(v, task);
  else
    go_on(v, task, now_ns);
  lb_virtual_advance(v, now_ns);
}

void lb_virtual_advance(struct lb_virtual *v, uint64_t now_ns)
{
  while (v->heap && v->heap->t_ns <= now_ns)
    go_on(v, pop(v), now_ns);
}

struct lb_vtask *lb_virtual_reap(struct lb_virtual *v)
{
  struct lb_vtask *task = v->done;
  if (!task)
    return NULL;
  v->done = task->next;
  if (!v->done)
    v->done_end = &v->done;
  return task;
}

uint64_t lb_virtual_deadline(const struct lb_virtual *v)
{
  return v->heap ? v->heap->t_ns : LB_NEVER;
}

void lb_virtual_delay(struct lb_virtual *v, struct lb_vtask *task,
                      uint64_t t_ns)
{
  task->op = (size_t)NO_MORE;
  task->t_ns = t_ns;
  push(v, task);
}

static void sleep_until(const struct lb_iothread *t, uint64_t until_ns)
{
  const uint64_t between = LB_NS_PER_S / 10;
  while (t->look) {
    uint64_t now = lb_clock_ns();
    if (now + between >= until_ns)
      break;
    lb_clock_sleep_until(now + between);
    if (!t->look(t->look_arg))
      return;
  }
  lb_clock_sleep_until(until_ns);
}

uint64_t lb_virtual_sleep_through(struct lb_storage *s, struct lb_iolist *l,
                                  struct lb_iothread *t, uint64_t start_ns)
{
  struct lb_virtual alone = {.s = s, .stats = t->stats};
  struct lb_vtask task = {.list = l,
                          .rng = t->rng,
                          .phase = t->phase,
                          .metadata = t->metadata,
                          .t_ns = start_ns};
  while (!is_over(&task))
    charge_one(&alone, &task);
  t->rng = task.rng;
  sleep_until(t, task.t_ns);
  return task.t_ns;
}
