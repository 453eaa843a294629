/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many producers, one consumer; see queue.h. */
#include "lb-config.h"

#include "loadbank/queue.h"

#include <stddef.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"

void lb_queue_init(struct lb_queue *q)
{
  atomic_init(&q->top, NULL);
  atomic_init(&q->sleeping, 0);
  atomic_init(&q->kicked, false);
}

static void wake(struct lb_queue *q)
{
  /* The exchange lets one producer of many make the call. */
  if (atomic_load(&q->sleeping) && atomic_exchange(&q->sleeping, 0))
    lb_futex_wake_one(&q->sleeping, LB_FUTEX_PROCESS);
}

void lb_queue_push(struct lb_queue *q, struct lb_queue_node *node)
{
  struct lb_queue_node *top = atomic_load(&q->top);
  do
    node->next = top;
  while (!atomic_compare_exchange_weak(&q->top, &top, node));
  wake(q);
}

void lb_queue_kick(struct lb_queue *q)
{
  atomic_store(&q->kicked, true);
  wake(q);
}

struct lb_queue_node *lb_queue_take(struct lb_queue *q)
{
  if (!atomic_load_explicit(&q->top, memory_order_relaxed))
    return NULL;
  struct lb_queue_node *stack = atomic_exchange(&q->top, NULL), *first = NULL;
  while (stack) {
    struct lb_queue_node *next = stack->next;
    stack->next = first;
    first = stack;
    stack = next;
  }
  return first;
}

void lb_queue_wait(struct lb_queue *q, uint64_t until_ns)
{
  /* Announce the sleep, then look again: a push before the announcement is
   * seen here, one after it finds `sleeping' set and wakes. */
  atomic_store(&q->sleeping, 1);
  while (!atomic_load(&q->top) && !atomic_load(&q->kicked) &&
         atomic_load(&q->sleeping) && lb_clock_ns() < until_ns)
    lb_futex_wait(&q->sleeping, 1, until_ns, LB_FUTEX_PROCESS);
  atomic_store(&q->sleeping, 0);
  /* An exchange: what the kicker did before is seen from here on. */
  atomic_exchange(&q->kicked, false);
}
