/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loader over virtual storage: which batches, which reader, and to the ns
 * when.  Time here is a number that the test passes on. */
#include "lb-config.h"

#include "loader_rig.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define MS UINT64_C(1000000)
static const uint64_t t0 = 1000 * MS;

/* ---- pace ---- */

static void test_pace(void)
{
  static const struct {
    const char *loader;
    struct lb_loader_knobs knobs; /* threads, prefetch, computing, shuffle */
    struct lb_loader_pace pace;   /* deal, readers, ahead, buffer, computing */
  } rows[] = {
      {"pytorch", {1, 2, 0, 0, false}, {&lb_deal_batches, 1, 2, 0, 0, false}},
      {"pytorch", {4, 2, 0, 0, false}, {&lb_deal_batches, 4, 4, 0, 0, false}},
      {"pytorch", {4, 4, 0, 0, false}, {&lb_deal_batches, 4, 4, 0, 0, false}},
      {"pytorch", {4, 5, 0, 0, false}, {&lb_deal_batches, 4, 8, 0, 0, false}},
      {"pytorch", {8, 2, 8, 9, true}, {&lb_deal_batches, 8, 8, 0, 0, false}},
      {"pytorch", {3, 10, 0, 0, false}, {&lb_deal_batches, 3, 12, 0, 0, false}},
      {"pytorch", {2, 0, 0, 0, false}, {&lb_deal_batches, 2, 4, 0, 0, false}},
      {"pytorch", {5, 0, 0, 0, false}, {&lb_deal_batches, 5, 10, 0, 0, false}},
      {"pytorch", {0, 2, 0, 0, false}, {&lb_deal_batches, 1, 0, 0, 0, false}},
      {"pytorch", {0, 0, 0, 0, false}, {&lb_deal_batches, 1, 0, 0, 0, false}},
      {"pytorch", {1, 1, 0, 0, false}, {&lb_deal_batches, 1, 1, 0, 0, false}},
      {"none", {4, 8, 0, 0, false}, {&lb_deal_batches, 1, 0, 0, 0, false}},
      {"tensorflow",
       {4, 2, 1, 0, false},
       {&lb_deal_interleave, 4, 2, 0, 1, false}},
      {"tensorflow",
       {4, 2, 1, 8, false},
       {&lb_deal_interleave, 4, 2, 0, 1, false}},
      {"tensorflow",
       {8, 5, 3, 8, true},
       {&lb_deal_interleave, 8, 5, 8, 3, true}},
      {"tensorflow",
       {0, 0, 0, 0, true},
       {&lb_deal_interleave, 1, 0, 0, 1, true}},
      {"dali", {4, 0, 9, 9, false}, {&lb_deal_slices, 4, 2, 0, 0, false}},
      {"dali", {4, 3, 0, 0, false}, {&lb_deal_slices, 4, 3, 0, 0, false}},
      {"dali", {0, 3, 0, 0, false}, {&lb_deal_slices, 1, 0, 0, 0, false}},
      {"native_dali",
       {4, 0, 0, 0, false},
       {&lb_deal_slices, 4, 1, 0, 0, false}},
      {"native_dali",
       {0, 3, 0, 0, false},
       {&lb_deal_slices, 1, 3, 0, 0, false}},
      {"synthetic", {4, 3, 0, 0, false}, {&lb_deal_batches, 0, 1, 0, 0, false}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct lb_loader_pace *want = &rows[i].pace;
    struct lb_loader_pace p =
        lb_loader_find(rows[i].loader)->pace(&rows[i].knobs);
    ok(p.deal == want->deal && p.readers == want->readers &&
           p.ahead == want->ahead && p.buffer == want->buffer &&
           p.computing == want->computing && p.by_file == want->by_file,
       "%s: %d threads, prefetch %d: %d readers, %d ahead, buffer %d, %d "
       "computing",
       rows[i].loader, (int)rows[i].knobs.read_threads,
       (int)rows[i].knobs.prefetch, (int)p.readers, (int)p.ahead, (int)p.buffer,
       (int)p.computing);
  }
}

static void test_table(void)
{
  for (int i = 0; lb_loaders[i]; i++) {
    const struct lb_loader_kind *l = lb_loaders[i];
    size_t n = strlen(l->doc);
    ok(n && l->doc[n - 1] == '.' && l->pace && lb_loader_find(l->name) == l,
       "%s: found by name, says what it is, has a pace", l->name);
  }
  ok(lb_loader_find("no such") == NULL, "an unknown loader is not found");
}

/* ---- order ---- */

static void test_once(int k, int64_t threads, int64_t prefetch, bool files,
                      bool samples)
{
  struct rig r;
  rig_init(&r, "none", NULL, 7, 31);
  rig_set(&r, k, threads, prefetch);
  rig_start(&r);
  rig_begin(&r, 3, files, samples);
  int64_t n = r.pass.batches;
  is_int(rig_take(&r, n, NULL), k * n, "%d accelerators, %d readers: batches",
         k, (int)threads);
  is_int(rig_wrong(&r), 0,
         "file_shuffle %d, sample_shuffle %d: each sample "
         "once, in order, by its reader",
         files, samples);
  rig_end(&r);
  rig_fini(&r);
}

/* A rank in the middle of a job, and a pass that is shorter than the epoch. */
static void test_share(void)
{
  struct rig r;
  rig_init(&r, "none", NULL, 10, 10);
  rig_set(&r, 2, 2, 2);
  r.c.first = 1;
  rig_start(&r);
  rig_begin(&r, 5, false, true);
  r.pass.stride = 6; /* of 3 accelerators x 6 batches x 5 samples */
  r.pass.batches = 4;
  rig_end(&r);
  lb_loader_begin(r.loader, &r.pass);
  is_int(rig_take(&r, 4, NULL), 8, "a shorter pass of two of three");
  is_int(rig_wrong(&r), 0, "is their share of the order and no more");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- how far ahead ---- */

static void test_ahead(void)
{
  struct rig r;
  rig_init(&r, "none", NULL, 100, 1);
  rig_set(&r, 1, 3, 4); /* 2 batches a reader */
  rig_start(&r);
  rig_begin(&r, 5, false, false);
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 6 * 5, "6 batches are read ahead");
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 6 * 5, "and no more when asked again");
  ok(lb_loader_take(r.loader, 0) == t0, "the first is ready");
  is_int(atomic_load(&r.tape.begun), 6 * 5, "taking alone asks for nothing");
  lb_loader_ask(r.loader, 0, false, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 7 * 5, "one taken, one more asked for");
  for (int i = 0; i < 19; i++) {
    lb_loader_take(r.loader, 0);
    lb_loader_ask(r.loader, 0, true, t0);
    lb_loader_flush(r.loader, t0);
  }
  is_int(atomic_load(&r.tape.begun), 20 * 5, "nothing beyond the pass");
  ok(lb_loader_take(r.loader, 0) == 0, "and nothing more to take");
  rig_end(&r);
  rig_fini(&r);
}

