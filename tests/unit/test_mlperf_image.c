/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code images: the hash of a tree, as Python's hashlib computes it from the
 * same files; the pool; pointers. */
#include "lb-config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mlperf/image.h"
#include "tap.h"

#ifdef HAVE_NETTLE

static const char files_hash[] = "d6731fb39dcd68d8f34ba9028a6075a4";

/* "path" below the folder of this test, and the folders above it. */
static const char *place(const char *path)
{
  static char out[PATH_MAX];
  snprintf(out, sizeof out, "%s/%s", tap_tmpdir(), path);
  for (char *p = out + strlen(tap_tmpdir()) + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(out, 0777);
      *p = '/';
    }
  return out;
}

static void put(const char *path, const char *bytes, size_t n)
{
  FILE *f = fopen(place(path), "w");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
    ok(false, "%s is written", path);
}

static void put_text(const char *path, const char *text)
{
  put(path, text, strlen(text));
}

static void make_tree(void)
{
  char bytes[256 * 300];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(i % 256);
  put_text("tree/a.txt", "alpha\n");
  put_text("tree/a/b.txt", "in a folder");
  put_text("tree/a-b", "dash");
  put_text("tree/B", "");
  put("tree/deep/x/y/z.bin", bytes, sizeof bytes);
  put_text("tree/testing/t", "kept");
  put_text("tree/buildx", "kept too");
  put_text("tree/\303\251", "utf-8");
}

/* What does not count, wherever it is. */
static void make_noise(void)
{
  static const char *const noise[] = {
      "tree/.git/HEAD",        "tree/a/.git/HEAD", "tree/deep/x/build/o.o",
      "tree/tests/t",          "tree/a/test/t",    "tree/x.egg-info/PKG",
      "tree/a/__pycache__/x",  "tree/a/m.pyc",     "tree/m.pyo",
      "tree/.DS_Store",        "tree/a/Thumbs.db", "tree/.code-hash.json",
      "tree/node_modules/x/y", "tree/.venv/bin/z"};
  for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
    put_text(noise[i], "noise");
  ok(!symlink("a.txt", place("tree/link")) &&
         !symlink(".", place("tree/loop")) && !mkfifo(place("tree/pipe"), 0666),
     "links and a pipe");
}

static void test_hash(void)
{
  struct lb_err err = LB_ERR_INIT;
  char hash[LB_MLPERF_TREE_HASH], folder[PATH_MAX];
  make_tree();
  snprintf(folder, sizeof folder, "%s", place("tree"));
  is_int(lb_mlperf_tree_hash(folder, hash, &err), 0, "a tree: %s", err.msg);
  is_str(hash, files_hash, "its hash");
  make_noise();
  is_int(lb_mlperf_tree_hash(folder, hash, &err), 0, "with noise: %s", err.msg);
  is_str(hash, files_hash, "the same");
  put_text("tree/a/b.txt", "in a Folder");
  is_int(lb_mlperf_tree_hash(folder, hash, &err), 0, "a letter is changed");
  ok(strcmp(hash, files_hash) != 0, "another hash");
  put_text("tree/a/b.txt", "in a folder");
  mkdir(place("empty"), 0777);
  is_int(lb_mlperf_tree_hash(place("empty"), hash, &err), 0, "an empty tree");
  is_str(hash, "d41d8cd98f00b204e9800998ecf8427e", "the hash of nothing");
  is_int(lb_mlperf_tree_hash("/nowhere", hash, &err), -LB_FAILED, "no tree");
}

/* ---- the pool ---- */

static const struct lb_mlperf_image_file workload = {
    "workloads/unet3d_b200.yaml", "model: unet3d\n", 14};

static bool is_there(const char *folder, const char *name)
{
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return !access(path, F_OK);
}

