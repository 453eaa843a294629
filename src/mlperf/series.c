/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that samples, and what comes of it.  A sample is four files of
 * /proc: less than a millisecond, every ten seconds; how long it took stands in
 * the result. */
#include "lb-config.h"

#include "mlperf/series.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/json.h"
#include "loadbank/slurp.h"
#include "loadbank/thread.h"

enum { FIRST_ROOM = 64 };

struct lb_series {
  pthread_t thread;
  bool running;
  uint64_t every_ns;
  size_t most;
  pthread_mutex_t lock; /* over stop */
  pthread_cond_t rung;
  bool stop;
  /* The thread's until it ends. */
  struct lb_series_sample *sample;
  size_t n, room;
  uint64_t spent_ns, longest_ns;
};

static bool make_room(struct lb_series *s)
{
  size_t room = s->room ? 2 * s->room : FIRST_ROOM;
  if (s->n < s->room)
    return true;
  struct lb_series_sample *more = realloc(s->sample, room * sizeof *more);
  if (!more)
    return false;
  s->sample = more;
  s->room = room;
  return true;
}

static void take_sample(struct lb_series *s)
{
  uint64_t begin = lb_clock_ns();
  if (s->n == s->most || !make_room(s))
    return;
  struct lb_series_sample *one = &s->sample[s->n++];
  one->utc_ns = lb_clock_utc_ns();
  char *stat = lb_slurp("/proc/stat"), *memory = lb_slurp("/proc/meminfo");
  char *disks = lb_slurp("/proc/diskstats"), *net = lb_slurp("/proc/net/dev");
  lb_series_parse(stat, (double)sysconf(_SC_CLK_TCK), memory, disks, net, one);
  free(stat);
  free(memory);
  free(disks);
  free(net);
  uint64_t took = lb_clock_ns() - begin;
  s->spent_ns += took;
  s->longest_ns = took > s->longest_ns ? took : s->longest_ns;
}

/* Until then, or until it is told to stop: true. */
static bool wait_until(struct lb_series *s, uint64_t until_ns)
{
  const struct timespec t = {.tv_sec = (time_t)(until_ns / LB_NS_PER_S),
                             .tv_nsec = (long)(until_ns % LB_NS_PER_S)};
  pthread_mutex_lock(&s->lock);
  while (!s->stop && lb_clock_ns() < until_ns)
    pthread_cond_timedwait(&s->rung, &s->lock, &t);
  bool stop = s->stop;
  pthread_mutex_unlock(&s->lock);
  return stop;
}

static void *sample_on(void *arg)
{
  struct lb_series *s = arg;
  uint64_t next = lb_clock_ns();
  do {
    take_sample(s);
    next += s->every_ns;
  } while (!wait_until(s, next));
  take_sample(s);
  return NULL;
}

static void init_sync(struct lb_series *s)
{
  pthread_condattr_t clock;
  pthread_mutex_init(&s->lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&s->rung, &clock);
  pthread_condattr_destroy(&clock);
}

int lb_series_start(struct lb_series **out, double every_s, int64_t most,
                    struct lb_err *err)
{
  struct lb_series *s = *out = calloc(1, sizeof *s);
  if (!s)
    return lb_err_set(err, LB_FAILED, "no memory for a time series");
  s->every_ns = (uint64_t)(every_s * LB_NS_PER_S);
  s->most = (size_t)most;
  init_sync(s);
  int sys = lb_thread_start(&s->thread, "lb-series", sample_on, s);
  s->running = !sys;
  return sys ? lb_err_sys(err, LB_FAILED, sys, "a thread for a time series")
             : 0;
}

void lb_series_stop(struct lb_series *s)
{
  if (!s || !s->running)
    return;
  pthread_mutex_lock(&s->lock);
  s->stop = true;
  pthread_cond_signal(&s->rung);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  s->running = false;
}

void lb_series_free(struct lb_series *s)
{
  if (!s)
    return;
  lb_series_stop(s);
  pthread_cond_destroy(&s->rung);
  pthread_mutex_destroy(&s->lock);
  free(s->sample);
  free(s);
}

/* ---- over all hosts ---- */

/* What a host sends, before its samples. */
struct head {
  char host[256];
  uint64_t n, spent_ns, longest_ns;
};

static json_t *sample_json(const struct lb_series_sample *one)
{
  json_t *o = json_object();
  json_object_set_new(o, "time", lb_json_time(one->utc_ns));
  for (int i = 0; i < LB_SERIES_VALUES; i++)
    lb_json_put_number(o, lb_series_names[i], one->v[i]);
  return o;
}

static int take(void *arg, int rank, const void *bytes, size_t n,
                struct lb_err *err)
{
  struct head h;
  struct lb_series_sample one;
  (void)rank;
  if (n < sizeof h)
    return 0;
  memcpy(&h, bytes, sizeof h);
  const char *at = (const char *)bytes + sizeof h;
  json_t *o = json_object(), *list = json_array();
  for (uint64_t i = 0; i < h.n; i++, at += sizeof one) {
    memcpy(&one, at, sizeof one);
    json_array_append_new(list, sample_json(&one));
  }
  lb_json_put_text(o, "host", h.host);
  lb_json_put_number(o, "sampling_seconds", (double)h.spent_ns / LB_NS_PER_S);
  lb_json_put_number(o, "longest_sampling_seconds",
                     (double)h.longest_ns / LB_NS_PER_S);
  json_object_set_new(o, "samples", list);
  return json_array_append_new(arg, o) || json_array_size(list) != h.n
             ? lb_err_set(err, LB_FAILED, "no memory for a time series")
             : 0;
}

/* Head and samples in one piece; NULL: none, or no memory. */
static void *pack(const struct lb_world *w, const struct lb_series *s,
                  size_t *size, struct lb_err *err)
{
  struct head h = {
      .n = s->n, .spent_ns = s->spent_ns, .longest_ns = s->longest_ns};
  size_t samples = s->n * sizeof *s->sample;
  memcpy(h.host, w->node_name, sizeof h.host);
  char *bytes = malloc(sizeof h + samples);
  if (!bytes) {
    lb_err_set(err, LB_FAILED, "no memory for a time series");
    return NULL;
  }
  memcpy(bytes, &h, sizeof h);
  if (samples)
    memcpy(bytes + sizeof h, s->sample, samples);
  *size = sizeof h + samples;
  return bytes;
}

int lb_series_gather(const struct lb_world *w, const struct lb_series *s,
                     json_t **out, struct lb_err *err)
{
  size_t size = 0;
  void *bytes = s ? pack(w, s, &size, err) : NULL;
  json_t *hosts = w->rank == 0 ? json_array() : NULL;
  lb_world_collect(w, bytes, size, take, hosts, err);
  free(bytes);
  *out = NULL;
  if (w->rank == 0) {
    *out = json_object();
    json_object_set_new(*out, "hosts", hosts);
  }
  return -err->code;
}
