/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker of virtual backends: order of time, nothing lost. */
#include "lb-config.h"

#include "loadbank/virtual.h"

#include <string.h>

#include "loadbank/rng.h"
#include "tap.h"

enum { TASKS = 64, LISTS = 3000 };

/* A backend that notes when it was asked; a request takes `offset' ns. */
struct notes {
  uint64_t last, n, out_of_order;
};

static uint64_t note(void *self, const struct lb_io *io, size_t length,
                     uint64_t t_ns, struct lb_rng *rng)
{
  (void)rng;
  (void)length;
  struct notes *notes = self;
  notes->out_of_order += t_ns < notes->last;
  notes->last = t_ns;
  notes->n++;
  return t_ns + io->offset;
}

static const struct lb_backend noting = {
    .name = "noting", .is_virtual = true, .charge = note};

struct walker {
  struct notes notes;
  struct lb_storage storage;
  struct lb_iostats stats;
  struct lb_virtual *v;
};

static void walker_init(struct walker *w)
{
  struct lb_err err = LB_ERR_INIT;
  *w = (struct walker){.storage = {.backend = &noting, .self = &w->notes}};
  lb_iostats_init(&w->stats);
  w->v = lb_virtual_new(&w->storage, &w->stats, &err);
}

static void walker_fini(struct walker *w)
{
  lb_virtual_free(w->v);
  lb_iostats_fini(&w->stats);
}

static void one_task_goes_its_way(void)
{
  struct walker w;
  walker_init(&w);
  struct lb_virtual *v = w.v;
  ok(lb_virtual_deadline(v) == LB_NEVER, "idle: no deadline");
  ok(!lb_virtual_reap(v), "idle: nothing to reap");

  struct lb_iolist l;
  lb_iolist_init(&l);
  lb_iolist_read(&l, 100, 10, 0, NULL);
  lb_iolist_read(&l, 50, 25, 10, NULL); /* three requests */
  struct lb_vtask task = {.list = &l, .phase = LB_PHASE_TRAIN};
  lb_virtual_submit(v, &task, 1000, 1000);
  is_int(w.notes.n, 1, "the first request is charged at once");
  is_int(lb_virtual_deadline(v), 1100, "the next one has to wait");
  lb_virtual_advance(v, 1099);
  is_int(w.notes.n, 1, "until then");
  lb_virtual_advance(v, 1160);
  is_int(w.notes.n, 3, "what is due by now is charged");
  is_int(lb_virtual_deadline(v), 1200, "from done to done");
  ok(!lb_virtual_reap(v), "not done");
  lb_virtual_advance(v, 1249);
  is_int(w.notes.n, 4, "all is charged");
  ok(!lb_virtual_reap(v), "but not yet done");
  is_int(lb_virtual_deadline(v), 1250, "there is one more deadline");
  lb_virtual_advance(v, 5000);
  ok(lb_virtual_reap(v) == &task, "done");
  is_int(task.t_ns, 1250, "at its time, however late one looks");
  ok(lb_virtual_deadline(v) == LB_NEVER, "idle again");
  struct lb_iostat *c = w.stats.cell[LB_PHASE_TRAIN][LB_OP_READ];
  is_int(c->ns.count, 4, "requests");
  is_int(c->ns.max, 100, "latencies are the backend's");
  is_int(c->ns.min, 50, "of each request");

  lb_virtual_submit(v, &task, 9000, 8000);
  is_int(w.notes.n, 4, "a start in the future waits");
  is_int(lb_virtual_deadline(v), 9000, "for its time");
  lb_virtual_advance(v, 10000);
  ok(lb_virtual_reap(v) == &task && task.t_ns == 9250, "and then goes");
  lb_virtual_delay(v, &task, 12000);
  ok(!lb_virtual_reap(v), "a delay is not done at once");
  is_int(lb_virtual_deadline(v), 12000, "but at its time");
  lb_virtual_advance(v, 12000);
  ok(lb_virtual_reap(v) == &task && task.t_ns == 12000, "done");
  is_int(w.notes.n, 8, "without a request");
  lb_iolist_clear(&l);
  lb_virtual_submit(v, &task, 13000, 13000);
  ok(lb_virtual_reap(v) == &task && task.t_ns == 13000,
     "an empty list is done when it starts");
  walker_fini(&w);
  lb_iolist_fini(&l);
}

