/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loaders whose readers share batches, in both engines: what is read, how
 * far ahead, and on virtual storage to the ns when. */
#include "lb-config.h"

#include "loader_rig.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define MS UINT64_C(1000000)
static const uint64_t t0 = 1000 * MS;

/* ---- order ---- */

/* Each kind with both samplers, over both engines. */
static void test_once(const char *loader, const char *backend, int k,
                      struct lb_loader_knobs knobs, int shuffles)
{
  for (int iterative = 0; iterative < 2; iterative++) {
    struct rig r;
    knobs.iterative = iterative;
    rig_init(&r, backend, NULL, 7, 31);
    rig_loader(&r, loader, k, &knobs);
    rig_start(&r);
    for (int pass = 0; pass < 2; pass++) {
      rig_begin(&r, 3, shuffles & 1, (shuffles & 2) && !iterative);
      int64_t n = r.pass.batches;
      is_int(rig_take(&r, n, NULL), k * n,
             "%s on %s: %d x %d readers, buffer %d, ahead %d: batches", loader,
             backend, k, (int)r.c.pace.readers, (int)r.c.pace.buffer,
             (int)r.c.pace.ahead);
      is_int(rig_wrong(&r), 0, "iterative %d, shuffles %d: each sample once",
             iterative, shuffles);
      rig_end(&r);
    }
    rig_fini(&r);
  }
}

static void test_order(const char *backend)
{
  static const struct lb_loader_knobs knobs[] = {{1, 2, 1, 0, false},
                                                 {2, 3, 1, 5, false},
                                                 {5, 0, 2, 40, false},
                                                 {3, 4, 1, 1000, false}};
  static const char *const loaders[] = {"tensorflow", "dali", "native_dali",
                                        "pytorch", "none"};
  for (size_t l = 0; l < sizeof loaders / sizeof *loaders; l++)
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
      test_once(loaders[l], backend, 1 + (int)i, knobs[i], (int)i);
}

/* ---- exact times ---- */

enum { BATCHES = 4, LATENCY_MS = 3 };

struct timed {
  const char *text, *loader;
  int64_t threads, prefetch, computing, shuffle; /* of its knobs */
  bool iterative;
  int64_t files, samples, batch;
  int64_t bandwidth; /* 0: latency alone, 3 ms a sample */
  int64_t preprocess_ms;
  const char *ready_ms; /* of each batch, after the first ask; each next one is
                         * asked for when one is taken */
};

