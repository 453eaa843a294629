/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and folders of a dataset. */
#include "lb-config.h"

#include "loadbank/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct lb_layout layout(int64_t n, int64_t folders)
{
  return (struct lb_layout){
      .root = "/data/u",
      .prefix = "img",
      .extension = "npz",
      .n_files = {n, 7},
      .n_used = {n, 7},
      .n_folders = {folders, 1},
  };
}

static void test_names(void)
{
  char path[PATH_MAX];
  struct lb_layout l = layout(10, 0);
  int n = lb_layout_path(&l, LB_SET_TRAIN, 3, path, sizeof path);
  is_str(path, "/data/u/train/img_03_of_10.npz", "padded to the count's width");
  is_int(n, (int)strlen(path), "the length is returned");
  lb_layout_path(&l, LB_SET_EVAL, 6, path, sizeof path);
  is_str(path, "/data/u/valid/img_6_of_7.npz", "the evaluation set");
  l = layout(1000000, 100);
  lb_layout_path(&l, LB_SET_TRAIN, 1234, path, sizeof path);
  is_str(path, "/data/u/train/034/img_0001234_of_1000000.npz",
         "sub-folders are padded to the width of their count");
  l = layout(8, 1);
  lb_layout_path(&l, LB_SET_TRAIN, 0, path, sizeof path);
  is_str(path, "/data/u/train/img_0_of_8.npz", "one sub-folder means flat");
}

static void test_round_robin(void)
{
  struct lb_layout l = layout(10, 3);
  int in_folder[3] = {0}, parsed = 0;
  for (int64_t i = 0; i < 10; i++) {
    char path[PATH_MAX];
    int folder, index, count;
    lb_layout_path(&l, LB_SET_TRAIN, i, path, sizeof path);
    if (sscanf(path, "/data/u/train/%1d/img_%2d_of_%d.npz", &folder, &index,
               &count) == 3 &&
        folder >= 0 && folder < 3) {
      in_folder[folder]++;
      parsed += index == i && count == 10;
    }
  }
  is_int(parsed, 10, "10 names lead back to their index");
  ok(in_folder[0] == 4 && in_folder[1] == 3 && in_folder[2] == 3,
     "10 files in 3 sub-folders are 4, 3 and 3");
}

static void test_folders(void)
{
  char path[PATH_MAX];
  struct lb_layout l = layout(10, 12);
  lb_layout_folder(&l, LB_SET_TRAIN, -1, path, sizeof path);
  is_str(path, "/data/u/train", "a set's folder");
  int n = lb_layout_folder(&l, LB_SET_TRAIN, 5, path, sizeof path);
  is_str(path, "/data/u/train/05", "a sub-folder");
  is_int(n, 16, "... and its length");
}

static void test_temporary(void)
{
  char path[PATH_MAX];
  struct lb_layout l = layout(10, 3);
  int n = lb_layout_temporary(&l, LB_SET_TRAIN, 4, path, sizeof path);
  is_str(path, "/data/u/train/1/.img_04_of_10.part",
         "a temporary name: same folder, a dot, no ending");
  is_int(n, (int)strlen(path), "... and its length");
}

static void test_foreign(void)
{
  static const char names[] = "a/one.npz\0b/two.npz";
  static const uint64_t at[] = {10, 0};
  struct lb_layout l = layout(2, 2);
  l.names[LB_SET_TRAIN] = names;
  l.name_at[LB_SET_TRAIN] = at;
  char path[PATH_MAX];
  lb_layout_path(&l, LB_SET_TRAIN, 0, path, sizeof path);
  is_str(path, "/data/u/train/b/two.npz", "a foreign name");
  lb_layout_path(&l, LB_SET_TRAIN, 1, path, sizeof path);
  is_str(path, "/data/u/train/a/one.npz", "another");
  lb_layout_temporary(&l, LB_SET_TRAIN, 1, path, sizeof path);
  is_str(path, "/data/u/train/a/.one.part", "... and its temporary name");
}

static void test_too_long(void)
{
  struct lb_layout l = layout(10, 3);
  char whole[PATH_MAX];
  int path_n = lb_layout_path(&l, LB_SET_TRAIN, 1, whole, sizeof whole);
  int temp_n = lb_layout_temporary(&l, LB_SET_TRAIN, 1, whole, sizeof whole);
  int wrong = 0;
  for (size_t size = 1; size < 60; size++) {
    char *buf = malloc(size); /* exactly: a sanitizer sees a byte too many */
    if (!buf)
      break;
    int a = lb_layout_path(&l, LB_SET_TRAIN, 1, buf, size);
    wrong += a != ((size_t)path_n < size ? path_n : -1);
    int b = lb_layout_temporary(&l, LB_SET_TRAIN, 1, buf, size);
    wrong += b != ((size_t)temp_n < size ? temp_n : -1);
    free(buf);
  }
  is_int(wrong, 0, "a buffer that is too small is refused, byte by byte");
}

int main(void)
{
  test_names();
  test_round_robin();
  test_folders();
  test_temporary();
  test_foreign();
  test_too_long();
  return done();
}