static void equal_times_first_come(void)
{
  struct walker w;
  walker_init(&w);
  struct lb_virtual *v = w.v;
  struct lb_vtask task[TASKS];
  memset(task, 0, sizeof task);
  for (int i = 0; i < TASKS; i++)
    lb_virtual_delay(v, &task[i], 100);
  lb_virtual_advance(v, 100);
  bool in_order = true;
  for (int i = 0; i < TASKS; i++)
    in_order &= lb_virtual_reap(v) == &task[i];
  ok(in_order && !lb_virtual_reap(v), "at equal times, first come first done");
  walker_fini(&w);
}

/* One who wakes late and submits first must not overtake what was due. */
static void late_submits_do_not_overtake(void)
{
  struct walker w;
  walker_init(&w);
  struct lb_virtual *v = w.v;
  struct lb_iolist l[3];
  struct lb_vtask task[3];
  memset(task, 0, sizeof task);
  for (int i = 0; i < 3; i++) {
    lb_iolist_init(&l[i]);
    lb_iolist_read(&l[i], 100, 50, 10, NULL);
    task[i].list = &l[i];
  }
  lb_virtual_submit(v, &task[0], 500, 100);
  lb_virtual_submit(v, &task[1], 730, 100);
  is_int(w.notes.n, 0, "nothing is due");
  lb_virtual_submit(v, &task[2], 650, 2000);
  is_int(w.notes.n, 15, "a late submit runs all that is due");
  is_int(w.notes.out_of_order, 0, "in order of time");
  ok(lb_virtual_reap(v) == &task[0] && lb_virtual_reap(v) == &task[2] &&
         lb_virtual_reap(v) == &task[1] && !lb_virtual_reap(v),
     "to its end");
  for (int i = 0; i < 3; i++)
    lb_iolist_fini(&l[i]);
  walker_fini(&w);
}

/* A slot of a random life: its list, and what its end must be. */
struct life {
  struct lb_vtask task;
  struct lb_iolist list;
  uint64_t end;
  bool busy;
};

static void fill(struct life *life, struct lb_rng *rng)
{
  lb_iolist_clear(&life->list);
  life->end = 0;
  int n = (int)(lb_rng_u64(rng) % 6);
  for (int i = 0; i < n; i++) {
    struct lb_io *io = lb_iolist_read(&life->list, lb_rng_u64(rng) % 4 * 100,
                                      lb_rng_u64(rng) % 50, 10, NULL);
    life->end += io->offset * lb_io_requests(io);
  }
}

static void random_lives_are_in_order(void)
{
  static struct life life[TASKS];
  struct walker w;
  walker_init(&w);
  struct lb_virtual *v = w.v;
  struct lb_rng rng = lb_rng_stream(4, LB_RNG_ORDER, 0, 0);
  uint64_t now = 1000, started = 0, ended = 0, wrong = 0, early = 0;
  for (int i = 0; i < TASKS; i++)
    lb_iolist_init(&life[i].list);
  while (ended < LISTS) {
    for (int i = 0; i < TASKS && started < LISTS; i++) {
      if (life[i].busy || lb_rng_u64(&rng) % 2)
        continue;
      fill(&life[i], &rng);
      uint64_t start = now + lb_rng_u64(&rng) % 2 * 300;
      life[i].end += start;
      life[i].busy = true;
      life[i].task.list = &life[i].list;
      life[i].task.owner = &life[i];
      started++;
      lb_virtual_submit(v, &life[i].task, start, now);
    }
    for (struct lb_vtask *t; (t = lb_virtual_reap(v));) {
      struct life *mine = t->owner;
      wrong += t->t_ns != mine->end || !mine->busy;
      early += t->t_ns > now;
      mine->busy = false;
      ended++;
    }
    /* Wakes up on time, or late. */
    uint64_t deadline = lb_virtual_deadline(v);
    if (deadline != LB_NEVER && deadline > now)
      now = deadline;
    now += lb_rng_u64(&rng) % 3 * 170;
    lb_virtual_advance(v, now);
  }
  is_int(w.notes.out_of_order, 0,
         "requests reach the backend in order of time");
  is_int(wrong, 0, "every list is done at the sum of its requests");
  is_int(early, 0, "none is reaped before its time");
  is_int(started, LISTS, "all lists were run");
  ok(w.notes.n > LISTS, "with several requests each");
  for (int i = 0; i < TASKS; i++)
    lb_iolist_fini(&life[i].list);
  walker_fini(&w);
}

int main(void)
{
  one_task_goes_its_way();
  equal_times_first_come();
  late_submits_do_not_overtake();
  random_lives_are_in_order();
  return done();
}
