/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run leaves in a results tree: names of leaves, probes of file systems,
 * counters of a host, overrides as they are kept. */
#include "lb-config.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loadbank/path.h"
#include "mlperf/leaf.h"
#include "mlperf/probe.h"
#include "mlperf/run_overrides.h"
#include "mlperf/series.h"
#include "tap.h"

static const char *folder;

static const char *in_folder(const char *name, char path[PATH_MAX])
{
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static void touch(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT, 0666);
  if (fd >= 0)
    close(fd);
}

static bool there(const char *path)
{
  return access(path, F_OK) == 0;
}

/* ---- names of leaves ---- */

enum { NOON = 1796040000 }; /* 2026-11-30 12:00:00 UTC */

static void test_stamps(void)
{
  static const struct {
    const char *last, *want;
    int wait_s;
  } rows[] = {
      {"", "20261130_120000", 0},
      {"20261130_115959", "20261130_120000", 0},
      {"20261130_120000", "20261130_120001", 0},
      {"20261130_120003", "20261130_120004", 3},
      {"20261130_120010", "20261130_120011", 10},
      {"20251231_235959", "20261130_120000", 0},
      {"20261130_120011", NULL, 0},
      {"20270101_000000", NULL, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lb_err err = LB_ERR_INIT;
    char stamp[LB_MLPERF_STAMP];
    int wait_s = -1;
    int rc = lb_leaf_stamp(NOON, rows[i].last, stamp, &wait_s, &err);
    if (!rows[i].want) {
      is_int(rc, -LB_USAGE, "after %s: the clock was set back", rows[i].last);
      ok(strstr(err.msg, rows[i].last) && strstr(err.msg, "20261130_120000"),
         "... and both times are named");
      continue;
    }
    is_int(rc, 0, "after '%s'", rows[i].last);
    is_str(stamp, rows[i].want, "... the next stamp");
    is_int(wait_s, rows[i].wait_s, "... and how long to wait");
  }
}

static void test_leaves(void)
{
  struct lb_mlperf_place p = {.command = LB_MLPERF_RUN,
                              .org = "acme",
                              .system = "box",
                              .model = "unet3d"};
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX], first[LB_MLPERF_STAMP];
  is_int(lb_leaf_make(folder, &p, path, &err), 0, "a leaf is made");
  ok(there(path) && lb_mlperf_is_stamp(p.stamp), "and is there");
  memcpy(first, p.stamp, sizeof first);
  is_int(lb_leaf_make(folder, &p, path, &err), 0, "another one at once");
  ok(strcmp(p.stamp, first) > 0, "is later");
  in_folder("closed/acme/results/box/training/unet3d/run/20990101_000000",
            path);
  mkdir(path, 0777);
  is_int(lb_leaf_make(folder, &p, path, &err), -LB_USAGE,
         "none after one of the future");
}

/* Processes that begin in the same moment. */
static void test_clash(void)
{
  enum { N = 3 };
  pid_t pid[N];
  char seen[N][LB_MLPERF_STAMP] = {""};
  int pipes[2], different = 0;
  if (pipe(pipes))
    return;
  for (int i = 0; i < N; i++) {
    pid[i] = fork();
    if (pid[i] == 0) {
      struct lb_mlperf_place p = {.command = LB_MLPERF_RUN,
                                  .org = "acme",
                                  .system = "box",
                                  .model = "retinanet"};
      struct lb_err err = LB_ERR_INIT;
      char path[PATH_MAX];
      int rc = lb_leaf_make(folder, &p, path, &err);
      if (rc || write(pipes[1], p.stamp, sizeof p.stamp) < 0)
        _exit(1);
      _exit(0);
    }
  }
  close(pipes[1]);
  for (int i = 0; i < N; i++)
    waitpid(pid[i], NULL, 0);
  for (int i = 0; i < N; i++)
    if (read(pipes[0], seen[i], sizeof seen[i]) == (ssize_t)sizeof seen[i]) {
      bool again = false;
      for (int k = 0; k < i; k++)
        again = again || !strcmp(seen[k], seen[i]);
      different += !again;
    }
  close(pipes[0]);
  is_int(different, N, "processes at the same time get leaves of their own");
}

