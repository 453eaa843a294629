/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a list is said to cost is what both walkers count: random lists, and
 * library calls that cover operations. */
#include "lb-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "loadbank/clock.h"
#include "loadbank/rng.h"
#include "loadbank/storage.h"
#include "loadbank/usage.h"
#include "loadbank/virtual.h"
#include "tap.h"

#define MS UINT64_C(1000000)

enum { ROUNDS = 200, FILE_BYTES = 20000 };

static struct lb_storage *disk, *none;
static char path[300], other[300];

static bool counted(const struct lb_iostats *s, const struct lb_iolist *l)
{
  uint64_t count[LB_N_OPS] = {0}, bytes[LB_N_OPS] = {0};
  lb_iolist_cost(l, count, bytes);
  for (int op = 0; op < LB_N_OPS; op++) {
    const struct lb_iostat *c = s->cell[LB_PHASE_TRAIN][op];
    uint64_t n = c ? c->ns.count : 0, b = c ? c->bytes : 0;
    if (n != count[op] || b != bytes[op] || (c && c->errors)) {
      printf("# %s: counted %llu (%llu bytes), planned %llu (%llu)\n",
             lb_op_names[op], (unsigned long long)n, (unsigned long long)b,
             (unsigned long long)count[op], (unsigned long long)bytes[op]);
      return false;
    }
  }
  return true;
}

static bool costs_on_disk(struct lb_iolist *l)
{
  struct lb_iothread t;
  struct lb_err err = LB_ERR_INIT;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_iothread_init(&t, 4096, &err);
  t.phase = LB_PHASE_TRAIN;
  bool good = !lb_storage_run(disk, l, fd, &t, &err) && counted(t.stats, l);
  if (lb_err_is_set(&err))
    printf("# %s\n", err.msg);
  for (int slot = 0; slot < LB_IO_SLOTS; slot++)
    good &= fd[slot] == -1;
  lb_storage_release(disk, fd);
  lb_iothread_fini(&t);
  return good;
}

static bool costs_nowhere(struct lb_iolist *l)
{
  struct lb_iostats stats;
  struct lb_err err = LB_ERR_INIT;
  lb_iostats_init(&stats);
  struct lb_virtual *v = lb_virtual_new(none, &stats, &err);
  struct lb_vtask task = {.list = l, .phase = LB_PHASE_TRAIN};
  lb_virtual_submit(v, &task, 5, 10);
  bool good =
      lb_virtual_reap(v) == &task && task.t_ns == 5 && counted(&stats, l);
  lb_virtual_free(v);
  lb_iostats_fini(&stats);
  return good;
}

/* A list that can run: opens come before what needs them. */
static void random_list(struct lb_iolist *l, struct lb_rng *rng)
{
  bool is_open[LB_IO_SLOTS] = {false};
  int n = (int)(lb_rng_u64(rng) % 40);
  for (int i = 0; i < n; i++) {
    int slot = (int)(lb_rng_u64(rng) % LB_IO_SLOTS);
    struct lb_io io = {.slot = slot};
    if (!is_open[slot]) {
      io.op = LB_OP_OPEN;
      io.path = path;
      io.flags = slot % 2 ? LB_IO_WRITE : 0;
      is_open[slot] = true;
    } else {
      static const enum lb_op ops[] = {LB_OP_READ, LB_OP_READ, LB_OP_STAT,
                                       LB_OP_CLOSE};
      io.op = ops[lb_rng_u64(rng) % 4];
      if (io.op == LB_OP_READ) {
        io.op = slot % 2 ? LB_OP_WRITE : LB_OP_READ;
        io.offset = lb_rng_u64(rng) % FILE_BYTES;
        io.length = lb_rng_u64(rng) % (FILE_BYTES - io.offset + 1);
        io.request = 1 + (uint32_t)(lb_rng_u64(rng) % 4096);
      }
      is_open[slot] = io.op != LB_OP_CLOSE;
    }
    lb_iolist_add(l, io);
  }
  for (int slot = 0; slot < LB_IO_SLOTS; slot++)
    if (is_open[slot])
      lb_iolist_close(l)->slot = slot;
  lb_iolist_add(l,
                (struct lb_io){.op = LB_OP_LINK, .path = path, .path2 = other});
  lb_iolist_add(l, (struct lb_io){.op = LB_OP_UNLINK, .path = other});
}

