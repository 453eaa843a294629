/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_checkpoints faults|times|shift FOLDER [ACCELERATORS]: runs of 4 of them
 * that save and load, of every scheme and container, by lb_bench_measure.
 *   faults  each with what can go wrong: one error that names the file and the
 *           rank, on all ranks, within seconds; what was whole stays so
 *   times   on storage that is a model: bytes / bandwidth
 *   shift   checkpoint.recovery_rank_shift: who reads what whom has written */
#include "lb-config.h"

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/bench.h"
#include "loadbank/clock.h"
#include "loadbank/config.h"
#include "loadbank/log.h"
#include "loadbank/world.h"
#include "mpitap.h"

enum { LINES = 16, LINE = 600, SECONDS = 20 };

/* P = 2 V h + h + L (2h + h (h + 2d) + h^2 + 3 F h) parameters; 2 bytes of each
 * weight and 12 of its optimizer's state. */
#define PARAMETERS (65536 + 64 + 4 * (128 + 8192 + 4096 + 30720))
#define STATE (14.0 * PARAMETERS)
static const char yaml[] =
    "model:\n"
    "  name: ck\n"
    "  type: transformer\n"
    "  num_layers: 4\n"
    "  transformer: {hidden_size: 64, ffn_hidden_size: 160, vocab_size: 512,\n"
    "                num_attention_heads: 4, num_kv_heads: 2}\n"
    "  parallelism: {tensor: 1, pipeline: 2, zero_stage: 1}\n"
    "workflow: {train: false, checkpoint: true}\n"
    "checkpoint: {request_size: 64KiB}\n"
    "reader: {verify: full}\n"
    "output: {steps: none}\n";

static struct lb_world world;
static int accelerators = 4;
static const char *base;

/* ---- one run ---- */

struct job {
  char text[LINES][LINE];
  const char *line[LINES];
  int n;
};

static void __attribute__((format(printf, 2, 3)))
say(struct job *j, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(j->text[j->n], LINE, fmt, ap);
  va_end(ap);
  j->line[j->n] = j->text[j->n];
  j->n++;
}

static int measure(struct lb_workload *w, struct lb_summary *s,
                   struct lb_err *err)
{
  struct lb_plan plan;
  const struct lb_run_options o = {.plan = &plan,
                                   .command_line = "test",
                                   .progress = LB_PROGRESS_NEVER,
                                   .output = LB_OUTPUT_NONE,
                                   .force = true};
  if (lb_workload_check_run(w, err) ||
      lb_plan_make(w, world.n_ranks, accelerators, &plan, err))
    return -err->code;
  return lb_bench_measure(&world, w, &o, s, err);
}

/* 0 or the code; s: rank 0's, to be freed. */
static int run(struct job *j, struct lb_summary *s, struct lb_err *err)
{
  struct lb_workload *w = NULL;
  say(j, "output.folder='%s/results'", base);
  *s = (struct lb_summary){0};
  *err = (struct lb_err)LB_ERR_INIT;
  int rc = lb_workload_load(yaml, sizeof yaml - 1, "ck.yaml", j->line, j->n, &w,
                            err);
  if (!rc)
    rc = measure(w, s, err);
  lb_workload_free(w);
  return rc;
}

/* Its error, or that there is none, on all ranks, within seconds; NULL at the
 * end of words. */
static void expect(struct job *j, int rc, const char *what,
                   const char *const *words)
{
  struct lb_summary s;
  struct lb_err err;
  uint64_t start = lb_clock_ns();
  int got = run(j, &s, &err);
  bool good = got == rc && lb_clock_ns() - start < SECONDS * LB_NS_PER_S;
  for (; *words; words++)
    good = good && strstr(err.msg, *words);
  lb_world_barrier(&world); /* sleeps; MPI's own waits spin */
  all_ok(good, "%s: %d %s", what, got, err.msg);
  lb_summary_fini(&s);
}

/* ---- rank 0 and files ---- */

static int parts;

static int count_part(const char *path, const struct stat *st, int flag,
                      struct FTW *at)
{
  (void)st, (void)flag;
  parts += path[at->base] == '.' && strstr(path + at->base, ".part");
  return 0;
}

static void nothing_half(const char *folder, const char *what)
{
  parts = 0;
  if (world.rank == 0)
    nftw(folder, count_part, 16, FTW_PHYS);
  all_ok(parts == 0, "%s: nothing that is half written is left", what);
}