static void test_capture(char image[PATH_MAX + 64])
{
  struct lb_err err = LB_ERR_INIT;
  char hash[LB_MLPERF_TREE_HASH], again[LB_MLPERF_TREE_HASH], name[64];
  char results[PATH_MAX];
  struct stat before, after;
  mkdir(place("results"), 0777);
  snprintf(results, sizeof results, "%s", place("results"));
  is_int(lb_mlperf_image_capture(results, &workload, 1, hash, &err), 0,
         "captured: %s", err.msg);
  lb_mlperf_image_name(hash, name);
  snprintf(image, PATH_MAX + 64, "%s/%s", results, name);
  ok(is_there(results, "code-images/.mlps-image-pool"), "the pool's marker");
  static const char *const inside[] = {"loadbank", "build.json",
                                       "workloads/unet3d_b200.yaml",
                                       ".code-hash.json"};
  for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
    ok(is_there(image, inside[i]), "%s is in it", inside[i]);
  is_int(lb_mlperf_image_verify(image, again, &err), 0, "it verifies: %s",
         err.msg);
  is_str(again, hash, "with its hash");
  stat(image, &before);
  is_int(lb_mlperf_image_capture(results, &workload, 1, again, &err), 0,
         "captured again: %s", err.msg);
  stat(image, &after);
  is_str(again, hash, "the same hash");
  ok(before.st_ino == after.st_ino, "the same image");
  const struct lb_mlperf_image_file other = {"workloads/x.yaml", "x", 1};
  is_int(lb_mlperf_image_capture(results, &other, 1, again, &err), 0,
         "another workload");
  ok(strcmp(hash, again) != 0, "is another image");
}

/* Jobs at once, and what a killed one has left. */
static void test_together(void)
{
  enum { JOBS = 6 };
  struct lb_err err = LB_ERR_INIT;
  char results[PATH_MAX], host[65] = "", left[256], hash[LB_MLPERF_TREE_HASH];
  pid_t pid[JOBS];
  int failed = 0, status;
  mkdir(place("together"), 0777);
  snprintf(results, sizeof results, "%s", place("together"));
  pid_t gone = fork();
  if (gone == 0)
    _exit(0);
  waitpid(gone, &status, 0);
  gethostname(host, sizeof host - 1);
  snprintf(left, sizeof left, "together/code-images/.code-01234567.%s.%ld/part",
           host, (long)gone);
  put_text(left, "half");
  for (int i = 0; i < JOBS; i++) {
    pid[i] = fork();
    if (pid[i] == 0)
      _exit(lb_mlperf_image_capture(results, &workload, 1, hash, &err) != 0);
  }
  for (int i = 0; i < JOBS; i++)
    failed += waitpid(pid[i], &status, 0) != pid[i] || status != 0;
  is_int(failed, 0, "jobs at once");
  is_int(lb_mlperf_image_capture(results, &workload, 1, hash, &err), 0,
         "the image is whole: %s", err.msg);
  ok(access(place(left), F_OK) != 0, "what was left over is gone");
}

static void test_damaged(const char *image)
{
  struct lb_err err = LB_ERR_INIT;
  char hash[LB_MLPERF_TREE_HASH], path[2 * PATH_MAX], moved[PATH_MAX];
  snprintf(moved, sizeof moved, "%s", place("code-00000000"));
  ok(!rename(image, moved), "an image of another name");
  is_int(lb_mlperf_image_verify(moved, hash, &err), -LB_USAGE, "is none");
  ok(strstr(err.msg, "wants the name code-") != NULL, "%s", err.msg);
  ok(!rename(moved, image), "moved back");
  snprintf(path, sizeof path, "%s/more", image);
  FILE *f = fopen(path, "w");
  ok(f && !fclose(f), "a file more");
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_mlperf_image_verify(image, hash, &err), -LB_USAGE, "is damage");
  ok(strstr(err.msg, "recorded is") != NULL, "%s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_mlperf_image_capture(place("results"), &workload, 1, hash, &err),
         -LB_USAGE, "and the next run says so");
  ok(strstr(err.msg, "move it away") != NULL, "%s", err.msg);
}