static void test_nothing_ahead(void)
{
  struct rig r;
  rig_init(&r, "none", NULL, 20, 1);
  rig_set(&r, 1, 0, 2);
  rig_start(&r);
  rig_begin(&r, 5, false, false);
  lb_loader_ask(r.loader, 0, false, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 0, "no thread: nothing ahead of need");
  ok(lb_loader_take(r.loader, 0) == 0, "so nothing is there");
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_flush(r.loader, t0);
  is_int(atomic_load(&r.tape.begun), 5, "needed: one batch");
  is_int(lb_loader_next(r.loader), 0, "its accelerator is named");
  is_int(lb_loader_next(r.loader), -1, "once");
  ok(lb_loader_take(r.loader, 0) == t0, "it is ready when it was asked for");
  rig_end(&r);
  rig_fini(&r);
}

/* ---- exact times ---- */

struct server_case {
  const char *text;
  int64_t threads, prefetch, batch, bandwidth;
  double open_s, read_s, preprocess_s;
  uint64_t ready_ms[4]; /* of batches 0..3, after the ask */
};

/* A sample has 1000 bytes in one request.  Latencies do not occupy the server,
 * bytes do. */
static const struct server_case cases[] = {
    {"latencies add up", 1, 4, 2, 0, 1e-3, 2e-3, 0, {6, 12, 18, 24}},
    {"readers go side by side", 2, 4, 2, 0, 1e-3, 2e-3, 0, {6, 6, 12, 12}},
    {"bandwidth: 10 ms a sample", 1, 4, 2, 100000, 0, 0, 0, {20, 40, 60, 80}},
    {"readers share it", 2, 4, 1, 100000, 0, 0, 0, {10, 20, 30, 40}},
    {"latency beside bandwidth", 1, 4, 1, 100000, 0, 5e-3, 0, {15, 30, 45, 60}},
    {"two readers hide latency", 2, 4, 1, 100000, 0, 5e-3, 0, {15, 25, 35, 45}},
    {"preprocessing is the reader's",
     1,
     4,
     2,
     0,
     1e-3,
     2e-3,
     7e-3,
     {20, 40, 60, 80}},
    {"of each reader", 2, 4, 2, 0, 1e-3, 2e-3, 7e-3, {20, 20, 40, 40}},
    {"and leaves the server free",
     2,
     4,
     1,
     100000,
     0,
     0,
     10e-3,
     {20, 30, 40, 50}},
};