static long size_of(const char *path)
{
  struct stat st;
  return stat(path, &st) ? -1 : (long)st.st_size;
}

enum damage { IS_FOLDER, IS_SHORT, IS_MISSING, N_DAMAGES };
static const char *const damages[N_DAMAGES] = {"a folder in its place",
                                               "too short", "missing"};

static void write_zeros(const char *path, long n)
{
  FILE *f = fopen(path, "wb");
  if (f)
    fclose(f);
  if (truncate(path, n))
    perror(path);
}

/* The file's true bytes lie in `aside' meanwhile. */
static void damage(const char *path, const char *aside, enum damage d)
{
  long n = size_of(path);
  if (world.rank == 0) {
    rename(path, aside);
    if (d == IS_FOLDER)
      mkdir(path, 0777);
    else if (d != IS_MISSING)
      write_zeros(path, n - 1);
  }
  lb_world_barrier(&world);
}

static void repair(const char *path, const char *aside)
{
  lb_world_barrier(&world);
  if (world.rank == 0) {
    remove(path);
    rename(aside, path);
  }
  lb_world_barrier(&world);
}

/* ---- faults ---- */

/* Files, and the accelerators that write them. */
struct row {
  const char *scheme;
  const char *file;
  int owner;
  bool all_read;     /* any rank may be the first to find it damaged */
  const char *large; /* a word of the largest ones' names */
  int writer;
};
static const struct row rows[] = {
    /* those of a scheme side by side */
    {"dlio", "layer_5-model_1_model_states.pt", 1, false, "_optim_states.pt",
     3},
    {"ddp", "checkpoint.pt", 0, true, "checkpoint.pt", 0},
    {"fsdp", ".metadata", 0, true, NULL, 0},
    {"fsdp", "__3_0.distcp", 3, false, ".distcp", 3},
    {"full_state_dict", "full_state_dict.pt", 0, false, "full_state_dict.pt",
     0},
    {"consolidate", "state_00004-of-00004.pt", 3, true, "-of-00004.pt", 3},
};

static int rank_of(int accelerator)
{
  return accelerator * world.n_ranks / accelerators;
}

static void begin(struct job *j, const struct row *row, const char *container)
{
  j->n = 0;
  say(j, "checkpoint.scheme=%s", row->scheme);
  say(j, "checkpoint.container=%s", container);
  say(j, "checkpoint.checkpoint_folder='%s/%s-%s'", base, row->scheme,
      container);
}

static void test_damage(const struct row *row, const char *container)
{
  char path[LINE], aside[LINE], rank[32];
  const char *words[] = {row->file, rank, NULL};
  snprintf(rank, sizeof rank, row->all_read ? "rank " : "rank %d of %d",
           rank_of(row->owner), world.n_ranks);
  snprintf(path, sizeof path, "%s/%s-%s/global_epoch1_step2/%s", base,
           row->scheme, container, row->file);
  snprintf(aside, sizeof aside, "%s/aside", base);
  for (int d = 0; d < N_DAMAGES; d++) {
    struct job j;
    damage(path, aside, d);
    begin(&j, row, container);
    say(&j, "checkpoint.num_checkpoints_read=1");
    expect(&j, -LB_FAILED, damages[d], words);
    repair(path, aside);
  }
}

/* Half of a file fits on the disk. */
static void test_full(const struct row *row, const char *container)
{
  struct rlimit old, low;
  struct job j;
  char path[2 * LINE], folder[LINE], rank[32];
  const char *words[] = {row->large, ".part", "File too large", rank, NULL};
  snprintf(rank, sizeof rank, "rank %d of %d", rank_of(row->writer),
           world.n_ranks);
  snprintf(folder, sizeof folder, "%.400s/%s-%s", base, row->scheme, container);
  snprintf(path, sizeof path, "%s/global_epoch1_step1/%s", folder,
           row == rows ? "zero_pp_rank_1_mp_rank_1_optim_states.pt"
                       : row->file);
  getrlimit(RLIMIT_FSIZE, &old);
  low = old;
  low.rlim_cur = (rlim_t)size_of(path) / 2;
  if (world.rank == rank_of(row->writer))
    setrlimit(RLIMIT_FSIZE, &low);
  begin(&j, row, container);
  say(&j, "checkpoint.num_checkpoints_write=1");
  say(&j, "checkpoint.atomic=true");
  expect(&j, -LB_FAILED, "a full disk", words);
  setrlimit(RLIMIT_FSIZE, &old);
  nothing_half(folder, "a full disk");
}

