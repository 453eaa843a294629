/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's known answers, in closed form. */
#include "lb-config.h"

#include "loadbank/simulated.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/virtual.h"
#include "tap.h"

#define GIB ((int64_t)1 << 30)
enum { MIB = 1 << 20, KIB = 1 << 10, READERS = 16, START = 12345 };

/* n readers with a list each, all started at START; when each is done. */
struct model {
  struct lb_simulated options;
  struct lb_storage_env env;
  struct lb_iolist list[READERS];
  uint64_t done[READERS];
  int order[READERS]; /* in which they were done */
};

static void model_init(struct model *m)
{
  memset(m, 0, sizeof *m);
  m->env.bandwidth_share = 1;
  for (int i = 0; i < READERS; i++)
    lb_iolist_init(&m->list[i]);
}

static void model_fini(struct model *m)
{
  for (int i = 0; i < READERS; i++)
    lb_iolist_fini(&m->list[i]);
}

/* Like a conductor that wakes `late' ns after each deadline. */
static void model_run(struct model *m, int readers, uint64_t late)
{
  struct lb_storage *s;
  struct lb_err err = LB_ERR_INIT;
  struct lb_iostats stats;
  lb_iostats_init(&stats);
  if (lb_storage_open(&s, lb_backend_find("simulated"), &m->options, &m->env,
                      &err)) {
    ok(false, "%s", err.msg);
    return;
  }
  struct lb_virtual *v = lb_virtual_new(s, &stats, &err);
  struct lb_vtask task[READERS];
  memset(task, 0, sizeof task);
  for (int i = 0; i < readers; i++) {
    task[i].list = &m->list[i];
    task[i].rng.key = (uint64_t)i;
    lb_virtual_submit(v, &task[i], START, START);
  }
  int n = 0;
  for (;;) {
    for (struct lb_vtask *t; (t = lb_virtual_reap(v));) {
      m->order[n++] = (int)(t - task);
      m->done[t - task] = t->t_ns - START;
    }
    uint64_t deadline = lb_virtual_deadline(v);
    if (deadline == LB_NEVER)
      break;
    lb_virtual_advance(v, deadline + late);
  }
  lb_virtual_free(v);
  lb_storage_close(s);
  lb_iostats_fini(&stats);
}

static bool all_near(const struct model *m, int readers, double first,
                     double step, double tolerance)
{
  bool good = true;
  for (int i = 0; i < readers; i++) {
    double want = first + i * step;
    if (fabs((double)m->done[i] - want) > tolerance) {
      printf("# reader %d: done after %" PRIu64 " ns, want %.1f\n", i,
             m->done[i], want);
      good = false;
    }
  }
  return good;
}

static void bandwidth_is_shared_in_turn(void)
{
  struct model m;
  model_init(&m);
  m.options.read_bandwidth = GIB;
  for (int i = 0; i < READERS; i++)
    lb_iolist_read(&m.list[i], 0, MIB, 0, NULL);
  model_run(&m, READERS, 0);
  double one = 1e9 / 1024;
  ok(all_near(&m, READERS, one, one, 1), "n readers are served in turn");
  bool fifo = true;
  for (int i = 0; i < READERS; i++)
    fifo &= m.order[i] == i;
  ok(fifo, "first in, first out");
  model_run(&m, READERS, 3000000);
  ok(all_near(&m, READERS, one, one, 1), "also when woken 3 ms late");

  /* Sixteen requests each: the server is never idle, readers alternate. */
  for (int i = 0; i < READERS; i++)
    m.list[i].v[0].request = MIB / 16;
  model_run(&m, READERS, 0);
  ok(all_near(&m, READERS, one * READERS - 15 * one / 16, one / 16, 16),
     "cut in requests, they take turns");
  m.env.bandwidth_share = 0.25;
  model_run(&m, 1, 0);
  ok(all_near(&m, 1, 4 * one, 0, 1), "a share of the bandwidth");
  model_fini(&m);
}

static void latency_occupies_nobody(void)
{
  struct model m;
  model_init(&m);
  m.options.read_latency = lb_dist_constant(250e-6);
  for (int i = 0; i < READERS; i++)
    lb_iolist_read(&m.list[i], 0, MIB, 0, NULL);
  model_run(&m, READERS, 0);
  ok(all_near(&m, READERS, 250000, 0, 0), "n readers, each after one latency");
  m.list[0].v[0].request = MIB / 64;
  model_run(&m, 1, 0);
  is_int(m.done[0], 64 * 250000, "64 requests of one reader: 64 latencies");
  model_run(&m, 1, 777777);
  is_int(m.done[0], 64 * 250000, "from done to done, however late the wake");
  m.options.read_bandwidth = GIB;
  model_run(&m, 1, 0);
  ok(all_near(&m, 1, 64 * 250000 + 1e9 / 1024, 0, 64),
     "latency and service add up for one");
  m.list[0].v[0].request = 0;
  model_run(&m, READERS, 0);
  ok(all_near(&m, READERS, 250000 + 1e9 / 1024, 1e9 / 1024, 1),
     "but the server goes on meanwhile");
  model_fini(&m);
}

