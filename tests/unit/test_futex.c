/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping on a word, and what a thread has used. */
#include "lb-config.h"

#include "loadbank/futex.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "loadbank/clock.h"
#include "loadbank/thread.h"
#include "loadbank/usage.h"
#include "tap.h"

#define MS UINT64_C(1000000)
#define FAR (60 * UINT64_C(1000000000))

static void test_alone(void)
{
  static const enum lb_futex_scope scopes[] = {LB_FUTEX_PROCESS,
                                               LB_FUTEX_SHARED};
  for (int i = 0; i < 2; i++) {
    _Atomic uint32_t word = 7;
    uint64_t start = lb_clock_ns();
    ok(lb_futex_wait(&word, 6, LB_NEVER, scopes[i]),
       "another value: does not sleep");
    ok(!lb_futex_wait(&word, 7, start, scopes[i]), "a time that has passed");
    bool in_time = true;
    start = lb_clock_ns();
    while (in_time)
      in_time = lb_futex_wait(&word, 7, start + 20 * MS, scopes[i]);
    ok(lb_clock_ns() >= start + 20 * MS, "sleeps until the time");
  }
}

/* ---- threads ---- */

struct sleepers {
  _Atomic uint32_t word, woken, ready;
};

static void *sleep_once(void *arg)
{
  struct sleepers *s = arg;
  atomic_fetch_add(&s->ready, 1);
  while (atomic_load(&s->word) == 0)
    if (!lb_futex_wait(&s->word, 0, lb_clock_ns() + FAR, LB_FUTEX_PROCESS))
      return NULL;
  atomic_fetch_add(&s->woken, 1);
  return NULL;
}

static void test_wake(void)
{
  enum { N = 4 };
  struct sleepers s = {0};
  pthread_t id[N];
  uint64_t start = lb_clock_ns();
  for (int i = 0; i < N; i++)
    pthread_create(&id[i], NULL, sleep_once, &s);
  while (atomic_load(&s.ready) < N)
    lb_clock_sleep_until(lb_clock_ns() + MS);
  lb_clock_sleep_until(lb_clock_ns() + 20 * MS);
  atomic_store(&s.word, 1);
  lb_futex_wake(&s.word, LB_FUTEX_PROCESS);
  for (int i = 0; i < N; i++)
    pthread_join(id[i], NULL);
  ok(atomic_load(&s.woken) == N && lb_clock_ns() < start + FAR / 2,
     "all who sleep are woken");
}

/* ---- usage ---- */

struct burn {
  uint64_t ns;
  struct lb_usage used;
  char name[16];
  bool blocked; /* are signals? */
};

static void *burn(void *arg)
{
  struct burn *b = arg;
  volatile unsigned left;
  sigset_t set;
  while (lb_clock_thread_cpu_ns() < b->ns)
    for (left = 10000; left > 0;)
      left = left - 1;
  b->used = lb_usage_of_thread();
  lb_clock_sleep_until(lb_clock_ns() +
                       5 * MS); /* the name comes from outside */
  pthread_getname_np(pthread_self(), b->name, sizeof b->name);
  pthread_sigmask(SIG_SETMASK, NULL, &set);
  b->blocked = sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGINT);
  return NULL;
}

static struct burn run_burn(uint64_t ns)
{
  struct burn b = {.ns = ns};
  pthread_t id;
  if (lb_thread_start(&id, "lb-burn", burn, &b) == 0)
    pthread_join(id, NULL);
  return b;
}

static void test_thread(void)
{
  struct burn b = run_burn(0);
  sigset_t set;
  ok(b.blocked, "a thread has signals blocked");
  is_str(b.name, "lb-burn", "and its name");
  pthread_sigmask(SIG_SETMASK, NULL, &set);
  ok(!sigismember(&set, SIGTERM), "who made it has not");
}

static void test_usage(void)
{
  struct lb_usage u = run_burn(100 * MS).used;
  ok(u.run_ns >= 80 * MS, "100 ms of a thread are seen: %d ms",
     (int)(u.run_ns / MS));
  ok(u.user_ns >= u.run_ns / 4 && u.user_ns <= u.run_ns + MS,
     "most of it outside the kernel: %d ms", (int)(u.user_ns / MS));
  /* Less than a clock tick; one that falls into the kernel counts for all. */
  bool seen = false;
  for (int i = 0; i < 5 && !seen; i++) {
    u = run_burn(3 * MS).used;
    seen = u.user_ns >= 1 * MS;
  }
  ok(seen, "3 ms outside the kernel are seen: %d us", (int)(u.user_ns / 1000));
  struct lb_usage before = {.run_ns = 1, .user_ns = 2, .wait_ns = 3};
  struct lb_usage now = {.run_ns = 11, .user_ns = 22, .wait_ns = 33};
  u = lb_usage_since(&now, &before);
  ok(u.run_ns == 10 && u.user_ns == 20 && u.wait_ns == 30, "differences");

  enum { MANY = 64 << 20 };
  char *p = malloc(MANY);
  for (volatile char *at = p; p && at < p + MANY; at += 4096)
    *at = 1;
  ok(p && lb_usage_max_rss() >= MANY,
     "64 MiB that were touched are in the highest memory");
  free(p);
}

int main(void)
{
  test_alone();
  test_wake();
  test_thread();
  test_usage();
  return done();
}