/* What is nobody's is neither read nor removed. */
static const char *const strangers[] = {"notes.txt", "global_epoch9_step9",
                                        "global_epoch1_step2/notes.txt"};
enum { STRANGERS = sizeof strangers / sizeof *strangers };

static const char *stranger(const struct row *row, const char *container, int i)
{
  static char path[LINE];
  snprintf(path, sizeof path, "%s/%s-%s/%s", base, row->scheme, container,
           strangers[i]);
  return path;
}

static void add_strangers(const struct row *row, const char *container)
{
  for (int i = 0; world.rank == 0 && i < STRANGERS; i++)
    if (strstr(strangers[i], ".txt"))
      write_zeros(stranger(row, container, i), 10);
    else
      mkdir(stranger(row, container, i), 0777);
  lb_world_barrier(&world);
}

static void test_found(const struct row *row, const char *container)
{
  struct job j;
  int there = 0;
  begin(&j, row, container);
  say(&j, "checkpoint.num_checkpoints_read=2");
  expect(&j, 0, "those from before", (const char *[]){NULL});
  begin(&j, row, container);
  say(&j, "checkpoint.num_checkpoints_read=3");
  expect(&j, -LB_USAGE, "more than there are",
         (const char *[]){row->scheme, "asks for 3", "2 whole", NULL});
  begin(&j, row, container);
  say(&j, "checkpoint.num_checkpoints_write=1");
  say(&j, "checkpoint.keep_last=1");
  expect(&j, 0, "a new one in place of both", (const char *[]){NULL});
  for (int i = 0; i < STRANGERS; i++)
    there += size_of(stranger(row, container, i)) >= 0;
  all_ok(there == STRANGERS, "what is nobody's stays");
}

static void test_row(size_t i, const char *container)
{
  const struct row *row = &rows[i];
  bool first = i == 0 || strcmp(rows[i - 1].scheme, row->scheme) != 0;
  bool last = i + 1 == sizeof rows / sizeof *rows ||
              strcmp(rows[i + 1].scheme, row->scheme) != 0;
  struct job j;
  if (first) {
    begin(&j, row, container);
    say(&j, "checkpoint.num_checkpoints_write=2");
    expect(&j, 0, "two saves", (const char *[]){NULL});
  }
  test_damage(row, container);
  if (!last)
    return;
  add_strangers(row, container);
  test_full(row, container);
  test_found(row, container);
}

static void test_faults(void)
{
  static const char *const containers[] = {"raw", "torch"};
  signal(SIGXFSZ, SIG_IGN);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int c = 0; c < 2; c++) {
      if (world.rank == 0)
        printf("# %s, %s\n", rows[i].scheme, containers[c]);
      test_row(i, containers[c]);
    }
}

/* ---- times ---- */

/* docs/checkpoints.md: 28 weights of 4 layers and 2 more and the norm, each of
 * them with 3 of the optimizer, in as many pieces as there are accelerators
 * that have rows of it. */
static double metadata(double tensors, double chunks)
{
  return 512 + 124 * tensors + 135 * chunks;
}

static void test_times(void)
{
  enum { TENSORS = 4 * (4 * 6 + 3) };
  const double all = accelerators, index = metadata(TENSORS, all * TENSORS);
  const struct {
    const char *scheme;
    double saved, loaded; /* bytes */
  } times[] = {
      {"dlio", all * 1000003, all * 1000003},
      {"ddp", STATE, all * STATE},
      {"fsdp", STATE + index, STATE + all * index},
      {"full_state_dict", STATE, STATE},
      {"consolidate", STATE, all * STATE},
  };
  const double save_s = 0.2, load_s = 0.25;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    double off = 1, save = NAN, load = NAN;
    /* Where others use the machine there are three tries; a model that is wrong
     * is so every time. */
    for (int try = 0; try < 3 && off > 0.02; try++) {
      struct lb_summary s;
      struct lb_err err;
      struct job j = {.n = 0};
      say(&j, "storage.storage_type=simulated");
      say(&j, "checkpoint.scheme=%s", times[i].scheme);
      if (i == 0) {
        say(&j, "model.type=default");
        say(&j, "model.num_layers=-1");
        say(&j, "model.parallelism.pipeline=1");
        say(&j, "model.model_size_bytes=1000003");
        say(&j, "checkpoint.type=all_ranks");
      }
      say(&j, "checkpoint.num_checkpoints_write=1");
      say(&j, "checkpoint.num_checkpoints_read=1");
      say(&j, "storage.storage_options.write_bandwidth=%.0f",
          times[i].saved / save_s);
      say(&j, "storage.storage_options.read_bandwidth=%.0f",
          times[i].loaded / load_s);
      int rc = run(&j, &s, &err);
      all_ok(!rc && (world.rank || s.n_checkpoints == 2), "%s: a run: %s",
             times[i].scheme, err.msg);
      if (s.n_checkpoints == 2) {
        save = s.checkpoint[0].seconds;
        load = s.checkpoint[1].seconds;
        off = fmax(fabs(save / save_s - 1), fabs(load / load_s - 1));
      }
      lb_summary_fini(&s);
      lb_world_bcast(&world, &off, sizeof off);
    }
    all_ok(off <= 0.02, "%s: saved in %.4f s, loaded in %.4f s",
           times[i].scheme, save, load);
  }
}