/* A sample has 1000 bytes in one request. */
static const struct timed rows[] = {
    {"one reader is one reader", "tensorflow", 1, 4, 1, 0, true, 8, 1, 2, 0, 0,
     "6 12 18 24"},
    {"two share each batch", "tensorflow", 2, 4, 1, 0, true, 8, 1, 2, 0, 0,
     "3 6 9 12"},
    {"three, batches of 2: samples 0 1 2, 3 4 5, 6 7", "tensorflow", 3, 4, 1, 0,
     true, 8, 1, 2, 0, 0, "3 6 6 9"},
    {"four, but only two files", "tensorflow", 4, 4, 1, 0, true, 2, 8, 4, 0, 0,
     "6 12 18 24"},
    {"an index sampler knows no files", "tensorflow", 4, 4, 1, 0, false, 2, 8,
     4, 0, 0, "3 6 9 12"},
    {"a shuffle buffer of 6: the first batch waits for 7 samples", "tensorflow",
     1, 4, 1, 6, true, 8, 1, 2, 0, 0, "21 24 24 24"},
    {"of an index sampler there is none", "tensorflow", 1, 4, 1, 6, false, 8, 1,
     2, 0, 0, "6 12 18 24"},
    {"two readers fill it", "tensorflow", 2, 4, 1, 4, true, 8, 1, 2, 0, 0,
     "9 12 12 12"},
    {"a buffer larger than the share: all is read first", "tensorflow", 2, 4, 1,
     1000, true, 8, 1, 2, 0, 0, "12 12 12 12"},
    {"one batch ahead: two of four readers have work", "tensorflow", 4, 1, 1, 0,
     true, 8, 1, 2, 0, 0, "3 6 9 12"},
    {"two ahead: all four", "tensorflow", 4, 2, 1, 0, true, 8, 1, 2, 0, 0,
     "3 3 6 6"},
    {"nothing ahead", "tensorflow", 2, 0, 1, 0, true, 8, 1, 2, 0, 0,
     "3 6 9 12"},
    {"readers share the server", "tensorflow", 4, 4, 1, 0, true, 8, 1, 2,
     100000, 0, "20 40 60 80"},
    {"a thread preprocesses 2 ms a batch, beside the readers", "tensorflow", 2,
     4, 1, 0, true, 8, 1, 2, 0, 1, "5 8 11 14"},
    {"4 ms a batch: it cannot keep up", "tensorflow", 2, 4, 1, 0, true, 8, 1, 2,
     0, 2, "7 11 15 19"},
    {"two of them can", "tensorflow", 2, 4, 2, 0, true, 8, 1, 2, 0, 2,
     "7 10 13 16"},
    {"nothing ahead, 2 ms a batch", "tensorflow", 2, 0, 2, 0, true, 8, 1, 2, 0,
     1, "5 10 15 20"},
    {"a full buffer is preprocessed batch by batch", "tensorflow", 1, 4, 1, 6,
     true, 8, 1, 2, 0, 2, "25 29 33 37"},
    {"two workers share each batch", "dali", 2, 4, 1, 0, false, 16, 1, 4, 0, 0,
     "6 12 18 24"},
    {"three: 2, 1 and 1 samples", "dali", 3, 4, 1, 0, false, 16, 1, 4, 0, 0,
     "6 12 18 24"},
    {"five workers, four samples", "dali", 5, 4, 1, 0, false, 16, 1, 4, 0, 0,
     "3 6 9 12"},
    {"who reads preprocesses", "dali", 2, 4, 9, 0, false, 16, 1, 4, 0, 2,
     "10 20 30 40"},
    {"depth 1", "native_dali", 4, 0, 1, 0, false, 16, 1, 4, 0, 0, "3 6 9 12"},
    {"no worker: one reader, nothing ahead", "dali", 0, 4, 1, 0, false, 8, 1, 2,
     0, 0, "6 12 18 24"},
    {"nothing is read", "synthetic", 2, 4, 1, 0, true, 8, 1, 2, 0, 9,
     "0 0 0 0"},
};

static void simulate(struct rig *r, int64_t bandwidth, struct lb_dist latency)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  lb_storage_close(r->storage);
  r->server = (struct lb_simulated){.read_bandwidth = bandwidth,
                                    .read_latency = latency};
  ok(lb_storage_open(&r->storage, lb_backend_find("simulated"), &r->server,
                     &env, &err) == 0,
     "a simulated server");
  r->c.storage = r->storage;
  r->tape.sample_bytes = 1000;
}

/* The next batch, from deadline to deadline, each noticed late_ns too late. */
static uint64_t next_batch(struct lb_loader *l, uint64_t *now, uint64_t late_ns)
{
  uint64_t t, at;
  while ((t = lb_loader_take(l, 0)) == 0) {
    if (lb_loader_next(l) >= 0)
      continue;
    at = lb_loader_deadline(l);
    if (at == LB_NEVER)
      break;
    *now = at + late_ns > *now ? at + late_ns : *now;
    lb_loader_advance(l, *now);
  }
  return t;
}

