/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loader's ring: what is read, with O_DIRECT and without, what fails, and
 * what an end in the middle leaves behind. */
#include "lb-config.h"

#include "loader_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/ring.h"
#include "tap.h"

#define MS UINT64_C(1000000)

static void init(struct rig *r, const char *format, int64_t files,
                 int64_t samples)
{
  rig_init(r, "uring", format, files, samples);
  r->storage->ring = (struct lb_ring_shape){.depth = 64};
}

static void test_once(int k, int64_t threads, int64_t prefetch, bool shuffle)
{
  struct rig r;
  int before = tap_threads();
  init(&r, NULL, 7, 31);
  rig_set(&r, k, threads, prefetch);
  rig_start(&r);
#ifndef __SANITIZE_THREAD__ /* has a thread of its own, from the first on */
  is_int(tap_threads() - before, 1, "one thread for all readers");
#else
  ok(tap_threads() > before, "a thread for all readers");
#endif
  for (int pass = 0; pass < 2; pass++) {
    rig_begin(&r, 3, shuffle, shuffle);
    int64_t n = r.pass.batches;
    is_int(rig_take(&r, n, NULL), k * n, "%d accelerators, %d readers: batches",
           k, (int)threads);
    is_int(rig_wrong(&r), 0, "each sample once, in order, by its reader");
    rig_end(&r);
  }
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  is_int(c.batches, 2 * r.pass.batches * k, "batches of both passes counted");
  is_int(c.threads, 1, "one thread counted");
  rig_fini(&r);
}

static void test_npy(bool direct, int64_t depth, bool registered)
{
  struct rig r;
  int files = tap_open_files();
  init(&r, "npy", 24, 25);
  r.storage->ring =
      (struct lb_ring_shape){.depth = depth, .registered = registered};
  r.params.request = 4096;
  rig_make(&r);
  r.params.open_flags = direct ? LB_IO_DIRECT : 0;
  rig_set(&r, 2, 4, 8);
  rig_start(&r);
  rig_begin(&r, 5, true, true);
  is_int(rig_take(&r, r.pass.batches, NULL), 120,
         "depth %d, O_DIRECT %d, registered %d: all batches", (int)depth,
         direct, registered);
  rig_end(&r);
  is_int(rig_count(&r, LB_OP_OPEN, NULL), 600,
         "a file is opened for each sample");
  is_int(rig_count(&r, LB_OP_CLOSE, NULL), 600, "and closed");
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  is_int(c.payload_bytes, 600 * 25000, "payload bytes");
  is_int(c.sample_bytes_seen, c.samples_seen * 1000, "size of a sample");
  rig_fini(&r);
  is_int(tap_open_files(), files, "no file stays open");
}

/* Readers may be two batches ahead: of those before the seventh one may have
 * been ready, but not taken, when that failed. */
static bool all_before_seventh(int64_t had)
{
  return had == 6 || had == 7;
}

static void test_missing(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  char path[400];
  init(&r, "npy", 12, 1);
  rig_make(&r);
  snprintf(path, sizeof path, "%s/train/img_07_of_12.npy", tap_tmpdir());
  is_int(truncate(path, 500), 0, "a file is cut");
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  ok(all_before_seventh(rig_take(&r, 12, NULL)), "the batches before it");
  ok(lb_loader_failed(r.loader, &err) == -LB_FAILED &&
         strstr(err.msg, "img_07_of_12.npy"),
     "it is named: %s", err.msg);
  rig_end(&r);
  rig_fini(&r);
  unlink(path);
  init(&r, "npy", 12, 1);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  ok(all_before_seventh(rig_take(&r, 12, NULL)),
     "the batches before one that is missing");
  err = (struct lb_err)LB_ERR_INIT;
  char want[500];
  snprintf(want, sizeof want, "open: %s: No such file or directory (errno 2)",
           path);
  lb_loader_failed(r.loader, &err);
  is_str(err.msg, want, "worded as for any other backend");
  uint64_t errors;
  rig_end(&r);
  rig_count(&r, LB_OP_OPEN, &errors);
  is_int(errors, 1, "and counted");
  rig_fini(&r);
}

/* npz checks a sum over the bytes in their order. */
static void test_verify(const char *format, bool direct)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  char path[400], wrong = 1;
  init(&r, format, 24, 25);
  r.params.request = 4096;
  r.c.verify = LB_VERIFY_FULL;
  rig_make(&r);
  r.params.open_flags = direct ? LB_IO_DIRECT : 0;
  rig_set(&r, 2, 4, 8);
  rig_start(&r);
  rig_begin(&r, 5, true, true);
  is_int(rig_take(&r, r.pass.batches, NULL), 120, "%s, O_DIRECT %d, verified",
         format, direct);
  lb_loader_failed(r.loader, &err);
  is_str(err.msg, "", "as it was made");
  rig_end(&r);
  struct lb_loader_cost c = lb_loader_cost(r.loader, NULL);
  is_int(c.verified_samples, 600, "all samples");
  is_int(c.verified_bytes, c.payload_bytes, "all bytes");
  ok(c.verify_ns > 0, "it took time");
  snprintf(path, sizeof path, "%s/train/img_07_of_24.%s", tap_tmpdir(), format);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  ok(pwrite(fd, &wrong, 1, 20000) == 1, "another byte in %s", path);
  close(fd);
  rig_begin(&r, 5, true, true);
  ok(rig_take(&r, r.pass.batches, NULL) < 120, "is found");
  ok(lb_loader_failed(r.loader, &err) == -LB_FAILED && strstr(err.msg, path) &&
         strstr(err.msg, "byte 20000 of the file is 0x01"),
     "and named: %s", err.msg);
  rig_end(&r);
  unlink(path); /* the next one makes it again */
  rig_fini(&r);
}