/* ---- probes ---- */

static void test_paths(void)
{
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX], want[PATH_MAX + 8], out[PATH_MAX], real[PATH_MAX];
  is_int(lb_probe_nearest(in_folder("a/b/c", path), out, &err), 0, "nearest");
  is_str(out, folder, "the folder above that is there");
  is_int(lb_probe_nearest("no/such/folder", out, &err), 0, "a relative path");
  is_str(out, ".", "stands below this one");
  is_int(lb_probe_nearest("/no-such-folder", out, &err), 0, "below the root");
  is_str(out, "/", "is the root");
  if (symlink(folder, in_folder("link", path)) || !realpath(folder, real))
    return;
  is_int(lb_path_resolve(in_folder("link/x/y", path), out), 0, "a link");
  snprintf(want, sizeof want, "%s/x/y", real);
  is_str(out, want, "is followed, what is not there kept");
}

static void test_separation(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_probe_pair pair;
  struct stat a, b;
  char beside[PATH_MAX];
  mkdir(in_folder("beside", beside), 0777);
  is_int(lb_probe_separate(folder, beside, &pair, &err), 0, "a probe");
  ok(pair.same && !pair.by_device, "the same file system, by a hard link");
  is_int(lb_probe_separate("/proc", folder, &pair, &err), 0,
         "where no file can be made");
  ok(!pair.same && pair.by_device && *pair.why, "the device decides");
  if (stat("/dev/shm", &a) || stat(folder, &b) || a.st_dev == b.st_dev ||
      access("/dev/shm", W_OK))
    return;
  is_int(lb_probe_separate("/dev/shm", folder, &pair, &err), 0, "a probe");
  ok(!pair.same && !pair.by_device, "another file system, by EXDEV");
}

static void test_marks(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_probe_mark m, other;
  is_int(lb_probe_mark(folder, &m, &err), 0, "a mark");
  ok(*m.token && there(m.path), "is a file");
  is_int(lb_probe_find(&m, 0, &err), 0, "and is found");
  other = m;
  other.folder_inode++;
  snprintf(other.path + strlen(other.path), 3, "-x");
  is_int(lb_probe_find(&other, 3600, &err), -LB_FAILED,
         "what is in another folder is not waited for");
  err = (struct lb_err)LB_ERR_INIT;
  other = m;
  other.inode++;
  is_int(lb_probe_find(&other, 0, &err), -LB_FAILED, "another inode is not it");
  err = (struct lb_err)LB_ERR_INIT;
  other = m;
  other.token[0]++;
  is_int(lb_probe_find(&other, 0, &err), -LB_FAILED, "nor other contents");
  err = (struct lb_err)LB_ERR_INIT;
  lb_probe_unmark(&m);
  ok(!there(m.path), "it is removed");
  is_int(lb_probe_find(&m, 0, &err), -LB_FAILED, "and missed");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_probe_mark("/proc", &m, &err), 0, "a folder that takes no file");
  ok(!*m.token && lb_probe_find(&m, 0, &err) == 0, "stands for itself");
}

static void test_sweep(void)
{
  char host[65] = "", name[128], gone[PATH_MAX], alive[PATH_MAX];
  char foreign[PATH_MAX], theirs[PATH_MAX];
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  waitpid(pid, NULL, 0);
  gethostname(host, sizeof host - 1);
  snprintf(name, sizeof name, ".loadbank-probe-%s-%ld-link", host, (long)pid);
  touch(in_folder(name, gone));
  snprintf(name, sizeof name, ".loadbank-probe-%s-%ld-link", host,
           (long)getpid());
  touch(in_folder(name, alive));
  snprintf(name, sizeof name, ".loadbank-probe-%sx-%ld-link", host, (long)pid);
  touch(in_folder(name, foreign));
  touch(in_folder("img_1_of_2.npz", theirs));
  lb_probe_sweep(folder);
  ok(!there(gone), "what a killed process left is removed");
  ok(there(alive), "not what a living one has");
  ok(there(foreign), "nor another host's");
  ok(there(theirs), "nor data");
}

/* ---- counters ---- */

