/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shards: sizes and names, what lies on disk by every way to files, and every
 * way to fail. */
#include "lb-config.h"

#include "loadbank/shard.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "loadbank/faulty.h"
#include "loadbank/ring.h"
#include "loadbank/simulated.h"
#include "tap.h"

enum { SEED = 10 };
#define MS UINT64_C(1000000)

static struct lb_storage *open_storage(const char *name, const void *options)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_storage_env env = {.bandwidth_share = 1};
  struct lb_storage *s = NULL;
  if (lb_storage_open(&s, lb_backend_find(name), options, &env, &err))
    ok(false, "storage: %s", err.msg);
  return s;
}

/* ---- pure ---- */

static void test_names(void)
{
  char buf[64], small[29], exact[30];
  is_int(lb_checkpoint_folder("ck", 2, 1234567890123, buf, sizeof buf), 34,
         "length of a name");
  is_str(buf, "ck/global_epoch2_step1234567890123", "as DLIO names it");
  is_int(lb_checkpoint_folder("/a/bcd", 12, 345, exact, 30), 29,
         "it just fits");
  is_int(lb_checkpoint_folder("/a/bcd", 12, 345, small, 29), -1, "it does not");
  const struct lb_shard_ref first = {0}, next = {.i = 1},
                            other = {.accelerator = 1}, later = {.stage = 1};
  uint64_t id = lb_shard_id(1, 1, &first);
  ok(id != lb_shard_id(1, 2, &first) && id != lb_shard_id(1, 1, &other) &&
         id != lb_shard_id(1, 1, &next) && id != lb_shard_id(1, 1, &later) &&
         id != lb_shard_id(2, 1, &first),
     "seed, checkpoint, accelerator, stage and file each change the stamps");
}

/* ---- on disk ---- */

/* How its bytes get there. */
struct way {
  const char *backend;
  size_t depth; /* of the ring; 0: none */
  bool registered, direct;
};
static const struct way plain = {.backend = "local_fs"};
static const struct way ways[] = {
    {.backend = "local_fs"},
    {.backend = "direct_fs"},
    {.backend = "uring", .depth = 1},
    {.backend = "uring", .depth = 8},
    {.backend = "uring", .depth = 3, .direct = true},
    {.backend = "uring", .depth = 8, .direct = true, .registered = true},
};

struct place {
  struct lb_storage *storage;
  struct lb_iothread io;
  struct lb_shard_room room;
  struct lb_shard_job job;
  int ticks, ticks_allowed;
};

static bool count_tick(void *arg)
{
  struct place *p = arg;
  return p->ticks++ < p->ticks_allowed;
}

static void ring_init(struct place *p, const struct way *way)
{
  struct lb_err err = LB_ERR_INIT;
  const struct lb_ring_room room = {
      .depth = way->depth, .request = p->room.request, .used = p->room.request};
  p->storage->ring.registered = way->registered;
  p->io.ring = lb_ring_new(p->storage, &p->io, &room, &err);
  if (!p->io.ring)
    ok(false, "ring: %s", err.msg);
}

static void place_init_way(struct place *p, size_t buffer,
                           const struct way *way)
{
  struct lb_err err = LB_ERR_INIT;
  *p = (struct place){.storage = open_storage(way->backend, NULL),
                      .ticks_allowed = 1 << 30};
  if (way->direct)
    p->storage->open_flags = LB_IO_DIRECT;
  p->room = lb_shard_room(buffer, &(struct lb_shard_use){.writes = true,
                                                         .reads = true,
                                                         .compares = true,
                                                         .torch = true,
                                                         .ring = way->depth});
  if (lb_iothread_init(&p->io, lb_shard_room_bytes(&p->room), &err))
    ok(false, "%s", err.msg);
  if (way->depth)
    ring_init(p, way);
  p->io.phase = LB_PHASE_SAVE;
  lb_shard_fill(&p->room, &p->io);
  p->job = (struct lb_shard_job){
      .storage = p->storage,
      .folder = tap_tmpdir(),
      .id = lb_shard_id(SEED, 1, &(struct lb_shard_ref){0}),
      .compare = true,
      .room = &p->room,
      .io = &p->io,
      .tick = count_tick,
      .tick_arg = p};
}

