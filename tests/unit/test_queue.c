/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue from many threads to one.  A lost wake-up shows as a wait that
 * lasts until its deadline, which is far away. */
#include "lb-config.h"

#include "loadbank/queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/futex.h"
#include "tap.h"

enum { PRODUCERS = 4, PUSHES = 100000, FAR_S = 60 };
#define MS UINT64_C(1000000)

struct item {
  struct lb_queue_node node; /* first */
  int producer, number;
};

static uint64_t far(void)
{
  return lb_clock_ns() + FAR_S * (uint64_t)LB_NS_PER_S;
}

static void test_order(void)
{
  struct lb_queue q;
  struct item item[5];
  int n = 0, good = 1;
  lb_queue_init(&q);
  ok(lb_queue_take(&q) == NULL, "a new queue is empty");
  for (int i = 0; i < 5; i++) {
    item[i].number = i;
    lb_queue_push(&q, &item[i].node);
  }
  for (struct lb_queue_node *p = lb_queue_take(&q); p; p = p->next)
    good = good && ((struct item *)p)->number == n++;
  ok(good && n == 5, "first pushed, first taken");
  ok(lb_queue_take(&q) == NULL, "what was taken is gone");
}

static void test_wait(void)
{
  struct lb_queue q;
  struct item item;
  lb_queue_init(&q);
  uint64_t start = lb_clock_ns();
  lb_queue_wait(&q, start + 20 * MS);
  ok(lb_clock_ns() >= start + 20 * MS, "nothing comes: waits until the time");
  lb_queue_wait(&q, 0);
  ok(lb_clock_ns() < start + FAR_S / 2 * (uint64_t)LB_NS_PER_S,
     "a time that has passed: does not wait");
  lb_queue_push(&q, &item.node);
  start = lb_clock_ns();
  lb_queue_wait(&q, far());
  lb_queue_take(&q);
  lb_queue_kick(&q);
  lb_queue_wait(&q, far());
  ok(lb_clock_ns() < start + FAR_S / 2 * (uint64_t)LB_NS_PER_S,
     "a push or a kick before the wait ends it");
  start = lb_clock_ns();
  lb_queue_wait(&q, start + 5 * MS);
  ok(lb_clock_ns() >= start + 5 * MS, "one kick ends one wait");
}

/* ---- threads ---- */

struct producer {
  pthread_t id;
  struct lb_queue *q;
  struct item *items;
  int number;
};

static void *produce(void *arg)
{
  struct producer *p = arg;
  for (int i = 0; i < PUSHES; i++) {
    p->items[i].producer = p->number;
    p->items[i].number = i;
    lb_queue_push(p->q, &p->items[i].node);
  }
  return NULL;
}

static void test_producers(void)
{
  struct lb_queue q;
  struct producer p[PRODUCERS];
  int next[PRODUCERS] = {0}, taken = 0, disorder = 0, late = 0;
  lb_queue_init(&q);
  for (int i = 0; i < PRODUCERS; i++) {
    p[i] = (struct producer){.q = &q, .number = i};
    p[i].items = calloc(PUSHES, sizeof *p[i].items);
    pthread_create(&p[i].id, NULL, produce, &p[i]);
  }
  while (taken < PRODUCERS * PUSHES && !late) {
    uint64_t until = far();
    lb_queue_wait(&q, until);
    late += lb_clock_ns() >= until;
    for (struct lb_queue_node *n = lb_queue_take(&q); n; n = n->next) {
      const struct item *item = (struct item *)n;
      disorder += item->number != next[item->producer]++;
      taken++;
    }
  }
  is_int(taken, PRODUCERS * PUSHES, "all pushes of %d threads come", PRODUCERS);
  is_int(disorder, 0, "those of one thread in its order");
  is_int(late, 0, "no wake-up is lost");
  for (int i = 0; i < PRODUCERS; i++) {
    pthread_join(p[i].id, NULL);
    free(p[i].items);
  }
}

/* One push, one answer, so that the consumer is about to sleep at every push:
 * the window in which a wake-up could be lost. */
struct echo {
  struct lb_queue q;
  struct item item;
  _Atomic uint32_t turn; /* odd: the producer's */
  int rounds;
};

static void *echo(void *arg)
{
  struct echo *e = arg;
  for (int i = 0; i < e->rounds; i++) {
    uint32_t turn;
    while (!((turn = atomic_load(&e->turn)) & 1))
      lb_futex_wait(&e->turn, turn, LB_NEVER, LB_FUTEX_PROCESS);
    atomic_store(&e->turn, turn + 1);
    if (i % 2)
      lb_queue_kick(&e->q);
    else
      lb_queue_push(&e->q, &e->item.node);
  }
  return NULL;
}

static void test_echo(void)
{
  struct echo e = {.rounds = 50000};
  pthread_t id;
  int late = 0;
  lb_queue_init(&e.q);
  pthread_create(&id, NULL, echo, &e);
  for (int i = 0; i < e.rounds; i++) {
    atomic_fetch_add(&e.turn, 1);
    lb_futex_wake(&e.turn, LB_FUTEX_PROCESS);
    uint64_t until = far();
    /* A wake-up that was meant for the round before may end a wait early: then
     * the producer has not answered, and the next wait must see its kick. */
    if (i % 2)
      do
        lb_queue_wait(&e.q, until);
      while (atomic_load(&e.turn) & 1 && lb_clock_ns() < until);
    else
      while (!lb_queue_take(&e.q) && lb_clock_ns() < until)
        lb_queue_wait(&e.q, until);
    late += lb_clock_ns() >= until;
    if (late)
      break;
  }
  is_int(late, 0, "%d single pushes and kicks each wake the consumer",
         e.rounds);
  if (!late)
    pthread_join(id, NULL);
}

int main(void)
{
  test_order();
  test_wait();
  test_producers();
  test_echo();
  return done();
}