static void random_lists_cost_what_they_say(void)
{
  struct lb_iolist l;
  lb_iolist_init(&l);
  struct lb_rng rng = lb_rng_stream(3, LB_RNG_ORDER, 0, 0);
  int on_disk = 0, nowhere = 0;
  for (int i = 0; i < ROUNDS; i++) {
    lb_iolist_clear(&l);
    random_list(&l, &rng);
    on_disk += costs_on_disk(&l);
    nowhere += costs_nowhere(&l);
  }
  is_int(on_disk, ROUNDS, "random lists cost what they say on local_fs");
  is_int(nowhere, ROUNDS, "and on none");
  lb_iolist_fini(&l);
}

struct library {
  int calls;
  uint64_t sleep_ns, burn_ns, lock_ns; /* what it does, and says of a lock */
};

static int library_open(void *arg, struct lb_io *io, int fd[LB_IO_SLOTS],
                        struct lb_err *err)
{
  struct library *library = arg;
  library->calls++;
  uint64_t end = lb_clock_thread_cpu_ns() + library->burn_ns;
  while (lb_clock_thread_cpu_ns() < end)
    for (volatile int i = 0; i < 10000;)
      i = i + 1;
  lb_clock_sleep_until(lb_clock_ns() + library->sleep_ns + library->lock_ns);
  io->waited_ns = library->lock_ns;
  fd[io->slot] = open(io->path, O_RDONLY | O_CLOEXEC);
  (void)err;
  return fd[io->slot] < 0 ? -errno : 0;
}

static int library_breaks(void *arg, struct lb_io *io, int fd[LB_IO_SLOTS],
                          struct lb_err *err)
{
  (void)arg, (void)io, (void)fd;
  lb_err_set(err, LB_FAILED, "the library's own words");
  return -EIO;
}

static void calls_stand_for_operations(void)
{
  struct lb_iolist l;
  lb_iolist_init(&l);
  struct library library = {0};
  struct lb_io *io = lb_iolist_open(&l, path, 0);
  io->call = library_open;
  io->call_arg = &library;
  io->covers = 3;
  lb_iolist_read(&l, 0, 1000, 300, NULL);
  lb_iolist_stat(&l);
  /* Cannot be run: beyond the end of the file. */
  lb_iolist_read(&l, 1 << 30, 8, 0, NULL);
  lb_iolist_read(&l, 0, 100, 0, NULL);
  lb_iolist_close(&l);
  ok(costs_on_disk(&l), "a call counts as what it covers, on local_fs");
  is_int(library.calls, 1, "it was made once");
  is_int(l.v[1].result, 1000, "what it covers has a result");
  ok(costs_nowhere(&l), "and on none");
  is_int(library.calls, 1, "which makes no call");
  l.v[0].covers = 1000;
  lb_iolist_clear(&l);
  io = lb_iolist_open(&l, path, 0);
  io->call = library_breaks;
  io->covers = 1000;
  struct lb_iothread t;
  struct lb_err err = LB_ERR_INIT;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_iothread_init(&t, 0, &err);
  is_int(lb_storage_run(disk, &l, fd, &t, &err), -LB_FAILED, "a failing call");
  is_str(err.msg, "the library's own words", "has the word");
  is_int(t.stats->cell[LB_PHASE_SETUP][LB_OP_OPEN]->errors, 1, "and counts");
  io->call = library_open;
  io->call_arg = &library;
  io->path = "/nowhere";
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_storage_run(disk, &l, fd, &t, &err), -LB_FAILED, "a silent one");
  is_str(err.msg, "open: /nowhere: No such file or directory (errno 2)",
         "is reported with its errno");
  lb_iothread_fini(&t);
  lb_iolist_fini(&l);
}

