/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches on their way: the conductor asks for them, readers finish parts of
 * them, the conductor takes them in order. */
#include "lb-config.h"

#include "loader_impl.h"

/* ---- asking ---- */

static struct batch *slot_of(struct lb_loader *l, struct accelerator *a,
                             int64_t batch)
{
  return &a->ring[batch % l->ring];
}

static uint64_t batch_work_ns(const struct lb_loader *l, int acc, int64_t batch)
{
  int64_t n = l->pass.batch;
  double s = 0;
  if (lb_dist_is_constant(l->c.preprocess))
    return (uint64_t)((double)n * lb_dist_mean(l->c.preprocess) * 1e9);
  for (int64_t i = 0; i < n; i++)
    s += sample_preprocess(l, acc, batch * n + i);
  return (uint64_t)(s * 1e9);
}

/* All of the batch has been read.  Any thread. */
static void gathered(struct lb_loader *l, int acc, int64_t batch)
{
  struct accelerator *a = &l->acc[acc];
  struct batch *slot = slot_of(l, a, batch);
  uint64_t want = (uint64_t)batch + 1;
  if (l->computes)
    slot->work_ns = batch_work_ns(l, acc, batch);
  atomic_store(&slot->ready, true);
  /* Only this want is met: the conductor may have seen the batch by itself, and
   * want the next one by now. */
  if (atomic_load(&a->wanted) == want &&
      atomic_compare_exchange_strong(&a->wanted, &want, 0))
    lb_queue_push(&l->queue, &a->node);
}

/* Sets what the batch asks of the lanes; how many of them read for it. */
static int64_t aim(struct lb_loader *l, int acc, int64_t batch, int64_t first,
                   int64_t n)
{
  const struct lb_share *share = &l->acc[acc].share;
  int64_t parts = 0;
  for (int64_t w = first; w < first + n; w++) {
    struct lane *lane = &l->lanes[acc * l->pace.readers + w];
    lane->target = l->pace.deal->until(share, w, batch);
    parts += lane->target > lane->told;
  }
  return parts;
}

static void ask_one(struct lb_loader *l, int acc, uint64_t at_ns)
{
  struct accelerator *a = &l->acc[acc];
  int64_t batch = a->asked++, n = l->pace.readers;
  bool whole = n > 0 && l->pace.deal->whole;
  int64_t first = whole ? batch % n : 0;
  n = whole ? 1 : n;
  struct batch *slot = slot_of(l, a, batch);
  int64_t parts = aim(l, acc, batch, first, n);
  atomic_store(&slot->ready, false);
  atomic_store(&slot->ready_ns, parts || !at_ns ? 1 : at_ns);
  atomic_store(&slot->missing, parts);
  if (!parts)
    gathered(l, acc, batch);
  for (int64_t w = first; w < first + n && parts; w++) {
    struct lane *lane = &l->lanes[acc * l->pace.readers + w];
    if (lane->target == lane->told)
      continue;
    lane->told = lane->target;
    if (l->pool)
      pool_ask(l, lane);
    else if (l->ring_engine)
      ring_ask(l, lane);
    else
      walk_ask(l, lane, at_ns);
  }
}

void lb_loader_ask(struct lb_loader *l, int acc, bool needed, uint64_t at_ns)
{
  struct accelerator *a = &l->acc[acc];
  int64_t until = a->taken + l->pace.ahead;
  if (needed && l->pace.ahead == 0)
    until = a->taken + 1;
  if (until > l->pass.batches)
    until = l->pass.batches;
  while (a->asked < until)
    ask_one(l, acc, at_ns);
}

void lb_loader_flush(struct lb_loader *l, uint64_t now_ns)
{
  l->now_ns = now_ns;
  if (l->pool)
    pool_flush(l);
  else if (l->ring_engine)
    ring_flush(l);
  else if (l->walk)
    walk_advance(l, now_ns);
}

/* ---- making ---- */