/* ---- shift ---- */

static void look_for(void *arg, const char *text)
{
  bool *found = arg;
  *found |= strstr(text, "there is only one node; each accelerator reads its "
                         "own files") != NULL;
}

static void begin_shift(struct job *j)
{
  j->n = 0;
  say(j, "model.type=default");
  say(j, "model.num_layers=-1");
  say(j, "model.parallelism.pipeline=1");
  say(j, "model.model_size_bytes=200000");
  say(j, "checkpoint.type=all_ranks");
  say(j, "checkpoint.checkpoint_folder='%s/shift'", base);
}

static void test_shift(void)
{
  struct lb_summary s;
  struct lb_err err;
  struct job j;
  uint64_t most = (uint64_t)world.node_ranks;
  bool warned = false;
  int k = accelerators / world.n_ranks;
  begin_shift(&j);
  say(&j, "checkpoint.num_checkpoints_write=1");
  expect(&j, 0, "saved", (const char *[]){NULL});
  begin_shift(&j);
  say(&j, "checkpoint.num_checkpoints_read=1");
  say(&j, "checkpoint.recovery_rank_shift=true");
  int rc = run(&j, &s, &err);
  uint64_t bytes = s.n_checkpoints == 1 ? s.checkpoint[0].bytes : 0;
  all_ok(!rc && (world.rank || bytes == (uint64_t)accelerators * 200000),
         "all bytes once: %s", err.msg);
  lb_summary_fini(&s);
  lb_world_max_u64(&world, &most, 1);
  lb_log_each_warning(look_for, &warned);
  all_ok(world.rank || warned == (world.n_nodes == 1), "the words: %d nodes",
         world.n_nodes);
  int shift = world.n_nodes == 1 ? 0 : (int)most;
  /* If each file is missed by somebody and each byte is read once, each is read
   * once; who misses it is the one that reads it. */
  for (int a = 0; a < accelerators; a++) {
    char path[LINE], aside[LINE], name[32], rank[32];
    int reader = (a / k + world.n_ranks - shift) % world.n_ranks;
    snprintf(name, sizeof name, "model_states-%d.pt", a);
    snprintf(rank, sizeof rank, "rank %d of %d", reader, world.n_ranks);
    snprintf(path, sizeof path, "%s/shift/global_epoch1_step1/%s", base, name);
    snprintf(aside, sizeof aside, "%s/aside", base);
    damage(path, aside, IS_MISSING);
    begin_shift(&j);
    say(&j, "checkpoint.num_checkpoints_read=1");
    say(&j, "checkpoint.recovery_rank_shift=true");
    expect(&j, -LB_FAILED, "one is missing",
           (const char *[]){name, rank, NULL});
    repair(path, aside);
  }
}

int main(int argc, char **argv)
{
  struct lb_err err = LB_ERR_INIT;
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"faults", test_faults}, {"times", test_times}, {"shift", test_shift}};
  int rc = lb_world_init(&world, &argc, &argv, &err);
  base = argc > 2 ? argv[2] : ".";
  accelerators = argc > 3 ? (int)strtol(argv[3], NULL, 10) : accelerators;
  if (rc || lb_world_accelerators(&world, accelerators, &err)) {
    fprintf(stderr, "%s\n", err.msg);
    lb_world_fini(&world);
    return 2;
  }
  lb_log_speaker(world.rank == 0, "");
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (argc > 1 && !strcmp(argv[1], tests[i].name))
      tests[i].test();
  int rank = world.rank;
  lb_world_fini(&world);
  return all_done(rank);
}
