/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loader's pool of threads over a real file system: what is read, what
 * fails, what an end in the middle leaves behind. */
#include "lb-config.h"

#include "loader_rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loadbank/faulty.h"
#include "tap.h"

#define MS UINT64_C(1000000)

/* ---- order ---- */

static void test_once(int k, int64_t threads, int64_t prefetch, bool files,
                      bool samples)
{
  struct rig r;
  rig_init(&r, "local_fs", NULL, 7, 31);
  rig_set(&r, k, threads, prefetch);
  rig_start(&r);
  for (int pass = 0; pass < 2; pass++) {
    rig_begin(&r, 3, files, samples);
    int64_t n = r.pass.batches;
    is_int(rig_take(&r, n, NULL), k * n, "%d accelerators, %d readers: batches",
           k, (int)threads);
    is_int(rig_wrong(&r), 0,
           "file_shuffle %d, sample_shuffle %d: each sample once, in order, by "
           "its reader",
           files, samples);
    rig_end(&r);
  }
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  uint64_t batches = 2 * (uint64_t)r.pass.batches * (uint64_t)k;
  is_int(c.batches, batches, "batches of both passes counted");
  is_int(c.samples, 3 * batches, "samples");
  is_int(c.samples_seen, 3 * batches, "samples that readers saw");
  is_int(c.sample_bytes_seen, 7 * 3 * batches, "and their bytes");
  is_int(r.tape.readers, k * (threads ? threads : 1),
         "readers are made once, not for each pass");
  rig_fini(&r);
}

/* All threads are there before anything is asked for, and no more come. */
static void test_threads(void)
{
  struct rig r;
  int64_t before = tap_threads();
  rig_init(&r, "local_fs", NULL, 8, 8);
  rig_set(&r, 4, 4, 8);
  rig_start(&r);
  is_int(lb_loader_cost(r.loader, NULL).threads, 16, "a thread a reader");
  is_int(tap_threads() - before, 16, "made with the loader");
  for (int pass = 0; pass < 2; pass++) {
    rig_begin(&r, 2, true, true);
    is_int(rig_take(&r, 8, NULL), 32, "a pass");
    is_int(tap_threads() - before, 16, "makes no thread");
    rig_end(&r);
  }
  rig_fini(&r);
}

static void test_no_memory(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  struct lb_loader *l = NULL;
  rig_init(&r, "local_fs", NULL, 1, 1);
  rig_set(&r, 2, 2, 2);
  r.c.scratch_bytes = SIZE_MAX;
  int64_t before = tap_threads();
  is_int(lb_loader_new(&l, &r.c, &err), -LB_FAILED,
         "a reader's buffer that cannot be had: %s", err.msg);
  is_int(tap_threads(), before, "no thread is left");
  rig_fini(&r);
}

/* What readers have used is known at the end of a pass, however short. */
static void test_usage(void)
{
  struct rig r;
  rig_init(&r, "local_fs", NULL, 4000, 1);
  rig_set(&r, 1, 2, 4);
  rig_start(&r);
  is_int(lb_loader_cost(r.loader, NULL).cpu_ns, 0, "nothing used at first");
  rig_begin(&r, 1, false, true);
  rig_take(&r, 4000, NULL);
  rig_end(&r);
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  ok(c.cpu_ns > 0 && c.user_ns <= c.cpu_ns + 2000 * 2,
     "a short pass has CPU time: %d us, %d outside the kernel",
     (int)(c.cpu_ns / 1000), (int)(c.user_ns / 1000));
  rig_fini(&r);
}

static void test_few_threads(void)
{
  struct rig r;
  rig_init(&r, "local_fs", NULL, 16, 8);
  rig_set(&r, 4, 4, 4);
  r.c.max_threads = 2;
  rig_start(&r);
  rig_begin(&r, 2, true, true);
  is_int(rig_take(&r, 16, NULL), 64, "16 readers on 2 threads");
  is_int(rig_wrong(&r), 0, "read the same");
  is_int(lb_loader_cost(r.loader, NULL).threads, 2, "and no thread more");
  rig_end(&r);
  rig_fini(&r);
}

/* Looks until n samples have been begun, then a little longer: no more. */
static void begun_settles_at(struct rig *r, int64_t n, const char *text)
{
  uint64_t end = lb_clock_ns() + 30 * (uint64_t)LB_NS_PER_S;
  while (atomic_load(&r->tape.begun) < n && lb_clock_ns() < end)
    lb_clock_sleep_until(lb_clock_ns() + MS);
  lb_clock_sleep_until(lb_clock_ns() + 20 * MS);
  is_int(atomic_load(&r->tape.begun), n, "%s", text);
}