/* Lets the time go on: from deadline to deadline, each noticed late_ns too
 * late. */
static void run_out(struct lb_loader *l, uint64_t late_ns)
{
  uint64_t at;
  while ((at = lb_loader_deadline(l)) != LB_NEVER)
    lb_loader_advance(l, at + late_ns);
}

static void test_times(const struct server_case *c, uint64_t late_ns)
{
  struct rig r;
  rig_init(&r, "none", NULL, 8, 1);
  lb_storage_close(r.storage);
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  r.server = (struct lb_simulated){.read_bandwidth = c->bandwidth,
                                   .open_latency = lb_dist_constant(c->open_s),
                                   .read_latency = lb_dist_constant(c->read_s)};
  lb_storage_open(&r.storage, lb_backend_find("simulated"), &r.server, &env,
                  &err);
  r.c.storage = r.storage;
  r.tape.sample_bytes = 1000;
  r.preprocess = lb_dist_constant(c->preprocess_s);
  rig_set(&r, 1, c->threads, c->prefetch);
  rig_start(&r);
  rig_begin(&r, c->batch, false, false);
  lb_loader_ask(r.loader, 0, true, t0);
  lb_loader_flush(r.loader, t0);
  ok(lb_loader_take(r.loader, 0) == 0, "%s: not there yet", c->text);
  run_out(r.loader, late_ns);
  is_int(lb_loader_next(r.loader), 0, "named when it is");
  for (int i = 0; i < 4; i++)
    is_int(lb_loader_take(r.loader, 0), t0 + c->ready_ms[i] * MS,
           "%s, noticed %d ms late: batch %d", c->text, (int)(late_ns / MS), i);
  struct lb_loader_cost cost = lb_loader_cost(r.loader, NULL);
  is_int(cost.samples, 4 * c->batch, "samples counted");
  is_int(cost.payload_bytes, 4 * c->batch * 1000, "payload counted");
  is_int(cost.batches, 4, "batches counted");
  is_int(cost.threads, 0, "without a thread");
  rig_end(&r);
  rig_fini(&r);
}

/* Who asks from when it could have asked loses nothing by looking late; and a
 * reader still does one batch after another. */
static void test_late_asks(int64_t prefetch)
{
  struct rig r;
  rig_init(&r, "none", NULL, 20, 1);
  r.preprocess = lb_dist_constant(10e-3);
  rig_set(&r, 1, 1, prefetch);
  rig_start(&r);
  rig_begin(&r, 1, false, false);
  uint64_t now = t0, wrong = 0;
  lb_loader_ask(r.loader, 0, true, now);
  lb_loader_flush(r.loader, now);
  for (uint64_t b = 1; b <= 20; b++) {
    uint64_t ready = t0 + b * 10 * MS;
    while (now < ready)
      lb_loader_advance(r.loader, now += 23 * MS);
    uint64_t got = lb_loader_take(r.loader, 0);
    wrong += got != ready;
    lb_loader_ask(r.loader, 0, false, got);
    lb_loader_flush(r.loader, now);
  }
  is_int(wrong, 0, "prefetch %d, looked at every 23 ms: a batch each 10 ms",
         (int)prefetch);
  rig_end(&r);
  rig_fini(&r);
}

/* Preprocessing that varies is a function of the seed: as long in total,
 * whoever drives. */
static void test_preprocess_draws(void)
{
  uint64_t last[2];
  for (int i = 0; i < 2; i++) {
    struct rig r;
    rig_init(&r, "none", NULL, 64, 1);
    r.preprocess =
        (struct lb_dist){.kind = lb_dist_find("exponential"), .p = {5e-3}};
    rig_set(&r, 2, 1, 8);
    rig_start(&r);
    rig_begin(&r, 4, false, false);
    lb_loader_ask(r.loader, 1, true, t0);
    lb_loader_flush(r.loader, t0);
    run_out(r.loader, (uint64_t)i * MS);
    for (int b = 0; b < 8; b++)
      last[i] = lb_loader_take(r.loader, 1);
    rig_end(&r);
    rig_fini(&r);
  }
  ok(last[0] > t0 + 32 * MS && last[0] == last[1],
     "draws of preprocess_time repeat");
}

/* Varying latencies: when 4 batches of accelerators first .. first+k-1 of 3
 * are ready, in the given epoch. */