static const char stat_text[] = "cpu  100 20 300 4000 50 6 7 0 0 0\n"
                                "cpu0 1 1 1 1 1 1 1 0 0 0\n";
static const char memory_text[] = "MemTotal:       1000 kB\n"
                                  "MemFree:         500 kB\n"
                                  "MemAvailable:    800 kB\n"
                                  "Cached:          200 kB\n"
                                  "Dirty:            10 kB\n";
static const char disk_text[] =
    "   7       0 loop0 1 0 1000 0 1 0 1000 0 0 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 10 0 80 5 20 0 160 6 0 7 8 0 0 0 0\n"
    " 259       1 nvme0n1p1 10 0 80 5 20 0 160 6 0 7 8 0 0 0 0\n"
    "   8       0 sda 1 0 2 3 4 0 8 9 0 0 0 0 0 0 0\n"
    "   8       1 sda1 1 0 2 3 4 0 8 9 0 0 0 0 0 0 0\n"
    " 253       0 dm-0 1 0 2 3 4 0 8 9 0 0 0 0 0 0 0\n";
static const char net_text[] =
    "Inter-|   Receive                |  Transmit\n"
    " face |bytes    packets errs     |bytes    packets\n"
    "    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
    "  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
    "  ib0:30 1 0 0 0 0 0 0 40 1 0 0 0 0 0 0\n";

static void test_counters(void)
{
  static const double want[LB_SERIES_VALUES] = {
      [LB_SERIES_USER] = 1.2,
      [LB_SERIES_SYSTEM] = 3.13,
      [LB_SERIES_IDLE] = 40,
      [LB_SERIES_IOWAIT] = 0.5,
      [LB_SERIES_AVAILABLE] = 800 * 1024,
      [LB_SERIES_CACHED] = 200 * 1024,
      [LB_SERIES_DIRTY] = 10 * 1024,
      [LB_SERIES_DISK_READ] = 82 * 512,
      [LB_SERIES_DISK_WRITTEN] = 168 * 512,
      [LB_SERIES_RECEIVED] = 1030,
      [LB_SERIES_SENT] = 2040};
  struct lb_series_sample s;
  lb_series_parse(stat_text, 100, memory_text, disk_text, net_text, &s);
  for (int i = 0; i < LB_SERIES_VALUES; i++)
    ok(s.v[i] == want[i], "%s: %.17g, %.17g", lb_series_names[i], s.v[i],
       want[i]);
  lb_series_parse(NULL, 100, NULL, NULL, NULL, &s);
  int missing = 0;
  for (int i = 0; i < LB_SERIES_VALUES; i++)
    missing += isnan(s.v[i]);
  is_int(missing, LB_SERIES_VALUES, "what cannot be read is missing");
}

static void test_series(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_series *s = NULL;
  is_int(lb_series_start(&s, 3600, 10, &err), 0, "a series begins");
  lb_series_free(s); /* must not wait an hour */
  ok(true, "and ends at once");
  lb_series_free(NULL);
}

/* ---- overrides ---- */

static void test_overrides(void)
{
  static const char *const given[] = {"train.epochs=2", "++workload.a.b=c",
                                      "~reader.odirect"};
  static const char *const want[] = {
      "++workload.train.epochs=2", "++workload.a.b=c", "~reader.odirect",
      "++hydra.run.dir=/r/leaf", "++hydra.output_subdir=dlio_config"};
  struct lb_run_overrides o;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_run_overrides_make(given, 3, "/r/leaf", &o, &err), 0, "overrides");
  is_int(o.n, 5, "... and two more");
  for (int i = 0; i < o.n && i < 5; i++)
    is_str(o.line[i], want[i], "... as Hydra has them");
  lb_run_overrides_fini(&o);
  is_int(lb_run_overrides_make(given, 0, "/a b'c", &o, &err), 0, "a folder");
  is_str(o.line[0], "++hydra.run.dir=\"/a b'c\"", "with blanks is quoted");
  lb_run_overrides_fini(&o);
}

int main(void)
{
  folder = tap_tmpdir();
  test_stamps();
  test_leaves();
  test_clash();
  test_paths();
  test_separation();
  test_marks();
  test_sweep();
  test_counters();
  test_series();
  test_overrides();
  return done();
}
