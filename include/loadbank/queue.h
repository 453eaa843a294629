/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue from many threads to one: a stack of nodes that the consumer takes
 * whole and turns round.  No lock, no allocation; a node belongs to the queue
 * from push to take.  The consumer sleeps on a word of the queue; a producer
 * makes a system call only when it does. */
#ifndef LOADBANK_QUEUE_H
#define LOADBANK_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lb_queue_node {
  struct lb_queue_node *next;
};

struct lb_queue {
  _Atomic(struct lb_queue_node *) top;
  _Atomic uint32_t sleeping; /* the consumer sleeps, or is about to */
  _Atomic bool kicked;
};

void lb_queue_init(struct lb_queue *q);
/* Any thread. */
void lb_queue_push(struct lb_queue *q, struct lb_queue_node *node);
/* Makes the consumer's wait return although nothing was pushed.  Any thread. */
void lb_queue_kick(struct lb_queue *q);
/* Consumer: everything pushed so far, first pushed first; NULL: nothing. */
struct lb_queue_node *lb_queue_take(struct lb_queue *q);
/* Consumer: sleeps until something was pushed, a kick, or until_ns.  May return
 * early: look and call again. */
void lb_queue_wait(struct lb_queue *q, uint64_t until_ns);

#endif