static void draw_latencies(int first, int k, int64_t epoch,
                           uint64_t ready[3][4])
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  rig_init(&r, "none", NULL, 36, 1);
  lb_storage_close(r.storage);
  r.server.read_latency =
      (struct lb_dist){.kind = lb_dist_find("exponential"), .p = {5e-3}};
  lb_storage_open(&r.storage, lb_backend_find("simulated"), &r.server, &env,
                  &err);
  r.c.storage = r.storage;
  r.tape.sample_bytes = 1000;
  rig_set(&r, k, 2, 4);
  r.c.first = first;
  rig_start(&r);
  rig_begin(&r, 3, false, true);
  r.pass.batches = r.pass.stride = 4;
  r.pass.epoch = epoch;
  lb_loader_begin(r.loader, &r.pass);
  for (int a = 0; a < k; a++)
    lb_loader_ask(r.loader, a, true, t0);
  lb_loader_flush(r.loader, t0);
  run_out(r.loader, 0);
  for (int a = 0; a < k; a++)
    for (int b = 0; b < 4; b++)
      ready[first + a][b] = lb_loader_take(r.loader, a);
  rig_end(&r);
  rig_fini(&r);
}

static void test_latency_draws(void)
{
  uint64_t one[3][4] = {0}, three[3][4] = {0}, next[3][4] = {0};
  draw_latencies(0, 3, 1, one);
  for (int a = 0; a < 3; a++)
    draw_latencies(a, 1, 1, three);
  bool same = true, distinct = true;
  for (int i = 0; i < 12; i++) {
    same = same && one[i / 4][i % 4] > t0 &&
           one[i / 4][i % 4] == three[i / 4][i % 4];
    for (int j = 0; j < i; j++)
      distinct = distinct && one[i / 4][i % 4] != one[j / 4][j % 4];
  }
  ok(same, "latencies are the same on one rank and on three");
  ok(distinct, "and others for each sample and accelerator");
  draw_latencies(0, 3, 2, next);
  ok(next[0][0] != one[0][0] && next[0][0] != one[1][0],
     "the next epoch draws others");
}

/* ---- failing, ending ---- */

static void test_failure(void)
{
  struct rig r;
  struct lb_err err = LB_ERR_INIT;
  rig_init(&r, "none", NULL, 10, 1);
  r.tape.fail_file = 5;
  rig_start(&r);
  rig_begin(&r, 2, false, false);
  ok(lb_loader_failed(r.loader, &err) == 0, "all is well at first");
  is_int(rig_take(&r, 5, NULL), 2, "two batches before the damaged file");
  ok(lb_loader_failed(r.loader, &err) == -LB_FAILED && err.msg[0],
     "then it says so: %s", err.msg);
  rig_end(&r);
  rig_fini(&r);
}

static void test_end(void)
{
  struct rig r;
  rig_init(&r, "none", NULL, 30, 1);
  r.preprocess = lb_dist_constant(1);
  rig_set(&r, 3, 2, 4);
  rig_start(&r);
  for (int i = 0; i < 2; i++) {
    rig_begin(&r, 2, false, false);
    for (int a = 0; a < 3; a++)
      lb_loader_ask(r.loader, a, true, t0);
    lb_loader_flush(r.loader, t0);
    is_int(lb_loader_deadline(r.loader), t0 + 1000 * MS, "under way");
    rig_end(&r);
    ok(lb_loader_deadline(r.loader) == LB_NEVER, "forgotten at the end");
  }
  rig_begin(&r, 2, false, false);
  for (int a = 0; a < 3; a++)
    lb_loader_ask(r.loader, a, true, t0);
  lb_loader_flush(r.loader, t0);
  run_out(r.loader, 0);
  for (int a = 0; a < 3; a++)
    is_int(lb_loader_take(r.loader, a), t0 + 2000 * MS, "a new pass is whole");
  rig_end(&r);
  rig_fini(&r);
}

int main(void)
{
  test_pace();
  test_table();
  for (int both = 0; both < 4; both++) {
    test_once(1, 1, 2, both & 1, both & 2);
    test_once(3, 2, 3, both & 1, both & 2);
    test_once(5, 4, 0, both & 1, both & 2);
    test_once(4, 0, 2, both & 1, both & 2);
  }
  test_share();
  test_ahead();
  test_nothing_ahead();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_times(&cases[i], 0);
    test_times(&cases[i], 13 * MS);
  }
  test_late_asks(1);
  test_late_asks(2);
  test_late_asks(5);
  test_preprocess_draws();
  test_latency_draws();
  test_failure();
  test_end();
  return done();
}