static void every_operation_has_its_price(void)
{
  struct model m;
  model_init(&m);
  m.options.open_latency = lb_dist_constant(1e-6);
  m.options.stat_latency = lb_dist_constant(10e-6);
  m.options.read_latency = lb_dist_constant(100e-6);
  m.options.write_latency = lb_dist_constant(1000e-6);
  static const int want[LB_N_OPS] = {
      [LB_OP_OPEN] = 1000,     [LB_OP_STAT] = 10000,   [LB_OP_READ] = 100000,
      [LB_OP_WRITE] = 1000000, [LB_OP_SYNC] = 1000000, [LB_OP_CLOSE] = 0,
      [LB_OP_LIST] = 10000,    [LB_OP_MKDIR] = 1000,   [LB_OP_RMDIR] = 1000,
      [LB_OP_RENAME] = 1000,   [LB_OP_LINK] = 1000,    [LB_OP_UNLINK] = 1000,
      [LB_OP_LOCK] = 1000};
  for (int op = 0; op < LB_N_OPS; op++) {
    lb_iolist_clear(&m.list[0]);
    lb_iolist_add(&m.list[0],
                  (struct lb_io){.op = (enum lb_op)op, .length = 100});
    model_run(&m, 1, 0);
    is_int(m.done[0], want[op], "latency of %s", lb_op_names[op]);
  }
  model_fini(&m);
}

static void directions_have_a_server_each(void)
{
  struct model m;
  model_init(&m);
  m.options.read_bandwidth = GIB;
  m.options.write_bandwidth = GIB / 2;
  lb_iolist_read(&m.list[0], 0, 10 * MIB, MIB, NULL);
  lb_iolist_write(&m.list[1], 0, 10 * MIB, MIB, NULL);
  model_run(&m, 2, 0);
  ok(all_near(&m, 2, 1e10 / 1024, 1e10 / 1024, 10),
     "reads and writes do not wait for each other");
  m.options.duplex = LB_DUPLEX_HALF;
  model_run(&m, 2, 0);
  ok(all_near(&m, 2, 28e9 / 1024, 2e9 / 1024, 10),
     "half duplex: they take turns, each at its speed");
  m.options.burst_buffer.read_bandwidth = 4 * GIB;
  m.options.burst_buffer.write_bandwidth = 2 * GIB;
  m.options.open_latency = m.options.read_latency = lb_dist_constant(1);
  m.env.burst_buffer = true;
  lb_iolist_open(&m.list[0], "x", 0);
  model_run(&m, 2, 0);
  ok(all_near(&m, 2, 10e9 / 4096, 10e9 / 4096, 10),
     "the burst buffer is another server, without latencies");
  model_fini(&m);
}

static void nothing_is_lost_to_rounding(void)
{
  struct model m;
  model_init(&m);
  m.options.read_bandwidth = 20 * GIB;
  double total = 256.0 * MIB / (20.0 * (double)GIB) * 1e9;
  for (int i = 0; i < READERS; i++)
    lb_iolist_read(&m.list[i], 0, 256 * MIB, 4 * KIB, NULL);
  model_run(&m, 1, 0);
  is_near((double)m.done[0], total, total / 1000,
          "20 GiB/s in requests of 4 KiB, one reader");
  for (int i = 0; i < READERS; i++)
    m.list[i].v[0].length = 16 * MIB;
  model_run(&m, READERS, 100);
  is_near((double)m.done[READERS - 1], total, total / 1000, "sixteen readers");
  m.options.read_bandwidth = 1;
  m.list[0].v[0].request = 0;
  m.list[0].v[0].length = UINT64_MAX / 2;
  model_run(&m, 2, 0);
  ok(m.done[0] > (uint64_t)1 << 50 && m.done[0] < LB_NEVER / 4,
     "an absurd wait is long, but ends");
  model_fini(&m);
}

/* Each rate, with requests of every size, within 1 %; most are far better. */
static void rates_are_right(void)
{
  static const int64_t rate[] = {MIB, 100 * MIB, GIB, 5 * GIB, 20 * GIB};
  static const uint32_t request[] = {512, 4 * KIB, 100000, 256 * KIB, 4 * MIB};
  for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
    for (size_t j = 0; j < sizeof request / sizeof *request; j++) {
      struct model m;
      model_init(&m);
      m.options.read_bandwidth = rate[i];
      uint64_t each = (uint64_t)request[j] * 1000;
      for (int k = 0; k < READERS; k++)
        lb_iolist_read(&m.list[k], 0, each, request[j], NULL);
      model_run(&m, READERS, 50000);
      double want = (double)each * READERS / (double)rate[i] * 1e9;
      is_near((double)m.done[READERS - 1], want, want / 100,
              "%" PRId64 " MiB/s in requests of %u", rate[i] / MIB, request[j]);
      model_fini(&m);
    }
}