/* ms that the storage took of an open by the library. */
static double open_ms(struct library library, uint64_t *waited)
{
  struct lb_iolist l;
  struct lb_iothread t;
  struct lb_err err = LB_ERR_INIT;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_iolist_init(&l);
  lb_iothread_init(&t, 0, &err);
  struct lb_io *io = lb_iolist_open(&l, path, 0);
  io->call = library_open;
  io->call_arg = &library;
  lb_storage_run(disk, &l, fd, &t, &err);
  double ns = t.stats->cell[LB_PHASE_SETUP][LB_OP_OPEN]->ns.sum;
  *waited = t.waited_ns;
  lb_storage_release(disk, fd);
  lb_iothread_fini(&t);
  lb_iolist_fini(&l);
  return ns / 1e6;
}

static void a_call_has_time_of_its_own(void)
{
  uint64_t waited;
  double ms = open_ms((struct library){.sleep_ns = 20 * MS}, &waited);
  /* Going to sleep is CPU time within the sleep's own: a little less. */
  ok(ms >= 19 && waited == 0, "what a call waits is the storage's: %.1f", ms);
  struct library slow = {.sleep_ns = 5 * MS, .lock_ns = 400 * MS};
  ms = open_ms(slow, &waited);
  ok(ms >= 4 && ms < 300, "but its wait for a lock: %.1f of 405 ms", ms);
  is_int(waited, 400 * MS, "is counted apart");
  /* On a busy machine it waits for a processor, too. */
  struct lb_usage before = lb_usage_of_thread();
  ms = open_ms((struct library){.burn_ns = 300 * MS}, &waited);
  struct lb_usage now = lb_usage_of_thread();
  ms -= (double)(now.wait_ns - before.wait_ns) / 1e6;
  ok(ms < 200, "nor is the library's own CPU time: %.1f of 300 ms", ms);
}

static int never(void *arg, const char *name)
{
  (void)arg, (void)name;
  return 1;
}

static void nothing_happens_on_none(void)
{
  struct lb_iothread t;
  struct lb_err err = LB_ERR_INIT;
  lb_iothread_init(&t, 0, &err);
  struct lb_io io = {.op = LB_OP_UNLINK, .path = path};
  is_int(lb_storage_do(none, io, &t, &err), 0, "do on a virtual backend");
  is_int(lb_storage_list(none, "/", never, NULL, &t, &err), 0, "list");
  is_int(lb_storage_mkdirs(none, "/proc/x", false, &t, &err), 0, "mkdirs");
  ok(!t.stats->cell[LB_PHASE_SETUP][LB_OP_UNLINK], "counts nothing");
  struct lb_iolist l;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  lb_iolist_init(&l);
  lb_iolist_open(&l, path, 0);
  lb_iolist_read(&l, 0, 10, 4, NULL);
  is_int(lb_storage_run(none, &l, fd, &t, &err), 0, "a list alone runs");
  is_int(t.stats->cell[LB_PHASE_SETUP][LB_OP_READ]->ns.count, 3,
         "and its requests are counted");
  is_int(t.stats->cell[LB_PHASE_SETUP][LB_OP_READ]->bytes, 10, "as its bytes");
  lb_iolist_fini(&l);
  lb_iothread_fini(&t);
}

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  snprintf(path, sizeof path, "%s/file", tap_tmpdir());
  snprintf(other, sizeof other, "%s/other", tap_tmpdir());
  FILE *f = fopen(path, "w");
  for (int i = 0; f && i < FILE_BYTES; i++)
    putc(i, f);
  ok(f && !fclose(f), "a file");
  lb_storage_open(&disk, lb_backend_find("local_fs"), NULL, NULL, &err);
  lb_storage_open(&none, lb_backend_find("none"), NULL, NULL, &err);
  random_lists_cost_what_they_say();
  calls_stand_for_operations();
  a_call_has_time_of_its_own();
  nothing_happens_on_none();
  lb_storage_close(disk);
  lb_storage_close(none);
  return done();
}
