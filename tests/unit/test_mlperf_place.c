/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of a results tree, and the tree read back. */
#include "lb-config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "mlperf/tree.h"
#include "tap.h"

static const struct lb_mlperf_place training = {
    .mode = LB_MLPERF_CLOSED,
    .kind = LB_MLPERF_TRAINING,
    .command = LB_MLPERF_DATAGEN,
    .org = "acme",
    .system = "box-1",
    .model = "unet3d",
    .stamp = "20261130_235960",
};

static void test_names(void)
{
  ok(lb_mlperf_is_name("a.B_c-9"), "letters, digits, dot, underscore, dash");
  static const char *const bad[] = {"",    ".",   "..",      ".x",
                                    "a b", "a/b", "\303\244"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    ok(!lb_mlperf_is_name(bad[i]), "no name: '%s'", bad[i]);
  ok(lb_mlperf_is_stamp("20240229_000000"), "a stamp");
  static const char *const none[] = {"20241301_000000", "20240431_000000",
                                     "20240101_240000", "20240101-000000",
                                     "20240101_00000",  "2024010a_000000"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    ok(!lb_mlperf_is_stamp(none[i]), "no stamp: '%s'", none[i]);
}

static void test_paths(void)
{
  struct lb_err err = LB_ERR_INIT;
  char path[PATH_MAX];
  struct lb_mlperf_place back, p = training;
  is_int(lb_mlperf_leaf_path(&p, path, &err), 0, "a leaf's path");
  is_str(path,
         "closed/acme/results/box-1/training/unet3d/datagen/20261130_235960",
         "of training");
  ok(lb_mlperf_leaf_parse(path, &back) && !memcmp(&back, &p, sizeof p),
     "and back");
  p.kind = LB_MLPERF_CHECKPOINTING;
  p.command = LB_MLPERF_RUN;
  is_int(lb_mlperf_leaf_path(&p, path, &err), 0, "a leaf's path");
  is_str(path, "closed/acme/results/box-1/checkpointing/unet3d/20261130_235960",
         "of checkpoints");
  ok(lb_mlperf_leaf_parse(path, &back) && !memcmp(&back, &p, sizeof p),
     "and back");
  static const char *const none[] = {
      "",
      "closed",
      "Closed/a/results/s/checkpointing/m/20240101_000000",
      "closed/a/results/s/training/m/20240101_000000",
      "closed/a/results/s/training/m/configview/20240101_000000",
      "closed/a/results/s/training/m/run/20240101_000000/dlio_config",
      "closed//results/s/training/m/run/20240101_000000"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    ok(!lb_mlperf_leaf_parse(none[i], &back), "no leaf: '%s'", none[i]);
}

/* Makes the folders of a path below the temporary one. */
static void make(char out[PATH_MAX], const char *path)
{
  snprintf(out, PATH_MAX, "%s/%s", tap_tmpdir(), path);
  for (char *p = out + strlen(tap_tmpdir()) + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(out, 0777);
      *p = '/';
    }
  mkdir(out, 0777);
}

static void put(const char *folder, const char *name, const char *text)
{
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    ok(false, "%s is written", path);
}

static void test_tree(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_tree t;
  char folder[PATH_MAX];
  make(folder, "closed/a/results/s/training/m/run/20240101_000001");
  put(folder, "training_20240101_000001_metadata.json", "{\"a\": 1}");
  put(folder, "summary.json", "{\"a\": 1, \"a\": 2}");
  make(folder, "closed/a/results/s/training/m/run/20240101_000000");
  make(folder, "closed/a/results/s/training/m/datagen/20240101_000000");
  make(folder, "closed/a/results/s/training/m/run/not-a-stamp");
  is_int(lb_mlperf_tree_read(tap_tmpdir(), &t, &err), 0, "a tree: %s", err.msg);
  is_int((long long)t.n, 3, "three leaves");
  is_int((long long)lb_mlperf_group_end(&t, 0), 1, "one of datagen");
  is_int((long long)lb_mlperf_group_end(&t, 1), 3, "two of run");
  is_str(t.leaf[1].place.stamp, "20240101_000000", "in order of time");
  const struct lb_mlperf_json *f = t.leaf[2].file;
  ok(f[LB_MLPERF_METADATA].json && !f[LB_MLPERF_METADATA].reason,
     "metadata are read");
  ok(f[LB_MLPERF_SUMMARY].name && !f[LB_MLPERF_SUMMARY].json &&
         f[LB_MLPERF_SUMMARY].reason,
     "a key given twice: no summary, and a reason");
  ok(!f[LB_MLPERF_PROVENANCE].name, "what is not there has no name");
  lb_mlperf_tree_fini(&t);
  is_int(lb_mlperf_tree_read("/nowhere", &t, &err), -LB_USAGE, "no folder");
  lb_mlperf_tree_fini(&t);
}

int main(void)
{
  test_names();
  test_paths();
  test_tree();
  return done();
}
