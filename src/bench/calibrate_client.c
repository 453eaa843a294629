/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the client itself can do: memory, sleeps, system calls, the gate.  One
 * rank measures while the others sleep; the gate is everyone's. */
#include "lb-config.h"

#include "loadbank/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/content.h"
#include "loadbank/format.h"
#include "loadbank/futex.h"
#include "loadbank/gate.h"
#include "loadbank/placement.h"
#include "loadbank/thread.h"

enum {
  COPY_BYTES = 32 << 20, /* twice that a thread: beyond most caches */
  CONTENT_BYTES = 1 << 20,
  MAX_COPIERS = 16, /* 1 GiB of memory at most */
  FILE_BYTES = 32 << 20,
  REQUEST = 256 << 10, /* reader.transfer_size by default */
  SLEEPS = 256,
  GATES_TRIED = 64,
  MAX_GATES = 50000,
  CALLS = 100000
};
static const uint64_t copy_ns = 300000000, content_ns = 200000000,
                      sleep_ns = 1000000, gates_ns = 400000000,
                      silence_ns = 60u * (uint64_t)LB_NS_PER_S;

/* ---- cores ---- */

/* Collective. */
static int count_cores(struct lb_world *w, struct lb_client_facts *out,
                       struct lb_err *err)
{
  struct lb_placement p;
  int rc = lb_placement_new(&p, w, 1, err);
  for (size_t i = 0; i < p.n_hosts; i++)
    out->cores += CPU_COUNT(&p.host[i].cpus);
  if (p.n_hosts)
    out->host_cores = CPU_COUNT(&p.host[0].cpus);
  lb_placement_free(&p);
  return rc;
}

/* ---- memory ---- */

/* One of the threads that copy at the same time. */
struct copier {
  pthread_t id;
  char *from, *to;
  uint64_t bytes, begin_ns, end_ns, cpu_ns;
};

static void *copy_main(void *arg)
{
  struct copier *c = arg;
  memset(c->from, 1, COPY_BYTES); /* so that the pages are there */
  memset(c->to, 2, COPY_BYTES);
  uint64_t cpu = lb_clock_thread_cpu_ns();
  c->begin_ns = c->end_ns = lb_clock_ns();
  for (; c->end_ns - c->begin_ns < copy_ns; c->end_ns = lb_clock_ns()) {
    memcpy(c->to, c->from, COPY_BYTES);
    c->bytes += COPY_BYTES;
    /* What was copied is looked at, or it need not be. */
    *(volatile char *)c->from = c->to[c->bytes % COPY_BYTES];
  }
  c->cpu_ns = lb_clock_thread_cpu_ns() - cpu;
  return NULL;
}

/* n threads copy together; what they did is in c. */
static int copy_together(struct copier *c, int n, struct lb_err *err)
{
  int started = 0, why = 0;
  for (; started < n; started++) {
    c[started].bytes = 0;
    why = lb_thread_start(&c[started].id, "lb-copy", copy_main, &c[started]);
    if (why)
      break;
  }
  for (int i = 0; i < started; i++)
    pthread_join(c[i].id, NULL);
  return why ? lb_err_sys(err, LB_FAILED, why, "start a thread") : 0;
}

static double per_second(uint64_t bytes, uint64_t ns)
{
  return ns ? (double)bytes * 1e9 / (double)ns : 0;
}

static void measure_memory(struct lb_client_facts *out, struct lb_err *err)
{
  struct copier c[MAX_COPIERS] = {{0}};
  int n = out->host_cores < 1 ? 1 : out->host_cores;
  n = n > MAX_COPIERS ? MAX_COPIERS : n;
  for (int i = 0; i < n; i++) {
    c[i].from = malloc(COPY_BYTES);
    c[i].to = malloc(COPY_BYTES);
    if (!c[i].from || !c[i].to)
      n = i;
  }
  if (n < 1)
    lb_err_sys(err, LB_FAILED, ENOMEM, "buffers to copy");
  out->copy_threads = n;
  if (!lb_err_is_set(err) && !copy_together(c, 1, err))
    out->copy_one = per_second(c[0].bytes, c[0].cpu_ns);
  if (!lb_err_is_set(err) && !copy_together(c, n, err))
    for (int i = 0; i < n; i++)
      out->copy_all += per_second(c[i].bytes, c[i].end_ns - c[i].begin_ns);
  for (int i = 0; i < MAX_COPIERS; i++) {
    free(c[i].from);
    free(c[i].to);
  }
}

static void measure_content(struct lb_client_facts *out, struct lb_err *err)
{
  void *to = malloc(CONTENT_BYTES);
  if (!to) {
    lb_err_sys(err, LB_FAILED, ENOMEM, "a buffer");
    return;
  }
  uint64_t end = lb_clock_ns() + content_ns, bytes = 0;
  uint64_t cpu = lb_clock_thread_cpu_ns();
  for (; lb_clock_ns() < end; bytes += CONTENT_BYTES)
    lb_content_fill(1, LB_SET_TRAIN, 0, bytes, to, CONTENT_BYTES);
  out->content_bytes_per_s = per_second(bytes, lb_clock_thread_cpu_ns() - cpu);
  free(to);
}