static void place_init(struct place *p, size_t buffer)
{
  place_init_way(p, buffer, &plain);
}

static void place_fini(struct place *p)
{
  lb_ring_free(p->io.ring);
  lb_storage_close(p->storage);
  lb_iothread_fini(&p->io);
}

static struct lb_shard shard_of(uint64_t bytes)
{
  return (struct lb_shard){.name = "s.pt", .bytes = bytes};
}

static const char *shard_path(void)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/s.pt", tap_tmpdir());
  return path;
}

static int names_in_folder(void)
{
  DIR *d = opendir(tap_tmpdir());
  int n = 0;
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n - 2;
}

static uint64_t done_ops(const struct place *p, enum lb_op op)
{
  const struct lb_iostat *s = p->io.stats->cell[LB_PHASE_SAVE][op];
  return s ? s->ns.count : 0;
}

/* Pairs of blocks of the file that begin alike; -1: cannot be read. */
static int equal_blocks(uint64_t bytes)
{
  static unsigned char stamps[256][16];
  int n = 0, equal = 0;
  FILE *f = fopen(shard_path(), "rb");
  for (uint64_t at = 0; f && at + 16 <= bytes; at += LB_SHARD_BLOCK, n++) {
    if (fseek(f, (long)at, SEEK_SET) || fread(stamps[n], 16, 1, f) != 1)
      n = -1000;
    for (int i = 0; i < n; i++)
      equal += !memcmp(stamps[i], stamps[n], 16);
  }
  if (f)
    fclose(f);
  return f && n >= 0 ? equal : -1;
}

static void test_round_trip(size_t buffer)
{
  static const uint64_t sizes[] = {1,     15,     4095,   4096,  4097,
                                   65536, 200000, 262144, 70001, 0};
  struct place p;
  place_init(&p, buffer);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct lb_err err = LB_ERR_INIT;
    struct lb_shard s = shard_of(sizes[i]);
    FILE *f = NULL;
    long len = -1;
    ok(lb_shard_write(&p.job, &s, &err) == 0 &&
           lb_shard_read(&p.job, &s, &err) == 0,
       "%d bytes through a buffer of %d: %s", (int)sizes[i], (int)buffer,
       err.msg);
    if ((f = fopen(shard_path(), "rb")) && fseek(f, 0, SEEK_END) == 0)
      len = ftell(f);
    if (f)
      fclose(f);
    is_int(len, sizes[i], "are on disk");
    is_int(equal_blocks(sizes[i]), 0, "no two blocks begin alike");
    is_int(names_in_folder(), 1, "and nothing else");
  }
  is_int(done_ops(&p, LB_OP_SYNC), 0, "not synced when not asked to");
  ok(p.ticks > 0, "ticks came");
  place_fini(&p);
}

static void test_damage(void)
{
  struct place p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = shard_of(50 * LB_SHARD_BLOCK + 100);
  place_init(&p, 65536);
  lb_shard_write(&p.job, &s, &err);
  FILE *f = fopen(shard_path(), "r+b");
  fseek(f, 37 * LB_SHARD_BLOCK + 9, SEEK_SET);
  int byte = fgetc(f);
  fseek(f, 37 * LB_SHARD_BLOCK + 9, SEEK_SET);
  fputc(byte ^ 1, f);
  fclose(f);
  ok(lb_shard_read(&p.job, &s, &err) == -LB_FAILED &&
         strstr(err.msg, "offset 151552") && strstr(err.msg, shard_path()),
     "one changed bit of a stamp: %s", err.msg);
  p.job.compare = false;
  err = (struct lb_err)LB_ERR_INIT;
  ok(lb_shard_read(&p.job, &s, &err) == 0, "not seen when not compared");
  p.job.compare = true;
  p.job.id++;
  err = (struct lb_err)LB_ERR_INIT;
  ok(lb_shard_read(&p.job, &s, &err) == -LB_FAILED &&
         strstr(err.msg, "offset 0"),
     "another checkpoint's shard: %s", err.msg);
  s.bytes--;
  err = (struct lb_err)LB_ERR_INIT;
  ok(lb_shard_read(&p.job, &s, &err) == -LB_FAILED &&
         strstr(err.msg, "has 204900 bytes, 204899 were written"),
     "another size: %s", err.msg);
  unlink(shard_path());
  err = (struct lb_err)LB_ERR_INIT;
  ok(lb_shard_read(&p.job, &s, &err) == -LB_FAILED && err.sys == ENOENT,
     "no file: %s", err.msg);
  place_fini(&p);
}