static void test_ahead(void)
{
  struct rig r;
  rig_init(&r, "local_fs", NULL, 100, 1);
  rig_set(&r, 2, 2, 4);
  rig_start(&r);
  rig_begin(&r, 5, false, false);
  lb_loader_ask(r.loader, 0, true, lb_clock_ns());
  begun_settles_at(&r, 0, "an ask alone disturbs no reader");
  lb_loader_flush(r.loader, lb_clock_ns());
  begun_settles_at(&r, 4 * 5, "4 batches of one accelerator are read ahead");
  ok(lb_loader_take(r.loader, 0) > 0, "the first is ready");
  lb_loader_ask(r.loader, 0, false, lb_clock_ns());
  lb_loader_ask(r.loader, 0, true, lb_clock_ns());
  lb_loader_flush(r.loader, lb_clock_ns());
  begun_settles_at(&r, 5 * 5, "one taken, one more");
  ok(lb_loader_take(r.loader, 1) == 0, "nothing for whom has not asked");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- real files ---- */

static void test_npy(bool memory)
{
  struct rig r;
  rig_init(&r, "local_fs", "npy", 12, 5);
  r.params.memory = memory;
  rig_make(&r);
  rig_set(&r, 1, 1, 2);
  rig_start(&r);
  for (uint64_t pass = 1; pass <= 2; pass++) {
    rig_begin(&r, 4, false, false);
    is_int(rig_take(&r, 15, NULL), 15, "npy, memory %d: 15 batches", memory);
    rig_end(&r);
    is_int(rig_count(&r, LB_OP_OPEN, NULL), pass * (memory ? 12 : 60),
           "%d files are opened", memory ? 12 : 60);
    is_int(rig_count(&r, LB_OP_CLOSE, NULL), rig_count(&r, LB_OP_OPEN, NULL),
           "and closed");
  }
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  is_int(c.payload_bytes, 2 * (memory ? 12 : 60) * 5 * 1000, "payload bytes");
  is_int(c.sample_bytes_seen, c.samples_seen * 1000, "size of a sample");
  rig_fini(&r);
}

static void test_preprocess(void)
{
  struct rig r;
  uint64_t ready[6], start = lb_clock_ns();
  rig_init(&r, "local_fs", NULL, 12, 1);
  r.preprocess = lb_dist_constant(4e-3);
  rig_set(&r, 1, 2, 2);
  rig_start(&r);
  rig_begin(&r, 2, false, false);
  rig_take(&r, 6, ready);
  bool good = true;
  for (int b = 0; b < 6; b++)
    good = good && ready[b] >= start + (uint64_t)(b / 2 + 1) * 8 * MS;
  ok(good, "a reader's batches are not ready before their preprocessing");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- failing ---- */

static void add_fault(struct rig *r, const struct lb_fault *fault)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage *outer = NULL;
  ok(lb_faulty_open(&outer, r->storage, fault, &err) == 0, "faulty storage");
  r->storage = r->c.storage = outer;
}

static void test_failure(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  rig_init(&r, "local_fs", "npy", 12, 1);
  rig_make(&r);
  const struct lb_fault fault = {
      .op = LB_OP_READ, .path = "img_07", .sys = EIO, .delay_ns = 50 * MS};
  add_fault(&r, &fault);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  uint64_t start = lb_clock_ns();
  is_int(rig_take(&r, 12, NULL), 7, "the batches before the bad file");
  ok(lb_clock_ns() < start + 30 * (uint64_t)LB_NS_PER_S,
     "who waits is woken by the failure");
  ok(lb_loader_failed(r.loader, &err) == -LB_FAILED && err.sys == EIO &&
         strstr(err.msg, "img_07_of_12.npy"),
     "it has errno and path: %s", err.msg);
  struct lb_err earlier = LB_ERR_INIT;
  lb_err_set(&earlier, LB_USAGE, "earlier");
  ok(lb_loader_failed(r.loader, &earlier) == -LB_USAGE &&
         !strcmp(earlier.msg, "earlier"),
     "an earlier cause is kept");
  rig_end(&r);
  rig_fini(&r);
}

/* Two accelerators, two roots, of which one has the files: what fails? */
static void test_root(int good, const char *missing)
{
  struct rig r;
  struct lb_layout roots[2];
  struct lb_err err = LB_ERR_INIT;
  rig_init(&r, "local_fs", "npy", 4, 1);
  rig_make(&r);
  roots[good] = roots[1 - good] = r.layout;
  snprintf(roots[1 - good].root, sizeof roots[0].root, "%s/elsewhere",
           tap_tmpdir());
  r.c.layout = roots;
  r.c.n_layouts = 2;
  rig_set(&r, 2, 1, 1);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  rig_take(&r, 2, NULL);
  lb_loader_failed(r.loader, &err);
  ok(err.sys == ENOENT && strstr(err.msg, missing),
     "accelerator %d goes through the root without files: %s", 1 - good,
     err.msg);
  rig_end(&r);
  rig_fini(&r);
}

static void test_long_path(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  rig_init(&r, "local_fs", "npy", 4, 1);
  memset(r.layout.root, 'a', sizeof r.layout.root - 10);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  is_int(rig_take(&r, 1, NULL), 0, "a path that does not fit");
  ok(lb_loader_failed(r.loader, &err) == -LB_FAILED && err.sys == ENAMETOOLONG,
     "says so: %.40s", err.msg);
  rig_end(&r);
  rig_fini(&r);
}

/* ---- ending while reads are under way ---- */

static void test_end(void)
{
  struct rig r;
  rig_init(&r, "local_fs", "npy", 64, 1);
  rig_make(&r);
  int files = tap_open_files();
  const struct lb_fault fault = {
      .op = LB_OP_READ, .times = 8, .delay_ns = 300 * MS};
  add_fault(&r, &fault);
  rig_set(&r, 4, 2, 4);
  rig_start(&r);
  for (int i = 0; i < 3; i++) {
    rig_begin(&r, 8, false, true);
    for (int a = 0; a < 4; a++)
      lb_loader_ask(r.loader, a, true, lb_clock_ns());
    lb_loader_flush(r.loader, lb_clock_ns());
    lb_clock_sleep_until(lb_clock_ns() + 5 * MS);
    uint64_t start = lb_clock_ns();
    rig_end(&r);
    ok(lb_clock_ns() < start + 30 * (uint64_t)LB_NS_PER_S,
       "end comes back although readers read");
    is_int(tap_open_files(), files, "and no file stays open");
    if (i == 0) /* all 8 readers stood in their first read */
      ok(rig_count(&r, LB_OP_OPEN, NULL) < 64, "what was not begun is dropped");
  }
  rig_begin(&r, 1, true, true);
  is_int(rig_take(&r, 16, NULL), 64, "a new pass is whole");
  rig_end(&r);
  is_int(tap_open_files(), files, "all files are closed");
  rig_fini(&r);
}

/* Without an end, as when a run fails while it sets up. */
static void test_free_at_once(void)
{
  struct rig r;
  int files = tap_open_files();
  rig_init(&r, "local_fs", "npy", 8, 1);
  rig_make(&r);
  rig_start(&r);
  rig_fini(&r);
  rig_init(&r, "local_fs", "npy", 8, 1);
  rig_set(&r, 2, 4, 8);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  lb_loader_ask(r.loader, 0, true, lb_clock_ns());
  lb_loader_flush(r.loader, lb_clock_ns());
  rig_fini(&r);
  is_int(tap_open_files(), files, "freed in the middle: no file stays open");
}

/* ---- many at once ---- */

static void test_stress(void)
{
  struct rig r;
  int files = tap_open_files();
  rig_init(&r, "local_fs", "npy", 64, 64);
  r.params.memory = true;
  rig_make(&r);
  rig_set(&r, 16, 4, 8);
  rig_start(&r);
  for (int pass = 0; pass < 3; pass++) {
    rig_begin(&r, 2, true, true);
    is_int(rig_take(&r, r.pass.batches, NULL), 16 * r.pass.batches,
           "16 accelerators x 4 readers: all batches");
    rig_end(&r);
  }
  is_int(lb_loader_cost(r.loader, NULL).samples, 3 * 64 * 64, "all samples");
  rig_fini(&r);
  is_int(tap_open_files(), files, "no file stays open");
}

/* Each batch is waited for, so readers and conductor sleep and wake all the
 * time. */
static void test_wakes(int k, int64_t threads)
{
  struct rig r;
  rig_init(&r, "local_fs", NULL, 40000, 1);
  rig_set(&r, k, threads, threads);
  rig_start(&r);
  rig_begin(&r, 1, false, true);
  is_int(rig_take(&r, r.pass.batches, NULL), 40000,
         "%d accelerators, %d readers: 40000 batches of one sample", k,
         (int)threads);
  is_int(rig_wrong(&r), 0, "each once");
  rig_end(&r);
  rig_fini(&r);
}

int main(void)
{
  for (int both = 0; both < 4; both++) {
    test_once(1, 1, 2, both & 1, both & 2);
    test_once(3, 2, 3, both & 1, both & 2);
    test_once(4, 0, 2, both & 1, both & 2);
  }
  test_threads();
  test_no_memory();
  test_usage();
  test_few_threads();
  test_ahead();
  test_npy(false);
  test_npy(true);
  test_preprocess();
  test_failure();
  test_root(0, "/elsewhere/train/img_2_of_4.npy");
  test_root(1, "/elsewhere/train/img_0_of_4.npy");
  test_long_path();
  test_end();
  test_free_at_once();
  test_stress();
  test_wakes(8, 1);
  test_wakes(2, 0);
  test_wakes(4, 4);
  return done();
}