/* ---- a file that the page cache has ---- */

static void measure_reads(int fd, char *to, struct lb_client_facts *out)
{
  uint64_t bytes = 0, end = lb_clock_ns() + content_ns;
  uint64_t cpu = lb_clock_thread_cpu_ns();
  for (ssize_t n = 1; n > 0 && lb_clock_ns() < end; bytes += (uint64_t)n)
    n = pread(fd, to, REQUEST, (off_t)(bytes % FILE_BYTES));
  out->read_one = per_second(bytes, lb_clock_thread_cpu_ns() - cpu);
}

/* Opens, looks at, reads a byte of, and closes. */
static void measure_operations(const char *path, char *to,
                               struct lb_client_facts *out)
{
  struct stat st;
  uint64_t cpu = lb_clock_thread_cpu_ns(), end = lb_clock_ns() + content_ns;
  int64_t n = 0;
  while (lb_clock_ns() < end) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) || pread(fd, to, 1, 0) != 1 || close(fd))
      break;
    n += 4;
  }
  if (n)
    out->operation_s =
        (double)(lb_clock_thread_cpu_ns() - cpu) / 1e9 / (double)n;
}

/* 0 or an errno. */
static int write_file(int fd, const char *bytes)
{
  for (int at = 0; at < FILE_BYTES; at += REQUEST) {
    ssize_t n = pwrite(fd, bytes, REQUEST, at);
    if (n != REQUEST)
      return n < 0 ? errno : ENOSPC;
  }
  return 0;
}

static void measure_file(const char *root, struct lb_client_facts *out,
                         struct lb_err *err)
{
  char path[PATH_MAX];
  char *bytes = calloc(1, REQUEST);
  int n = snprintf(path, sizeof path, "%s/file", root), why = ENAMETOOLONG;
  int fd = -1;
  if (bytes && n < PATH_MAX) {
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    why = fd < 0 ? errno : write_file(fd, bytes);
  }
  if (!why) {
    measure_reads(fd, bytes, out);
    measure_operations(path, bytes, out);
  } else {
    lb_err_sys(err, LB_FAILED, bytes ? why : ENOMEM, "%s: write", path);
  }
  if (fd >= 0) {
    close(fd);
    unlink(path);
  }
  free(bytes);
}

/* ---- time ---- */

static double measure_call(void)
{
  uint64_t begin = lb_clock_thread_cpu_ns();
  for (int i = 0; i < CALLS; i++)
    syscall(SYS_getppid);
  return (double)(lb_clock_thread_cpu_ns() - begin) / 1e9 / CALLS;
}

static int by_size(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* As the timekeeper of a gate sleeps. */
static struct lb_lateness measure_sleep(uint64_t tail_ns)
{
  uint64_t late[SLEEPS];
  _Atomic uint32_t word = 0;
  for (int i = 0; i < SLEEPS; i++) {
    uint64_t due = lb_clock_ns() + sleep_ns, now;
    lb_futex_wait(&word, 0, due - tail_ns, LB_FUTEX_PROCESS);
    do
      now = lb_clock_ns();
    while (now < due);
    late[i] = now - due;
  }
  qsort(late, SLEEPS, sizeof *late, by_size);
  return (struct lb_lateness){.p50 = late[SLEEPS / 2],
                              .p95 = late[SLEEPS * 95 / 100],
                              .max = late[SLEEPS - 1]};
}

static double gates(struct lb_gate *g, int n)
{
  uint64_t begin = lb_gate_meet(g).ns, end = begin;
  for (int i = 0; i < n; i++)
    end = lb_gate_meet(g).ns;
  return (double)(end - begin) / 1e9 / n;
}

/* Collective.  As many gates as the time allows; all ranks the same number. */
static void measure_gate(struct lb_world *w, struct lb_gate *g,
                         struct lb_client_facts *out)
{
  double n = (double)gates_ns / 1e9 / gates(g, GATES_TRIED);
  int count = n > MAX_GATES ? MAX_GATES : n < 1 ? 1 : (int)n;
  lb_world_bcast(w, &count, sizeof count);
  out->gate_s = gates(g, count);
}

int lb_calibrate_client(struct lb_world *w, const char *root,
                        struct lb_client_facts *out, struct lb_err *err)
{
  struct lb_gate *g = NULL;
  *out = (struct lb_client_facts){.ranks = w->n_ranks, .hosts = w->n_hosts};
  if (lb_gate_new(&g, w, silence_ns, err) || count_cores(w, out, err)) {
    lb_gate_free(g);
    return -err->code;
  }
  measure_gate(w, g, out);
  if (w->rank == 0) {
    out->tail_ns = lb_gate_cost(g).tail_ns;
    out->call_s = measure_call();
    out->plain = measure_sleep(0);
    out->tailed = out->tail_ns ? measure_sleep(out->tail_ns) : out->plain;
    measure_file(root, out, err);
    measure_content(out, err);
    measure_memory(out, err);
  }
  lb_gate_free(g);
  int rc = lb_err_agree(w, err, NULL);
  lb_world_bcast(w, out, sizeof *out);
  return rc;
}