/* Contents do not depend on how they were cut into requests. */
static void test_other_request(void)
{
  static const size_t sizes[] = {4096, 12288, 1 << 20, 3 << 20};
  struct lb_shard s = shard_of((2 << 20) + 5000);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct lb_err err = LB_ERR_INIT;
    struct place w, r;
    place_init(&w, sizes[i]);
    place_init(&r, 65536);
    ok(lb_shard_write(&w.job, &s, &err) == 0 &&
           lb_shard_read(&r.job, &s, &err) == 0,
       "written by %d, read by 65536: %s", (int)sizes[i], err.msg);
    place_fini(&w);
    place_fini(&r);
  }
  unlink(shard_path());
}

/* ---- every way to files ---- */

/* A kernel, a container or a file system may have some of them not. */
static bool is_here(const struct way *way)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = shard_of(1);
  struct place p;
  if (way->depth && lb_ring_unavailable()) {
    ok(true, "%s # SKIP %s", way->backend, lb_ring_unavailable());
    return false;
  }
  place_init_way(&p, 4096, way);
  bool here = !lb_shard_write(&p.job, &s, &err) || err.sys != EINVAL;
  place_fini(&p);
  unlink(shard_path());
  if (!here)
    ok(true, "%s # SKIP %s", way->backend, err.msg);
  return here;
}

static void tensor_of(const void *arg, int64_t i, struct lb_tensor *t)
{
  static const uint64_t elements[] = {700001, 3, 250000};
  (void)arg;
  *t = (struct lb_tensor){.dtype = lb_model_dtype_find("fp32"),
                          .elements = elements[i]};
  snprintf(t->name, sizeof t->name, "t%d", (int)i);
}

/* The whole file; malloc'ed. */
static unsigned char *slurp(size_t *n)
{
  FILE *f = fopen(shard_path(), "rb");
  unsigned char *bytes = malloc(8 << 20);
  *n = f && bytes ? fread(bytes, 1, 8 << 20, f) : 0;
  if (f)
    fclose(f);
  return bytes;
}

static void hold_to(const struct lb_shard_job *with, const struct lb_shard *s,
                    const unsigned char *want, size_t n, const char *what)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard_job loose = *with;
  size_t got_n;
  /* Twice: reading leaves what it compares with as it was. */
  ok(!lb_shard_write(with, s, &err) && !lb_shard_read(with, s, &err) &&
         !lb_shard_read(with, s, &err),
     "%s: written, read twice: %s", what, err.msg);
  loose.compare = false;
  ok(!lb_shard_read(&loose, s, &err), "%s: and as torch.load: %s", what,
     err.msg);
  unsigned char *got = slurp(&got_n);
  ok(got && want && got_n == n && !memcmp(got, want, n), "%s: the same file",
     what);
  free(got);
  is_int(names_in_folder(), 1, "%s: and nothing else", what);
}

/* 1.2 MiB requests: neither a request nor the file is whole periods or, but
 * for requests, whole blocks. */