/* Lists of one thread follow each other from done to done: 10 ms from 5 ms ago
 * are over in 5 ms.  Where others use the machine it may take longer. */
static void late_threads_lose_nothing(void)
{
  struct lb_simulated options = {.write_latency = lb_dist_constant(10e-3)};
  struct lb_storage_env env = {.bandwidth_share = 1};
  struct lb_storage *s;
  struct lb_err err = LB_ERR_INIT;
  struct lb_iothread t;
  struct lb_iolist list;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_storage_open(&s, lb_backend_find("simulated"), &options, &env, &err);
  lb_iothread_init(&t, 4096, &err);
  lb_iolist_init(&list);
  lb_iolist_write(&list, 0, 4096, 0, NULL);
  double took = 0;
  for (int tries = 0; tries < 20 && (tries == 0 || took > 9e6); tries++) {
    uint64_t before = lb_clock_ns();
    t.late_ns = 5000000;
    lb_storage_run(s, &list, fd, &t, &err);
    took = (double)(lb_clock_ns() - before);
    took -= (double)t.late_ns;
  }
  ok(took >= 5e6 && took <= 9e6, "10 ms from 5 ms ago: %.1f ms", took / 1e6);
  lb_iolist_fini(&list);
  lb_iothread_fini(&t);
  lb_storage_close(s);
}

/* Charges 100000 requests, as a rank of its own. */
static void *rank_main(void *arg)
{
  struct lb_storage *s = arg;
  struct lb_io io = {.op = LB_OP_READ};
  struct lb_rng rng = {0};
  for (int i = 0; i < 100000; i++)
    s->backend->charge(s->self, &io, 1000, START, &rng);
  return NULL;
}

static void ranks_share_a_server(void)
{
  _Atomic uint64_t words[2];
  atomic_init(&words[0], 0);
  atomic_init(&words[1], 0);
  struct lb_simulated options = {.read_bandwidth = 1000000000};
  struct lb_storage_env env = {.server_free = words, .bandwidth_share = 1};
  struct lb_storage *s[2];
  struct lb_err err = LB_ERR_INIT;
  const struct lb_backend *b = lb_backend_find("simulated");
  for (int i = 0; i < 2; i++)
    is_int(lb_storage_open(&s[i], b, &options, &env, &err), 0, "rank %d", i);
  struct lb_rng rng = {0};
  struct lb_io io = {.op = LB_OP_READ};
  is_int(b->charge(s[0]->self, &io, 500, START, &rng), START + 500,
         "first rank");
  is_int(b->charge(s[1]->self, &io, 500, START, &rng), START + 1000,
         "the second waits for the first");
  is_int(b->charge(s[0]->self, &io, 500, START + 9000, &rng), START + 9500,
         "an idle server starts at once");
  io.op = LB_OP_WRITE;
  is_int(b->charge(s[0]->self, &io, 500, START, &rng), START,
         "writes: infinite");
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, rank_main, s[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  io.op = LB_OP_READ;
  is_int(b->charge(s[0]->self, &io, 0, START, &rng), START,
         "no bytes, no wait");
  is_int(b->charge(s[0]->self, &io, 1, START, &rng), START + 9500 + 200000001,
         "two ranks at once: every request found its place");
  for (int i = 0; i < 2; i++)
    lb_storage_close(s[i]);
  env.bandwidth_share = 0;
  is_int(lb_storage_open(&s[0], b, &options, &env, &err), -LB_FAILED,
         "no share of the bandwidth");
  is_str(err.msg,
         "storage 'simulated': share of the bandwidth 0 is outside "
         "0..1",
         "is refused");
}

static void draws_are_pure(void)
{
  struct model m;
  model_init(&m);
  m.options.read_latency =
      (struct lb_dist){.kind = lb_dist_find("uniform"), .p = {100e-6, 300e-6}};
  lb_iolist_read(&m.list[0], 0, 10000, 1, NULL);
  model_run(&m, 1, 0);
  uint64_t first = m.done[0];
  is_near((double)first, 1e4 * 200e3, 1e4 * 200e3 / 50,
          "drawn for each request: the mean is right");
  model_run(&m, 1, 5000);
  is_int(m.done[0], first, "the same stream draws the same");
  for (int i = 1; i < 4; i++)
    lb_iolist_read(&m.list[i], 0, 10000, 1, NULL);
  model_run(&m, 4, 0);
  is_int(m.done[0], first, "whoever else asks");
  ok(m.done[1] != first, "another stream draws others");
  model_fini(&m);
}

int main(void)
{
  bandwidth_is_shared_in_turn();
  latency_occupies_nobody();
  every_operation_has_its_price();
  directions_have_a_server_each();
  nothing_is_lost_to_rounding();
  rates_are_right();
  late_threads_lose_nothing();
  ranks_share_a_server();
  draws_are_pure();
  return done();
}
