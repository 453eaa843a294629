/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_point FOLDER: points of one job, on 2 ranks or more; their results go
 * below FOLDER. */
#include "lb-config.h"

#include "loadbank/point.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loadbank/clock.h"
#include "mpitap.h"

/* 100 MB/s for samples of 1 MB: a batch of one takes 10 ms, as long as it is
 * computed on. */
static const char yaml[] =
    "model: {name: points}\n"
    "framework: pytorch\n"
    "workflow: {train: true, generate_data: false}\n"
    "dataset: {data_folder: data, format: npy, num_files_train: 12,\n"
    "  record_length_bytes: 1000000}\n"
    "storage: {storage_type: simulated,\n"
    "  storage_options: {read_bandwidth: 100000000}}\n"
    "reader: {data_loader: pytorch, batch_size: 1, read_threads: 1}\n"
    "train: {epochs: 1, computation_time: 0.01}\n";

static char top[4096], folder[4200];
static int n_points;

static struct lb_point point_of(const char *const *overrides, int n)
{
  snprintf(folder, sizeof folder, "%s/%d", top, ++n_points);
  return (struct lb_point){.yaml = yaml,
                           .yaml_len = sizeof yaml - 1,
                           .name = "points.yaml",
                           .overrides = overrides,
                           .n_overrides = n,
                           .folder = folder,
                           .run = {.command_line = "test_point",
                                   .progress = LB_PROGRESS_NEVER,
                                   .max_threads = 16}};
}

static bool has_summary(void)
{
  char path[5000];
  snprintf(path, sizeof path, "%s/summary.json", folder);
  return !access(path, F_OK);
}

static void test_ranks(struct lb_world *w, int first)
{
  for (int ranks = first; ranks <= w->n_ranks; ranks++) {
    struct lb_point p = point_of(NULL, 0);
    struct lb_point_result r;
    struct lb_err err = LB_ERR_INIT;
    int n = ranks ? ranks : w->n_ranks, all = 2 * n + 1;
    p.ranks = ranks;
    p.accelerators = all;
    int rc = lb_point_run(w, &p, &r, &err);
    all_ok(!rc && r.code == 0 && !r.reason[0], "a point of %d ranks", ranks);
    all_ok(w->rank ||
               (r.summary.n_ranks == n && r.summary.accelerators == all &&
                r.plan.accelerators == all),
           "%d ranks: has them and their accelerators", ranks);
    all_ok(r.seconds > 0.1 && r.seconds < 60, "%d ranks: takes its time",
           ranks);
    all_ok(has_summary(), "%d ranks: its results are there", ranks);
    lb_point_result_fini(&r);
  }
}

static void fails(struct lb_world *w, const char *const *overrides, int n,
                  int code, const char *reason)
{
  struct lb_point p = point_of(overrides, n);
  struct lb_point_result r;
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_point_run(w, &p, &r, &err);
  if (w->rank == 0)
    printf("# %s\n", r.reason);
  all_ok(!rc && !err.code && r.code == code && strstr(r.reason, reason),
         "'%s': a point's failure", reason);
  all_ok(has_summary() == (code == LB_FAILED), "'%s': and what it has written",
         reason);
  lb_point_result_fini(&r);
}

/* A file may have so many bytes, and no more. */
static void limit_files(rlim_t bytes)
{
  struct rlimit r;
  getrlimit(RLIMIT_FSIZE, &r);
  r.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &r);
}

static void test_failures(struct lb_world *w)
{
  char data[4200];
  const char *const large[] = {"reader.batch_size=100"};
  const char *const unknown[] = {"reader.batch=1"};
  const char *const full[] = {"storage.storage_type=local_fs",
                              "storage.storage_options={}",
                              "workflow.generate_data=true", data};
  snprintf(data, sizeof data, "dataset.data_folder=%s/full", top);
  fails(w, large, 1, LB_USAGE, "batch");
  fails(w, unknown, 1, LB_USAGE, "unknown key");
  limit_files(200000);
  fails(w, full, 4, LB_FAILED, "File too large");
  limit_files(RLIM_INFINITY);
}

static void *signal_later(void *arg)
{
  lb_clock_sleep_until(lb_clock_ns() + LB_NS_PER_S / 2);
  kill(getpid(), SIGTERM);
  return arg;
}

/* One rank of those that take part is told, as some launchers do. */
static void test_signal(struct lb_world *w)
{
  const char *const longer[] = {"train.epochs=100000"};
  struct lb_point p = point_of(longer, 1);
  struct lb_point_result r;
  struct lb_err err = LB_ERR_INIT;
  pthread_t thread = pthread_self();
  lb_bench_catch_signals();
  p.ranks = 2;
  if (w->rank == 0)
    pthread_create(&thread, NULL, signal_later, NULL);
  int rc = lb_point_run(w, &p, &r, &err);
  if (w->rank == 0)
    pthread_join(thread, NULL);
  all_ok(rc == 143 && r.code == 143, "SIGTERM ends a point and is told to all");
  all_ok(has_summary(), "and what it has measured is kept");
  lb_point_result_fini(&r);
  p.folder = "/dev/null/x";
  rc = lb_point_run(w, &p, &r, &err);
  all_ok(rc == 143 && r.code == 143, "the next one does not begin");
  lb_point_result_fini(&r);
}

int main(int argc, char **argv)
{
  struct lb_world w;
  if (argc != 2) {
    printf("Bail out! it needs a folder\n");
    return 99;
  }
  begin_world(&w, &argc, &argv);
  int rank = w.rank;
  snprintf(top, sizeof top, "%s/%d-ranks", argv[1], w.n_ranks);
  test_ranks(&w, 0);
  test_failures(&w);
  test_ranks(&w, w.n_ranks);
  test_signal(&w);
  lb_world_fini(&w);
  return all_done(rank);
}