static void test_ways(bool packed)
{
  enum { REQUEST = 300 * 4096 };
  const struct lb_torch_file torch = {.count = 3, .tensor = tensor_of};
  struct lb_shard s = shard_of(packed ? 4 * 950004 : 3800123);
  struct lb_err err = LB_ERR_INIT;
  struct place p;
  size_t n;
  place_init(&p, REQUEST);
  p.job.torch = packed ? &torch : NULL;
  ok(!lb_shard_write(&p.job, &s, &err), "written %s", err.msg);
  unsigned char *want = slurp(&n);
  is_int(n, (long long)lb_shard_file_bytes(&p.job, &s), "bytes of the file");
  place_fini(&p);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char what[80];
    snprintf(what, sizeof what, "%s, depth %d, O_DIRECT %d%s", ways[i].backend,
             (int)ways[i].depth, ways[i].direct, packed ? ", torch" : "");
    if (!is_here(&ways[i]))
      continue;
    place_init_way(&p, REQUEST, &ways[i]);
    p.job.torch = packed ? &torch : NULL;
    hold_to(&p.job, &s, want, n, what);
    is_int(done_ops(&p, LB_OP_WRITE), n / REQUEST + 1, "%s: writes", what);
    place_fini(&p);
  }
  free(want);
  unlink(shard_path());
}

/* The middle of the file is wrong, or the disk is full there, or nobody wants
 * it any more. */
static void test_ways_fail(const struct way *way)
{
  const rlim_t before_end = 122 * 4096;
  struct rlimit old, low;
  struct place p;
  struct lb_shard s = shard_of(1 << 20);
  struct lb_err err = LB_ERR_INIT;
  if (!is_here(way))
    return;
  place_init_way(&p, 65536, way);
  ok(!lb_shard_write(&p.job, &s, &err), "%s: written", way->backend);
  p.job.id++;
  ok(lb_shard_read(&p.job, &s, &err) == -LB_FAILED &&
         strstr(err.msg, shard_path()) && strstr(err.msg, "the block is not"),
     "%s: another's bytes: %s", way->backend, err.msg);
  place_fini(&p);
  unlink(shard_path());

  err = (struct lb_err)LB_ERR_INIT;
  place_init_way(&p, 65536, way);
  p.ticks_allowed = 0;
  ok(lb_shard_write(&p.job, &s, &err) && lb_err_gave_up(&err),
     "%s: told to give up: %s", way->backend, err.msg);
  is_int(names_in_folder(), 0, "%s: no file is left", way->backend);
  place_fini(&p);

  err = (struct lb_err)LB_ERR_INIT;
  getrlimit(RLIMIT_FSIZE, &old);
  low = old;
  low.rlim_cur = before_end;
  signal(SIGXFSZ, SIG_IGN);
  place_init_way(&p, 65536, way);
  setrlimit(RLIMIT_FSIZE, &low);
  ok(lb_shard_write(&p.job, &s, &err) == -LB_FAILED && err.sys == EFBIG &&
         strstr(err.msg, "s.pt"),
     "%s: the file may not be so large: %s", way->backend, err.msg);
  setrlimit(RLIMIT_FSIZE, &old);
  is_int(names_in_folder(), 0, "%s: no file is left", way->backend);
  place_fini(&p);
}

/* A file in a folder of its own, which nobody made before. */
static void test_below(void)
{
  struct place p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = {.name = "a/b/s.pt", .bytes = 5000};
  char path[600];
  place_init(&p, 65536);
  ok(lb_shard_write(&p.job, &s, &err) == 0 &&
         lb_shard_read(&p.job, &s, &err) == 0,
     "below two folders: %s", err.msg);
  snprintf(path, sizeof path, "%s/a/b/s.pt", tap_tmpdir());
  ok(unlink(path) == 0, "there it is");
  for (int i = 0; i < 2; i++) {
    *strrchr(path, '/') = '\0';
    ok(rmdir(path) == 0, "and nothing beside it");
  }
  place_fini(&p);
}