static void test_times(const struct timed *c, uint64_t late_ns)
{
  struct rig r;
  rig_init(&r, "none", NULL, c->files, c->samples);
  simulate(&r, c->bandwidth,
           lb_dist_constant(c->bandwidth ? 0 : LATENCY_MS * 1e-3));
  r.preprocess = lb_dist_constant((double)c->preprocess_ms * 1e-3);
  const struct lb_loader_knobs knobs = {c->threads, c->prefetch, c->computing,
                                        c->shuffle, c->iterative};
  rig_loader(&r, c->loader, 1, &knobs);
  rig_start(&r);
  rig_begin(&r, c->batch, false, false);
  uint64_t now = t0;
  char *ready = (char *)c->ready_ms;
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_flush(r.loader, t0);
  for (int i = 0; i < BATCHES; i++) {
    uint64_t t = next_batch(r.loader, &now, late_ns);
    is_int(t, t0 + strtoull(ready, &ready, 10) * MS,
           "%s: %s, noticed %d ms late: batch %d", c->loader, c->text,
           (int)(late_ns / MS), i);
    lb_loader_ask(r.loader, 0, true, t);
    lb_loader_flush(r.loader, now);
  }
  struct lb_loader_cost cost = lb_loader_cost(r.loader, NULL);
  int64_t read = r.c.pace.readers ? BATCHES * c->batch : 0;
  is_int(cost.samples, read, "samples counted");
  is_int(cost.payload_bytes, read * 1000, "payload counted");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- requests ---- */

/* Reads of 60 samples by accelerators first .. first + k - 1 of 3: a file of
 * 5000 bytes each, mostly in requests of the size that was drawn. */
static uint64_t reads_with(unsigned open_flags, const char *backend,
                           const char *loader, int first, int k,
                           const struct lb_dist *request, uint32_t longest)
{
  const struct lb_loader_knobs knobs = {2, 3, 1, 0, false};
  struct rig r;
  rig_init(&r, backend, "npy", 12, 5);
  if (r.params.has_bytes)
    rig_make(&r);
  rig_loader(&r, loader, k, &knobs);
  r.c.first = first;
  r.c.request = request;
  r.c.longest_request = longest;
  r.params.open_flags = open_flags;
  rig_start(&r);
  rig_begin(&r, 4, false, true);
  r.pass.batches = r.pass.stride = 5;
  lb_loader_begin(r.loader, &r.pass);
  is_int(rig_take(&r, 5, NULL), 5 * k, "%s on %s: batches", loader, backend);
  uint64_t n = rig_count(&r, LB_OP_READ, NULL);
  rig_end(&r);
  rig_fini(&r);
  return n;
}

static uint64_t reads(const char *backend, const char *loader, int first, int k,
                      const struct lb_dist *request, uint32_t longest)
{
  return reads_with(0, backend, loader, first, k, request, longest);
}

static void test_requests(void)
{
  const struct lb_dist vary = {.kind = lb_dist_find("uniform"),
                               .p = {100, 900}};
  const struct lb_dist none = {.kind = lb_dist_find("uniform"), .p = {0, 0.5}};
  const struct lb_dist same = {.kind = lb_dist_find("uniform"),
                               .p = {100, 100.5}};
  /* 5128 bytes: 4096 of them in requests that are not cut, 1032 in others. */
  is_int(reads("none", "pytorch", 0, 3, NULL, 0), 60 * 4, "not cut");
  is_int(reads("none", "pytorch", 0, 3, &same, 1000), 60 * (3 + 11),
         "requests of 100 bytes");
  is_int(reads("none", "pytorch", 0, 3, &vary, 100), 60 * (3 + 11),
         "or of what is cut at that");
  is_int(reads("none", "pytorch", 0, 3, &none, 1000), 60 * (3 + 1032),
         "none of nothing");
  uint64_t n = reads("none", "pytorch", 0, 3, &vary, 1000);
  ok(n > 60 * (3 + 2) && n < 60 * (3 + 11), "%d of 100 to 900 bytes", (int)n);
  is_int(reads("none", "tensorflow", 0, 3, &vary, 1000), (int64_t)n,
         "a sample draws the same whoever reads it");
  is_int(reads("local_fs", "dali", 0, 3, &vary, 1000), (int64_t)n,
         "in both engines");
  is_int(reads_with(LB_IO_DIRECT, "none", "pytorch", 0, 3, &vary, 1000),
         (int64_t)n, "whatever blocks they will be widened to");
  uint64_t sum = 0;
  for (int a = 0; a < 3; a++)
    sum += reads("none", "dali", a, 1, &vary, 1000);
  is_int((int64_t)sum, (int64_t)n, "and on any number of ranks");
}

/* ---- how far ahead ---- */

static void test_ahead(void)
{
  const struct lb_loader_knobs knobs = {3, 4, 1, 8, true};
  struct rig r;
  rig_init(&r, "none", NULL, 20, 10);
  rig_loader(&r, "tensorflow", 1, &knobs);
  rig_start(&r);
  rig_begin(&r, 5, true, false);
  lb_loader_ask(r.loader, 0, false, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 4 * 5 + 7, "4 batches and the buffer");
  ok(lb_loader_take(r.loader, 0) == t0, "the first is ready");
  lb_loader_ask(r.loader, 0, false, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 5 * 5 + 7, "one taken, one more");
  r.pass.batches = 6; /* of 40: the epoch is cut short */
  rig_end(&r);
  memset(r.tape.entry, 0, (size_t)r.tape.n * sizeof *r.tape.entry);
  lb_loader_begin(r.loader, &r.pass);
  is_int(rig_take(&r, 6, NULL), 6, "a shorter pass");
  is_int(rig_wrong(&r), 0, "fills the buffer and reads no more");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- any number of ranks ---- */

static void draw(int first, int k, uint64_t ready[3][BATCHES])
{
  const struct lb_loader_knobs knobs = {2, 4, 2, 5, true};
  const struct lb_dist latency = {.kind = lb_dist_find("exponential"),
                                  .p = {5e-3}};
  struct rig r;
  rig_init(&r, "none", NULL, 12, 3);
  simulate(&r, 0, latency);
  r.preprocess = (struct lb_dist){.kind = latency.kind, .p = {1e-3}};
  rig_loader(&r, "tensorflow", k, &knobs);
  r.c.first = first;
  rig_start(&r);
  rig_begin(&r, 3, true, false);
  r.pass.batches = r.pass.stride = BATCHES;
  lb_loader_begin(r.loader, &r.pass);
  for (int a = 0; a < k; a++)
    lb_loader_ask(r.loader, a, true, t0);
  lb_loader_flush(r.loader, t0);
  for (uint64_t at; (at = lb_loader_deadline(r.loader)) != LB_NEVER;)
    lb_loader_advance(r.loader, at);
  lb_loader_advance(r.loader, 10 * t0);
  for (int a = 0; a < k; a++)
    for (int b = 0; b < BATCHES; b++)
      ready[first + a][b] = lb_loader_take(r.loader, a);
  rig_end(&r);
  rig_fini(&r);
}

static void test_ranks(void)
{
  uint64_t one[3][BATCHES] = {0}, three[3][BATCHES] = {0};
  draw(0, 3, one);
  for (int a = 0; a < 3; a++)
    draw(a, 1, three);
  bool in_order = true, distinct = true;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < BATCHES; b++) {
      in_order = in_order && one[a][b] >= (b ? one[a][b - 1] : t0 + 1);
      distinct = distinct && (a == 0 || one[a][b] != one[0][b]);
    }
  ok(!memcmp(one, three, sizeof one),
     "times are the same on one rank and three");
  ok(in_order, "no batch overtakes another");
  ok(distinct, "and each accelerator has its own");
}

/* ---- threads ---- */

/* Preprocessing behind the readers takes its time there, too, and no thread. */
static void test_work(void)
{
  const struct lb_loader_knobs knobs = {2, 3, 1, 0, true};
  struct rig r;
  uint64_t ready[6], start = lb_clock_ns();
  bool good = true;
  rig_init(&r, "local_fs", NULL, 12, 1);
  r.preprocess = lb_dist_constant(4e-3);
  rig_loader(&r, "tensorflow", 1, &knobs);
  rig_start(&r);
  rig_begin(&r, 2, false, false);
  is_int(rig_take(&r, 6, ready), 6, "6 batches, 8 ms of work each");
  for (int b = 0; b < 6; b++)
    good = good && ready[b] >= start + (uint64_t)(b + 1) * 8 * MS;
  ok(good, "one after another");
  is_int(lb_loader_cost(r.loader, NULL).threads, 2, "two threads, who read");
  rig_end(&r);
  rig_fini(&r);
}

/* Ends while readers are in the middle of parts of batches. */
static void test_end(const char *backend)
{
  const struct lb_loader_knobs knobs = {4, 4, 1, 16, true};
  struct rig r;
  rig_init(&r, backend, NULL, 64, 8);
  rig_loader(&r, "tensorflow", 4, &knobs);
  rig_start(&r);
  for (int i = 0; i < 20; i++) {
    rig_begin(&r, 8, true, false);
    for (int a = 0; a < 4; a++)
      lb_loader_ask(r.loader, a, true, lb_clock_ns());
    lb_loader_flush(r.loader, lb_clock_ns());
    rig_end(&r);
  }
  rig_begin(&r, 8, true, false);
  is_int(rig_take(&r, 16, NULL), 64, "%s: a pass after 20 that were cut short",
         backend);
  is_int(rig_wrong(&r), 0, "is whole");
  rig_end(&r);
  rig_fini(&r);
}

/* Each batch is waited for, by parts of one sample. */
static void test_wakes(const char *loader)
{
  const struct lb_loader_knobs knobs = {4, 2, 1, 0, true};
  struct rig r;
  rig_init(&r, "local_fs", NULL, 2000, 10);
  rig_loader(&r, loader, 2, &knobs);
  rig_start(&r);
  rig_begin(&r, 4, true, false);
  is_int(rig_take(&r, r.pass.batches, NULL), 5000, "%s: 5000 batches of 4",
         loader);
  is_int(rig_wrong(&r), 0, "each sample once");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- files ---- */

/* Five accelerators have 12 samples each of 12 files of 5, so that 4 files are
 * cut: a reader opens what it has of a file once, and has one file open. */
static void test_files(const char *format, const char *backend,
                       uint64_t opens_each)
{
  const struct lb_loader_knobs knobs = {2, 3, 1, 0, true};
  const struct lb_format *f = lb_format_find(format);
  struct rig r;
  if (f->unavailable) {
    ok(true, "%s # SKIP %s", format, f->unavailable);
    return;
  }
  rig_init(&r, backend, format, 12, 5);
  r.params.memory = r.c.leaves_files = true;
  if (r.params.has_bytes)
    rig_make(&r);
  int before = tap_open_files();
  rig_loader(&r, "tensorflow", 5, &knobs);
  rig_start(&r);
  for (uint64_t pass = 1; pass <= 2; pass++) {
    rig_begin(&r, 4, true, false);
    is_int(rig_take(&r, 3, NULL), 15, "%s on %s: 15 batches of 4", format,
           backend);
    is_int(rig_count(&r, LB_OP_OPEN, NULL), pass * 16 * opens_each,
           "16 parts of files");
    ok(tap_open_files() <= before + 10,
       "at most a file for each of 10 readers");
    rig_end(&r);
    is_int(tap_open_files(), before, "which are closed at the end");
  }
  rig_fini(&r);
}

int main(void)
{
  test_files("npy", "local_fs", 1);
  test_files("npz", "local_fs", 1);
  test_files("hdf5", "local_fs", 1);
  test_files("indexed_binary", "local_fs", 3);
  test_files("npy", "none", 1);
  test_files("npz", "none", 1);
  test_files("hdf5", "none", 1);
  test_files("indexed_binary", "none", 3);
  test_order("none");
  test_order("local_fs");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    test_times(&rows[i], 0);
    test_times(&rows[i], 13 * MS);
  }
  test_requests();
  test_ahead();
  test_ranks();
  test_work();
  test_end("none");
  test_end("local_fs");
  test_wakes("tensorflow");
  test_wakes("dali");
  return done();
}