/* That a file is not there may be an answer. */
static void test_optional(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage *s;
  struct lb_iothread io;
  struct lb_iolist l;
  int fd[LB_IO_SLOTS] = {-1, -1, -1, -1};
  is_int(lb_storage_open(&s, lb_backend_find("uring"), NULL, NULL, &err), 0,
         "uring");
  is_int(lb_iothread_init(&io, 4096, &err), 0, "thread");
  struct lb_ring *ring = lb_ring_new(
      s, &io, &(struct lb_ring_room){.depth = 8, .request = 4096, .used = 4096},
      &err);
  lb_iolist_init(&l);
  lb_iolist_open(&l, "/nowhere/at/all", LB_IO_OPTIONAL);
  lb_iolist_add(&l, (struct lb_io){.op = LB_OP_STAT, .path = "/"});
  struct lb_rtask task = {.list = &l, .fd = fd, .phase = LB_PHASE_SETUP};
  struct lb_rtask *ended;
  lb_ring_submit(ring, &task);
  while (!(ended = lb_ring_reap(ring)))
    lb_ring_go(ring, true);
  ok(ended == &task && !task.failed, "a list with a file that is not there: %s",
     lb_ring_failure(ring)->msg);
  is_int(fd[0], -1, "its slot stays empty");
  ok(l.v[1].result > 0, "what follows is done");
  is_int(io.stats->cell[LB_PHASE_SETUP][LB_OP_OPEN]->errors, 0, "no error");
  lb_ring_free(ring);
  lb_iolist_fini(&l);
  lb_iothread_fini(&io);
  lb_storage_close(s);
}

static void test_preprocess(void)
{
  struct rig r;
  uint64_t ready[6], start = lb_clock_ns();
  init(&r, NULL, 12, 1);
  r.preprocess = lb_dist_constant(4e-3);
  rig_set(&r, 1, 2, 2);
  rig_start(&r);
  rig_begin(&r, 2, false, false);
  is_int(rig_take(&r, 6, ready), 6, "batches with preprocessing");
  bool good = true;
  for (int b = 0; b < 6; b++)
    good = good && ready[b] >= start + (uint64_t)(b / 2 + 1) * 8 * MS;
  ok(good, "a reader's batches are not ready before their preprocessing");
  rig_end(&r);
  /* A pass that ends while all readers preprocess. */
  r.preprocess = lb_dist_constant(100);
  rig_begin(&r, 2, false, false);
  lb_loader_ask(r.loader, 0, true, lb_clock_ns());
  lb_loader_flush(r.loader, lb_clock_ns());
  lb_clock_sleep_until(lb_clock_ns() + 5 * MS);
  start = lb_clock_ns();
  rig_end(&r);
  ok(lb_clock_ns() < start + 30 * (uint64_t)LB_NS_PER_S, "an end cuts it");
  rig_fini(&r);
}

static void test_end(void)
{
  struct rig r;
  int files = tap_open_files();
  init(&r, "npy", 64, 64);
  rig_make(&r);
  rig_set(&r, 4, 4, 8);
  rig_start(&r);
  for (int i = 0; i < 5; i++) {
    rig_begin(&r, 8, true, true);
    for (int a = 0; a < 4; a++)
      lb_loader_ask(r.loader, a, true, lb_clock_ns());
    lb_loader_flush(r.loader, lb_clock_ns());
    lb_clock_sleep_until(lb_clock_ns() + (uint64_t)i * MS / 4);
    rig_end(&r);
  }
  rig_begin(&r, 8, true, true);
  is_int(rig_take(&r, 16, NULL), 64, "a new pass is whole");
  rig_fini(&r);
  is_int(tap_open_files(), files, "no file stays open");
}

/* A batch is waited for all the time, so that the thread sleeps and wakes. */
static void test_wakes(void)
{
  struct rig r;
  init(&r, NULL, 10000, 1);
  rig_set(&r, 4, 2, 2);
  rig_start(&r);
  rig_begin(&r, 1, false, true);
  is_int(rig_take(&r, r.pass.batches, NULL), 10000, "10000 small batches");
  is_int(rig_wrong(&r), 0, "each once");
  rig_end(&r);
  rig_fini(&r);
}

int main(void)
{
  const char *why = lb_ring_unavailable();
  if (why) {
    ok(true, "io_uring # SKIP %s", why);
    return done();
  }
  test_once(1, 1, 2, false);
  test_once(3, 2, 3, true);
  test_once(4, 0, 2, true);
  test_npy(false, 64, false);
  test_npy(false, 3, true);
  test_npy(true, 16, false);
  test_npy(true, 1, true);
  test_missing();
  test_verify("npy", false);
  test_verify("npz", false);
  test_verify("npz", true);
  test_optional();
  test_preprocess();
  test_end();
  test_wakes();
  return done();
}