static void test_sync(void)
{
  struct place p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = shard_of(200000);
  place_init(&p, 65536);
  p.job.sync = true;
  ok(lb_shard_write(&p.job, &s, &err) == 0, "written with fsync");
  is_int(done_ops(&p, LB_OP_SYNC), 2, "the file and its folder were synced");
  is_int(done_ops(&p, LB_OP_WRITE), 4, "a write for each buffer");
  char folder[600];
  snprintf(folder, sizeof folder, "%s/new/ckpt", tap_tmpdir());
  ok(lb_storage_mkdirs(p.storage, folder, true, &p.io, &err) == 0, "folders");
  is_int(done_ops(&p, LB_OP_SYNC), 4, "the names of both were synced");
  rmdir(folder);
  *strrchr(folder, '/') = '\0';
  rmdir(folder);
  unlink(shard_path());
  place_fini(&p);
}

/* ---- failing ---- */

static const struct {
  const char *text;
  struct lb_fault fault;
} faults[] = {
    {"full at once", {.op = LB_OP_WRITE, .sys = ENOSPC}},
    {"full later", {.op = LB_OP_WRITE, .sys = ENOSPC, .after = 2}},
    {"cannot be made", {.op = LB_OP_OPEN, .sys = EACCES}},
    {"sync of the file", {.op = LB_OP_SYNC, .sys = EIO}},
    {"sync of the folder", {.op = LB_OP_SYNC, .sys = EIO, .after = 1}},
    {"close", {.op = LB_OP_CLOSE, .sys = EDQUOT, .times = 1}},
    {"rename", {.op = LB_OP_RENAME, .sys = EIO}},
};

static void test_faults(void)
{
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct place p;
    struct lb_err err = LB_ERR_INIT;
    struct lb_storage *outer = NULL;
    struct lb_shard s = shard_of(300000);
    place_init(&p, 65536);
    p.job.sync = true;
    lb_faulty_open(&outer, p.storage, &faults[i].fault, &err);
    p.storage = p.job.storage = outer;
    ok(lb_shard_write(&p.job, &s, &err) == -LB_FAILED &&
           err.sys == faults[i].fault.sys && strstr(err.msg, tap_tmpdir()),
       "%s: %s", faults[i].text, err.msg);
    is_int(names_in_folder(), 0, "no file is left");
    place_fini(&p);
  }
}

static void test_give_up(void)
{
  struct place p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = shard_of(1 << 20);
  place_init(&p, 65536);
  p.ticks_allowed = 3;
  ok(lb_shard_write(&p.job, &s, &err) == -LB_FAILED, "told to give up: %s",
     err.msg);
  is_int(done_ops(&p, LB_OP_WRITE), 4, "at once");
  is_int(names_in_folder(), 0, "no file is left");
  place_fini(&p);
}

/* ---- no bytes ---- */

static void test_simulated(void)
{
  const struct lb_simulated server = {.write_bandwidth = 10000000,
                                      .write_latency = lb_dist_constant(1e-3),
                                      .open_latency = lb_dist_constant(2e-3)};
  struct place p;
  struct lb_err err = LB_ERR_INIT;
  struct lb_shard s = shard_of(16 * 65536);
  place_init(&p, 65536);
  lb_storage_close(p.storage);
  p.storage = p.job.storage = open_storage("simulated", &server);
  uint64_t start = lb_clock_ns();
  ok(lb_shard_write(&p.job, &s, &err) == 0, "written to simulated storage");
  uint64_t ns = lb_clock_ns() - start;
  uint64_t least = 2 * MS + 16 * MS + s.bytes * 100;
  ok(ns >= least, "takes at least 122.9 ms: %.1f ms", (double)ns / 1e6);
  is_int(names_in_folder(), 0, "and leaves nothing");
  place_fini(&p);
}

int main(void)
{
  test_names();
  test_round_trip(65536);
  test_round_trip(70000); /* not whole blocks */
  test_round_trip(1 << 20);
  test_damage();
  test_other_request();
  test_ways(false);
  test_ways(true);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    test_ways_fail(&ways[i]);
  test_below();
  test_sync();
  test_faults();
  test_give_up();
  test_simulated();
  return done();
}