static void test_records(void)
{
  static const struct {
    const char *text, *flaw;
  } rows[] = {
      {"{", "line 1"},
      {"[]", "must be there"},
      {"{\"hash\": 5, \"algorithm\": \"md5-tree-v2\", \"captured_at\": "
       "\"2026-06-16T15:42:11Z\", \"mlpstorage_version\": \"1\", \"git_sha\": "
       "null}",
       "32 lower-case"},
      {"{\"hash\": \"d41d8cd98f00b204e9800998ecf8427e\", \"algorithm\": "
       "\"md5-tree-v1\", \"captured_at\": \"2026-06-16T15:42:11Z\", "
       "\"mlpstorage_version\": \"1\", \"git_sha\": null}",
       "allowed is md5-tree-v2"},
      {"{\"hash\": \"d41d8cd98f00b204e9800998ecf8427e\", \"algorithm\": "
       "\"md5-tree-v2\", \"captured_at\": \"2026-06-16 15:42:11\", "
       "\"mlpstorage_version\": \"1\", \"git_sha\": null}",
       "captured_at"},
      {"{\"hash\": \"d41d8cd98f00b204e9800998ecf8427e\", \"algorithm\": "
       "\"md5-tree-v2\", \"captured_at\": \"2026-06-16T15:42:11Z\", "
       "\"mlpstorage_version\": \"1\", \"git_sha\": \"abc\"}",
       "git_sha"},
  };
  char hash[LB_MLPERF_TREE_HASH];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_err err = LB_ERR_INIT;
    put_text("record/.code-hash.json", rows[i].text);
    is_int(lb_mlperf_image_recorded(place("record"), hash, &err), -LB_USAGE,
           "a bad record");
    ok(strstr(err.msg, rows[i].flaw) != NULL, "%s", err.msg);
  }
}

static void test_pointers(void)
{
  static const char hash[] = "0123456789abcdef0123456789abcdef";
  static const char *const bad[] = {
      "", "md5-tree-v2:", "md5-tree-v1:0123456789abcdef0123456789abcdef",
      "md5-tree-v2:0123456789ABCDEF0123456789ABCDEF",
      "md5-tree-v2:0123456789abcdef0123456789abcdef0"};
  struct lb_err err = LB_ERR_INIT;
  char back[LB_MLPERF_TREE_HASH];
  mkdir(place("leaf"), 0777);
  is_int(lb_mlperf_pointer_read(place("leaf"), back, &err), -LB_USAGE,
         "no pointer");
  is_int(err.sys, ENOENT, "%s", err.msg);
  err = (struct lb_err)LB_ERR_INIT;
  is_int(lb_mlperf_pointer_write(place("leaf"), hash, &err), 0, "written");
  is_int(lb_mlperf_pointer_read(place("leaf"), back, &err), 0, "read");
  is_str(back, hash, "the same");
  put_text("leaf/.mlps-code-image",
           "md5-tree-v2:0123456789abcdef0123456789abcdef\n");
  is_int(lb_mlperf_pointer_read(place("leaf"), back, &err), 0, "a line");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    err = (struct lb_err)LB_ERR_INIT;
    put_text("leaf/.mlps-code-image", bad[i]);
    is_int(lb_mlperf_pointer_read(place("leaf"), back, &err), -LB_USAGE,
           "no pointer: '%s'", bad[i]);
  }
}

int main(void)
{
  char image[PATH_MAX + 64];
  test_hash();
  test_capture(image);
  test_together();
  test_damaged(image);
  test_records();
  test_pointers();
  return done();
}

#else

int main(void)
{
  struct lb_err err = LB_ERR_INIT;
  char hash[LB_MLPERF_TREE_HASH];
  is_int(lb_mlperf_tree_hash("/proc/self/task", hash, &err), -LB_USAGE,
         "without nettle there are no hashes: %s", err.msg);
  return done();
}

#endif