void lane_end_part(struct lb_loader *l, struct lane *lane, uint64_t t_ns)
{
  struct accelerator *a = &l->acc[lane->acc];
  struct batch *slot = slot_of(l, a, lane->part_batch);
  uint64_t last = atomic_load(&slot->ready_ns);
  while (t_ns > last &&
         !atomic_compare_exchange_weak(&slot->ready_ns, &last, t_ns))
    ;
  lane->samples += (uint64_t)(lane->done - lane->part_begin);
  if (atomic_fetch_sub(&slot->missing, 1) != 1)
    return;
  lane->batches++;
  gathered(l, lane->acc, lane->part_batch);
}

/* ---- taking ---- */

/* Is the accelerator's next batch there? */
static bool is_there(struct lb_loader *l, struct accelerator *a)
{
  return a->taken < a->asked && atomic_load(&slot_of(l, a, a->taken)->ready);
}

/* If it is not, say that it is wanted, then look again: a reader that finished
 * before it could see that is seen here. */
static bool look_for(struct lb_loader *l, struct accelerator *a)
{
  uint64_t want = (uint64_t)a->taken + 1;
  if (is_there(l, a))
    return true;
  atomic_store(&a->wanted, want);
  /* Else the reader took notice: it comes through the queue. */
  return is_there(l, a) && atomic_exchange(&a->wanted, 0) == want;
}

/* When the batch, which is there, has been preprocessed: it waits for those
 * before it, then for the thread that is free first, as in a parallel map that
 * keeps their order. */
static uint64_t worked_ns(struct lb_loader *l, struct accelerator *a)
{
  struct batch *slot = slot_of(l, a, a->taken);
  uint64_t t = atomic_load(&slot->ready_ns);
  uint64_t *out = &a->out_ns[a->taken % l->pace.computing];
  if (a->worked > a->taken)
    return a->last_ns;
  a->worked = a->taken + 1;
  if (t > a->gathered_ns)
    a->gathered_ns = t;
  t = a->gathered_ns > *out ? a->gathered_ns : *out;
  t += slot->work_ns;
  if (t > a->last_ns)
    a->last_ns = t;
  *out = a->last_ns;
  return a->last_ns;
}

/* When it was read.  Where readers share batches none overtakes another. */
static uint64_t read_ns(struct lb_loader *l, struct accelerator *a)
{
  uint64_t t = atomic_load(&slot_of(l, a, a->taken)->ready_ns);
  if (l->pace.deal->whole)
    return t;
  if (t > a->last_ns)
    a->last_ns = t;
  return a->last_ns;
}

uint64_t lb_loader_take(struct lb_loader *l, int acc)
{
  struct accelerator *a = &l->acc[acc];
  if (!look_for(l, a))
    return 0;
  uint64_t t = l->computes ? worked_ns(l, a) : read_ns(l, a);
  if (l->computes && t > l->now_ns) {
    l->n_due += !a->due_ns;
    a->due_ns = t;
    return 0;
  }
  a->taken++;
  return t;
}

/* An accelerator whose batch is preprocessed by now, or -1. */
static int next_due(struct lb_loader *l)
{
  for (int i = 0; i < l->c.k && l->n_due; i++) {
    struct accelerator *a = &l->acc[i];
    if (!a->due_ns || a->due_ns > l->now_ns)
      continue;
    a->due_ns = 0;
    l->n_due--;
    return i;
  }
  return -1;
}

int lb_loader_next(struct lb_loader *l)
{
  if (!l->arrived)
    l->arrived = lb_queue_take(&l->queue);
  if (!l->arrived)
    return next_due(l);
  struct accelerator *a = (struct accelerator *)l->arrived;
  l->arrived = l->arrived->next;
  return (int)(a - l->acc);
}

void lb_loader_advance(struct lb_loader *l, uint64_t now_ns)
{
  l->now_ns = now_ns;
  if (l->walk)
    walk_advance(l, now_ns);
}

uint64_t lb_loader_deadline(const struct lb_loader *l)
{
  uint64_t t = walk_deadline(l);
  for (int i = 0; i < l->c.k && l->n_due; i++) {
    uint64_t due = l->acc[i].due_ns;
    /* Who is due by now is named by lb_loader_next. */
    t = due > l->now_ns && due < t ? due : t;
  }
  return t;
}

void lb_loader_wait(struct lb_loader *l, uint64_t until_ns)
{
  if (!l->arrived)
    lb_queue_wait(&l->queue, until_ns);
}
