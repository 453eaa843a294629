/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of raw steps and the thread that writes it to a file.  What the
 * file becomes: src/report/steps_h5.c. */
#include "lb-config.h"

#include "loadbank/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loadbank/thread.h"
#include "loadbank/wholefile.h"

/* The writer is woken once for each WAKE records, so that a put costs a system
 * call only then. */
enum { CAPACITY = 32768, WAKE = 4096 };

const char *const lb_step_column_names[LB_N_COLUMNS] = {
    [LB_COLUMN_LOAD] = "load", [LB_COLUMN_COMPUTE] = "compute",
    [LB_COLUMN_GATE] = "gate", [LB_COLUMN_REQUESTED] = "requested",
    [LB_COLUMN_LATE] = "late", [LB_COLUMN_STALL] = "stall",
};

struct lb_spool {
  char *path;
  int fd, sys; /* sys: errno of a failed write, the writer's until joined */
  bool made, running;
  pthread_t thread;
  sem_t wake;
  atomic_bool stop;
  _Atomic uint64_t head, tail; /* put by the recorder; taken by the writer */
  uint64_t lost, unwritten;    /* the recorder's; the writer's */
  struct lb_spool_record ring[CAPACITY];
};

static void drain(struct lb_spool *s)
{
  uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
  uint64_t head = atomic_load_explicit(&s->head, memory_order_acquire);
  while (tail != head) {
    size_t at = tail % CAPACITY, n = (size_t)(head - tail);
    if (n > CAPACITY - at)
      n = CAPACITY - at;
    if (!s->sys)
      s->sys = lb_write_all(s->fd, &s->ring[at], n * sizeof s->ring[0]);
    if (s->sys)
      s->unwritten += n;
    tail += n;
    atomic_store_explicit(&s->tail, tail, memory_order_release);
    head = atomic_load_explicit(&s->head, memory_order_acquire);
  }
}

static void *writer(void *arg)
{
  struct lb_spool *s = arg;
  setpriority(PRIO_PROCESS, 0, 19); /* this thread's alone, on Linux */
  while (!atomic_load(&s->stop)) {
    while (sem_wait(&s->wake) && errno == EINTR)
      ;
    drain(s);
  }
  drain(s);
  return NULL;
}

static int start_thread(struct lb_spool *s)
{
  int rc = lb_thread_start(&s->thread, "lb-spool", writer, s);
  s->running = rc == 0;
  return rc;
}

int lb_spool_new(struct lb_spool **out, const char *path, struct lb_err *err)
{
  *out = NULL;
  struct lb_spool *s = calloc(1, sizeof *s);
  if (!s)
    return lb_err_set(err, LB_FAILED, "no memory for the step records");
  s->path = strdup(path);
  if (!s->path) {
    free(s);
    return lb_err_set(err, LB_FAILED, "no memory for the step records");
  }
  sem_init(&s->wake, 0, 0);
  s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  s->made = s->fd >= 0;
  int sys = s->fd < 0 ? errno : start_thread(s);
  if (sys) {
    lb_spool_free(s);
    return lb_err_sys(err, LB_FAILED, sys, "%s: step records", path);
  }
  *out = s;
  return 0;
}

void lb_spool_put(struct lb_spool *s, const struct lb_spool_record *r)
{
  uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
  if (!s->running ||
      head - atomic_load_explicit(&s->tail, memory_order_acquire) == CAPACITY) {
    s->lost++;
    return;
  }
  s->ring[head % CAPACITY] = *r;
  atomic_store_explicit(&s->head, head + 1, memory_order_release);
  if ((head + 1) % WAKE == 0)
    sem_post(&s->wake);
}

int lb_spool_finish(struct lb_spool *s, struct lb_err *err)
{
  if (s->running) {
    atomic_store(&s->stop, true);
    sem_post(&s->wake);
    pthread_join(s->thread, NULL);
    s->running = false;
    if (close(s->fd) && !s->sys)
      s->sys = errno;
    s->fd = -1;
  }
  if (s->sys)
    return lb_err_sys(err, LB_FAILED, s->sys, "%s: step records", s->path);
  return 0;
}

uint64_t lb_spool_lost(const struct lb_spool *s)
{
  return s->running ? s->lost : s->lost + s->unwritten;
}

size_t lb_spool_bytes(void)
{
  return CAPACITY * sizeof(struct lb_spool_record);
}

void lb_spool_free(struct lb_spool *s)
{
  if (!s)
    return;
  struct lb_err err = LB_ERR_INIT;
  lb_spool_finish(s, &err);
  if (s->fd >= 0)
    close(s->fd);
  if (s->made)
    unlink(s->path);
  sem_destroy(&s->wake);
  free(s->path);
  free(s);
}
